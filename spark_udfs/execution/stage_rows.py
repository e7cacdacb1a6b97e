"""Rows that go from one stage to the next: solutions and constructed triples, and answers on their way out.

A row is an event of the stage that takes it. What it says is in ``columns``, terms in JSON, which holds any
term; ``s``, ``p``, ``o`` of a triple and ``keys`` of a solution are there for Spark to deal it out by.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, Final

from etalis_py.core.terms import ntriples
from etalis_py.embedding.answer_values import encoded_value
from etalis_py.engine.answer_columns import Answers
from etalis_py.engine.deliveries import Receiver
from etalis_py.spark_udfs.execution.term_columns import TermNumbers
from etalis_py.spark_udfs.execution.text_answers import TermTexts, term_text
from etalis_py.streams.batch import Batch

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "EVENT",
    "ROW_SCHEMA",
    "answer_rows",
    "answers_of",
    "batch_of",
    "conformed",
    "event_rows",
    "parted",
    "row_schema",
    "solution_rows",
    "triple_rows",
]

EVENT: Final = ["start", "end", "s", "p", "o"]
"""The columns of an event of the stream."""
ROW_SCHEMA: Final = (
    "start long, end long, s string, p string, o string, "
    "unit int, number long, columns array<string>, keys array<string>"
)
"""``unit`` is the number of the unit that made it, null for an event of the stream and an answer; ``number``
keeps equal solutions apart, and the answers of one instant in their order."""


def solution_rows(
    receiver: Receiver,
    answers: Answers,
    unit: int,
    keys: Sequence[int],
    numbers: Sequence[int],
    answer: pa.DataType,
) -> pa.RecordBatch:
    """Solutions as rows; ``keys`` are the columns by which the next stage deals them out."""
    import pyarrow as pa

    width, count = receiver.width, len(answers)
    terms = TermNumbers()
    flat = terms.numbers(
        value if value.__class__ is str else encoded_value(value) for value in answers.values
    )
    texts = _texts([term_text(each) for each in terms.terms]).take(flat)
    names = _texts([ntriples(each) for each in terms.terms])
    chosen = [row * width + key for row in range(count) for key in keys]
    own = names.take(flat.take(pa.array(chosen, pa.int64())))
    predicate = _repeated(f"<{receiver.name}>", count)
    return _rows(
        answers,
        [predicate] * 3,
        unit,
        numbers,
        _lists(count, width, texts),
        _lists(count, len(keys), own),
        answer,
    )


def triple_rows(answers: Answers, unit: int, first: int, answer: pa.DataType) -> pa.RecordBatch:
    """The triples of a CONSTRUCT, each as a row."""
    graphs = [encoded_value(value) for value in answers.values]
    sizes = [len(graph) for graph in graphs]
    each = Answers(
        answers.receivers,
        list(_spread(answers.numbers, sizes)),
        list(_spread(answers.starts, sizes)),
        list(_spread(answers.ends, sizes)),
    )
    flat = [triple for graph in graphs for triple in graph]
    texts = _texts([term_text(term) for triple in flat for term in triple])
    spo = [_texts([ntriples(triple[place]) for triple in flat]) for place in range(3)]
    numbers = range(first, first + len(flat))
    return _rows(
        each, spo, unit, numbers, _lists(len(flat), 3, texts), _lists(len(flat), 0, _texts([])), answer
    )


def answer_rows(table: pa.RecordBatch, ends: Sequence[int], numbers: Sequence[int]) -> pa.RecordBatch:
    """Answers in their final form, as rows that are passed on."""
    import pyarrow as pa

    count = table.num_rows
    whole = pa.StructArray.from_arrays(table.columns, fields=list(table.schema))
    nothing = pa.nulls(count, pa.string())
    lists = pa.nulls(count, pa.list_(pa.string()))
    times = pa.array(ends, pa.int64())
    arrays = [
        times, times, nothing, nothing, nothing,
        pa.nulls(count, pa.int32()), pa.array(numbers, pa.int64()), lists, lists, whole,
    ]  # fmt: skip
    return pa.RecordBatch.from_arrays(arrays, names=_NAMES)


def answers_of(rows: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The answers in rows that were passed on; ``schema`` is that of answers."""
    import pyarrow as pa

    answer = rows.column("answer")
    names = [each.name for each in answer.type]
    return conformed(pa.RecordBatch.from_arrays(answer.flatten(), names=names), schema)


def event_rows(events: pa.RecordBatch, answer: pa.DataType) -> pa.RecordBatch:
    """Events of the stream as rows that are passed on."""
    import pyarrow as pa

    whole = row_schema(answer)
    count, own = events.num_rows, set(events.schema.names)
    arrays = [
        events.column(each.name).cast(each.type) if each.name in own else pa.nulls(count, each.type)
        for each in whole
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=whole)


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


_NAMES: Final = ["start", "end", "s", "p", "o", "unit", "number", "columns", "keys", "answer"]


def row_schema(answer: pa.DataType) -> pa.Schema:
    """The columns of rows, with answers of the type ``answer`` in them."""
    import pyarrow as pa

    texts = pa.list_(pa.string())
    kinds = [*[pa.int64()] * 2, *[pa.string()] * 3, pa.int32(), pa.int64(), texts, texts, answer]
    return pa.schema(list(zip(_NAMES, kinds, strict=True)))


def conformed(table: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The columns of ``schema``, with its very types: what Spark hands over calls parts of them otherwise."""
    import pyarrow as pa

    arrays = [table.column(each.name).cast(each.type) for each in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def batch_of(rows: pa.RecordBatch, solutions: frozenset[int], texts: TermTexts) -> Batch:
    """Rows as events for the engine; ``solutions`` are the units whose rows are solutions."""
    columns = {
        name: rows.column(name).to_pylist() for name in ("start", "end", "p", "unit", "number", "columns")
    }
    s, p, o = [], [], []
    for predicate, unit, number, written in zip(
        columns["p"], columns["unit"], columns["number"], columns["columns"], strict=True
    ):
        terms: list[Any] = [None if text is None else texts[text] for text in written]
        if unit in solutions:
            name = predicate[1:-1]
            s.append(name)
            p.append(name)
            o.append(("solution", number, terms, None))
        else:
            s.append(terms[0])
            p.append(terms[1])
            o.append(terms[2])
    sources = ["an earlier stage"] * len(s)
    return Batch(columns["start"], columns["end"], s, p, o, None, sources, range(1, len(s) + 1))  # type: ignore[arg-type]


def _rows(
    answers: Answers,
    spo: Sequence[pa.Array],
    unit: int,
    numbers: Sequence[int],
    columns: pa.Array,
    keys: pa.Array,
    answer: pa.DataType,
) -> pa.RecordBatch:
    import pyarrow as pa

    count = len(answers)
    arrays = [
        pa.array(answers.starts, pa.int64()),
        pa.array(answers.ends, pa.int64()),
        *spo,
        pa.repeat(pa.scalar(unit, pa.int32()), count),
        pa.array(numbers, pa.int64()),
        columns,
        keys,
        pa.nulls(count, answer),
    ]
    return pa.RecordBatch.from_arrays(arrays, names=_NAMES)


def _spread(values: Sequence[int], sizes: Sequence[int]) -> chain[int]:
    return chain.from_iterable([value] * size for value, size in zip(values, sizes, strict=True))


def _texts(texts: Sequence[str]) -> pa.Array:
    import pyarrow as pa

    return pa.array(texts, pa.string())


def _repeated(text: str, count: int) -> pa.Array:
    import pyarrow as pa

    return pa.repeat(pa.scalar(text, pa.string()), count)


def _lists(count: int, width: int, values: pa.Array) -> pa.Array:
    import pyarrow as pa

    offsets = pa.array(accumulate([width] * count, initial=0), pa.int32())
    return pa.ListArray.from_arrays(offsets, values)
