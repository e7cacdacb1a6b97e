"""The recordings replayed into a server, whose page shows buoys, curves and alerts as they come."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from etalis_py.demos.tsunami.clean import clean
from etalis_py.demos.tsunami.engines import load_queries
from etalis_py.demos.tsunami.pipeline import read_recordings, write_background
from etalis_py.demos.tsunami.stations import Station, places_turtle
from etalis_py.demos.tsunami.stream import readings_table, to_events
from etalis_py.engine.options import EngineOptions

__all__ = ["bodies", "watch"]

_TICK: Final = 0.25
"""Seconds between two bodies."""
_AHEAD: Final = 100 * 366 * 24 * 3600
"""Seconds: recordings that are drawn up lie years ahead."""
_log = logging.getLogger(__name__)


def watch(
    paths: Sequence[Path],
    stations: Mapping[str, Station],
    *,
    threshold: float,
    folder: Path,
    speed: float,
    port: int,
    say: Callable[[str], object],
) -> None:
    """Serve until a signal ends it; ``threshold`` in metres, ``speed`` times as fast as the recordings.

    Raises:
        DataError: a recording cannot be read.
        UsageError: EP621, the port is taken.
    """
    from etalis_py.serve.commands import Feed, Register
    from etalis_py.serve.limits import Limits
    from etalis_py.serve.running import listen, serve
    from etalis_py.serve.server import MAIN, Server
    from etalis_py.serve.work_queue import Full

    recordings = read_recordings(paths)
    places = folder / "places.ttl"
    known = [station for name in recordings if (station := stations.get(name)) is not None]
    places.write_text(places_turtle(known), encoding="utf-8")
    knowledge = [*write_background(recordings, stations, threshold, folder), places]
    readings = readings_table([clean(of_buoy) for of_buoy in recordings.values()])
    options = EngineOptions.of([str(path) for path in knowledge], trace=True, on_late="drop")
    server, ends = Server(options, limits=Limits(ahead=_AHEAD)), threading.Event()
    with listen("127.0.0.1", port) as listening:
        server.open_all()
        host = server.host(MAIN)

        def replay() -> None:
            for body in bodies(to_events(readings), round(speed * _TICK * 1e6)):
                if ends.wait(_TICK):
                    return
                with suppress(Full):  # the server ends
                    host.do(Feed(body, "ndjson")).add_done_callback(_warn)

        def begin() -> None:
            say(f"watch http://127.0.0.1:{listening.getsockname()[1]}/  (Ctrl-C ends)")
            threading.Thread(target=replay, name="replay", daemon=True).start()

        try:
            for name, text in load_queries().items():
                host.do(Register(text, name)).result()
            serve(server, listening, begin)
        finally:
            ends.set()
            host.stop()


def _warn(done: Future[Any]) -> None:
    if not done.cancelled() and (error := done.exception()) is not None:
        _log.warning("%s", error)


def bodies(tables: Iterator[Any], length: int) -> Iterator[bytes]:
    """The events as NDJSON, those of ``length`` microseconds a body."""
    rows = (row for table in tables for row in table.to_pylist())
    for _, some in groupby(rows, key=lambda row: row["start"] // length):
        yield "".join(f"{json.dumps(row)}\n" for row in some).encode()
