"""What a server has: engines, who reads them, mappings, tokens, limits."""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import yaml
from starlette.concurrency import run_in_threadpool

from etalis_py.checkpoints.folder import write_whole
from etalis_py.core.errors import EtalisError
from etalis_py.engine.options import OPTIONS, EngineOptions
from etalis_py.serve.arrivals import Arrivals
from etalis_py.serve.commands import Advance
from etalis_py.serve.connections import Connections
from etalis_py.serve.host import Host
from etalis_py.serve.limits import Limits, Rates
from etalis_py.serve.metrics import Metrics
from etalis_py.serve.problems import RequestError
from etalis_py.serve.readers import Reader, Readers
from etalis_py.serve.refused import Refused
from etalis_py.serve.rights import Tokens
from etalis_py.serve.turns import Turns
from etalis_py.serve.work_queue import Full

__all__ = ["MAIN", "Server"]

_log = logging.getLogger(__name__)
MAIN: Final = "main"
"""The engine whose paths need not name it."""
_TICK: Final = 0.1


class Server:
    """``state``: a folder in which engines survive. ``clock_lag``: so many microseconds behind the machine's
    clock that of all engines is; None: it follows the events alone.

    ``bad_records``: the file to which records of sources go that are no events.
    ``tokens`` is None where everybody who reaches the server may do everything.
    """

    def __init__(
        self,
        options: EngineOptions,
        *,
        state: Path | None = None,
        tokens: Tokens | None = None,
        limits: Limits | None = None,
        clock_lag: int | None = None,
        bad_records: Path | None = None,
    ) -> None:
        self.options = options
        self.tokens = tokens
        self.limits = limits or Limits()
        self.rates = Rates(self.limits.rate)
        self.arrivals = Arrivals(self.limits)
        self.turns = Turns(self.limits.questions)
        self.metrics = Metrics()
        self.hosts: dict[str, Host] = {}
        self.readers: dict[str, Readers] = {}
        self.mappings: dict[str, str] = {}
        self.connections: dict[str, Connections] = {}
        self.refused = Refused(bad_records)
        self._state = state
        self._clock_lag = clock_lag
        self._ticking: asyncio.Task[None] | None = None

    # ---- the engines ------------------------------------------------------------------------------------

    def open_all(self) -> None:
        """Open ``main``, and the engines whose state is in the folder.

        Raises:
            EtalisError: one cannot be opened.
        """
        names = [MAIN]
        if self._state is not None:
            folders = (self._state / "engines").glob("*/options.yaml")
            names += sorted(each.parent.name for each in folders if each.parent.name != MAIN)
            self._load_mappings()
        for name in names:
            self.open(name, self._kept_words(name))

    def open(self, name: str, words: Mapping[str, str]) -> Host:
        """Open an engine with the options of the server, but for some, told as on a command line.

        Raises:
            EtalisError: it cannot be opened.
        """
        options = {each: OPTIONS[each].read(word) for each, word in words.items()}
        folder = None if self._state is None else self._state / "engines" / name
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self._keep_words(folder, words)
        host = Host(
            name,
            replace(self.options, **options),
            folder=folder,
            most_kept=self.limits.kept,
            most_ahead=self.limits.ahead * 1_000_000,
        )
        host.start()
        self.hosts[name] = host
        return host

    def opened(self, host: Host) -> None:
        """An engine can be read; called in the event loop."""
        self.readers[host.name] = Readers(host.answers)
        self.connections[host.name] = Connections(host, self.readers[host.name], self.refused)

    async def close(self, name: str) -> None:
        """Close an engine, and forget its state."""
        host = self.hosts.pop(name)
        await self.connections.pop(name).close()
        self.readers.pop(name).close()
        await run_in_threadpool(host.stop)
        if self._state is not None:
            await run_in_threadpool(shutil.rmtree, self._state / "engines" / name, ignore_errors=True)

    def host(self, name: str) -> Host:
        """The engine with a name.

        Raises:
            RequestError: EP625, there is none.
        """
        if name not in self.hosts:
            hint = f"there are: {', '.join(self.hosts)}"
            raise RequestError(404, "EP625", f"there is no engine named {name!r}", hint=hint)
        return self.hosts[name]

    def reader(self, host: Host, after: int, queries: Collection[str]) -> Reader:
        """Who reads the answers of an engine as they come."""
        return self.readers[host.name].reader(after, queries)

    def connections_changed(self, host: Host) -> None:
        """There is a source or a sink more, or less."""
        self.connections[host.name].refresh()

    # ---- its life ---------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Let clients in; the engines are open."""
        for host in self.hosts.values():
            self.opened(host)
        if self._clock_lag is not None:
            self._ticking = asyncio.create_task(self._tick(self._clock_lag))

    def end_readers(self) -> None:
        """Readers read what there is, and end; called in the event loop."""
        for each in self.readers.values():
            each.close()

    async def stop(self) -> None:
        """Readers read what there is; engines do what waits, and keep their state."""
        if self._ticking is not None:
            self._ticking.cancel()
            with suppress(asyncio.CancelledError):
                await self._ticking
        for connections in self.connections.values():
            await connections.close()
        for host in self.hosts.values():
            await run_in_threadpool(host.stop)
        self.end_readers()

    async def _tick(self, lag: int) -> None:
        """The clock of the machine moves those of the engines, where this closes an instant or a deadline."""
        while True:
            await asyncio.sleep(_TICK)
            now = time.time_ns() // 1000 - lag
            for host in list(self.hosts.values()):
                if host.clock is not None and host.failure is None and host.clock < now:
                    with suppress(Full, EtalisError):
                        await asyncio.wrap_future(host.do(Advance(now)))

    # ---- what it keeps beside engines -------------------------------------------------------------------

    def mapping(self, name: str) -> str:
        """The text of a mapping.

        Raises:
            RequestError: EP625, there is none.
        """
        if name not in self.mappings:
            known = ", ".join(sorted(self.mappings)) or "none"
            raise RequestError(
                404, "EP625", f"there is no mapping named {name!r}", hint=f"there are: {known}"
            )
        return self.mappings[name]

    def keep_mapping(self, name: str, text: str) -> None:
        """Keep a mapping under a name."""
        if self._state is not None:
            folder = self._state / "maps"
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / f"{name}.yaml", text.encode())
        self.mappings[name] = text

    def _load_mappings(self) -> None:
        assert self._state is not None
        for path in (self._state / "maps").glob("*.yaml"):
            self.mappings[path.stem] = path.read_text(encoding="utf-8")

    def _kept_words(self, name: str) -> dict[str, str]:
        if self._state is None:
            return {}
        path = self._state / "engines" / name / "options.yaml"
        found = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else None
        return dict(found or {})

    @staticmethod
    def _keep_words(folder: Path, words: Mapping[str, str]) -> None:
        write_whole(folder / "options.yaml", yaml.safe_dump(dict(words)).encode())
