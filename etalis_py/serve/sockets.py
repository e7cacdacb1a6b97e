"""WebSockets: one that takes events, one that gives answers.

``/events/socket``: each message is a body of ``POST /events`` in ``?format=`` (ndjson), with the same
parameters; the reply to each, in their order, is what that gives. ``/answers/socket``: each message is an
answer, with its number before its other members.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from etalis_py.core.errors import EtalisError
from etalis_py.serve.call import Call
from etalis_py.serve.feeding import feed_of
from etalis_py.serve.problems import RequestError, problem, problem_response
from etalis_py.serve.readers import Reader
from etalis_py.serve.rights import Role

__all__ = ["SOCKETS", "Socket"]

_BUSY: Final = 0.05
"""Seconds until what did not fit is tried again: meanwhile nothing more is read."""


@dataclass(frozen=True, slots=True)
class Socket:
    """A WebSocket at a path, for who has ``role``."""

    path: str
    role: Role
    handler: Callable[[Call, WebSocket], Awaitable[None]]


async def _take_events(call: Call, socket: WebSocket) -> None:
    format_ = call.text("format", "ndjson") or ""
    try:
        feed_of(call, b"", format_)
    except RequestError as error:
        await socket.send_denial_response(problem_response(error))
        return
    await socket.accept()
    try:
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            body = message.get("bytes") or (message.get("text") or "").encode()
            await socket.send_text(json.dumps(await _taken(call, body, format_)))
    except (WebSocketDisconnect, RuntimeError):
        return


async def _taken(call: Call, body: bytes, format_: str) -> dict[str, object]:
    """What came of a body; while the engine is behind, it waits, and so does who sends."""
    if len(body) > call.server.limits.body:
        return problem(
            RequestError(413, "EP624", f"the message has more than {call.server.limits.body:,} bytes")
        )
    while True:
        try:
            done: dict[str, object] = await call.do(feed_of(call, body, format_))
        except RequestError as error:
            if error.status != 429:
                return problem(error)
            await asyncio.sleep(_BUSY)
        except EtalisError as error:
            return problem(error)
        else:
            return done


async def _give_answers(call: Call, socket: WebSocket) -> None:
    try:
        last = call.number("after")
        host = call.host
    except RequestError as error:
        await socket.send_denial_response(problem_response(error))
        return
    await socket.accept()
    reader = call.server.reader(host, host.answers.last if last is None else last, call.texts("query"))
    gone = asyncio.ensure_future(_until_gone(socket))
    giving = asyncio.ensure_future(_give(reader, socket))
    done, left = await asyncio.wait((gone, giving), return_when=asyncio.FIRST_COMPLETED)
    for task in left:
        task.cancel()
    await asyncio.gather(*done, *left, return_exceptions=True)


async def _give(reader: Reader, socket: WebSocket) -> None:
    async for found in reader:
        if found.lost:
            await socket.send_text(json.dumps({"lost": found.lost}))
        for each in found.answers:
            await socket.send_text(f'{{"number": {each.number}, {each.line[1:].decode()}')
    await socket.close()


async def _until_gone(socket: WebSocket) -> None:
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass


SOCKETS: Final = (
    Socket("/events/socket", "feed", _take_events),
    Socket("/answers/socket", "watch", _give_answers),
)
