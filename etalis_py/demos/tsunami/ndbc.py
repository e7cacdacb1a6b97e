"""The files that NDBC writes anew for each buoy, read as they change: new readings of all buoys, in order.

A buoy's file, ``21418.dart``, has the rows of the last weeks, the newest first, in the form of ``dart``.
Buoys report at times of their own, so rows wait until they are so old that the others have come, too.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Final
from urllib.parse import quote

from etalis_py.connectors import open_source
from etalis_py.connectors.reading import read_on
from etalis_py.core.errors import DataError, UsageError
from etalis_py.demos.live import Live, bodies
from etalis_py.demos.tsunami.clean import Readings, clean
from etalis_py.demos.tsunami.dart import buoy_of, recording_of
from etalis_py.demos.tsunami.engines import load_queries
from etalis_py.demos.tsunami.live import live_options
from etalis_py.demos.tsunami.stations import Station
from etalis_py.demos.tsunami.stream import readings_table, to_events

__all__ = ["Reports", "buoy_files", "reported"]

_log = logging.getLogger(__name__)
_TICK: Final = 0.25
_FIRST: Final = 60.0
"""Seconds that the first file of each buoy may take; then the others go on without it."""
_BODY: Final = 6 * 3600 * 1_000_000
"""Microseconds of readings in one body."""


def buoy_files(base: str, buoys: Sequence[str], every: float) -> dict[str, str]:
    """The address of each buoy's file below ``base``, a URL or a folder.

    Of a folder, without ``buoys``, all that are there. ``every``: seconds between two looks.

    Raises:
        DataError: EP451, there is no such folder, or nothing in it.
    """
    options = f"?every={every:g}&header=2"
    if base.startswith(("http://", "https://")):
        return {each: f"poll+{base.rstrip('/')}/{quote(each)}.dart{options}" for each in buoys}
    folder = Path(base)
    found = {buoy_of(path): path for suffix in ("txt", "dart") for path in sorted(folder.glob(f"*.{suffix}"))}
    files = {name: path for name, path in found.items() if not buoys or name in buoys}
    if not files:
        hint = "files are named after their buoys: 21418.dart"
        raise DataError("EP451", f"there are no recordings of buoys in {base}", hint=hint)
    return {name: f"poll:{quote(str(path))}{options}" for name, path in files.items()}


def reported(
    files: Mapping[str, str], stations: Mapping[str, Station], *, threshold: float, folder: Path, hold: float
) -> Live:
    """What is served of files that change; ``threshold`` in metres, ``hold`` in seconds."""
    options = live_options(files, stations, threshold, folder)
    return Live(options, load_queries(), Reports(files, hold).feed)


class Reports:
    """Reads the files, and sends their new rows in the order of time once they are ``hold`` seconds old."""

    def __init__(self, files: Mapping[str, str], hold: float, now: Callable[[], float] = time.time) -> None:
        self._files = files
        self._hold = hold
        self._now = now
        self._waiting: list[Readings] = []

    def feed(self, send: Callable[[bytes], object], ends: threading.Event) -> None:
        """Until the event is set."""
        asyncio.run(self._feed(send, ends))

    async def _feed(self, send: Callable[[bytes], object], ends: threading.Event) -> None:
        first = {name: asyncio.Event() for name in self._files}
        tasks = [asyncio.create_task(self._read(name, url, first[name])) for name, url in self._files.items()]
        begun = asyncio.gather(*(each.wait() for each in first.values()))
        try:
            await asyncio.wait([begun], timeout=_FIRST)
            while not ends.is_set():
                for body in self._due():
                    await asyncio.to_thread(send, body)
                await asyncio.sleep(_TICK)
        finally:
            begun.cancel()
            for task in tasks:
                task.cancel()
            await asyncio.gather(begun, *tasks, return_exceptions=True)

    async def _read(self, buoy: str, url: str, first: asyncio.Event) -> None:
        try:
            async with aclosing(read_on(open_source(url))) as found:
                async for messages in found:
                    for each in messages:
                        if each.body:
                            self._take(buoy, each.body)
                        first.set()
        except UsageError as error:
            _log.warning("buoy %s is left out: %s", buoy, error.message)
        finally:
            first.set()

    def _take(self, buoy: str, body: bytes) -> None:
        try:
            self._waiting.append(clean([recording_of(body, Path(f"{buoy}.dart"))]))
        except DataError as error:
            _log.warning("buoy %s: %s", buoy, error)

    def _due(self) -> Iterable[bytes]:
        """Bodies of what is old enough; the rest goes on waiting."""
        newest = self._now() - self._hold
        waiting, self._waiting = self._waiting, []
        due = []
        for each in waiting:
            cut = int((each.second <= newest).sum())
            due.append(each.part(0, cut))
            if cut < len(each):
                self._waiting.append(each.part(cut, len(each)))
        return bodies(to_events(readings_table(due)), _BODY) if any(map(len, due)) else ()
