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
from typing import TYPE_CHECKING, Any, Final

from etalis_py.answer_columns import Answers
from etalis_py.errors import DataError, EtalisError, Place
from etalis_py.spark_udfs.failures import sent_home
from etalis_py.spark_udfs.metrics import PartCounts, with_hidden
from etalis_py.spark_udfs.program import Program
from etalis_py.spark_udfs.stage_rows import (
    answer_rows,
    batch_of,
    conformed,
    row_schema,
    solution_rows,
    triple_rows,
)
from etalis_py.spark_udfs.text_answers import TermTexts
from etalis_py.spark_udfs.worker import AnswerForm, EngineTask, open_engine
from etalis_py.streams.batch import Batch, concat
from etalis_py.streams.columns import shown
from etalis_py.streams.table import TableReader

if TYPE_CHECKING:
    import pyarrow as pa

    from etalis_py.column_engine import ColumnEngine
    from etalis_py.compiler.routes import Routes

__all__ = ["Passage", "StageTask"]

_EVENT: Final = ["start", "end", "s", "p", "o"]
_EVER: Final = (-(1 << 63), (1 << 63) - 1)


@dataclass(frozen=True, slots=True)
class Passage:
    """What comes in from earlier stages, and what goes out to later ones; units by their numbers.

    ``solutions`` and ``triples`` are the units whose rows are events here, ``onward`` those whose rows later
    stages need. ``units`` are the units of this stage that make solutions, by name, and ``makers`` the
    queries of this stage whose triples later stages need. ``keys`` are the columns by which the solutions of
    a unit are dealt out, ``sets`` the units of which equal solutions are one.
    """

    solutions: frozenset[int] = frozenset()
    triples: frozenset[int] = frozenset()
    onward: frozenset[int] = frozenset()
    units: Mapping[str, int] = field(default_factory=dict)
    makers: Mapping[str, int] = field(default_factory=dict)
    keys: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    sets: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class StageTask:
    """The function for ``mapInArrow``.

    ``answer`` is the type of an answer within a row; None for a last stage, which gives answers as they are
    and no rows. ``sliced``: the columns ``slice``, ``low`` and ``high`` tell a slice of time, in which the
    answers with ``low < end <= high`` are those of this part.
    """

    program: Program
    routes: Routes
    form: AnswerForm
    passage: Passage
    answer: pa.DataType | None
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
        counts = PartCounts(self.counted) if self.counted else None
        for (number, low, high), parts in groupby(self._slices(chunks), key=itemgetter(0)):
            yield from self._run(
                (chunk for _, chunk in parts), f"{part}_{number}", (low, high), numbers, counts
            )
        if counts is not None:
            row = counts.row(self.form.schema)
            row = row if self.answer is None else answer_rows(row, [_EVER[1]], numbers.take(1))
            yield conformed(row, self.schema)

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
        numbers: Numbers,
        counts: PartCounts | None,
    ) -> Iterator[pa.RecordBatch]:
        with sent_home(), open_engine(self.program, part) as (engine, _):
            run = _Run(self, engine, interval, numbers, counts)
            task = EngineTask(self.program, self.routes, run, self.broken_at)
            schema = self.schema
            for table in task.run(run, next(chunks), chunks):  # type: ignore[arg-type]
                yield conformed(table, schema)
            yield from run.rest()

    @property
    def schema(self) -> pa.Schema:
        """The columns of what is given."""
        return self.answer_schema if self.answer is None else row_schema(self.answer)

    @property
    def answer_schema(self) -> pa.Schema:
        """The columns of answers."""
        return with_hidden(_empty(self.form.schema)).schema if self.counted else self.form.schema


class Numbers:
    """Numbers for the rows of one task, each once."""

    def __init__(self, first: int) -> None:
        self._next = first

    def take(self, count: int) -> range:
        """The next ones."""
        self._next += count
        return range(self._next - count, self._next)


class _Run:
    """One engine and what surrounds it: takes chunks as an engine does, and gives tables as a form does."""

    def __init__(
        self,
        task: StageTask,
        engine: ColumnEngine,
        interval: tuple[int, int],
        numbers: Numbers,
        counts: PartCounts | None,
    ) -> None:
        self._task = task
        self._engine = engine
        self._low, self._high = interval
        self._numbers = numbers
        self._counts = counts
        self._reader = TableReader()
        self._texts = TermTexts()
        self._passed: list[pa.RecordBatch] = []

    # ---- as an engine --------------------------------------------------------------------------------------

    @property
    def clock(self) -> int | None:
        """The instant that is open."""
        return self._engine.clock

    def finish(self) -> None:
        """The input has ended."""
        self._look()
        self._engine.finish()

    def advance(self, time: int) -> None:
        """Nothing that ends before ``time`` will come."""
        self._engine.advance(time)

    def give_certain(self) -> None:
        """The input broke off."""
        self._look()
        self._engine.give_certain()

    def _look(self) -> None:
        if self._counts is not None:
            self._counts.look(self._engine, self._task.owners)

    def answers(self) -> Answers:
        """Those that are of this slice."""
        return _between(self._engine.answers(), self._low, self._high)

    def send_batch(self, chunk: pa.RecordBatch) -> None:
        """Feed the engine, and keep what is to be passed on.

        Raises:
            DataError: a row of the stream that is no event; those before it were taken.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        passage = self._task.passage
        if "unit" not in chunk.schema.names:
            self._send(chunk, None)
            return
        unit, answer = chunk.column("unit"), pc.is_valid(chunk.column("answer"))
        taken = pc.is_in(unit, pa.array(sorted(passage.solutions | passage.triples), pa.int32()))
        onward = pc.or_(answer, pc.is_in(unit, pa.array(sorted(passage.onward), pa.int32())))
        inside = pc.and_(
            pc.greater(chunk.column("end"), self._low), pc.less_equal(chunk.column("end"), self._high)
        )
        passed = chunk.filter(pc.and_(onward, inside))
        if passed.num_rows:
            self._passed.append(passed)
        self._send(chunk.filter(pc.and_(pc.is_null(unit), pc.invert(answer))), chunk.filter(taken))

    def _send(self, events: pa.RecordBatch, rows: pa.RecordBatch | None) -> None:
        batches: list[Batch] = []
        wrong: DataError | None = None
        if events.num_rows:
            try:
                batches.extend(self._reader.batches(events.select(_EVENT)))
            except DataError as error:
                wrong = self._told(error, events, sum(map(len, batches)))
        if rows is not None and rows.num_rows:
            made = batch_of(rows, self._task.passage.solutions, self._texts)
            if wrong is not None:
                newest = max((end for batch in batches for end in batch.end), default=-1)
                made = made.part(0, bisect_right(made.end, newest))
            batches.append(made)
        if batches:
            whole = concat(batches)
            ends = whole.end
            ordered = (
                whole if len(batches) == 1 else whole.take(sorted(range(len(ends)), key=ends.__getitem__))
            )
            self._engine.send_encoded(ordered)
        if wrong is not None:
            raise wrong

    def _told(self, error: DataError, events: pa.RecordBatch, good: int) -> DataError:
        row = events.slice(good, 1).to_pylist()[0]
        return DataError(
            error.code, error.message, place=Place(source="events", excerpt=shown(row, 400)), hint=error.hint
        )

    @property
    def schema(self) -> pa.Schema:
        """The columns of answers."""
        return self._task.form.schema

    # ---- as a form -----------------------------------------------------------------------------------------

    def tables(self, answers: Answers) -> Iterable[pa.RecordBatch]:
        """What goes on from here: rows, or in a last stage answers in the order of their ends."""
        passage, final = self._task.passage, answers
        inner = {number for number, each in answers.receivers.items() if each.name in passage.units}
        if inner:
            final = _chosen(answers, lambda number: number not in inner)
            yield from self._solutions(_chosen(answers, inner.__contains__))
        if self._counts is not None:
            self._counts.answer(final)
        tables = self._task.form.tables(final)
        tables = tables if self._counts is None else map(with_hidden, tables)
        if self._task.answer is None:
            yield from self._in_order(tables)
            return
        yield from self._triples(final)
        yield from map(self._row, tables)
        yield from self._passed
        self._passed.clear()

    def failure(self, error: EtalisError, time: int | None) -> pa.RecordBatch | None:
        """An error, in the form of the answers."""
        row = self._task.form.failure(error, time)
        if row is None:
            return None
        row = row if self._counts is None else with_hidden(row)
        return row if self._task.answer is None else self._row(row)

    def rest(self) -> Iterator[pa.RecordBatch]:
        """What is passed on and was not given yet."""
        yield from self._passed if self._task.answer is not None else map(self._answers_of, self._passed)
        self._passed.clear()

    def _solutions(self, answers: Answers) -> Iterator[pa.RecordBatch]:
        passage, answer = self._task.passage, self._task.answer
        assert answer is not None, "a last stage has no unit whose solutions others take"
        for receiver, part in answers.by_query():
            unit = passage.units[receiver.name]
            numbers: Sequence[int] = (
                [0] * len(part) if unit in passage.sets else self._numbers.take(len(part))
            )
            yield solution_rows(receiver, part, unit, passage.keys[unit], numbers, answer)

    def _triples(self, answers: Answers) -> Iterator[pa.RecordBatch]:
        passage, answer = self._task.passage, self._task.answer
        assert answer is not None, "a last stage has nothing to pass on"
        if not passage.makers:
            return
        for receiver, part in answers.by_query():
            if receiver.name in passage.makers:
                yield triple_rows(part, passage.makers[receiver.name], 0, answer)

    def _answers_of(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """The answers that were passed on."""
        import pyarrow as pa

        answer = rows.column("answer")
        names = [each.name for each in answer.type]
        return conformed(pa.RecordBatch.from_arrays(answer.flatten(), names=names), self._task.answer_schema)

    def _row(self, table: pa.RecordBatch) -> pa.RecordBatch:
        numbers = self._numbers.take(table.num_rows)
        return answer_rows(table, _ends(table), numbers)

    def _in_order(self, tables: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Own answers with those passed on that end no later; further own ones end at the clock or later."""
        import pyarrow as pa

        if not self._passed:
            yield from tables
            return
        clock, own = self.clock, list(tables)
        ready, waiting = [], []
        for rows in self._passed:
            cut = bisect_right(rows.column("end").to_pylist(), (clock or 0) - 1)
            ready.append(rows.slice(0, cut))
            waiting.append(rows.slice(cut))
        self._passed = [rows for rows in waiting if rows.num_rows]
        own = [conformed(table, self._task.answer_schema) for table in own]
        together = [*(self._answers_of(rows) for rows in ready if rows.num_rows), *own]
        if len(together) < 2:
            yield from together
            return
        whole = pa.Table.from_batches(together, together[0].schema).combine_chunks()
        ends = whole.column("end").to_pylist()
        order = sorted(range(len(ends)), key=ends.__getitem__)
        yield from whole.take(pa.array(order, pa.int64())).to_batches()


def _empty(schema: pa.Schema) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.array([], each.type) for each in schema], schema=schema)


def _ends(table: pa.RecordBatch) -> list[int]:
    """The ends of answers, microseconds, whatever their form."""
    import pyarrow as pa

    ends: list[int] = table.column("end").cast(pa.int64()).to_pylist()
    return ends


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


def _chosen(answers: Answers, wanted: Any) -> Answers:
    """The answers of some queries, by their numbers, in their order."""
    chosen, place = Answers(answers.receivers), 0
    for number, start, end in zip(answers.numbers, answers.starts, answers.ends, strict=True):
        width = answers.receivers[number].width
        if wanted(number):
            chosen.numbers.append(number)
            chosen.starts.append(start)
            chosen.ends.append(end)
            chosen.values.extend(answers.values[place : place + width])
        place += width
    return chosen
