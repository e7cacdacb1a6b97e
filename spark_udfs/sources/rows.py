"""Batches of stream files as Arrow columns, in the schema that a DataFrame has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from etalis_py.core.errors import DataError, UsageError
from etalis_py.core.terms import Encoded, ntriples
from etalis_py.streams import Batch
from etalis_py.streams.problems import OnBad, refuse

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SCHEMA", "arrow_schema", "storable", "text_array", "to_record_batch"]

SCHEMA: Final = "start timestamp, end timestamp, s string, p string, o string, stream string, graph string"
"""The columns of a stream, as Spark writes a schema; terms are N-Triples text."""

_TIMES: Final = ("timestamp[us, tz=UTC]", "timestamp[us]", "int64")
_LARGEST: Final = (1 << 63) - 1


def arrow_schema(schema: Any) -> pa.Schema:
    """The Arrow schema of a Spark schema: some of the columns, times as timestamps or long.

    Raises:
        UsageError: EP504, a column that is missing or of another type.
    """
    from pyspark.sql.pandas.types import to_arrow_schema

    made = to_arrow_schema(schema, timezone="UTC")
    for field in made:
        kinds = _TIMES if field.name in ("start", "end") else ("string",)
        if field.name not in SCHEMA.replace(",", "").split()[::2] or str(field.type) not in kinds:
            raise UsageError(
                "EP504",
                f"rdf-stream has no column {field.name!r} of the type {field.type}",
                hint=f"it has {SCHEMA}; start and end may be long, in microseconds since 1970",
            )
    return made


def to_record_batch(batch: Batch, schema: pa.Schema) -> pa.RecordBatch:
    """The columns of a batch that a schema names."""
    import pyarrow as pa

    arrays = []
    for field in schema:
        if field.name in ("start", "end"):
            arrays.append(pa.array(getattr(batch, field.name), pa.int64()).cast(field.type))
        else:
            column = getattr(batch, field.name)
            arrays.append(pa.nulls(len(batch), pa.string()) if column is None else text_array(column))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def text_array(column: Sequence[Encoded | None]) -> pa.Array:
    """N-Triples texts; each different object is written once, as readers give equal texts as one object."""
    import pyarrow as pa

    keys = list(map(id, column))
    terms = dict(zip(keys, column, strict=True))
    position = {key: index for index, key in enumerate(terms)}
    texts = pa.array((None if term is None else ntriples(term) for term in terms.values()), pa.string())
    return texts.take(pa.array(map(position.__getitem__, keys), pa.int32()))


def storable(batches: Iterator[Batch], on_bad: OnBad | None) -> Iterator[Batch]:
    """Batches without the elements whose times no column can hold: 64 bits are some 292,000 years.

    Raises:
        DataError: EP606 for such an element, where there is no ``on_bad``.
    """
    for batch in batches:
        wrong: list[int] = []
        if len(batch) and (max(batch.end) > _LARGEST or min(batch.start) < -_LARGEST):
            wrong = [index for index in range(len(batch)) if _is_out_of_range(batch, index)]
        for index in wrong:
            error = DataError(
                "EP606",
                "the time is more than 292,000 years from 1970",
                place=batch.place(index),
                hint="Spark holds times as 64 bits of microseconds",
            )
            if on_bad is None:
                yield batch.part(0, index)
            triple = (batch.s[index], batch.p[index], batch.o[index])
            refuse(on_bad, error, " ".join(map(ntriples, triple)) + " .")
        if wrong:
            left = set(range(len(batch))).difference(wrong)
            yield batch.take(sorted(left))
        else:
            yield batch


def _is_out_of_range(batch: Batch, index: int) -> bool:
    return batch.end[index] > _LARGEST or batch.start[index] < -_LARGEST
