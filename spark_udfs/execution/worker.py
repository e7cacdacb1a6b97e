"""What runs in a Spark task: one engine for one part of the events, fed chunk by chunk, closed at the end.

Prolog is imported here, inside a function, so that no driver ever loads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from etalis_py.core.errors import DataError, EtalisError, Place, RunTimeError
from etalis_py.core.times import format_time
from etalis_py.spark_udfs.execution.failures import TaskError, about_row, sent_home
from etalis_py.spark_udfs.execution.metrics import PartCounts, with_hidden
from etalis_py.spark_udfs.planning.program import Program

if TYPE_CHECKING:
    import pyarrow as pa

    from etalis_py.compiler.partition.routes import Routes
    from etalis_py.engine.answer_columns import Answers
    from etalis_py.engine.column_engine import ColumnEngine
    from etalis_py.engine.feeding import Portions

__all__ = ["AnswerForm", "EngineTask", "found_by", "open_engine"]


class AnswerForm(Protocol):
    """How answers leave the worker."""

    @property
    def schema(self) -> pa.Schema:
        """The columns."""

    def tables(self, answers: Answers) -> Iterable[pa.RecordBatch]:
        """Answers as rows; none where there are none."""

    def failure(self, error: EtalisError, time: int | None) -> pa.RecordBatch | None:
        """A row that stands for an error at the instant ``time``; None: let it end the job."""


@contextmanager
def open_engine(program: Program, part: int | str = 0) -> Iterator[tuple[ColumnEngine, list[str]]]:
    """An engine with the queries of a program, and their names; no other engine has the same ``part``.

    Its background is that of the shipment, which is compiled; where nothing was shipped, the files.
    """
    from etalis_py.engine.column_engine import ColumnEngine

    load = None
    if program.shipment is not None:
        from etalis_py.spark_udfs.execution.worker_background import background_loader

        load = background_loader(program.shipment)
    prefix = f"{program.options.blank_node_prefix}{part}x"
    with ColumnEngine(load, **program.options.keywords(blank_node_prefix=prefix)) as engine:
        names = engine.install(program.compiled)
        for query in () if program.compiled else program.queries:
            names += engine.register(query.text, name=query.name, source=query.source, base=query.base)
        yield engine, names


def found_by(engine: ColumnEngine, work: Portions) -> Iterator[Answers]:
    """What is found while an engine does some work, portion by portion, and what it found before."""
    with closing(work):
        for _ in work:
            yield engine.answers()
    yield engine.answers()


@dataclass(frozen=True, slots=True)
class EngineTask:
    """The function for ``mapInArrow``: events of one part, sorted by end, in; answers out.

    ``broken_at``: the input broke off while this instant (microseconds, UTC) was open, so that of it only
    answers are given which nothing that is missing could take back.
    """

    program: Program
    routes: Routes
    form: AnswerForm
    broken_at: int | None = None
    counted: bool = False
    """Whether a row of ``metrics.py`` comes at the end."""
    without_events: bool = False
    """What comes in are no events: the task is there to ask the engine at its one instant."""

    def __call__(self, chunks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Run one part."""
        from pyspark import TaskContext

        context = TaskContext.get()
        part = context.partitionId() if context else 0
        chunks = iter(()) if self.without_events else chunks
        first = next((chunk for chunk in chunks if chunk.num_rows), None)
        if first is None and not self.without_events:
            return
        with sent_home(), open_engine(self.program, part) as (engine, names):
            if not self.counted:
                yield from self.run(engine, first, chunks)
                return
            counts = PartCounts(names)
            yield from map(with_hidden, self.run(engine, first, chunks, counts))
            yield counts.row(self.form.schema)

    def run(
        self,
        engine: ColumnEngine,
        chunk: pa.RecordBatch | None,
        chunks: Iterator[pa.RecordBatch],
        counts: PartCounts | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Feed an engine chunk by chunk, the first of which is ``chunk``; what comes of it in its form."""
        rows, last = 0, chunk
        try:
            while chunk is not None:
                last = chunk
                yield from self._portions(engine, engine.sending_batch(chunk), counts)
                rows += chunk.num_rows
                chunk = next(chunks, None)
            for ending in self._endings(engine):
                yield from self._portions(engine, ending, counts)
            if counts is not None:
                counts.take(rows)
                counts.look(engine)
        except EtalisError as error:
            told = self._told(error, engine, last, rows)
            yield from self._tables(engine, counts)
            row = self.form.failure(told, engine.clock)
            if row is None:
                raise TaskError(told) from None
            yield row

    def _portions(
        self, engine: ColumnEngine, portions: Portions, counts: PartCounts | None
    ) -> Iterator[pa.RecordBatch]:
        """What comes of some work, portion by portion."""
        for answers in found_by(engine, portions):
            if counts is not None:
                counts.answer(answers)
            yield from self.form.tables(answers)

    def _tables(self, engine: ColumnEngine, counts: PartCounts | None) -> Iterable[pa.RecordBatch]:
        answers = engine.answers()
        if counts is not None:
            counts.answer(answers)
        return self.form.tables(answers)

    def _endings(self, engine: ColumnEngine) -> Iterator[Portions]:
        if self.broken_at is None:
            yield engine.finishing()
        else:
            yield engine.advancing(self.broken_at)
            yield engine.giving_certain()

    def _told(
        self, error: EtalisError, engine: ColumnEngine, chunk: pa.RecordBatch | None, rows: int
    ) -> EtalisError:
        """The error with what is known here: the row as it is, or the queries, the time and the key."""
        match error:
            case DataError(place=Place(row=int(number))) if chunk is not None:
                return about_row(error, chunk.slice(number - 1 - rows, 1))
            case RunTimeError():
                names = ", ".join(query.name for query in self.program.queries)
                where = f"queries: {names}{_key_text(chunk, engine.clock, self.routes)}"
                message = f"{error.message}\n    {where}"
                return RunTimeError(error.code, message, place=error.place, hint=error.hint)
            case _:
                return error


def _key_text(chunk: pa.RecordBatch | None, time: int | None, routes: Routes) -> str:
    """The instant, and the keys of its events."""
    if time is None or chunk is None:
        return ""
    columns: dict[str, Any] = {name: chunk.column(name).to_pylist() for name in ("end", "s", "p", "o")}
    keys = set()
    for index, end in enumerate(columns["end"]):
        predicate = columns["p"][index].strip("<>")
        positions = routes.positions.get(predicate, routes.other)
        if end == time and positions is not None:
            keys.add(" ".join(columns[each][index] for each in positions))
    some = f"; key: {', '.join(sorted(keys))}" if 0 < len(keys) <= 3 else ""
    return f"; instant: {format_time(time)}{some}"
