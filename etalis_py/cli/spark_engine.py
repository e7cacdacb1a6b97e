"""``etalis run --engine spark``: the answers of the local engine, in its order, found by as many as fit.

The streams are read to their end and dealt out by Spark, so answers come when all is read, also where
standard input is read. Elements that come late are an error, dropped or re-ordered, as ``--on-late`` says:
Spark itself would not mind, but what is an answer does not depend on the engine. ``--max-derivations`` holds
for each part of the events.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from etalis_py.cli.counts import counts_lines
from etalis_py.cli.endings import Endings
from etalis_py.cli.heads import head_of, late_text
from etalis_py.cli.interrupts import Interrupts
from etalis_py.cli.outlet import Outlet, open_outlet
from etalis_py.cli.progress import Progress, total_size
from etalis_py.cli.query_files import read_queries
from etalis_py.cli.request import Request
from etalis_py.cli.spark_stream import Written, write_stream
from etalis_py.cli.standard_streams import say
from etalis_py.cli.task_progress import TaskProgress
from etalis_py.cli.unmatched import Noted
from etalis_py.core.errors import DataError, EtalisError, show
from etalis_py.engine.functions import Function
from etalis_py.engine.matches import Match
from etalis_py.engine.options import EngineOptions
from etalis_py.spark_udfs.detect import warn_of_one_part
from etalis_py.spark_udfs.execution.failures import project_errors
from etalis_py.spark_udfs.execution.metrics import Counts, Metrics
from etalis_py.spark_udfs.execution.text_answers import TEXT_SCHEMA, TextForm, read_answers
from etalis_py.spark_udfs.planning.dealing import PlannedProgram, plan_program
from etalis_py.spark_udfs.planning.events import normalized
from etalis_py.spark_udfs.planning.program import (
    Program,
    QuerySource,
    absolute_path,
    absolute_paths,
    compile_all,
)
from etalis_py.spark_udfs.planning.stages import run_stages
from etalis_py.spark_udfs.session.session import borrowed_session, run_interruptibly
from etalis_py.streams import open_streams

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["run_on_spark"]

_log = logging.getLogger(__name__)


def run_on_spark(request: Request) -> int:
    """Run the queries on Spark and write their answers; the exit code.

    Raises:
        EtalisError: as `run_here`, and EP305, EP535 or EP536 where Spark is not there or cannot go on.
    """
    files = read_queries(request.queries, request.texts, request.language)
    total = None if request.options.at is not None else total_size(request.streams, request.stream_format)
    progress = Progress(wanted=not request.quiet, total=total)
    streams = open_streams(
        request.streams,
        format=request.stream_format,
        at=request.options.at,
        on_read=progress.on_read,
        time_unit=request.time_unit,
    )
    sources = tuple(QuerySource(file.name, file.text, file.path, file.base, file.language) for file in files)
    options = replace(request.options, functions=_by_value(request.options.functions))
    compile_all(sources, options)  # tell what is wrong with the queries before Java starts
    program = Program(sources, absolute_paths(replace(options, on_late="error")))  # by then none is late
    metrics = Metrics() if request.progress and not request.quiet else None
    noted, outlet = Noted(), Outlet()
    endings = Endings(outlet, request)
    with (
        Interrupts() as interrupts,
        TemporaryDirectory(prefix="etalis-spark-", ignore_cleanup_errors=True) as name,
    ):
        folder = Path(name)
        log = None if request.verbose else folder / "spark.log"
        with borrowed_session("etalis run", log) as session:
            with _named_as_given(options):
                planned = run_interruptibly(session, lambda: plan_program(session, program))
            warn_of_one_part(planned)
            with open_outlet(outlet, request, [head_of(query) for query in planned.compiled]):
                began = time.perf_counter()
                endings.expect(planned.compiled)
                batches = noted.stream(progress.watch(streams))
                written = write_stream(batches, folder / "stream.parquet", options)
                tasks = TaskProgress(wanted=not request.quiet)
                answers = _answers(session, folder, planned, written, metrics, tasks)
                _write(answers, endings, noted, interrupts)
                endings.finish(written.newest)
                seconds = time.perf_counter() - began
            if metrics is not None:
                _tell(metrics, written)
    _log.info("%s answers from %s events in %.1f s", f"{outlet.count:,}", f"{written.count:,}", seconds)
    show(noted.reasons(planned.background, planned.compiled))
    if written.late:
        _log.warning("%s", late_text(written.late))
    return 0


def _by_value(functions: Mapping[str, Function]) -> Mapping[str, Function]:
    """The functions, so that workers need not import the modules that they are from."""
    if functions:
        from pyspark import cloudpickle

        for name in {getattr(function, "__module__", None) for function in functions.values()}:
            if name in sys.modules and not hasattr(sys.modules[name], "__path__") and name != "__main__":
                cloudpickle.register_pickle_by_value(sys.modules[name])  # type: ignore[no-untyped-call]
    return functions


@contextmanager
def _named_as_given(options: EngineOptions) -> Iterator[None]:
    """Let errors call files what the user calls them."""
    files = chain(options.background, options.rules, *options.graphs.values())
    names = {absolute_path(file): file for file in files}
    try:
        yield
    except EtalisError as error:
        if error.place is not None and error.place.source is not None:
            error.place = replace(error.place, source=names.get(error.place.source, error.place.source))
        raise


def _answers(
    session: SparkSession,
    folder: Path,
    planned: PlannedProgram,
    written: Written,
    metrics: Metrics | None,
    tasks: TaskProgress,
) -> Iterator[Match]:
    """All answers in their order; then the error at which the streams broke off, if they did."""
    if written.count or planned.program.options.at is not None:
        with project_errors(), closing(tasks):
            run_interruptibly(
                session, lambda: _find_answers(session, folder, planned, written, metrics), tasks.show
            )
        yield from read_answers(folder / "answers", planned.compiled, planned.merge)
    if written.error is not None:
        raise written.error


def _find_answers(
    session: SparkSession, folder: Path, planned: PlannedProgram, written: Written, metrics: Metrics | None
) -> None:
    """Let Spark find the answers, a file for each part of the events."""
    events = session.read.parquet(str(folder / "stream.parquet"))
    events = normalized(events, places=planned.asks_places)
    broken_at = None if written.error is None else written.newest
    answers = run_stages(events, planned, TextForm(), TEXT_SCHEMA, broken_at=broken_at, metrics=metrics)
    answers.write.parquet(str(folder / "answers"))


def _tell(metrics: Metrics, written: Written) -> None:
    """Say on standard error what was counted."""
    counts = metrics.get if metrics.is_asked else Counts()
    for line in counts_lines(replace(counts, events=counts.events + written.late, late=written.late)):
        say(line)


def _write(answers: Iterator[Match], endings: Endings, noted: Noted, interrupts: Interrupts) -> None:
    """Write answers as they come; no line is cut by a signal."""
    try:
        for match in answers:
            with interrupts.held():
                noted.answers([match.query])
                endings.take([match])
    except DataError:
        endings.break_off()
        raise
