"""What runs in a Spark task of a program that has several stages, or slices of time.

As `EngineTask`, but some events are rows that an earlier stage made, what later stages need is given as rows,
and rows that are for a stage after this one, answers among them, are passed on as they are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from etalis_py.core.errors import DataError, EtalisError
from etalis_py.engine.answer_columns import Answers
from etalis_py.spark_udfs.execution.failures import about_row, sent_home
from etalis_py.spark_udfs.execution.metrics import PartCounts, with_hidden
from etalis_py.spark_udfs.execution.stage_giving import Giver, Numbers, ends_of
from etalis_py.spark_udfs.execution.stage_rows import EVENT, batches_of, conformed, parted
from etalis_py.spark_udfs.execution.term_columns import Terms
from etalis_py.spark_udfs.execution.worker import AnswerForm, EngineTask, open_engine
from etalis_py.spark_udfs.planning.program import Program
from etalis_py.spark_udfs.planning.stage_links import Passage
from etalis_py.streams.batch import Batch, concat
from etalis_py.streams.table import TableReader

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
    ``sliced``: the columns ``slice``, ``low`` and ``high`` tell a slice of time, in which the answers
    with ``low < end <= high`` are those of this part.
    """

    program: Program
    routes: Routes
    form: AnswerForm
    passage: Passage
    rows: pa.Schema | None
    broken_at: int | None = None
    sliced: bool = False
    counted: tuple[str, ...] = ()
    """The queries of the program, where their matches are counted; ``owners`` says whose part a unit is."""
    owners: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, chunks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Run one part, slice by slice."""
        from pyspark import TaskContext

        context = TaskContext.get()
        part = context.partitionId() if context else 0
        numbers = Numbers(part << 40)
        giver = Giver(self.form, self.passage, self.rows, numbers, counted=bool(self.counted))
        counts = PartCounts(self.counted) if self.counted else None
        for (number, low, high), parts in groupby(self._slices(chunks), key=itemgetter(0)):
            yield from self._run(
                (chunk for _, chunk in parts), f"{part}_{number}", (low, high), giver, counts
            )
        if counts is not None:
            yield conformed(giver.told(counts), giver.schema)

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

    def _run(
        self,
        chunks: Iterator[pa.RecordBatch],
        part: str,
        interval: tuple[int, int],
        giver: Giver,
        counts: PartCounts | None,
    ) -> Iterator[pa.RecordBatch]:
        with sent_home(), open_engine(self.program, part) as (engine, _):
            run = _Run(self, engine, interval, giver, counts)
            task = EngineTask(self.program, self.routes, run, self.broken_at)
            schema = giver.schema
            for table in task.run(run, next(chunks), chunks):  # type: ignore[arg-type]
                yield conformed(table, schema)
            yield from run.rest()


class _Run:
    """One engine and what surrounds it: takes chunks as an engine does, and gives tables as a form does."""

    def __init__(
        self,
        task: StageTask,
        engine: ColumnEngine,
        interval: tuple[int, int],
        giver: Giver,
        counts: PartCounts | None,
    ) -> None:
        self._task = task
        self._engine = engine
        self._low, self._high = interval
        self._giver = giver
        self._counts = counts
        self._reader = TableReader()
        self._terms = Terms()
        self._passed: list[pa.RecordBatch] = []

    # ---- as an engine --------------------------------------------------------------------------------------

    @property
    def clock(self) -> int | None:
        """The instant that is open."""
        return self._engine.clock

    def finishing(self) -> Portions:
        """The input has ended."""
        self._look()
        return self._engine.finishing()

    def advancing(self, time: int) -> Portions:
        """Nothing that ends before ``time`` will come."""
        return self._engine.advancing(time)

    def giving_certain(self) -> Portions:
        """The input broke off."""
        self._look()
        return self._engine.giving_certain()

    def _look(self) -> None:
        if self._counts is not None:
            self._counts.look(self._engine, self._task.owners)

    def answers(self) -> Answers:
        """Those that are of this slice."""
        return _between(self._engine.answers(), self._low, self._high)

    def sending_batch(self, chunk: pa.RecordBatch) -> Portions:
        """Feed the engine, and keep what is to be passed on.

        Raises:
            DataError: a row of the stream that is no event; those before it were taken.
        """
        import pyarrow.compute as pc

        if "unit" not in chunk.schema.names:
            yield from self._sending(chunk, None)
            return
        passage = self._task.passage
        events, taken, passed = parted(chunk, passage.taken, passage.onward)
        ends = passed.column("end")
        passed = passed.filter(pc.and_(pc.greater(ends, self._low), pc.less_equal(ends, self._high)))
        if passed.num_rows:
            self._passed.append(passed)
        yield from self._sending(events, taken)

    def _sending(self, events: pa.RecordBatch, rows: pa.RecordBatch | None) -> Portions:
        batches: list[Batch] = []
        wrong: DataError | None = None
        if events.num_rows:
            try:
                batches.extend(self._reader.batches(events.select(EVENT), "us"))
            except DataError as error:
                wrong = about_row(error, events.slice(sum(map(len, batches)), 1))
        if rows is not None and rows.num_rows:
            made = _in_order_of_ends(list(batches_of(rows, self._task.passage.solutions, self._terms)))
            if wrong is not None:
                newest = max((end for batch in batches for end in batch.end), default=-1)
                made = made.part(0, bisect_right(made.end, newest))
            batches.append(made)
        if batches:
            yield from self._engine.feed.sending((_in_order_of_ends(batches),))
        if wrong is not None:
            raise wrong

    @property
    def schema(self) -> pa.Schema:
        """The columns of answers."""
        return self._task.form.schema

    # ---- as a form -----------------------------------------------------------------------------------------

    def tables(self, answers: Answers) -> Iterable[pa.RecordBatch]:
        """What goes on from here: rows, or in a last stage answers in the order of their ends."""
        if self._counts is not None:
            self._counts.answer(answers)
        tables = self._giver.tables(answers)
        if self._giver.is_last:
            yield from self._in_order(tables)
            return
        yield from tables
        yield from self._passed
        self._passed.clear()

    def failure(self, error: EtalisError, time: int | None) -> pa.RecordBatch | None:
        """An error, in the form of the answers."""
        row = self._task.form.failure(error, time)
        if row is None:
            return None
        return self._giver.given(row if self._counts is None else with_hidden(row))

    def rest(self) -> Iterator[pa.RecordBatch]:
        """What is passed on and was not given yet."""
        yield from map(self._giver.passed, self._passed)
        self._passed.clear()

    def _in_order(self, tables: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Own answers with those passed on that end no later; further own ones end at the clock or later."""
        import pyarrow as pa

        if not self._passed:
            yield from tables
            return
        own = list(tables)
        clock = max(self.clock or 0, *(ends_of(table.slice(table.num_rows - 1))[0] for table in own), 0)
        ready, waiting = [], []
        for rows in self._passed:
            cut = bisect_right(rows.column("end").to_pylist(), clock - 1)
            ready.append(rows.slice(0, cut))
            waiting.append(rows.slice(cut))
        self._passed = [rows for rows in waiting if rows.num_rows]
        own = [conformed(table, self._giver.answer_schema) for table in own]
        together = [*(self._giver.passed(rows) for rows in ready if rows.num_rows), *own]
        if len(together) < 2:
            yield from together
            return
        whole = pa.Table.from_batches(together, together[0].schema).combine_chunks()
        ends = whole.column("end").to_pylist()
        order = sorted(range(len(ends)), key=ends.__getitem__)
        yield from whole.take(pa.array(order, pa.int64())).to_batches()


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
    widths = [answers.receivers[number].width for number in answers.numbers]
    before, through = sum(widths[:first]), sum(widths[:last])
    return Answers(
        answers.receivers,
        answers.numbers[first:last],
        answers.starts[first:last],
        answers.ends[first:last],
        answers.values[before:through],
    )
