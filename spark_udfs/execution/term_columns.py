"""Columns of terms, as Prolog gives their values, as Arrow arrays: of structs, or of a type of Spark's.

What most columns hold, IRIs or plain numbers and nothing else, is left to Arrow; of any other column each
different term is read once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from etalis_py.core.literals import read_typed
from etalis_py.core.terms import Encoded, lexical_form
from etalis_py.core.vocabulary import XSD_INTEGER
from etalis_py.embedding.answer_values import encoded_value
from etalis_py.spark_udfs.execution.column_types import ColumnType

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "TermNumbers",
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

    values = list(values)
    kinds = set(map(type, values))
    if kinds == {str}:
        return pa.array(values, pa.string()), pa.nulls(len(values), pa.string())
    if kinds == {int}:
        try:
            numbers = pa.array(values, pa.int64())
        except OverflowError:
            pass
        else:
            return numbers.cast(pa.string()), pa.repeat(pa.scalar(XSD_INTEGER, pa.string()), len(values))
    terms = TermNumbers()
    numbers = terms.numbers(value if value.__class__ is str else encoded_value(value) for value in values)
    pairs = list(map(text_and_type, terms.terms))
    texts, types = (pa.array([pair[place] for pair in pairs], pa.string()) for place in range(2))
    return texts.take(numbers), types.take(numbers)


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
    values = list(values)
    kinds = set(map(type, values))
    if kinds == {str}:
        return _texts(values, kind)
    if kinds == {int}:
        column = _integers(values, kind)
        if column is not None:
            return column
    if kinds == {float} and kind is not None and kind.name == "double":
        return _plain(values, kind)
    terms = TermNumbers()
    numbers = terms.numbers(value if value.__class__ is str else encoded_value(value) for value in values)
    if kind is None:
        return struct_array(terms.terms).take(numbers)
    return _plain(list(map(kind.reader, terms.terms)), kind).take(numbers)


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


def _texts(values: Sequence[str], kind: ColumnType | None) -> pa.Array:
    """IRIs and blank nodes."""
    import pyarrow as pa

    texts = pa.array(values, pa.string())
    if kind is not None:
        return texts if kind.name == "string" else empty_column(len(values), kind)
    different = texts.dictionary_encode()
    return struct_array(different.dictionary.to_pylist()).take(different.indices)


def _integers(values: Sequence[int], kind: ColumnType | None) -> pa.Array | None:
    """Literals of xsd:integer; None where they need to be looked at one by one."""
    import pyarrow as pa

    try:
        numbers = pa.array(values, pa.int64())
    except OverflowError:
        return None
    if kind is None:
        texts = numbers.cast(pa.string())
        return _structs(len(values), "literal", texts, XSD_INTEGER)
    return numbers if kind.name == "bigint" else None


def _structs(count: int, kind: str, texts: pa.Array, datatype: str | None) -> pa.StructArray:
    import pyarrow as pa

    given = pa.repeat(pa.scalar(datatype, pa.string()), count)
    columns = [pa.repeat(pa.scalar(kind, pa.string()), count), texts, given, pa.nulls(count, pa.string())]
    return pa.StructArray.from_arrays(columns, names=list(_FIELDS))


def _plain(values: Sequence[Any], kind: ColumnType) -> pa.Array:
    import pyarrow as pa

    return pa.array(values, kind.arrow)
