"""Matches as rows: one struct column a variable, times as microseconds.

A term is a struct (type, value, datatype, lang), its type uri, bnode or literal; an unbound variable is null.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from etalis_py.terms import Encoded, lexical_form

if TYPE_CHECKING:
    import pyarrow as pa

    from etalis_py.matches import Match

__all__ = ["RESERVED", "answer_schema", "answer_table", "spark_schema"]

RESERVED = ("query", "start", "end", "triples")
"""Columns that are there whatever the query; a variable of that name gets an underscore before it."""

_TERM = "struct<type: string, value: string, datatype: string, lang: string>"


def column_name(variable: str) -> str:
    """The column that holds a variable.

    >>> column_name("price"), column_name("start")
    ('price', '_start')
    """
    return f"_{variable}" if variable in RESERVED else variable


def spark_schema(variables: tuple[str, ...]) -> str:
    """The schema of answers as Spark writes it."""
    columns = [f"`{column_name(variable)}` {_TERM}" for variable in variables]
    triples = f"triples array<struct<s: {_TERM}, p: {_TERM}, o: {_TERM}>>"
    return ", ".join(["query string", "start long", "end long", *columns, triples])


def answer_schema(variables: tuple[str, ...]) -> pa.Schema:
    """The same schema for Arrow."""
    import pyarrow as pa

    term = pa.struct([(name, pa.string()) for name in ("type", "value", "datatype", "lang")])
    triple = pa.struct([(name, term) for name in ("s", "p", "o")])
    return pa.schema(
        [
            ("query", pa.string()),
            ("start", pa.int64()),
            ("end", pa.int64()),
            *((column_name(variable), term) for variable in variables),
            ("triples", pa.list_(triple)),
        ]
    )


def answer_table(matches: Iterable[Match], variables: tuple[str, ...]) -> pa.RecordBatch:
    """Matches as one Arrow record batch."""
    import pyarrow as pa

    rows = [_row(match, variables) for match in matches]
    return pa.RecordBatch.from_pylist(rows, schema=answer_schema(variables))


def _row(match: Match, variables: tuple[str, ...]) -> dict[str, Any]:
    values = match.encoded
    row: dict[str, Any] = {"query": match.query, "start": match.start, "end": match.end}
    for variable in variables:
        row[column_name(variable)] = _term(values[variable]) if variable in values else None
    if match.encoded_triples is not None:
        row["triples"] = [{"s": _term(s), "p": _term(p), "o": _term(o)} for s, p, o in match.encoded_triples]
    return row


def _term(term: Encoded) -> dict[str, str | None]:
    text, datatype, language = lexical_form(term)
    if datatype is None and language is None:
        if text.startswith("_:"):
            return {"type": "bnode", "value": text[2:], "datatype": None, "lang": None}
        return {"type": "uri", "value": text, "datatype": None, "lang": None}
    return {"type": "literal", "value": text, "datatype": datatype, "lang": language}
