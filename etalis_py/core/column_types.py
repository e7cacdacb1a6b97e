"""Typed shortcuts: answers' columns with plain values of Spark's types in place of whole terms.

A value that does not fit a column's type is null there: text in a column of numbers, 300 in a ``tinyint``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from etalis_py.core.errors import UsageError
from etalis_py.core.terms import Encoded, lexical_form
from etalis_py.core.value_class import value_class
from etalis_py.core.vocabulary import (
    INTEGER_RANGES,
    XSD_BOOLEAN,
    XSD_DATE,
    XSD_DATETIME,
    XSD_DATETIMESTAMP,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_DURATION_TYPES,
    XSD_FLOAT,
)

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ColumnType", "column_types", "native_type"]

_INTEGERS: Final = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_ALIASES: Final = {
    "byte": "tinyint",
    "short": "smallint",
    "integer": "int",
    "long": "bigint",
    "real": "float",
}
_OTHERS: Final = ("boolean", "float", "double", "string", "timestamp", "date", "interval day to second")
_KNOWN: Final = (*_INTEGERS, *_OTHERS, "decimal(precision, scale)")
_match_decimal = re.compile(r"decimal\((\d{1,2})(?:,(\d{1,2}))?\)").fullmatch
_match_date = re.compile(r"(\d{4}-\d\d-\d\d)(?:Z|[+-]\d\d:\d\d)?").fullmatch
_MOST_DIGITS: Final = 38
"""Of a decimal in Spark."""
_GREATEST_SINGLE: Final = (2 - 2**-23) * 2.0**127
_NUMBERS: Final = frozenset({*INTEGER_RANGES, XSD_DECIMAL, XSD_DOUBLE, XSD_FLOAT})
_NATIVE: Final = MappingProxyType(
    {
        **dict.fromkeys(INTEGER_RANGES, "bigint"),
        **dict.fromkeys((XSD_DECIMAL, XSD_DOUBLE, XSD_FLOAT), "double"),
        **dict.fromkeys((XSD_DATETIME, XSD_DATETIMESTAMP), "timestamp"),
        **dict.fromkeys(XSD_DURATION_TYPES, "interval day to second"),
        XSD_BOOLEAN: "boolean",
        XSD_DATE: "date",
    }
)
"""By datatypes the types whose values say as much."""
_WIDEST: Final = range(-(1 << 63), 1 << 63)


@value_class
class ColumnType:
    """A type as Spark writes it; a decimal has ``digits``, ``places`` of them behind the point."""

    name: str
    digits: int = 0
    places: int = 0

    @property
    def arrow(self) -> pa.DataType:
        """The type in Arrow."""
        import pyarrow as pa

        match self.name.partition("(")[0]:
            case "boolean":
                return pa.bool_()
            case "float":
                return pa.float32()
            case "double":
                return pa.float64()
            case "decimal":
                return pa.decimal128(self.digits, self.places)
            case "string":
                return pa.string()
            case "timestamp":
                return pa.timestamp("us", "UTC")
            case "date":
                return pa.date32()
            case "interval day to second":
                return pa.duration("us")
            case integer:
                return {8: pa.int8(), 16: pa.int16(), 32: pa.int32(), 64: pa.int64()}[_INTEGERS[integer]]

    @property
    def reader(self) -> Callable[[Encoded], Any]:
        """From a term to the value in the column; None where it does not fit."""
        match self.name.partition("(")[0]:
            case "boolean":
                return _boolean
            case "float":
                return _single
            case "double":
                return _double
            case "decimal":
                return partial(_decimal, self.digits, self.places)
            case "string":
                return _string
            case "timestamp":
                return _timestamp
            case "date":
                return _date
            case "interval day to second":
                return _interval
            case integer:
                half = 1 << (_INTEGERS[integer] - 1)
                return partial(_integer, range(-half, half))


def column_types(columns: Mapping[str, str], variables: Collection[str]) -> Mapping[str, ColumnType]:
    """The types that a user asks for, by variable.

    Raises:
        UsageError: EP509, there is no such variable or no such type.
    """
    for name in columns:
        if name not in variables:
            near = next(iter(get_close_matches(name.lstrip("?$"), variables, n=1)), None)
            known = ", ".join(variables) or "none"
            hint = f"{near!r}?" if near else f"the queries select {known}"
            raise UsageError("EP509", f"columns: no query selects a variable {name!r}", hint=hint)
    return MappingProxyType({name: _type_of(name, text) for name, text in columns.items()})


def native_type(terms: Iterable[Encoded]) -> ColumnType:
    """The narrowest type that holds all the terms of a column: ``bigint``, ``double`` (decimals, too),
    ``boolean``, ``timestamp``, ``date``, ``interval day to second``; ``string`` where there is none.

    >>> from etalis_py.core.vocabulary import XSD_INTEGER
    >>> native_type([(5, XSD_INTEGER), (0.5, XSD_DOUBLE)]).name, native_type([(5, XSD_INTEGER), "urn:a"]).name
    ('double', 'string')
    """
    found: set[str] = set()
    for term in terms:
        name = "string" if isinstance(term, str) else _NATIVE.get(term[-1], "string")
        if name == "string" or ColumnType(name).reader(term) is None:
            return ColumnType("string")
        found.add(name)
    if found == {"bigint", "double"}:
        return ColumnType("double")
    return ColumnType(found.pop() if len(found) == 1 else "string")


def _type_of(variable: str, text: object) -> ColumnType:
    text = text.simpleString() if hasattr(text, "simpleString") else text  # DoubleType() of Spark's
    written = re.sub(r"\s*([(),])\s*", r"\1", " ".join(str(text).lower().split()))
    plain = _ALIASES.get(written, written)
    if plain in _INTEGERS or plain in _OTHERS:
        return ColumnType(plain)
    match = _match_decimal(plain)
    if match is not None:
        digits, places = int(match[1]), int(match[2] or 0)
        if 1 <= digits <= _MOST_DIGITS and places <= digits:
            return ColumnType(f"decimal({digits},{places})", digits, places)
    near = get_close_matches(plain, [*_INTEGERS, *_OTHERS, *_ALIASES, "decimal(18,6)"], n=1, cutoff=0.75)
    known = f"known are {', '.join(_KNOWN)}"
    raise UsageError(
        "EP509",
        f"columns: the type {text!r} of {variable!r} is none that a column can have",
        hint=f"{near[0]!r}? {known}" if near else known,
    )


# ---- in the worker: from a term to a value --------------------------------------------------------------


def _number(term: Encoded) -> int | float | Fraction | None:
    value = term[0]
    if isinstance(term, str) or isinstance(value, (str, tuple)) or term[-1] not in _NUMBERS:
        return None
    return value


def _integer(fitting: range, term: Encoded) -> int | None:
    value = _number(term)
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    whole = int(value)
    return whole if whole == value and whole in fitting else None


def _double(term: Encoded) -> float | None:
    value = _number(term)
    try:
        return None if value is None else float(value)
    except OverflowError:
        return None


def _single(term: Encoded) -> float | None:
    value = _double(term)
    if value is None or (math.isfinite(value) and abs(value) > _GREATEST_SINGLE):
        return None
    return value


def _decimal(digits: int, places: int, term: Encoded) -> Decimal | None:
    """Rounded to ``places``, half away from zero, as Spark's own casts do."""
    value = _number(term)
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, float):
        value = Fraction(repr(value))
    scaled = math.floor(abs(value) * 10**places + Fraction(1, 2))
    if scaled >= 10**digits:
        return None
    return Decimal((int(value < 0), tuple(map(int, str(scaled))), -places))


def _boolean(term: Encoded) -> bool | None:
    value = term[0]
    return value if isinstance(value, bool) and term[-1] == XSD_BOOLEAN else None


def _string(term: Encoded) -> str:
    """An IRI or the text of a literal; a blank node as in N-Triples, so that it is told from an IRI."""
    return lexical_form(term)[0]


def _timestamp(term: Encoded) -> int | None:
    value = term[0]
    fits = isinstance(value, int) and term[-1] in (XSD_DATETIME, XSD_DATETIMESTAMP) and value in _WIDEST
    return value if fits and isinstance(value, int) else None


def _date(term: Encoded) -> date | None:
    """The day of an xsd:date as it is written: its zone does not move it."""
    if isinstance(term, str) or term[-1] != XSD_DATE or not isinstance(term[0], str):
        return None
    match = _match_date(term[0])
    try:
        return None if match is None else date.fromisoformat(match[1])
    except ValueError:
        return None


def _interval(term: Encoded) -> int | None:
    """Microseconds of a duration without years and months, whose length is not fixed."""
    value = term[0]
    if isinstance(term, str) or not isinstance(value, tuple) or term[-1] not in XSD_DURATION_TYPES:
        return None
    months, microseconds = value
    return microseconds if months == 0 and microseconds in _WIDEST else None
