"""HTTP: Server-Sent Events or lines as they come; answers are posted as NDJSON."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from typing import Final

import httpx

from etalis_py.connectors.address import Address
from etalis_py.connectors.base import Known, LostError, Message, Sink, Source
from etalis_py.core.errors import UsageError

__all__ = ["get_if_changed", "sink", "source"]

_FINAL: Final = (400, 401, 403, 404, 405, 410)
"""Statuses that come again, however often one tries."""


def source(address: Address) -> Source:
    """The events or the lines of a response that does not end."""
    return _HttpSource(address)


def sink(address: Address) -> Sink:
    """A POST for some lines; the header ``Etalis-Answers`` has the numbers of the first and the last."""
    return _HttpSink(address)


def _auth(address: Address) -> httpx.BasicAuth | None:
    return None if address.user is None else httpx.BasicAuth(address.user, address.password or "")


async def get_if_changed(
    address: Address, url: str, validators: Mapping[str, str], most: int
) -> tuple[dict[str, str], bytes] | None:
    """The headers by which to ask for ``url`` the next time, and the content, at most ``most`` bytes.

    None: it is as it was when it was given with these (RFC 9110, section 13).

    Raises:
        LostError: it cannot be had.
        UsageError: EP631, it is refused.
    """
    content = bytearray()
    try:
        async with (
            httpx.AsyncClient(timeout=30.0, trust_env=False, auth=_auth(address)) as client,
            client.stream("GET", url, headers=dict(validators)) as response,
        ):
            if response.status_code == httpx.codes.NOT_MODIFIED:
                return None
            _check_status(address, response)
            async for part in response.aiter_bytes():
                content += part
                if len(content) > most:
                    raise UsageError("EP631", f"{address}: more than {most:,} bytes")
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise LostError(f"{address}: {type(error).__name__} {error}") from error
    asked = {
        "If-None-Match": response.headers.get("etag"),
        "If-Modified-Since": response.headers.get("last-modified"),
    }
    return {name: value for name, value in asked.items() if value is not None}, bytes(content)


def _check_status(address: Address, response: httpx.Response) -> None:
    if response.status_code in _FINAL:
        raise UsageError("EP631", f"{address}: status {response.status_code}")
    if not response.is_success:
        raise LostError(f"{address}: status {response.status_code}")


class _HttpSource(Source):
    async def messages(self, known: Known) -> AsyncGenerator[Sequence[Message], None]:
        headers = {"Accept": "text/event-stream, application/x-ndjson;q=0.9, */*;q=0.1"}
        origin = str(self.address)
        if origin in known:
            headers["Last-Event-ID"] = str(known[origin].number)
        timeout = httpx.Timeout(30.0, read=None)
        try:
            async with (
                httpx.AsyncClient(timeout=timeout, trust_env=False, auth=_auth(self.address)) as client,
                client.stream("GET", self.address.url, headers=headers) as response,
            ):
                _check_status(self.address, response)
                kind = response.headers.get("content-type", "").partition(";")[0].strip()
                yield []
                found = _events(response, origin) if kind == "text/event-stream" else _lines(response)
                async for message in found:
                    yield [message]
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise LostError(f"{self.address}: {type(error).__name__} {error}") from error
        if kind == "text/event-stream":  # one that ends is to be opened again (WHATWG HTML, section 9.2.3)
            raise LostError(f"{self.address}: the stream has ended")


async def _lines(response: httpx.Response) -> AsyncIterator[Message]:
    async for line in response.aiter_lines():
        if line.strip():
            yield Message(line.encode())


async def _events(response: httpx.Response, origin: str) -> AsyncIterator[Message]:
    """Server-Sent Events (WHATWG HTML, section 9.2.6)."""
    data: list[str] = []
    number: int | None = None
    async for line in response.aiter_lines():
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
        elif name == "id":
            number = int(value) if value.isascii() and value.isdigit() else None
        elif not line and data:
            body = "\n".join(data).encode()
            yield Message(body, None if number is None else origin, number)
            data = []


class _HttpSink(Sink):
    async def open(self) -> None:
        self._client = httpx.AsyncClient(timeout=30.0, trust_env=False, auth=_auth(self.address))

    async def send(self, lines: Sequence[bytes], numbers: tuple[int, int]) -> None:
        headers = {"Content-Type": "application/x-ndjson", "Etalis-Answers": f"{numbers[0]}-{numbers[1]}"}
        content = b"".join(line + b"\n" for line in lines)
        try:
            response = await self._client.post(self.address.url, content=content, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise LostError(f"{self.address}: {type(error).__name__} {error}") from error
        if not response.is_success:
            raise LostError(f"{self.address}: status {response.status_code}")

    async def close(self) -> None:
        await self._client.aclose()
