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

    def _columns(self, matches: Sequence[Match]) -> list[list[Encoded | None]]:
        """The values of each variable; None in rows of queries that do not have it."""
        if len(self.layouts) == 1 and self.variables:
            rows = [match.values for match in matches if match.values]
            if len(rows) == len(matches):
                return [[row[place] for row in rows] for place in range(len(self.variables))]
        places = {
            variable: {name: own.index(variable) for name, own in self.layouts.items() if variable in own}
            for variable in self.variables
        }
        return [[_value(match, places[variable]) for match in matches] for variable in self.variables]


def _value(match: Match, places: Mapping[str, int]) -> Encoded | None:
    place = places.get(match.query)
    return None if place is None else match.values[place]


class TermNumbers(dict["Encoded | None", "int | None"]):
    """Numbers the different terms of a table, so that each is written once; None has none."""

    def __init__(self) -> None:
        super().__init__({None: None})
        self.terms: list[Encoded] = []
        self._zeros: dict[str, int] = {}

    def numbers(self, column: Iterable[Encoded | None]) -> pa.Array:
        """The number of each term; null for None."""
        import pyarrow as pa

        return pa.array(list(map(self.__getitem__, column)), pa.int32())

    def __missing__(self, term: Encoded) -> int:
        if term[0] == 0.0 and isinstance(term[0], float):  # 0.0 and -0.0 are equal, and two terms
            number = self._zeros.setdefault(repr(term), len(self.terms))
            if number < len(self.terms):
                return number
        else:
            number = self[term] = len(self.terms)
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
