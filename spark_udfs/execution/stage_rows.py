"""Rows that go from one stage to the next: solutions and constructed triples, and answers on their way out.

A row is an event of the stage that takes it. Its terms are in columns of their own, each as a text and a type
(`text_and_type`), as many as the widest solution has: of plain columns Spark makes its rows fastest. By those
of a solution Spark deals it out; a triple has ``s``, ``p``, ``o`` for this, as events of the stream have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Final

from etalis_py.compiler.plan.solution_scan import solution_stream
from etalis_py.core.errors import DataError
from etalis_py.core.terms import ntriples
from etalis_py.embedding.answer_values import encoded_value
from etalis_py.engine.answer_columns import Answers, Receiver
from etalis_py.engine.coded_terms import int64_array
from etalis_py.spark_udfs.execution.failures import about_row
from etalis_py.spark_udfs.execution.term_columns import Terms, text_and_type, typed_texts
from etalis_py.streams.batch import Batch
from etalis_py.streams.table import TableReader

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "PLACE",
    "StageReader",
    "answer_rows",
    "answers_of",
    "conformed",
    "event_columns",
    "event_rows",
    "parted",
    "row_schema",
    "solution_rows",
    "term_columns_of",
    "triple_rows",
]

_EVENT: Final = ("start", "end", "s", "p", "o")
PLACE: Final = ("stream", "graph")
"""The columns that say where an event is from, for programs that ask for it."""


def event_columns(names: Collection[str]) -> list[str]:
    """The columns of an event of the stream, among those with ``names``."""
    return [*_EVENT, *(each for each in PLACE if each in names)]


def row_schema(width: int, answer: pa.DataType, *, places: bool = False) -> pa.Schema:
    """The columns of rows with ``width`` terms, and with answers of the type ``answer`` in them.

    With ``places`` events say where they are from.

    ``unit`` is the number of the unit that made a row, null for an event of the stream and an answer;
    ``number`` keeps equal solutions apart, and the answers of one instant in their order.
    """
    import pyarrow as pa

    times, texts = pa.int64(), pa.string()
    return pa.schema([
        ("start", times), ("end", times), ("s", texts), ("p", texts), ("o", texts),
        *((name, texts) for name in PLACE if places),
        ("unit", pa.int32()), ("number", pa.int64()),
        *((name, texts) for place in range(width) for name in term_columns_of(place)),
        ("answer", answer),
    ])  # fmt: skip


def term_columns_of(place: int) -> tuple[str, str]:
    """The columns with the text and the type of one term of a row."""
    return f"text{place}", f"type{place}"


def solution_rows(
    receiver: Receiver, answers: Answers, unit: int, numbers: Sequence[int], schema: pa.Schema
) -> pa.RecordBatch:
    """Solutions of a unit as rows."""
    terms = [typed_texts(answers.values[place :: receiver.width]) for place in range(receiver.width)]
    return _rows(answers, {}, unit, numbers, terms, schema)


def triple_rows(answers: Answers, unit: int, first: int, schema: pa.Schema) -> pa.RecordBatch:
    """The triples of a CONSTRUCT, each as a row."""
    import pyarrow as pa

    graphs = [encoded_value(value) for value in answers.values]
    sizes = [len(graph) for graph in graphs]
    each = Answers(
        answers.receivers,
        list(_spread(answers.numbers, sizes)),
        list(_spread(answers.starts, sizes)),
        list(_spread(answers.ends, sizes)),
    )
    columns = [[triple[place] for graph in graphs for triple in graph] for place in range(3)]
    spo = {
        name: pa.array(map(ntriples, column), pa.string())
        for name, column in zip("spo", columns, strict=True)
    }
    terms = [_encoded_texts(column) for column in columns]
    return _rows(each, spo, unit, range(first, first + len(each)), terms, schema)


def answer_rows(
    table: pa.RecordBatch, ends: Sequence[int], numbers: Sequence[int], schema: pa.Schema
) -> pa.RecordBatch:
    """Answers in their final form, as rows that are passed on."""
    import pyarrow as pa

    whole = pa.StructArray.from_arrays(table.columns, fields=list(table.schema))
    times = pa.array(ends, pa.int64())
    own = {"start": times, "end": times, "number": pa.array(numbers, pa.int64()), "answer": whole}
    return _filled(own, table.num_rows, schema)


def answers_of(rows: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The answers in rows that were passed on; ``schema`` is that of answers."""
    import pyarrow as pa

    answer = rows.column("answer")
    names = [each.name for each in answer.type]
    return conformed(pa.RecordBatch.from_arrays(answer.flatten(), names=names), schema)


def event_rows(events: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Events of the stream as rows that are passed on."""
    names = event_columns(events.schema.names)
    return _filled({name: events.column(name) for name in names}, events.num_rows, schema)


def parted(
    rows: pa.RecordBatch, taken: Collection[int], onward: Collection[int]
) -> tuple[pa.RecordBatch, pa.RecordBatch, pa.RecordBatch]:
    """Events of the stream, the rows of the units ``taken``, and what is passed on.

    That is the rows of the units ``onward``, some of which may be taken as well, and answers.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    unit, answer = rows.column("unit"), pc.is_valid(rows.column("answer"))
    own = pc.is_in(unit, pa.array(sorted(taken), pa.int32()))
    passed = pc.or_(answer, pc.is_in(unit, pa.array(sorted(onward), pa.int32())))
    events = pc.and_(pc.is_null(unit), pc.invert(answer))
    return rows.filter(events), rows.filter(own), rows.filter(passed)


def conformed(table: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The columns of ``schema``, with its very types: what Spark hands over calls parts of them otherwise."""
    import pyarrow as pa

    arrays = [table.column(each.name).cast(each.type) for each in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


class StageReader:
    """Reads what comes to a stage, in the form its engine takes; in batch and stream.

    ``solutions`` are the units whose rows are solutions, with their widths.
    """

    def __init__(self, solutions: Mapping[int, int]) -> None:
        self._solutions = solutions
        self._events = TableReader()
        self._terms = Terms()

    def batches(self, chunk: pa.RecordBatch) -> Iterator[Batch]:
        """Rows of earlier stages, which have a unit, or events of the stream, the good ones before a bad one.

        Raises:
            DataError: EP4xx for a row that is no event, with the row in its place.
        """
        if "unit" in chunk.schema.names:
            yield from _batches_of(chunk, self._solutions, self._terms)
            return
        taken = 0
        try:
            for batch in self._events.batches(chunk.select(event_columns(chunk.schema.names)), "us"):
                yield batch
                taken += len(batch)
        except DataError as error:
            if error.place is None or error.place.row is None:
                raise
            raise about_row(error, chunk.slice(taken, 1)) from None


def _batches_of(rows: pa.RecordBatch, solutions: Mapping[int, int], terms: Terms) -> Iterator[Batch]:
    """The one place that knows the form in which a solution enters an engine (``solution_scan.py``)."""
    import pyarrow.compute as pc

    for unit in rows.column("unit").unique().to_pylist():
        own = rows.filter(pc.equal(rows.column("unit"), unit))
        width = solutions.get(unit, 3)
        columns = [terms.column(*map(own.column, term_columns_of(place))) for place in range(width)]
        s: Any
        p: Any
        o: Any
        if unit in solutions:
            s = p = [solution_stream(unit)] * own.num_rows
            tuples = zip(*columns, strict=True) if columns else repeat(())
            numbers = own.column("number").to_pylist()
            o = [("tuple", number, list(each), None) for number, each in zip(numbers, tuples)]  # noqa: B905
        else:
            s, p, o = columns
        start, end = (own.column(name).to_pylist() for name in ("start", "end"))
        yield Batch(start, end, s, p, o, None, ["an earlier stage"] * len(end), range(1, len(end) + 1))


def _rows(
    answers: Answers,
    spo: Mapping[str, pa.Array],
    unit: int,
    numbers: Sequence[int],
    terms: Sequence[tuple[pa.Array, pa.Array]],
    schema: pa.Schema,
) -> pa.RecordBatch:
    import pyarrow as pa

    count = len(answers)
    names = chain.from_iterable(map(term_columns_of, range(len(terms))))
    own = {
        "start": int64_array(answers.starts),
        "end": int64_array(answers.ends),
        **spo,
        "unit": pa.repeat(pa.scalar(unit, pa.int32()), count),
        "number": pa.array(numbers, pa.int64()),
        **dict(zip(names, chain.from_iterable(terms), strict=True)),
    }
    return _filled(own, count, schema)


def _filled(columns: Mapping[str, pa.Array], count: int, schema: pa.Schema) -> pa.RecordBatch:
    """Rows with these columns; all others are null."""
    import pyarrow as pa

    arrays = [
        columns[each.name].cast(each.type) if each.name in columns else pa.nulls(count, each.type)
        for each in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _spread(values: Sequence[int], sizes: Sequence[int]) -> chain[int]:
    return chain.from_iterable([value] * size for value, size in zip(values, sizes, strict=True))


def _encoded_texts(terms: Sequence[Any]) -> tuple[pa.Array, pa.Array]:
    import pyarrow as pa

    pairs = list(map(text_and_type, terms))
    texts, types = (pa.array([pair[place] for pair in pairs], pa.string()) for place in range(2))
    return texts, types
