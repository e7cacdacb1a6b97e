"""Redis Streams, by redis-py: the number of an entry is its id, so it can be read again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import AuthenticationError, RedisError, ResponseError

from etalis_py.connectors.address import Address
from etalis_py.connectors.base import MOST_AT_ONCE, Known, LostError, Message, Sink, Source
from etalis_py.core.errors import UsageError

__all__ = ["sink", "source"]

_WAIT: Final = 1000
"""Milliseconds."""
_PATIENCE: Final = 10.0
"""Seconds that a server may take to answer."""
_BITS: Final = 20
"""Of the number of an entry within its millisecond."""


def source(address: Address) -> Source:
    """The entries of a stream, ``from`` its end or its start; the event is in the field ``field``."""
    return _RedisSource(address)


def sink(address: Address) -> Sink:
    """An entry a line."""
    return _RedisSink(address)


def _client(address: Address) -> Redis:
    return Redis(
        host=address.host,
        port=address.port or 6379,
        username=address.user or None,
        password=address.password,
        ssl=address.scheme == "rediss",
        socket_timeout=_PATIENCE,
        socket_connect_timeout=_PATIENCE,
    )


class _RedisSource(Source):
    def __init__(self, address: Address) -> None:
        super().__init__(address)
        address.check(["from", "field"])
        self._field = address.option("field", "event").encode()
        self._from_start = address.option("from", "end", ("start", "end")) == "start"
        self._key = address.name("key")

    async def messages(self, known: Known) -> AsyncGenerator[Sequence[Message], None]:
        origin = f"{self.address.host}:{self.address.port or 6379}/{self._key}"
        client = _client(self.address)
        last = _entry(known[origin].number) if origin in known else "0-0"
        try:
            newest: Any = await client.xrevrange(self._key, count=1)
            yield []
            if origin not in known and not self._from_start:
                last = newest[0][0].decode() if newest else last
                yield [Message(b"", origin, _number(last))]
            while True:
                found: Any = await client.xread({self._key: last}, count=MOST_AT_ONCE, block=_WAIT)
                entries = found.values() if isinstance(found, dict) else [rows for _, rows in found]
                for rows in entries:
                    some = rows[0] if rows and isinstance(rows[0], list) else rows
                    last = some[-1][0].decode()
                    yield [
                        Message(fields.get(self._field, b""), origin, _number(name.decode()))
                        for name, fields in some
                    ]
        except (AuthenticationError, ResponseError) as error:
            raise UsageError("EP631", f"{self.address}: {error}") from error
        except (RedisError, OSError) as error:
            raise LostError(f"{self.address}: {error}") from error
        finally:
            await client.aclose()


def _number(entry: str) -> int:
    milliseconds, _, place = entry.partition("-")
    return int(milliseconds) << _BITS | int(place)


def _entry(number: int) -> str:
    return f"{number >> _BITS}-{number & (1 << _BITS) - 1}"


class _RedisSink(Sink):
    async def open(self) -> None:
        self.address.check(["field"])
        self._key = self.address.name("key")
        self._field = self.address.option("field", "answer")
        self._client = _client(self.address)

    async def send(self, lines: Sequence[bytes], numbers: tuple[int, int]) -> None:  # noqa: ARG002
        try:
            async with self._client.pipeline(transaction=True) as several:
                for line in lines:
                    several.xadd(self._key, {self._field: line})
                await several.execute()
        except (RedisError, OSError) as error:
            raise LostError(f"{self.address}: {error}") from error

    async def close(self) -> None:
        await self._client.aclose()
