"""Runs a server until it is told to end."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, Final

import uvicorn

from etalis_py.core.errors import UsageError
from etalis_py.serve.application import application
from etalis_py.serve.protocols import HttpConnection, WebSocketConnection
from etalis_py.serve.server import Server

__all__ = ["listen", "serve"]

_GRACE: Final = 10
"""Seconds that requests have to end when the server does."""


def listen(host: str, port: int) -> socket.socket:
    """A socket at an address; port 0 is a free one.

    Raises:
        UsageError: EP621, it cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        hint = "choose another --port, or 0 for any that is free; see who uses it: ss -ltnp"
        raise UsageError(
            "EP621", f"nothing can listen at {host}:{port}: {error.strerror or error}", hint=hint
        ) from error
    return listening


def serve(server: Server, listening: socket.socket, on_start: Callable[[], object]) -> None:
    """Serve until SIGINT or SIGTERM; what has come is done then, and kept."""
    limits = server.limits
    config = uvicorn.Config(
        application(server),
        log_config=None,
        access_log=False,
        lifespan="on",
        limit_concurrency=limits.clients,
        timeout_graceful_shutdown=_GRACE,
        http=HttpConnection,
        ws=WebSocketConnection,
        timeout_keep_alive=limits.idle,
        ws_max_size=limits.body,
        server_header=False,
    )
    _Uvicorn(config, server, on_start).run(sockets=[listening])


class _Uvicorn(uvicorn.Server):
    """Tells when it has begun, and ends who reads answers before it waits for them."""

    def __init__(self, config: uvicorn.Config, server: Server, on_start: Callable[[], object]) -> None:
        super().__init__(config)
        self._server = server
        self._on_start = on_start

    async def startup(self, sockets: Sequence[socket.socket] | None = None) -> None:
        await super().startup(list(sockets or ()))
        if not self.should_exit:
            self._on_start()

    async def shutdown(self, sockets: Any = None) -> None:
        self._server.end_readers()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self._captured_signals.clear()  # it is no failure to end when one is told to
