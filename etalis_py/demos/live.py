"""A demo in a server, whose page shows what happens while it happens."""

from __future__ import annotations

import argparse
import json
import logging
import math
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from etalis_py.core.errors import UsageError

if TYPE_CHECKING:
    from etalis_py.engine.options import EngineOptions

__all__ = ["Live", "add_live_arguments", "bodies", "replay", "speed_of", "watch"]

_TICK: Final = 0.25
"""Seconds between two bodies."""
_AHEAD: Final = 100 * 366 * 24 * 3600
"""Seconds: what is simulated lies years ahead."""
_log = logging.getLogger(__name__)

Feeding: TypeAlias = "Callable[[Callable[[bytes], object], threading.Event], None]"
"""Sends bodies of NDJSON until there are no more, or the event says that the server ends."""


@dataclass(frozen=True, slots=True)
class Live:
    """What a demo serves: queries by name, the options of the engine, and what feeds it."""

    options: EngineOptions
    queries: Mapping[str, str]
    feed: Feeding


def add_live_arguments(parser: argparse.ArgumentParser, what: str, speed: float) -> None:
    """Let the parser take ``--live`` and ``--port``; ``what`` is replayed, at ``speed`` by default."""
    parser.add_argument(
        "--live", nargs="?", const=speed, type=float, metavar="SPEED",
        help=f"instead, replay {what} into a server with a page to watch, so many times as fast as it was "
        f"({speed:g} where nothing is said)",
    )  # fmt: skip
    parser.add_argument("--port", type=int, default=8080, help="of --live (default: %(default)s)")


def speed_of(arguments: argparse.Namespace) -> float:
    """How many times as fast.

    Raises:
        UsageError: EP544, it is not above zero.
    """
    speed: float = arguments.live
    if not 0 < speed < math.inf:
        raise UsageError("EP544", f"{speed:g} is not a speed above zero", hint="--live 60")
    return speed


def replay(tables: Iterable[Any], speed: float) -> Feeding:
    """Sends the events of tables (columns of the NDJSON form), so many times as fast as they were."""

    def feed(send: Callable[[bytes], object], ends: threading.Event) -> None:
        for body in bodies(tables, round(speed * _TICK * 1e6)):
            if ends.wait(_TICK):
                return
            send(body)

    return feed


def bodies(tables: Iterable[Any], length: int) -> Iterator[bytes]:
    """The events as NDJSON, those of ``length`` microseconds a body."""
    rows = (row for table in tables for row in table.to_pylist())
    for _, some in groupby(rows, key=lambda row: row["start"] // length):
        yield "".join(f"{json.dumps(row)}\n" for row in some).encode()


def watch(live: Live, *, port: int, say: Callable[[str], object]) -> None:
    """Serve until a signal ends it.

    Raises:
        UsageError: EP621, the port is taken.
    """
    from etalis_py.serve.commands import Feed, Register
    from etalis_py.serve.limits import Limits
    from etalis_py.serve.running import listen, serve
    from etalis_py.serve.server import MAIN, Server
    from etalis_py.serve.work_queue import Full

    server, ends = Server(live.options, limits=Limits(ahead=_AHEAD)), threading.Event()
    with listen("127.0.0.1", port) as listening:
        server.open_all()
        host = server.host(MAIN)

        def send(body: bytes) -> None:
            while not ends.is_set():
                try:
                    host.do(Feed(body, "ndjson")).add_done_callback(_warn)
                except Full:
                    ends.wait(_TICK)
                else:
                    return

        def begin() -> None:
            say(f"watch http://127.0.0.1:{listening.getsockname()[1]}/  (Ctrl-C ends)")
            threading.Thread(target=live.feed, args=(send, ends), name="feed", daemon=True).start()

        try:
            for name, text in live.queries.items():
                host.do(Register(text, name)).result()
            serve(server, listening, begin)
        finally:
            ends.set()
            host.stop()


def _warn(done: Future[Any]) -> None:
    if not done.cancelled() and (error := done.exception()) is not None:
        _log.warning("%s", error)
