"""The operations as an ASGI application: who may what, how much, and errors in one form."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from etalis_py.core.errors import EtalisError, RunTimeError
from etalis_py.serve.call import Call
from etalis_py.serve.logs import REQUESTS
from etalis_py.serve.operations import OPERATIONS, Operation
from etalis_py.serve.problems import RequestError, problem_response, too_much
from etalis_py.serve.rights import EVERYBODY, Holder, Role
from etalis_py.serve.server import Server
from etalis_py.serve.sockets import SOCKETS, Socket

__all__ = ["application"]

_log = logging.getLogger(__name__)
_BELOW: Final = "/engines/{engine}"


def application(server: Server) -> Starlette:
    """The application of a server whose engines are open."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await server.start()
        try:
            yield
        finally:
            await server.stop()

    routes: list[BaseRoute] = []
    for operation in sorted(OPERATIONS, key=lambda each: each.path.count("/"), reverse=True):
        endpoint = _endpoint(server, operation)
        path = operation.path.replace("{query}", "{query:path}")  # the name may be an IRI
        paths = [path] if operation.of_server else [path, _BELOW + path]
        routes += [Route(each, endpoint, methods=[operation.method]) for each in paths]
    for socket in SOCKETS:
        routes += [
            WebSocketRoute(path, _socket(server, socket)) for path in (socket.path, _BELOW + socket.path)
        ]
    return Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers={HTTPException: _no_such_path, Exception: _fault},
    )


def _endpoint(server: Server, operation: Operation) -> Callable[[Request], Awaitable[Response]]:
    label = f"{operation.method} {operation.path}"

    async def endpoint(request: Request) -> Response:
        began = time.perf_counter()
        try:
            holder = EVERYBODY if operation.is_probe else admitted(server, request, operation.role)
            response = await operation.handler(Call(server, request, holder))
        except EtalisError as error:
            response = problem_response(error)
        except Exception as error:  # noqa: BLE001 - a client never sees a traceback
            response = await _fault(request, error)
        seconds = time.perf_counter() - began
        server.metrics.requests.labels(label, response.status_code).inc()
        server.metrics.seconds.labels(label).observe(seconds)
        fields = {
            "operation": label,
            "path": request.url.path,
            "status": response.status_code,
            "seconds": seconds,
        }
        REQUESTS.info(
            "%s %s: %s", request.method, request.url.path, response.status_code, extra={"fields": fields}
        )
        return response

    return endpoint


def _socket(server: Server, socket: Socket) -> Callable[[WebSocket], Awaitable[None]]:
    async def endpoint(connection: WebSocket) -> None:
        try:
            call = Call(server, connection, admitted(server, connection, socket.role))
        except RequestError as error:
            await connection.send_denial_response(problem_response(error))
            return
        await socket.handler(call, connection)

    return endpoint


def admitted(server: Server, request: HTTPConnection, role: Role | None) -> Holder:
    """Who sends the request.

    Raises:
        RequestError: EP623, it may not be served (401, 403); EP624, there were too many (429).
    """
    _check_origin(request)
    holder = EVERYBODY
    if server.tokens is not None and role is not None:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        found = server.tokens.holder(token.strip()) if kind.lower() == "bearer" else None
        if found is None:
            headers = {"WWW-Authenticate": "Bearer"}
            hint = "send the header Authorization: Bearer TOKEN"
            raise RequestError(401, "EP623", "a token is needed", hint=hint, headers=headers)
        holder = found
        if role not in holder.roles:
            raise RequestError(403, "EP623", f"{holder.name} has not the role {role!r}")
    client = request.client.host if request.client is not None else ""
    wait = server.rates.wait(f"{holder.name} {client}")
    if wait:
        raise too_much("too many requests", "send more in each", int(wait) + 1)
    return holder


def _check_origin(request: HTTPConnection) -> None:
    """A page of another site may not use the rights that its reader's machine has."""
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
        raise RequestError(403, "EP623", f"pages of {origin} may not use this server")


async def _no_such_path(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        message = f"{request.method} is not there for {request.url.path}"
        return problem_response(RequestError(405, "EP625", message, headers=dict(error.headers or {})))
    hint = "GET /openapi.json has all paths"
    return problem_response(
        RequestError(error.status_code, "EP625", f"there is no {request.url.path}", hint=hint)
    )


async def _fault(request: Request, error: Exception) -> Response:
    _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    wrapped = RunTimeError(
        "EP309", f"a fault in etalis_py itself: {type(error).__name__}", hint="see the server's log"
    )
    return problem_response(wrapped)
