"""WebSockets: one that takes events, one that gives answers.

``/events/socket``: each message is a body of ``POST /events`` in ``?format=`` (ndjson), with the same
parameters; the reply to each, in their order, is what that gives. ``/answers/socket``: each message is an
answer, with its number before its other members.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

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
_MOST_BEGUN: Final = 32
"""Messages of a client that are at work, or whose reply it has not taken."""
_Begun: TypeAlias = "asyncio.Future[dict[str, object]] | EtalisError"


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
    begun: asyncio.Queue[_Begun] = asyncio.Queue(_MOST_BEGUN)
    await _until_one_ends(_begin_all(call, socket, format_, begun), _reply_all(socket, begun))
    while not begun.empty():  # nobody waits for what comes of these
        if isinstance(one := begun.get_nowait(), asyncio.Future):
            one.cancel()


async def _begin_all(call: Call, socket: WebSocket, format_: str, begun: asyncio.Queue[_Begun]) -> None:
    """Have the bodies taken in their order, each while those before it are at work."""
    while (message := await socket.receive())["type"] != "websocket.disconnect":
        body = message.get("bytes") or (message.get("text") or "").encode()
        await begun.put(await _begin(call, body, format_))


async def _begin(call: Call, body: bytes, format_: str) -> _Begun:
    """Have a body taken; while the engine is behind, it waits, and so does who sends."""
    if len(body) > call.server.limits.body:
        return RequestError(413, "EP624", f"the message has more than {call.server.limits.body:,} bytes")
    while True:
        try:
            return call.begin(feed_of(call, body, format_))
        except RequestError as error:
            if error.status != 429:
                return error
            await asyncio.sleep(_BUSY)


async def _reply_all(socket: WebSocket, begun: asyncio.Queue[_Begun]) -> None:
    while True:
        one = await begun.get()
        try:
            reply = problem(one) if isinstance(one, EtalisError) else await one
        except EtalisError as error:
            reply = problem(error)
        await socket.send_text(json.dumps(reply))


async def _give_answers(call: Call, socket: WebSocket) -> None:
    try:
        last = call.number("after")
        host = call.host
    except RequestError as error:
        await socket.send_denial_response(problem_response(error))
        return
    await socket.accept()
    reader = call.server.reader(host, host.answers.last if last is None else last, call.texts("query"))
    await _until_one_ends(_until_gone(socket), _give(reader, socket))


async def _give(reader: Reader, socket: WebSocket) -> None:
    async for found in reader:
        for each in found.messages:
            await socket.send_text(each)
    await socket.close()


async def _until_gone(socket: WebSocket) -> None:
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass


async def _until_one_ends(*works: Coroutine[Any, Any, None]) -> None:
    """Do all of them until one ends: the client has gone, or the server has no more for it."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    with suppress(WebSocketDisconnect, RuntimeError):  # it has gone while something was sent to it
        for task in ended:
            task.result()


SOCKETS: Final = (
    Socket("/events/socket", "feed", _take_events),
    Socket("/answers/socket", "watch", _give_answers),
)
