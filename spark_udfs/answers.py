"""Answers as Arrow columns, for the users of ``detect``: one struct column a variable, times in microseconds.

A term is a struct (type, value, datatype, lang), its type uri, bnode or literal; an unbound variable is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from etalis_py.errors import EtalisError
from etalis_py.terms import Encoded, lexical_form

if TYPE_CHECKING:
    import pyarrow as pa

    from etalis_py.matches import Match

__all__ = ["RESERVED", "StructForm", "TermNumbers", "spark_schema"]

RESERVED = ("query", "start", "end", "triples")
"""Columns that are there whatever the query; a variable of that name gets an underscore before it."""

_FIELDS = ("type", "value", "datatype", "lang")
_TERM = "struct<type: string, value: string, datatype: string, lang: string>"


def column_name(variable: str) -> str:
    """The column that holds a variable.

    >>> column_name("price"), column_name("start")
    ('price', '_start')
    """
    return f"_{variable}" if variable.lstrip("_") in RESERVED else variable


def spark_schema(variables: Sequence[str]) -> str:
    """The schema of answers as Spark writes it."""
    columns = [f"`{column_name(variable)}` {_TERM}" for variable in variables]
    triples = f"triples array<struct<s: {_TERM}, p: {_TERM}, o: {_TERM}>>"
    return ", ".join(["query string", "start long", "end long", *columns, triples])


@dataclass(frozen=True, slots=True)
class StructForm:
    """``variables`` are the columns over all queries, ``layouts`` those of each SELECT by its name."""

    variables: tuple[str, ...]
    layouts: Mapping[str, tuple[str, ...]]

    def table(self, matches: Iterable[Match]) -> pa.RecordBatch:
        """Matches as one record batch."""
        import pyarrow as pa

        taken = list(matches)
        terms = TermNumbers()
        columns = [terms.numbers(column) for column in self._columns(taken)]
        triples = [each.encoded_triples for each in taken]
        flat = [terms.numbers(column) for column in _flat_triples(triples)]
        structs = _term_array(terms.terms)
        made = pa.StructArray.from_arrays([structs.take(each) for each in flat], names=list("spo"))
        arrays = [
            pa.array([each.query for each in taken], pa.string()),
            pa.array([each.start for each in taken], pa.int64()),
            pa.array([each.end for each in taken], pa.int64()),
            *(structs.take(column) for column in columns),
            pa.ListArray.from_arrays(pa.array(_offsets(triples), pa.int32()), made),
        ]
        names = ["query", "start", "end", *map(column_name, self.variables), "triples"]
        return pa.RecordBatch.from_arrays(arrays, names=names)

    def failure(self, _error: EtalisError, _time: int | None) -> pa.RecordBatch | None:
        """Errors end the job."""
        return None

    def _columns(self, matches: Sequence[Match]) -> list[Sequence[Encoded | None]]:
        """The values of each variable; None in rows of queries that do not have it."""
        if not matches:
            return [() for _ in self.variables]
        places = {
            name: [own.index(variable) if variable in own else None for variable in self.variables]
            for name, own in self.layouts.items()
        }
        same = list(range(len(self.variables)))
        none = [None] * len(self.variables)  # a CONSTRUCT
        rows = (
            match.values
            if places.get(match.query) == same
            else [None if place is None else match.values[place] for place in places.get(match.query, none)]
            for match in matches
        )
        return list(zip(*rows, strict=True)) if self.variables else []


class TermNumbers:
    """Numbers the different terms of a table, so that each is written once."""

    def __init__(self) -> None:
        self.terms: list[Encoded] = []
        self._numbers: dict[Any, int] = {}

    def numbers(self, column: Iterable[Encoded | None]) -> pa.Array:
        """The number of each term; null for None."""
        import pyarrow as pa

        return pa.array([None if term is None else self._number(term) for term in column], pa.int32())

    def _number(self, term: Encoded) -> int:
        # Not by the float itself, of which 0.0 and -0.0 are equal.
        key = (repr(term[0]), True, term[-1]) if isinstance(term[0], float) and len(term) == 2 else term
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.terms)
            self.terms.append(term)
        return number


def _term_array(terms: Iterable[Encoded]) -> pa.StructArray:
    import pyarrow as pa

    rows = [_fields(term) for term in terms]
    columns = zip(*rows, strict=True) if rows else ((),) * len(_FIELDS)
    return pa.StructArray.from_arrays([pa.array(each, pa.string()) for each in columns], names=list(_FIELDS))


def _fields(term: Encoded) -> tuple[str, str, str | None, str | None]:
    text, datatype, language = lexical_form(term)
    if datatype is None and language is None:
        return ("bnode", text[2:], None, None) if text[:2] == "_:" else ("uri", text, None, None)
    return "literal", text, datatype, language


def _flat_triples(rows: Iterable[Sequence[Sequence[Encoded]] | None]) -> list[list[Encoded]]:
    flat = [triple for row in rows if row is not None for triple in row]
    return [[triple[position] for triple in flat] for position in range(3)]


def _offsets(rows: Iterable[Sequence[Any] | None]) -> list[int | None]:
    """Where each list begins in the flat column, as Arrow has it: null for none, and the end."""
    offsets: list[int | None] = []
    end = 0
    for row in rows:
        offsets.append(None if row is None else end)
        end += 0 if row is None else len(row)
    return [*offsets, end]
