"""RDF literals with native values: from lexical form and datatype to `Encoded`, and back to text.

One literal has exactly one encoded form, so that equal terms are equal values and a join is an identity:

- canonical lexical form: ``(value, datatype)``;
- another lexical form of the same value: ``(value, lexical, datatype)``;
- a datatype not known here, or text outside its lexical space (ill-typed): ``(text, datatype)``;
- with a language: ``(text, "@en")``, the tag in lower case.

Definitions: RDF 1.1 Concepts section 5, XML Schema 1.1 part 2. Whitespace around a number makes it ill-typed.
An ``xsd:float`` is held as the Python float of the same value. A number of more than 4,000 digits keeps its
text only (XML Schema 1.1 part 2, section 5.4 lets an implementation set such a limit).
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Final, TypeAlias

from etalis_py.core.times import format_duration, format_time, parse_duration, read_datetime
from etalis_py.core.vocabulary import (
    INTEGER_RANGES,
    XSD_BOOLEAN,
    XSD_DATETIME,
    XSD_DATETIMESTAMP,
    XSD_DAYTIMEDURATION,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_DURATION,
    XSD_FLOAT,
    XSD_STRING,
    XSD_YEARMONTHDURATION,
)

__all__ = ["Encoded", "LiteralValue", "canonical_lexical", "encode_literal", "is_ill_typed", "read_typed"]

LiteralValue: TypeAlias = "str | bool | int | float | Fraction | tuple[int, int]"
Encoded: TypeAlias = "str | tuple[LiteralValue, str] | tuple[LiteralValue, str, str]"

_match_integer = re.compile(r"(0|-?[1-9][0-9]{0,3999})|[+-]?[0-9]{1,4000}").fullmatch
_match_decimal = re.compile(r"([+-]?)(?=\.?[0-9])([0-9]{0,4000})(?:\.([0-9]{0,4000}))?").fullmatch
_match_canonical_decimal = re.compile(r"0|-?(?:[1-9][0-9]*(?:\.[0-9]*[1-9])?|0\.[0-9]*[1-9])").fullmatch
_match_double = re.compile(
    r"[+-]?(?:[0-9]{1,4000}(?:\.[0-9]{0,4000})?|\.[0-9]{1,4000})(?:[eE][+-]?[0-9]{1,9})?"
).fullmatch
_match_language = re.compile(r"[A-Za-z]+(?:-[A-Za-z0-9]+)*").fullmatch
_find_surrogate = re.compile(r"[\ud800-\udfff]").search
_SINGLE: Final = struct.Struct("f")
_SINGLE_LIMIT: Final = 2.0**128
"""What would follow the greatest single-precision number."""
_SPECIAL_DOUBLES: Final = {"NaN": math.nan, "INF": math.inf, "-INF": -math.inf, "+INF": math.inf}


def encode_literal(lexical: str, datatype: str | None = None, lang: str | None = None) -> Encoded:
    """Encode a literal given by its parts; no datatype and no language is ``xsd:string``.

    Raises ValueError for a lone surrogate in the text (no UTF-8 form) and for a broken language tag.

    >>> encode_literal("x"), encode_literal("x", lang="EN")
    (('x', 'http://www.w3.org/2001/XMLSchema#string'), ('x', '@en'))
    """
    if not lexical.isascii() and _find_surrogate(lexical):
        raise ValueError("holds a lone surrogate, which is not a character")
    if lang is not None:
        if not _match_language(lang):
            raise ValueError(f"{lang!r} is not a language tag")
        return lexical, "@" + lang.lower()
    return read_typed(lexical, XSD_STRING if datatype is None else datatype)


def read_typed(lexical: str, datatype: str) -> Encoded:
    """As `encode_literal` with a datatype, for text that is known to be free of lone surrogates."""
    reader = _READERS.get(datatype)
    return (lexical, datatype) if reader is None else reader(lexical, datatype)


def _read_integer(lexical: str, datatype: str) -> Encoded:
    match = _match_integer(lexical)
    if match is None:
        return lexical, datatype
    value = int(lexical)
    least, greatest = INTEGER_RANGES[datatype]
    if (least is not None and value < least) or (greatest is not None and value > greatest):
        return lexical, datatype
    return (value, lexical, datatype) if match.lastindex is None else (value, datatype)


def _read_decimal(lexical: str, datatype: str) -> Encoded:
    match = _match_decimal(lexical)
    if match is None:
        return lexical, datatype
    sign, whole, fraction = match.groups("")
    value: int | Fraction = int(sign + (whole or "0"))
    digits = fraction.rstrip("0")
    if digits:
        # Not all digits as one int: Python reads no more than 4,300 at once.
        scaled = int(whole or "0") * 10 ** len(digits) + int(digits)
        value = Fraction(-scaled if sign == "-" else scaled, 10 ** len(digits))
    return (value, datatype) if _match_canonical_decimal(lexical) else (value, lexical, datatype)


def _read_floating(lexical: str, datatype: str) -> Encoded:
    if _match_double(lexical):
        value = _nearest_single(lexical) if datatype == XSD_FLOAT else float(lexical)
        if "E" not in lexical:  # the canonical form has it
            return value, lexical, datatype
    elif lexical in _SPECIAL_DOUBLES:
        value = _SPECIAL_DOUBLES[lexical]
    else:
        return lexical, datatype
    return (value, datatype) if _floating_text(value, datatype) == lexical else (value, lexical, datatype)


def _nearest_single(lexical: str) -> float:
    """The single-precision number (IEEE 754 binary32) nearest to a decimal number, of two the even one."""
    double = float(lexical)
    single = _rounded_to_single(double)
    if single == double or math.isinf(double):
        return single
    # The double that is nearest to the text may lie half way between two singles, where the text does not.
    other = 2 * double - (single if math.isfinite(single) else math.copysign(_SINGLE_LIMIT, double))
    if _rounded_to_single(other) != other:
        return single
    exact, half = Fraction(Decimal(lexical)), Fraction(double)
    return single if exact == half else max(single, other) if exact > half else min(single, other)


def _rounded_to_single(value: float) -> float:
    try:
        return float(_SINGLE.unpack(_SINGLE.pack(value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _read_boolean(lexical: str, datatype: str) -> Encoded:
    match lexical:
        case "true":
            return True, datatype
        case "false":
            return False, datatype
        case "1" | "0":
            return lexical == "1", lexical, datatype
        case _:
            return lexical, datatype


def _read_datetime(lexical: str, datatype: str) -> Encoded:
    found = read_datetime(lexical)
    if found is None:
        return lexical, datatype
    value, canonical = found
    return (value, datatype) if canonical else (value, lexical, datatype)


def _read_datetimestamp(lexical: str, datatype: str) -> Encoded:
    zoned = lexical.endswith("Z") or lexical[-6:-5] in {"+", "-"}
    return _read_datetime(lexical, datatype) if zoned else (lexical, datatype)


def _read_duration(lexical: str, datatype: str) -> Encoded:
    try:
        value = parse_duration(lexical)
    except ValueError:
        return lexical, datatype
    date_part, clock, _ = lexical.partition("T")
    if datatype == XSD_DAYTIMEDURATION and ("Y" in date_part or "M" in date_part):
        return lexical, datatype
    if datatype == XSD_YEARMONTHDURATION and (clock or "D" in date_part):
        return lexical, datatype
    return (value, datatype) if format_duration(*value, datatype) == lexical else (value, lexical, datatype)


_READERS: Final[dict[str, Callable[[str, str], Encoded]]] = {
    **dict.fromkeys(INTEGER_RANGES, _read_integer),
    XSD_DECIMAL: _read_decimal,
    XSD_DOUBLE: _read_floating,
    XSD_FLOAT: _read_floating,
    XSD_BOOLEAN: _read_boolean,
    XSD_DATETIME: _read_datetime,
    XSD_DATETIMESTAMP: _read_datetimestamp,
    XSD_DURATION: _read_duration,
    XSD_DAYTIMEDURATION: _read_duration,
    XSD_YEARMONTHDURATION: _read_duration,
}


def is_ill_typed(term: Encoded) -> bool:
    """Whether a literal's text is not a value of its datatype, as far as the datatype is known here.

    >>> is_ill_typed(read_typed("1h", XSD_DURATION)), is_ill_typed(read_typed("PT1H", XSD_DURATION))
    (True, False)
    """
    return isinstance(term, tuple) and isinstance(term[0], str) and term[-1] in _READERS


def canonical_lexical(value: LiteralValue, datatype: str) -> str:
    """The canonical lexical form of a native value.

    >>> canonical_lexical(100.0, "http://www.w3.org/2001/XMLSchema#double")
    '1.0E2'
    """
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            if datatype in (XSD_DATETIME, XSD_DATETIMESTAMP):
                return format_time(value)
            try:
                return str(value)
            except ValueError:  # Python's limit on digits, which Decimal does not have
                return str(Decimal(value))
        case float():
            return _floating_text(value, datatype)
        case Fraction():
            return _decimal_text(value)
        case (months, microseconds):
            return format_duration(months, microseconds, datatype)


def _floating_text(value: float, datatype: str) -> str:
    return _single_text(value) if datatype == XSD_FLOAT else _double_text(value)


def _double_text(value: float) -> str:
    """The canonical form of XML Schema: one digit before the point, the shortest digits that read back."""
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"
    return _scientific(repr(value))


def _single_text(value: float) -> str:
    """As `_double_text`, with the fewest digits whose nearest single-precision number it is; nine will do."""
    if not math.isfinite(value):
        return _double_text(value)
    texts = (f"{value:.{places}e}" for places in range(9))
    return _scientific(next((text for text in texts if _nearest_single(text) == value), f"{value:.8e}"))


def _scientific(text: str) -> str:
    mantissa, _, power = text.partition("e")
    sign = "-" if mantissa[0] == "-" else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return sign + "0.0E0"
    exponent = int(power or 0) + len(whole) - 1 - (len(whole) + len(fraction) - len(digits))
    return f"{sign}{digits[0]}.{digits[1:].rstrip('0') or '0'}E{exponent}"


def _decimal_text(value: Fraction) -> str:
    """An exact decimal; a value without a finite decimal form is rounded to 18 places, half to even."""
    denominator = value.denominator
    twos = (denominator & -denominator).bit_length() - 1
    rest = denominator >> twos
    fives = 0
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    places = max(twos, fives) if rest == 1 else 18
    scaled = round(value * 10**places)
    digits = str(Decimal(abs(scaled))).rjust(places + 1, "0")
    whole, fraction = digits[: len(digits) - places], digits[len(digits) - places :].rstrip("0")
    sign = "-" if scaled < 0 else ""
    return f"{sign}{whole}.{fraction}" if fraction else sign + whole
