"""One literal has one encoded form: canonical text gives a native value, other text of it is kept."""

from __future__ import annotations

import ctypes
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from etalis_py.core.literals import canonical_lexical, encode_literal
from etalis_py.core.vocabulary import (
    XSD,
    XSD_BOOLEAN,
    XSD_DATETIME,
    XSD_DATETIMESTAMP,
    XSD_DAYTIMEDURATION,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_DURATION,
    XSD_FLOAT,
    XSD_INTEGER,
    XSD_YEARMONTHDURATION,
)


@pytest.mark.parametrize(
    ("lexical", "datatype", "value"),
    [
        ("0", XSD_INTEGER, 0),
        ("-17", XSD_INTEGER, -17),
        ("255", XSD + "unsignedByte", 255),
        ("1.5", XSD_DECIMAL, Fraction(3, 2)),
        ("-0.25", XSD_DECIMAL, Fraction(-1, 4)),
        ("2", XSD_DECIMAL, 2),
        ("1.5E0", XSD_DOUBLE, 1.5),
        ("1.0E2", XSD_DOUBLE, 100.0),
        ("-0.0E0", XSD_DOUBLE, -0.0),
        ("1.0E-1", XSD_FLOAT, 13421773 / 2**27),
        ("3.4028235E38", XSD_FLOAT, 2.0**128 - 2.0**104),
        ("1.0E-45", XSD_FLOAT, 2.0**-149),
        ("-0.0E0", XSD_FLOAT, -0.0),
        ("1.6777216E7", XSD_FLOAT, 2.0**24),
        ("1.7976931348623157E308", XSD_DOUBLE, 1.7976931348623157e308),
        ("INF", XSD_DOUBLE, math.inf),
        ("-INF", XSD_DOUBLE, -math.inf),
        ("true", XSD_BOOLEAN, True),
        ("1970-01-01T00:00:02Z", XSD_DATETIME, 2_000_000),
        ("1970-01-01T00:00:00.5Z", XSD_DATETIMESTAMP, 500_000),
        ("P1Y2M3DT4H5M6.5S", XSD_DURATION, (14, 273_906_500_000)),
        ("PT0S", XSD_DAYTIMEDURATION, (0, 0)),
        ("P0M", XSD_YEARMONTHDURATION, (0, 0)),
        ("-P1M", XSD_YEARMONTHDURATION, (-1, 0)),
    ],
)
def test_canonical_forms(lexical: str, datatype: str, value: object) -> None:
    assert encode_literal(lexical, datatype) == (value, datatype)
    assert canonical_lexical(value, datatype) == lexical  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("lexical", "datatype", "value"),
    [
        ("01", XSD_INTEGER, 1),
        ("+1", XSD_INTEGER, 1),
        ("-0", XSD_INTEGER, 0),
        ("1.0", XSD_DECIMAL, 1),
        (".5", XSD_DECIMAL, Fraction(1, 2)),
        ("1.", XSD_DECIMAL, 1),
        ("100", XSD_DOUBLE, 100.0),
        ("1e2", XSD_DOUBLE, 100.0),
        ("1E400", XSD_DOUBLE, math.inf),
        ("+INF", XSD_DOUBLE, math.inf),
        ("0.1", XSD_FLOAT, 13421773 / 2**27),
        ("16777217", XSD_FLOAT, 2.0**24),
        ("-16777219", XSD_FLOAT, -(2.0**24) - 4),
        ("1.0E-46", XSD_FLOAT, 0.0),
        ("-1E39", XSD_FLOAT, -math.inf),
        # Half way between two singles, and next to it where the nearest double is half way.
        ("1.000000178813934326171875", XSD_FLOAT, 1 + 2.0**-22),
        ("1.0000001788139343261718751", XSD_FLOAT, 1 + 2.0**-22),
        ("1.0000001788139343261718749", XSD_FLOAT, 1 + 2.0**-23),
        ("-1.0000001788139343261718749", XSD_FLOAT, -1 - 2.0**-23),
        ("340282356779733661637539395458142568447.9", XSD_FLOAT, 2.0**128 - 2.0**104),
        ("340282356779733661637539395458142568448", XSD_FLOAT, math.inf),
        ("1", XSD_BOOLEAN, True),
        ("1970-01-01T00:00:02", XSD_DATETIME, 2_000_000),
        ("1970-01-01T01:00:02+01:00", XSD_DATETIME, 2_000_000),
        ("1970-01-01T24:00:00Z", XSD_DATETIME, 86_400_000_000),
        ("1970-01-01T00:00:02.1234560Z", XSD_DATETIME, 2_123_456),
        ("PT60S", XSD_DURATION, (0, 60_000_000)),
        ("P0D", XSD_DURATION, (0, 0)),
        ("P12M", XSD_YEARMONTHDURATION, (12, 0)),
    ],
)
def test_other_forms_keep_their_text(lexical: str, datatype: str, value: object) -> None:
    assert encode_literal(lexical, datatype) == (value, lexical, datatype)


@pytest.mark.parametrize(
    ("lexical", "datatype"),
    [
        ("abc", XSD_INTEGER),
        (" 5 ", XSD_INTEGER),
        ("٣", XSD_INTEGER),
        ("9" * 5000, XSD_INTEGER),
        ("256", XSD + "unsignedByte"),
        ("-1", XSD + "nonNegativeInteger"),
        ("1e2", XSD_DECIMAL),
        (".", XSD_DECIMAL),
        ("", XSD_DECIMAL),
        ("nan", XSD_DOUBLE),
        ("1_0", XSD_DOUBLE),
        ("TRUE", XSD_BOOLEAN),
        ("2011-02-29T00:00:00Z", XSD_DATETIME),
        ("2016-12-31T23:59:60Z", XSD_DATETIME),
        ("1970-01-01T00:00:00.1234567Z", XSD_DATETIME),
        ("1970-01-01T00:00:02", XSD_DATETIMESTAMP),
        ("P1M", XSD_DAYTIMEDURATION),
        ("P1D", XSD_YEARMONTHDURATION),
        ("PT", XSD_DURATION),
        ("P", XSD_DURATION),
        ("P1YT", XSD_DURATION),
        ("2011-03-11", XSD + "date"),
    ],
)
def test_ill_typed_and_unknown_keep_text_only(lexical: str, datatype: str) -> None:
    assert encode_literal(lexical, datatype) == (lexical, datatype)


def test_a_decimal_with_very_many_digits() -> None:
    lexical = f"-{'1' * 4000}.{'1' * 4000}"
    term = encode_literal(lexical, XSD_DECIMAL)
    assert len(term) == 2
    assert canonical_lexical(term[0], XSD_DECIMAL) == lexical  # type: ignore[arg-type]


def test_a_not_a_number_is_one_value() -> None:
    assert encode_literal("NaN", XSD_DOUBLE) == encode_literal("NaN", XSD_DOUBLE)


def test_computed_values_without_an_exact_form() -> None:
    assert canonical_lexical(Fraction(1, 3), XSD_DECIMAL) == "0.333333333333333333"
    assert canonical_lexical(10**5000, XSD_INTEGER) == "1" + "0" * 5000


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False))
def test_every_double_reads_back(value: float) -> None:
    lexical = canonical_lexical(value, XSD_DOUBLE)
    assert encode_literal(lexical, XSD_DOUBLE) == (value, XSD_DOUBLE)


@settings(max_examples=200, deadline=None)
@given(st.floats(width=32, allow_nan=False))
def test_every_float_reads_back(value: float) -> None:
    lexical = canonical_lexical(value, XSD_FLOAT)
    assert encode_literal(lexical, XSD_FLOAT) == (value, XSD_FLOAT)


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False))
def test_a_float_is_of_single_precision(value: float) -> None:
    term = encode_literal(repr(value).replace("inf", "INF"), XSD_FLOAT)
    assert isinstance(term[0], float)
    assert str(term[0]) == str(ctypes.c_float(value).value)


@settings(max_examples=200, deadline=None)
@given(st.integers(), st.integers(0, 30))
def test_every_decimal_reads_back(digits: int, places: int) -> None:
    value = Fraction(digits, 10**places)
    lexical = canonical_lexical(value, XSD_DECIMAL)
    assert encode_literal(lexical, XSD_DECIMAL) == (value, XSD_DECIMAL)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 10**15), st.sampled_from([1, -1]))
def test_every_duration_reads_back(months: int, microseconds: int, sign: int) -> None:
    value = (sign * months, sign * microseconds)
    lexical = canonical_lexical(value, XSD_DURATION)
    assert encode_literal(lexical, XSD_DURATION) == (value, XSD_DURATION)
