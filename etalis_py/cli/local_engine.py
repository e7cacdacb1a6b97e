"""``etalis run --engine local``: one engine in this process."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain, islice
from typing import Any

from etalis_py.checkpoints import Keeper, open_folder
from etalis_py.cli.endings import Endings
from etalis_py.cli.heads import head_of, late_text
from etalis_py.cli.interrupts import Interrupts, Stopped
from etalis_py.cli.kept_program import program_of
from etalis_py.cli.no_answers import told_more
from etalis_py.cli.outlet import Outlet, open_outlet, to_terminal
from etalis_py.cli.progress import Progress, total_size
from etalis_py.cli.query_engines import register
from etalis_py.cli.query_files import QueryFile, read_queries
from etalis_py.cli.rates import rates_of_run, tell_orders
from etalis_py.cli.request import Request
from etalis_py.cli.unmatched import Noted
from etalis_py.compiler.lint.linter import GROWTH_CHECKS
from etalis_py.core.errors import DataError, show
from etalis_py.engine.engine import Engine
from etalis_py.engine.feeding import Portions
from etalis_py.streams import Batch, open_streams

__all__ = ["run_here"]

_log = logging.getLogger(__name__)
_AT_ONCE = 1000
"""Answers that are written at a time."""
_READ_AHEAD = 15
"""Batches."""


def run_here(request: Request) -> int:
    """Run the queries and write their answers; the exit code.

    What was answered before an error stays answered. Where the data breaks off, answers of the instant that
    is open are given if nothing that may be missing could take them back.

    Raises:
        EtalisError: whatever is wrong with queries, arguments or data, or happens while running.
    """
    if request.state is None:
        return _run(request, read_queries(request.queries, request.texts, request.language), None)
    with open_folder(request.state) as folder:
        files = read_queries(request.queries, request.texts, request.language)
        program = program_of(request, files)
        return _run(request, files, Keeper(folder, program, len(request.streams), request.state_every))


def _run(request: Request, files: Sequence[QueryFile], keeper: Keeper | None) -> int:
    total = None if request.options.at is not None else total_size(request.streams, request.stream_format)
    progress = Progress(wanted=not request.quiet, total=total)
    streams = open_streams(
        request.streams,
        format=request.stream_format,
        at=request.options.at,
        on_read=progress.on_read,
        tracks=() if keeper is None else keeper.tracks,
        time_unit=request.time_unit,
    )
    noted = Noted()
    outlet = Outlet(before_writing=progress.give_way if to_terminal(request) else lambda: None)
    endings = Endings(outlet, request)
    engine = Engine(**request.options.keywords(trace=request.why is not None))

    with Interrupts() as interrupts, engine:
        rates, streams = rates_of_run(request, engine, files, streams)
        names = []
        for file in files:
            own = register(engine, file, rates=rates)
            names += own
            if request.is_live:  # which may have no end
                show(engine.lint_registered(own, GROWTH_CHECKS))
        queries = [engine.query(name) for name in names]
        tell_orders(queries)
        heads = [head_of(query) for query in queries]
        kept = None if keeper is None else keeper.kept
        if keeper is not None:
            keeper.go_on(engine)
        why = None if request.why is None else engine.why
        with open_outlet(outlet, request, heads, why, None if kept is None else kept.output):
            endings.expect(queries)
            if kept is not None:
                endings.go_on_from(kept.pending)
            batches = noted.stream(progress.watch(streams))
            answers = _Answers(engine, outlet, endings, noted, request)
            waits = keeper is not None or request.is_live  # else nobody waits for what is read already
            more = 0 if waits or engine.threads == 1 else _READ_AHEAD
            _feed(engine, batches, answers, interrupts, keeper, more)
        reasons = list(noted.reasons(engine.knowledge, queries))
    if engine.late:
        _log.warning("%s", late_text(engine.late))
    if kept is None:  # what matched in an earlier part of the run is not known
        unanswered = noted.unanswered(queries)
        show(told_more(request, queries, unanswered, reasons, lambda: Engine(**request.options.keywords())))
    return 0


class _Answers:
    """Where answers go, as checkpoints need to know it; with ``--final`` none is written before the end."""

    def __init__(
        self, engine: Engine, outlet: Outlet, endings: Endings, noted: Noted, request: Request
    ) -> None:
        self.outlet = outlet
        self.endings = endings
        self._engine = engine
        self._noted = noted
        self._is_final = request.final

    def write(self, portions: Portions, interrupts: Interrupts) -> None:
        """Do the work, and write what comes of it; between two portions a signal ends it."""
        try:
            with closing(portions):
                for _ in portions:
                    self._write()
                    interrupts.check()
        finally:  # also before an error: what was answered stays answered
            self._write()

    def _write(self) -> None:
        for some in self._engine.answers().blocks(_AT_ONCE):
            self._noted.answers(some.names())
            self.endings.take_answers(some)
        self.outlet.flush()

    def written(self) -> dict[str, Any]:
        """How far they were written."""
        return {} if self._is_final else self.outlet.written()

    def pending(self) -> dict[str, Any]:
        """Those that may be the last."""
        return self.endings.state()


def _feed(
    engine: Engine,
    batches: Iterator[Batch],
    answers: _Answers,
    interrupts: Interrupts,
    keeper: Keeper | None,
    more: int,
) -> None:
    """Send everything; answers are written as they come, and no line is cut by a signal.

    ``more`` batches are sent with the one before, so that they are read while threads have work.
    """
    outlet, endings = answers.outlet, answers.endings
    began, events = time.perf_counter(), 0

    def counted(batches: Iterable[Batch]) -> Iterator[Batch]:
        nonlocal events
        for batch in batches:
            yield batch
            events += len(batch)

    try:
        for first in batches:
            some = chain((first,), islice(batches, more))
            with interrupts.held():
                if keeper is not None:
                    keeper.taking()
                answers.write(engine.feed.sending(counted(some)), interrupts)
                if keeper is not None:
                    keeper.taken(engine, answers)
    except (DataError, Stopped) as stop:
        with interrupts.held():
            if keeper is not None and engine.failure is None:  # else the run goes on from the last checkpoint
                keeper.commit(engine, answers)
            if isinstance(stop, DataError):
                answers.write(engine.feed.giving_certain(), interrupts)
                endings.break_off()
                outlet.flush()
        raise
    with interrupts.held():
        if keeper is not None:  # before the end: when the streams have grown, the run goes on from here
            keeper.commit(engine, answers)
        answers.write(engine.feed.finishing(), interrupts)
        endings.finish(engine.clock)
        outlet.flush()
    seconds = time.perf_counter() - began
    _log.info("%s answers from %s events in %.1f s", f"{outlet.count:,}", f"{events:,}", seconds)
