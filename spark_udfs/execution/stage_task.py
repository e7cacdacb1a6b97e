"""What runs in a Spark task: a stage for one part of the events, chunk by chunk, sorted by end.

Some events may be rows that an earlier stage made. What later stages need leaves as rows, and rows that are
for a stage after this one, answers among them, are passed on as they are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from etalis_py.core.errors import DataError, EtalisError, RunTimeError
from etalis_py.core.times import format_time
from etalis_py.engine.answer_columns import Answers
from etalis_py.spark_udfs.execution.failures import TaskError, sent_home
from etalis_py.spark_udfs.execution.metrics import PartCounts
from etalis_py.spark_udfs.execution.stage_output import Numbers, StageOutput, ends_of
from etalis_py.spark_udfs.execution.stage_rows import StageReader, conformed, event_columns, parted
from etalis_py.spark_udfs.execution.worker import AnswerForm, found_by, open_engine
from etalis_py.spark_udfs.planning.program import Program
from etalis_py.spark_udfs.planning.stage_links import StageFlow
from etalis_py.streams.batch import Batch, concat

if TYPE_CHECKING:
    import pyarrow as pa

    from etalis_py.compiler.partition.routes import Routes
    from etalis_py.engine.column_engine import ColumnEngine
    from etalis_py.engine.feeding import Portions

__all__ = ["StageTask"]

_EVER: Final = (-(1 << 63), (1 << 63) - 1)


@dataclass(frozen=True, slots=True)
class StageTask:
    """The function for ``mapInArrow``.

    ``rows`` are the columns of rows; None for a last stage, which gives answers as they are and no rows.
    ``broken_at``: the input broke off while this instant (microseconds, UTC) was open, so that of it only
    answers are given which nothing that is missing could take back.
    ``sliced``: the columns ``slice``, ``low`` and ``high`` tell a slice of time, in which the answers
    with ``low < end <= high`` are those of this part.
    ``told_the_end``: the column ``input_end`` tells when the whole input ends.
    ``without_events``: what comes in is a row that is no event, for an engine that is asked at one instant.
    """

    program: Program
    routes: Routes
    form: AnswerForm
    flow: StageFlow = field(default_factory=StageFlow)
    rows: pa.Schema | None = None
    broken_at: int | None = None
    sliced: bool = False
    without_events: bool = False
    counted: tuple[str, ...] = ()
    """The queries of the program, where their matches are counted; ``owners`` says whose part a unit is."""
    owners: Mapping[str, str] = field(default_factory=dict)
    told_the_end: bool = False

    def __call__(self, chunks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Run one part, slice by slice."""
        from pyspark import TaskContext

        context = TaskContext.get()
        part = context.partitionId() if context else 0
        output = StageOutput(self.form, self.flow, self.rows, Numbers(part << 40), counted=bool(self.counted))
        counts = PartCounts(self.counted) if self.counted else None
        for (number, low, high), pieces in groupby(self._slices(chunks), key=itemgetter(0)):
            name = f"{part}_{number}" if self.sliced else part
            with sent_home(), open_engine(self.program, name) as (engine, _):
                run = _StageRun(self, engine, (low, high), output, counts)
                yield from run.tables(chunk for _, chunk in pieces if not self.without_events)
        if counts is not None:
            yield output.counts(counts)

    def _slices(
        self, chunks: Iterator[pa.RecordBatch]
    ) -> Iterator[tuple[tuple[int, int, int], pa.RecordBatch]]:
        for chunk in chunks:
            if not chunk.num_rows:
                continue
            if not self.sliced:
                yield (0, *_EVER), chunk
                continue
            first = 0
            columns = [chunk.column(name).to_pylist() for name in ("slice", "low", "high")]
            for key, rows in groupby(zip(*columns, strict=True)):
                count = sum(1 for _ in rows)
                yield key, chunk.slice(first, count)
                first += count


class _StageRun:
    """One engine of a stage at work: chunks go in, tables come out."""

    def __init__(
        self,
        task: StageTask,
        engine: ColumnEngine,
        interval: tuple[int, int],
        output: StageOutput,
        counts: PartCounts | None,
    ) -> None:
        self._task = task
        self._engine = engine
        self._low, self._high = interval
        self._output = output
        self._counts = counts
        self._reader = StageReader(task.flow.solutions)
        self._passed: list[pa.RecordBatch] = []

    def tables(self, chunks: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """What comes of all chunks.

        An error ends the work. What was found before it is given, and a row for the error in the form of the
        answers.

        Raises:
            TaskError: the error, if the form has no rows for errors.
        """
        chunk = None
        try:
            for chunk in chunks:
                yield from self._tables(self._sending(chunk))
            for ending in self._endings(chunk):
                yield from self._tables(ending)
            if self._counts is not None:
                self._counts.look(self._engine, self._task.owners)
        except EtalisError as error:
            described = self._described(error, chunk)
            yield from self._tables_of(self._engine.answers())
            row = self._task.form.failure(described, self._engine.clock)
            if row is None:
                raise TaskError(described) from None
            yield self._output.answers(row)
        yield from self._all_passed()

    # ---- what goes in --------------------------------------------------------------------------------------

    def _sending(self, chunk: pa.RecordBatch) -> Portions:
        """Feed the engine, and keep what is to be passed on.

        Raises:
            DataError: a row of the stream that is no event; those before it were taken.
        """
        if "unit" not in chunk.schema.names:
            return self._engine.feed.sending(self._reader.batches(chunk))
        return self._sending_rows(chunk)

    def _sending_rows(self, chunk: pa.RecordBatch) -> Portions:
        import pyarrow.compute as pc

        flow = self._task.flow
        events, rows, passed = parted(chunk, flow.taken, flow.onward)
        ends = passed.column("end")
        passed = passed.filter(pc.and_(pc.greater(ends, self._low), pc.less_equal(ends, self._high)))
        if passed.num_rows:
            self._passed.append(passed)
        batches: list[Batch] = []
        wrong: DataError | None = None
        if events.num_rows:
            try:
                batches.extend(self._reader.batches(events.select(event_columns(events.schema.names))))
            except DataError as error:
                wrong = error
        if rows.num_rows:
            made = _in_order_of_ends(list(self._reader.batches(rows)))
            if wrong is not None:
                newest = max((end for batch in batches for end in batch.end), default=-1)
                made = made.part(0, bisect_right(made.end, newest))
            batches.append(made)
        if batches:
            yield from self._engine.feed.sending((_in_order_of_ends(batches),))
        if wrong is not None:
            raise wrong

    def _endings(self, last: pa.RecordBatch | None) -> Iterator[Portions]:
        if self._task.broken_at is None:
            if self._task.told_the_end and last is not None:
                yield self._engine.advancing(
                    max(last.column("input_end")[0].as_py(), self._engine.clock or 0)
                )
            yield self._engine.finishing()
        else:
            yield self._engine.advancing(self._task.broken_at)
            yield self._engine.giving_certain()

    # ---- what comes out ------------------------------------------------------------------------------------

    def _tables(self, portions: Portions) -> Iterator[pa.RecordBatch]:
        """What comes of some work, portion by portion."""
        for answers in found_by(self._engine, portions):
            yield from self._tables_of(answers)

    def _tables_of(self, found: Answers) -> Iterator[pa.RecordBatch]:
        """What goes on from here: rows, or in a last stage answers in the order of their ends."""
        answers = _between(found, self._low, self._high)
        if self._counts is not None:
            self._counts.answer(answers)
        tables = self._output.tables(answers)
        if self._output.is_last and self._passed:
            yield from self._in_order(list(tables))
            return
        yield from tables
        yield from self._all_passed()

    def _all_passed(self) -> Iterator[pa.RecordBatch]:
        """What is passed on and has not left yet."""
        yield from map(self._output.passed, self._passed)
        self._passed.clear()

    def _in_order(self, own: Sequence[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Own answers with those passed on that end no later; further own ones end at the clock or later."""
        import pyarrow as pa

        newest = (ends_of(table.slice(table.num_rows - 1))[0] for table in own)
        clock = max(self._engine.clock or 0, *newest, 0)
        ready, waiting = [], []
        for rows in self._passed:
            cut = bisect_right(rows.column("end").to_pylist(), clock - 1)
            ready.append(rows.slice(0, cut))
            waiting.append(rows.slice(cut))
        self._passed = [rows for rows in waiting if rows.num_rows]
        own = [conformed(table, self._output.answer_schema) for table in own]
        together = [*(self._output.passed(rows) for rows in ready if rows.num_rows), *own]
        if len(together) < 2:
            yield from together
            return
        whole = pa.Table.from_batches(together, together[0].schema).combine_chunks()
        ends = whole.column("end").to_pylist()
        order = sorted(range(len(ends)), key=ends.__getitem__)
        yield from whole.take(pa.array(order, pa.int64())).to_batches()

    # ---- errors --------------------------------------------------------------------------------------------

    def _described(self, error: EtalisError, chunk: pa.RecordBatch | None) -> EtalisError:
        """The error with what is known here: the queries, the time and the key."""
        if not isinstance(error, RunTimeError):
            return error
        names = ", ".join(query.name for query in self._task.program.queries)
        where = f"queries: {names}{_key_text(chunk, self._engine.clock, self._task.routes)}"
        return RunTimeError(error.code, f"{error.message}\n    {where}", place=error.place, hint=error.hint)


def _key_text(chunk: pa.RecordBatch | None, time: int | None, routes: Routes) -> str:
    """The instant, and the keys of its events."""
    if time is None or chunk is None:
        return ""
    columns: dict[str, Any] = {name: chunk.column(name).to_pylist() for name in ("end", "s", "p", "o")}
    keys = set()
    for index, (end, predicate) in enumerate(zip(columns["end"], columns["p"], strict=True)):
        if end != time or predicate is None:  # a solution of an earlier stage has no predicate
            continue
        positions = routes.positions.get(predicate.strip("<>"), routes.other)
        if positions is not None:
            keys.add(" ".join(columns[each][index] for each in positions))
    some = f"; key: {', '.join(sorted(keys))}" if 0 < len(keys) <= 3 else ""
    return f"; instant: {format_time(time)}{some}"


def _in_order_of_ends(batches: Sequence[Batch]) -> Batch:
    """Batches, each of which is in that order, as one."""
    whole = concat(batches)
    if len(batches) == 1:
        return whole
    return whole.take(sorted(range(len(whole)), key=whole.end.__getitem__))


def _between(answers: Answers, low: int, high: int) -> Answers:
    """The answers that end within a slice; they are in the order of their ends."""
    if (low, high) == _EVER or not len(answers):
        return answers
    first, last = bisect_right(answers.ends, low), bisect_right(answers.ends, high)
    if first == 0 and last == len(answers):
        return answers
    return answers.part(first, last)
