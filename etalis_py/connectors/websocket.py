"""WebSockets, by websockets: a message a body; a message an answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus, InvalidURI, WebSocketException

from etalis_py.connectors.address import Address
from etalis_py.connectors.base import Known, LostError, Message, Sink, Source
from etalis_py.core.errors import UsageError

__all__ = ["sink", "source"]


def source(address: Address) -> Source:
    """What comes of a WebSocket."""
    return _WebSocketSource(address)


def sink(address: Address) -> Sink:
    """Answers to a WebSocket; it confirms nothing, so that those on their way when it breaks may be lost."""
    return _WebSocketSink(address)


async def _connected(address: Address) -> ClientConnection:
    try:
        return await connect(address.url, proxy=None, max_size=16 << 20)
    except InvalidStatus as error:
        message = f"{address}: status {error.response.status_code}"
        if error.response.status_code in (401, 403, 404):
            raise UsageError("EP631", message) from error
        raise LostError(message) from error
    except InvalidURI as error:
        raise UsageError("EP630", f"{address}: {error}") from error
    except (WebSocketException, OSError, TimeoutError) as error:
        raise LostError(f"{address}: {type(error).__name__} {error}") from error


class _WebSocketSource(Source):
    async def messages(self, known: Known) -> AsyncGenerator[Sequence[Message], None]:  # noqa: ARG002
        connection = await _connected(self.address)
        try:
            yield []
            async for message in connection:
                yield [Message(message.encode() if isinstance(message, str) else message)]
        except (WebSocketException, OSError) as error:
            raise LostError(f"{self.address}: {error}") from error
        finally:
            await connection.close()
        raise LostError(f"{self.address}: it was closed")


class _WebSocketSink(Sink):
    async def open(self) -> None:
        self._connection = await _connected(self.address)

    async def send(self, lines: Sequence[bytes], numbers: tuple[int, int]) -> None:  # noqa: ARG002
        try:
            for line in lines:
                await self._connection.send(line.decode())
            await (await self._connection.ping())
        except (WebSocketException, OSError) as error:
            raise LostError(f"{self.address}: {error}") from error

    async def close(self) -> None:
        await self._connection.close()
