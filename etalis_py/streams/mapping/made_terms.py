"""Makes the terms of a mapping from the values of records: each different value, or combination, once."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from types import NoneType
from typing import Any, Final

from etalis_py.core.coded import Coded
from etalis_py.core.literals import canonical_lexical, is_ill_typed
from etalis_py.core.terms import Encoded, encode_literal, encode_ntriples
from etalis_py.core.times import format_duration, format_time
from etalis_py.core.vocabulary import (
    INTEGER_RANGES,
    XSD_BOOLEAN,
    XSD_DATE,
    XSD_DATETIME,
    XSD_DAYTIMEDURATION,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_INTEGER,
    XSD_STRING,
)
from etalis_py.streams.arrow import integers
from etalis_py.streams.mapping.yarrrml import TermMap

__all__ = ["TermMaker", "UnusableError", "combined", "text_of"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
_DAY: Final = timedelta(days=1)
_TEXTS: Final = frozenset({str, NoneType})
_MOST: Final = 20_000
"""Terms that are remembered from one part of the records to the next."""
_replace_unsafe = re.compile(
    r"[^A-Za-z0-9\-._~\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\U00010000-\U000effff]"
).sub
_replace_no_label = re.compile(r"[^A-Za-z0-9]").sub


class UnusableError(ValueError):
    """Of a value no term, or no time, can be made: why, as a clause that goes on after the value."""


class _Remembered(dict[Any, Any]):
    """What was made of values, which is made once."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, value: Any) -> Any:
        found = self[value] = self._make(value)
        return found


class TermMaker:
    """Makes the terms that one `TermMap` says, and remembers them; ``scope`` is put before blank labels."""

    def __init__(self, term: TermMap, scope: str) -> None:
        self._map = term
        self._scope = scope
        self._of_texts = _Remembered(lambda text: self._of((text,)))
        self._of_others: dict[Any, Encoded | UnusableError | None] = {}

    @property
    def references(self) -> Sequence[str]:
        """The columns that it looks at."""
        return self._map.template.references

    def terms(self, columns: Mapping[str, Coded[Any]], count: int) -> Coded[Encoded | UnusableError | None]:
        """A term for each of so many records, None where a value is missing, or why there is none."""
        if not self.references:
            return Coded([self._term(())], array("i", bytes(4 * count)))
        if len(self._of_texts) + len(self._of_others) > _MOST:
            self._of_texts.clear()
            self._of_others.clear()
        column = columns[self.references[0]]
        if len(self.references) == 1 and _TEXTS.issuperset(map(type, column.values)):
            return Coded(list(map(self._of_texts.__getitem__, column.values)), column.codes)
        values = combined([columns[name] for name in self.references])
        return Coded(list(map(self._of_any, values.values)), values.codes)

    def _of_any(self, values: tuple[Any, ...]) -> Encoded | UnusableError | None:
        # 1, 1.0 and True are equal, and make different terms; so do 0.0 and -0.0.
        kind = values[0].__class__
        is_plain = len(values) == 1 and (kind is int or (kind is float and values[0]))
        key = (kind, values[0]) if is_plain else repr(values)
        if key not in self._of_others:
            self._of_others[key] = self._of(values)
        return self._of_others[key]

    def _of(self, values: tuple[Any, ...]) -> Encoded | UnusableError | None:
        try:
            return None if any(each is None for each in values) else self._term(values)
        except ValueError as error:
            return error if isinstance(error, UnusableError) else UnusableError(str(error))

    def _term(self, values: tuple[Any, ...]) -> Encoded:
        term = self._map
        if term.kind == "literal":
            return self._literal(values)
        texts = tuple(map(text_of, values))
        if term.kind == "blank":
            label = term.template.filled(tuple(map(_label, texts)))
            return encode_ntriples(f"_:{self._scope}{label}")
        if term.template.is_reference:
            text = texts[0]
            return encode_ntriples(f"<{text if ':' in text else term.base + text}>")
        return encode_ntriples(f"<{term.template.filled(tuple(map(_iri_safe, texts)))}>")

    def _literal(self, values: tuple[Any, ...]) -> Encoded:
        term = self._map
        if term.datatype is None and term.template.is_reference:
            return _natural(values[0])
        if term.datatype is None or term.datatype.startswith("@"):
            language = None if term.datatype is None else term.datatype[1:]
            return encode_literal(term.template.filled(tuple(map(text_of, values))), lang=language)
        if term.template.is_reference:
            text = _as_datatype(values[0], term.datatype)
        else:
            text = term.template.filled(tuple(map(text_of, values)))
        found = encode_literal(text if term.datatype == XSD_STRING else text.strip(), term.datatype)
        if is_ill_typed(found):
            raise UnusableError(f"is not of the datatype {term.datatype}")
        return found


def combined(columns: Sequence[Coded[Any]]) -> Coded[tuple[Any, ...]]:
    """Several columns as one of tuples, each different one once.

    >>> list(combined([Coded("ab", array("i", [0, 1, 0])), Coded("c", array("i", [0, 0, 0]))]))
    [('a', 'c'), ('b', 'c'), ('a', 'c')]
    """
    if len(columns) == 1:
        return Coded([(value,) for value in columns[0].values], columns[0].codes)
    import pyarrow as pa
    import pyarrow.compute as pc

    first, *rest = columns
    numbers = pa.array(first.codes, pa.int64())
    tuples: list[tuple[Any, ...]] = [(value,) for value in first.values]
    for column in rest:
        size = len(column.values)
        numbers = pc.add(pc.multiply(numbers, size), pa.array(column.codes, pa.int64())).dictionary_encode()
        pairs = (divmod(each, size) for each in numbers.dictionary.to_pylist())
        tuples = [(*tuples[before], column.values[last]) for before, last in pairs]
        numbers = numbers.indices.cast(pa.int64())
    return Coded(tuples, integers(numbers.cast(pa.int32())))


def text_of(value: Any) -> str:
    """A value as it stands in a template. Raises UnusableError, if it is a list or the like."""
    if isinstance(value, str):
        return value
    found = _natural(value)
    return (
        found
        if isinstance(found, str)
        else canonical_lexical(found[0], found[-1])
        if len(found) == 2
        else found[1]
    )


def _natural(value: Any) -> Encoded:
    """The literal that a value of the source stands for (R2RML, section 10.2: the natural mapping)."""
    match value:
        case str():
            return encode_literal(value)
        case bool():
            return value, XSD_BOOLEAN
        case int():
            return value, XSD_INTEGER
        case float():
            return value, XSD_DOUBLE
        case Decimal():
            return encode_literal(format(value.normalize(), "f"), XSD_DECIMAL)
        case datetime():
            zoned = value.replace(tzinfo=timezone.utc) if value.tzinfo is None else value
            return (zoned - _EPOCH) // timedelta(microseconds=1), XSD_DATETIME
        case date():
            return encode_literal(value.isoformat(), XSD_DATE)
        case timedelta():
            text = format_duration(0, value // timedelta(microseconds=1))
            return encode_literal(text, XSD_DAYTIMEDURATION)
        case list():
            raise UnusableError("is a list; $(name[0]) is its first item")
        case dict():
            raise UnusableError("is an object; $(name.key) is a value in it")
        case _:
            raise UnusableError(f"is a {type(value).__name__}")


def _as_datatype(value: Any, datatype: str) -> str:
    """The text of a value for a datatype: of the float 20.0 that of the integer 20."""
    if isinstance(value, float):
        if value.is_integer() and (datatype in INTEGER_RANGES or datatype == XSD_DECIMAL):
            return str(int(value))
        if datatype == XSD_DECIMAL and value == value and abs(value) != float("inf"):
            return format(Decimal(repr(value)), "f")
    if isinstance(value, datetime) and datatype == XSD_DATE:
        return format_time((value.replace(tzinfo=timezone.utc) - _EPOCH) // timedelta(microseconds=1))[:10]
    return text_of(value)


def _iri_safe(text: str) -> str:
    """Text within an IRI (R2RML, section 7.3): what is not unreserved is percent-encoded."""
    return _replace_unsafe(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), text)


def _label(text: str) -> str:
    return _replace_no_label(lambda match: f"_{ord(match[0]):X}_", text)
