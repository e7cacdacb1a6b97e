"""``etalis run --engine local``: one engine in this process."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from datetime import timedelta

from etalis_py.cli.endings import Endings
from etalis_py.cli.heads import head_of, late_text
from etalis_py.cli.interrupts import Interrupts
from etalis_py.cli.outlet import Outlet, open_outlet, to_terminal
from etalis_py.cli.progress import Progress, total_size
from etalis_py.cli.query_files import read_queries
from etalis_py.cli.rates import rates_of_run, tell_orders
from etalis_py.cli.request import Request
from etalis_py.cli.surroundings import register
from etalis_py.cli.unmatched import Noted
from etalis_py.engine import Engine
from etalis_py.errors import DataError
from etalis_py.matches import Match
from etalis_py.streams import Batch, open_streams

__all__ = ["run_here"]

_log = logging.getLogger(__name__)


def run_here(request: Request) -> int:
    """Run the queries and write their answers; the exit code.

    What was answered before an error stays answered. Where the data breaks off, answers of the instant that
    is open are given if nothing that may be missing could take them back.

    Raises:
        EtalisError: whatever is wrong with queries, arguments or data, or happens while running.
    """
    files = read_queries(request.queries)
    total = None if request.at is not None else total_size(request.streams, request.stream_format)
    progress = Progress(wanted=not request.quiet, total=total)
    streams = open_streams(
        request.streams, format=request.stream_format, at=request.at, on_read=progress.on_read
    )
    noted = Noted()
    outlet = Outlet(before_writing=progress.give_way if to_terminal(request) else lambda: None)
    endings = Endings(outlet, request)
    engine = Engine(
        request.background,
        graphs=request.graphs,
        rules=request.rules,
        entailment=request.entailment,
        policy=request.policy,
        on_late=timedelta(microseconds=request.delay) if request.delay else request.on_late,
        max_derivations=request.max_derivations,
        at=request.at,
        trace=request.why is not None,
    )

    def take(match: Match) -> None:
        noted.answer(match)
        endings.take(match)

    with Interrupts() as interrupts, engine:
        rates, streams = rates_of_run(request, engine, files, streams)
        names = [name for file in files for name in register(engine, file, on_match=take, rates=rates)]
        queries = [engine.query(name) for name in names]
        tell_orders(queries)
        heads = [head_of(query) for query in queries]
        with open_outlet(outlet, request, heads, None if request.why is None else engine.why):
            endings.expect(queries)
            _feed(engine, noted.stream(progress.watch(streams)), outlet, endings, interrupts)
        for reason in noted.reasons(engine.knowledge, queries):
            _log.warning("%s", reason)
    if engine.late:
        _log.warning("%s", late_text(engine.late))
    return 0


def _feed(
    engine: Engine, batches: Iterator[Batch], outlet: Outlet, endings: Endings, interrupts: Interrupts
) -> None:
    """Send everything; answers are written batch by batch, and no line is cut by Ctrl-C."""
    began, events = time.perf_counter(), 0
    try:
        for batch in batches:
            with interrupts.held():
                engine.send_encoded(batch)
                outlet.flush()
            events += len(batch)
    except DataError:
        with interrupts.held():
            engine.give_certain()
            endings.break_off()
            outlet.flush()
        raise
    with interrupts.held():
        engine.finish()
        endings.finish(engine.clock)
        outlet.flush()
    seconds = time.perf_counter() - began
    _log.info("%s answers from %s events in %.1f s", f"{outlet.count:,}", f"{events:,}", seconds)
