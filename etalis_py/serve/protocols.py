# ruff: noqa: D102 - the methods are those of uvicorn
"""Connections as uvicorn has them, with bounds that it has not: of time, of heads, of what is unread."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from etalis_py.serve.operations import OPERATIONS
from etalis_py.serve.problems import RequestError, problem_response

__all__ = ["HttpConnection", "WebSocketConnection"]

_MOST_HEAD: Final = 64 << 10
"""Bytes of a request before its body."""
_LINGER: Final = 2.0
"""Seconds in which a client may end the body of a request that was answered already."""
_MOST_FRAMES: Final = 10_000
"""Frames of a message."""
_NO_HANDSHAKE: Final = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_PROBES: Final = frozenset(each.path.encode() for each in OPERATIONS if each.is_probe)


class HttpConnection(HttpToolsProtocol):
    """Ends where a head takes longer than ``timeout_keep_alive``, or is larger than `_MOST_HEAD`; where
    the client takes nothing of a response for so long; and where a body still comes after the response.
    Whoever asks whether the server lives is told, however many clients there are.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._application = self.app
        self._most_clients = self.limit_concurrency
        self._head_timer: asyncio.TimerHandle | None = None
        self._unread_timer: asyncio.TimerHandle | None = None
        self._head = 0
        self._in_body = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timers()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._head_timer is None and not self._in_body:
            self._await_head()
        self._head += len(data)
        super().data_received(data)
        if self._head_timer is not None and self._head > _MOST_HEAD:
            self.transport.abort()  # the head is still not whole: nobody reads a response

    def _await_head(self) -> None:
        self._head = 0
        self._head_timer = self.loop.call_later(self.timeout_keep_alive, self.transport.abort)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._head_timer is None:
            self._await_head()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._in_body = False

    def on_headers_complete(self) -> None:
        self._in_body = True
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        self.limit_concurrency = None if self.url in _PROBES else self._most_clients
        self.app = self._application if size <= _MOST_HEAD else _head_too_large
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        if self.cycle.response_complete and self.cycle.more_body:
            self.loop.call_later(_LINGER, self._end_body, self.cycle)
        super().on_response_complete()

    def _end_body(self, cycle: RequestResponseCycle) -> None:
        if self.cycle is cycle and not self.transport.is_closing():
            self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread_timer = self.loop.call_later(self.timeout_keep_alive, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    def _stop_timers(self) -> None:
        for timer in (self._head_timer, self._unread_timer):
            if timer is not None:
                timer.cancel()


class WebSocketConnection(WebSocketsSansIOProtocol):
    """Reads nothing while what it wrote is unread, for each ping is a pong; ends where that takes long, and
    where the head of a request, which `HttpConnection` has found whole, is no handshake.
    """

    _unread_timer: asyncio.TimerHandle | None = None

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self.handshake_initiated:
            self.transport.write(_NO_HANDSHAKE)
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._unread_timer is not None:
            self._unread_timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self.transport.pause_reading()
        self._unread_timer = self.loop.call_later(self.config.timeout_keep_alive, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None
        if not self.read_paused:
            self.transport.resume_reading()

    async def receive(self) -> Any:
        message = await super().receive()
        if not self.writable.is_set():
            self.transport.pause_reading()
        return message

    def handle_cont(self, event: Any) -> None:
        if len(self.frames) >= _MOST_FRAMES:
            self.transport.abort()
            return
        super().handle_cont(event)


async def _head_too_large(scope: Any, receive: Any, send: Any) -> None:
    message = f"the request has more than {_MOST_HEAD:,} bytes before its body"
    await problem_response(RequestError(431, "EP624", message))(scope, receive, send)
