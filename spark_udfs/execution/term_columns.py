"""Columns of terms, as Prolog gives their values, as Arrow arrays: of structs, or of a type of Spark's.

Each different term of a column is read once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from etalis_py.core.column_types import ColumnType
from etalis_py.core.literals import read_typed
from etalis_py.core.terms import Encoded, lexical_form
from etalis_py.engine.coded_terms import coded_terms, typed_column

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Terms",
    "empty_column",
    "read_term",
    "struct_array",
    "term_column",
    "term_type",
    "text_and_type",
    "typed_texts",
]

_FIELDS: Final = ("type", "value", "datatype", "lang")


def text_and_type(term: Encoded) -> tuple[str, str | None]:
    """A term as its text and a type: a datatype, ``@`` with a language, or None for an IRI or blank node.

    Any term has such a form, also those that queries make and N-Triples does not allow.
    """
    text, datatype, language = lexical_form(term)
    return text, datatype if language is None else f"@{language}"


def read_term(text: str, kind: str | None) -> Encoded:
    """The term that `text_and_type` wrote."""
    if kind is None:
        return text
    return (text, kind) if kind[0] == "@" else read_typed(text, kind)


class Terms(dict["tuple[str | None, str | None]", "Encoded | None"]):
    """Terms by `text_and_type`, each read once; (None, None) is None."""

    limit = 100_000

    def __missing__(self, pair: tuple[str | None, str | None]) -> Encoded | None:
        text, kind = pair
        term = None if text is None else read_term(text, kind)
        if len(self) > self.limit:
            self.clear()
        self[pair] = term
        return term

    def column(self, texts: pa.Array, types: pa.Array) -> list[Encoded | None]:
        """The terms of two columns."""
        if types.null_count == len(types):
            found: list[Encoded | None] = texts.to_pylist()
            return found
        return list(map(self.__getitem__, zip(texts.to_pylist(), types.to_pylist(), strict=True)))


def typed_texts(values: Sequence[Any]) -> tuple[pa.Array, pa.Array]:
    """The values of one variable (see `Answers.values`) as two columns, of texts and of types."""
    import pyarrow as pa

    places, terms = coded_terms(values)
    pairs = list(map(text_and_type, terms))
    texts, types = (pa.array([pair[place] for pair in pairs], pa.string()) for place in range(2))
    return texts.take(places), types.take(places)


def term_type() -> pa.DataType:
    """A term as a struct."""
    import pyarrow as pa

    return pa.struct([(name, pa.string()) for name in _FIELDS])


def empty_column(count: int, kind: ColumnType | None) -> pa.Array:
    """A column in which nothing is bound."""
    import pyarrow as pa

    return pa.nulls(count, term_type() if kind is None else kind.arrow)


def term_column(values: Sequence[Any], kind: ColumnType | None) -> pa.Array:
    """The values of one variable (see `Answers.values`) as structs, or of the type ``kind``."""
    if kind is not None:
        return typed_column(values, kind)
    places, terms = coded_terms(values)
    return struct_array(terms).take(places)


def struct_array(terms: Iterable[Encoded]) -> pa.StructArray:
    """Terms as structs."""
    import pyarrow as pa

    rows = [_fields(term) for term in terms]
    columns = zip(*rows, strict=True) if rows else ((),) * len(_FIELDS)
    return pa.StructArray.from_arrays([pa.array(each, pa.string()) for each in columns], names=list(_FIELDS))


def _fields(term: Encoded) -> tuple[str, str, str | None, str | None]:
    text, datatype, language = lexical_form(term)
    if datatype is None and language is None:
        return ("bnode", text[2:], None, None) if text[:2] == "_:" else ("uri", text, None, None)
    return "literal", text, datatype, language
