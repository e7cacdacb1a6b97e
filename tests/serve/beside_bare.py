"""What a server costs beside the bare engine: the same bodies, as fast as they are taken.

Run: python -m tests.serve.beside_bare [--events N] [--batch N]

One client POSTs them one after the other, or sends them as messages of a WebSocket, to a server with and
without state; the bare engine reads them in one process. Tells events a second, and a second of the processor
that server or engine used (a machine that is busy otherwise changes the first more).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Final

from etalis_py import Engine
from etalis_py.streams import open_bytes
from tests.serve.servers import NDJSON, Running, query_file, serving
from tests.serve.soak import QUERY, body, processor_seconds

__all__ = ["beside_bare"]

Figures = dict[str, float]
_REPLY: Final = 10.0
"""Seconds in which the last reply comes."""


def beside_bare(events: int, batch: int) -> dict[str, Figures]:
    """By the ways: events a second, and a second of the processor."""
    bodies = [body(number, batch) for number in range(events // batch)]
    found = {"bare": _bare(bodies, batch)}
    for name, send in (("POST", _post), ("WebSocket", _send)):
        for state in (False, True):
            found[f"{name}, state" if state else name] = _served(send, bodies, batch, state=state)
    return found


def _figures(events: int, seconds: float, processor: float) -> Figures:
    return {"a second": events / seconds, "a processor second": events / max(processor, 0.01)}


def _bare(bodies: Sequence[bytes], batch: int) -> Figures:
    with Engine() as engine:
        engine.register(QUERY)
        began, before = time.perf_counter(), time.process_time()
        for each in bodies:
            engine.feed.send(open_bytes(each, "ndjson", name="the body"))
            engine.answers()
        return _figures(batch * len(bodies), time.perf_counter() - began, time.process_time() - before)


def _served(
    send: Callable[[Running, Sequence[bytes]], Iterable[str]],
    bodies: Sequence[bytes],
    batch: int,
    *,
    state: bool,
) -> Figures:
    with tempfile.TemporaryDirectory() as name:
        words = ["--state", f"{name}/state"] if state else []
        with serving(query_file(Path(name), QUERY), *words) as running:
            pid = running.process.pid
            began, before = time.perf_counter(), processor_seconds(pid)
            replies = list(send(running, bodies))
            seconds, processor = time.perf_counter() - began, processor_seconds(pid) - before
    assert [json.loads(reply) for reply in replies] == [{"taken": batch}] * len(bodies)
    return _figures(batch * len(bodies), seconds, processor)


def _post(running: Running, bodies: Sequence[bytes]) -> Iterable[str]:
    connection = HTTPConnection(running.address.removeprefix("http://"))
    for each in bodies:
        connection.request("POST", "/events", each, NDJSON)
        yield connection.getresponse().read().decode()
    connection.close()


def _send(running: Running, bodies: Sequence[bytes]) -> Iterable[str]:
    """All as messages; replies are read meanwhile."""
    from websockets.sync.client import connect

    address = running.address.replace("http", "ws", 1) + "/events/socket"
    with connect(address, compression=None, proxy=None) as socket:
        sending = Thread(target=lambda: deque(map(socket.send, bodies), maxlen=0))
        sending.start()
        for _ in bodies:
            yield str(socket.recv(_REPLY))
        sending.join()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=400_000)
    parser.add_argument("--batch", type=int, default=500)
    given = parser.parse_args(arguments)
    for name, figures in beside_bare(given.events, given.batch).items():
        print(json.dumps({"way": name, **{unit: round(value) for unit, value in figures.items()}}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
