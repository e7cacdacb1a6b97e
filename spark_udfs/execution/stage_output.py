"""What leaves a stage: rows for later stages, or answers in their final form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from etalis_py.engine.answer_columns import Answers
from etalis_py.spark_udfs.execution.metrics import PartCounts, with_hidden
from etalis_py.spark_udfs.execution.stage_rows import (
    answer_rows,
    answers_of,
    conformed,
    event_rows,
    solution_rows,
    triple_rows,
)
from etalis_py.spark_udfs.execution.worker import AnswerForm
from etalis_py.spark_udfs.planning.stage_links import StageFlow

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Numbers", "StageOutput", "ends_of"]

_LAST: Final = (1 << 63) - 1


class Numbers:
    """Numbers for the rows of one part, each once."""

    def __init__(self, first: int) -> None:
        self._next = first

    def take(self, count: int) -> range:
        """The next ones."""
        self._next += count
        return range(self._next - count, self._next)


class StageOutput:
    """Makes tables of answers.

    ``rows`` are the columns of rows; None for a last stage, which gives answers as they are and no rows.
    If ``counted``, answers have the hidden column of ``metrics.py``.
    """

    def __init__(
        self,
        form: AnswerForm,
        flow: StageFlow,
        rows: pa.Schema | None,
        numbers: Numbers,
        *,
        counted: bool,
    ) -> None:
        self._form = form
        self._flow = flow
        self._rows = rows
        self._numbers = numbers
        self._counted = counted

    @property
    def is_last(self) -> bool:
        """Whether what is given are answers, and not rows."""
        return self._rows is None

    @property
    def answer_schema(self) -> pa.Schema:
        """The columns of answers."""
        return with_hidden(_empty(self._form.schema)).schema if self._counted else self._form.schema

    def tables(self, answers: Answers) -> Iterator[pa.RecordBatch]:
        """What becomes of answers of an engine: solutions and triples for later stages, and answers."""
        final = answers
        inner = {number for number, each in answers.receivers.items() if each.name in self._flow.units}
        if inner:
            final = answers.only(answers.receivers.keys() - inner)
            yield from self._solutions(answers.only(inner))
        yield from self._triples(final)
        for table in self._form.tables(final):
            yield self.answers(table)

    def answers(self, table: pa.RecordBatch) -> pa.RecordBatch:
        """Answers, in the columns of their form, as they leave."""
        if self._counted:
            table = with_hidden(table)
        if self._rows is None:
            return table
        return answer_rows(table, ends_of(table), self._numbers.take(table.num_rows), self._rows)

    def passed(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """What is for others than this stage: rows of an earlier one, or events of the stream."""
        if self._rows is None:
            return answers_of(rows, self.answer_schema)
        return conformed(rows, self._rows) if "unit" in rows.schema.names else event_rows(rows, self._rows)

    def counts(self, counts: PartCounts) -> pa.RecordBatch:
        """The row with what was counted, which comes after all others."""
        row = counts.row(self._form.schema)
        return row if self._rows is None else answer_rows(row, [_LAST], self._numbers.take(1), self._rows)

    def _solutions(self, answers: Answers) -> Iterator[pa.RecordBatch]:
        assert self._rows is not None, "a last stage has no unit whose solutions others take"
        flow = self._flow
        for receiver, part in answers.by_query():
            unit = flow.units[receiver.name]
            numbers: Sequence[int] = [0] * len(part) if unit in flow.sets else self._numbers.take(len(part))
            yield solution_rows(receiver, part, unit, numbers, self._rows)

    def _triples(self, answers: Answers) -> Iterator[pa.RecordBatch]:
        makers = self._flow.makers
        if not makers:
            return
        assert self._rows is not None, "a last stage has nothing to pass on"
        for receiver, part in answers.by_query():
            if receiver.name in makers:
                yield triple_rows(part, makers[receiver.name], 0, self._rows)


def _empty(schema: pa.Schema) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.array([], each.type) for each in schema], schema=schema)


def ends_of(table: pa.RecordBatch) -> list[int]:
    """The ends of answers, microseconds, whatever their form."""
    import pyarrow as pa

    ends: list[int] = table.column("end").cast(pa.int64()).to_pylist()
    return ends
