"""Answers as Arrow columns, for the users of ``detect``: one column a variable, times as timestamps.

A term is a struct (type, value, datatype, lang), its type uri, bnode or literal, or a plain value where the
user asks for a type; an unbound variable is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from etalis_py.core.column_types import ColumnType
from etalis_py.core.errors import EtalisError
from etalis_py.core.terms import Encoded
from etalis_py.embedding.answer_values import encoded_value
from etalis_py.engine.answer_columns import Answers, Receiver
from etalis_py.engine.coded_terms import TermNumbers, int64_array
from etalis_py.spark_udfs.execution.term_columns import (
    empty_column,
    struct_array,
    term_column,
    term_type,
)

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["RESERVED", "StructForm", "column_name", "spark_schema"]

RESERVED = ("query", "start", "end", "triples", "watermark")
"""Columns that are there whatever the query; a variable of that name gets an underscore before it.

A stream has ``watermark``, too.
"""

_TERM = "struct<type: string, value: string, datatype: string, lang: string>"
_NO_TYPES: Mapping[str, ColumnType] = MappingProxyType({})


def column_name(variable: str) -> str:
    """The column that holds a variable.

    >>> column_name("price"), column_name("start")
    ('price', '_start')
    """
    return f"_{variable}" if variable.lstrip("_") in RESERVED else variable


def spark_schema(variables: Sequence[str], types: Mapping[str, ColumnType] = _NO_TYPES) -> str:
    """The schema of answers as Spark writes it; ``types`` are those of the variables that are no terms."""
    kinds = {name: types[name].name if name in types else _TERM for name in variables}
    columns = [f"`{column_name(name)}` {kind}" for name, kind in kinds.items()]
    triples = f"triples array<struct<s: {_TERM}, p: {_TERM}, o: {_TERM}>>"
    return ", ".join(["query string", "start timestamp", "end timestamp", *columns, triples])


@dataclass(frozen=True, slots=True)
class StructForm:
    """``variables`` are the columns over all queries, ``types`` of those that are no terms."""

    variables: tuple[str, ...]
    types: Mapping[str, ColumnType] = field(default_factory=dict)

    @property
    def schema(self) -> pa.Schema:
        """The columns of a record batch."""
        return self._table(Receiver("", (), "select"), Answers()).schema

    def tables(self, answers: Answers) -> Iterator[pa.RecordBatch]:
        """Answers as record batches, one a query: no row has a place of its own among those of others."""
        for receiver, part in answers.by_query():
            yield self._table(receiver, part)

    def failure(self, _error: EtalisError, _time: int | None) -> pa.RecordBatch | None:
        """Errors end the job."""
        return None

    def _table(self, receiver: Receiver, answers: Answers) -> pa.RecordBatch:
        import pyarrow as pa

        count = len(answers)
        selected = receiver if receiver.form == "select" else None
        arrays = [
            pa.repeat(pa.scalar(receiver.name, pa.string()), count),
            _times(answers.starts),
            _times(answers.ends),
            *(self._column(variable, selected, answers) for variable in self.variables),
            _triples(answers.values) if receiver.form in ("construct", "describe") else _no_triples(count),
        ]
        names = ["query", "start", "end", *map(column_name, self.variables), "triples"]
        return pa.RecordBatch.from_arrays(arrays, names=names)

    def _column(self, variable: str, receiver: Receiver | None, answers: Answers) -> pa.Array:
        kind = self.types.get(variable)
        if receiver is None or variable not in receiver.variables:
            return empty_column(len(answers), kind)
        return term_column(answers.values[receiver.variables.index(variable) :: receiver.width], kind)


def _times(times: Sequence[int]) -> pa.Array:
    import pyarrow as pa

    return int64_array(times).view(pa.timestamp("us", "UTC"))


def _no_triples(count: int) -> pa.Array:
    import pyarrow as pa

    return pa.nulls(count, pa.list_(pa.struct([(name, term_type()) for name in "spo"])))


def _triples(rows: Sequence[Any]) -> pa.Array:
    import pyarrow as pa

    terms = TermNumbers()
    graphs: list[Sequence[Sequence[Encoded]]] = list(map(encoded_value, rows))
    flat = [terms.numbers(column) for column in _flat(graphs)]
    structs = struct_array(terms.terms)
    made = pa.StructArray.from_arrays([structs.take(each) for each in flat], names=list("spo"))
    return pa.ListArray.from_arrays(pa.array(_offsets(graphs), pa.int32()), made)


def _flat(rows: Iterable[Sequence[Sequence[Encoded]]]) -> list[list[Encoded]]:
    flat = [triple for row in rows for triple in row]
    return [[triple[position] for triple in flat] for position in range(3)]


def _offsets(rows: Iterable[Sequence[Any]]) -> list[int]:
    """Where each list begins in the flat column, as Arrow has it, and the end."""
    offsets = [0]
    for row in rows:
        offsets.append(offsets[-1] + len(row))
    return offsets
