"""The functions of SPARQL against Python's own, on any text and number."""

from __future__ import annotations

import ctypes
import hashlib
import math
import operator
from fractions import Fraction
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from etalis_py.compiler.algebra.functions import ARITHMETIC, FUNCTIONS
from etalis_py.core.vocabulary import XSD_BOOLEAN, XSD_DECIMAL, XSD_DOUBLE, XSD_FLOAT, XSD_INTEGER, XSD_STRING
from etalis_py.embedding import prolog
from tests.rules.conftest import call

pytestmark = pytest.mark.usefixtures("_functions")
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
DOUBLE = st.floats()


def text(value: str) -> tuple[str, str]:
    return value, XSD_STRING


def test_every_function_is_there() -> None:
    for name, function in {**ARITHMETIC, **FUNCTIONS}.items():
        for count in {1} if function.variadic else range(function.least, function.most + 1):
            assert prolog.holds("test_functions", "is_there", function.predicate, count + 1), (name, count)


@given(TEXT)
@example("\u00e9\U0001f600\0")
def test_hashes(value: str) -> None:
    for name in ("md5", "sha1", "sha256", "sha384", "sha512"):
        assert call(f"f_{name}", text(value)) == text(hashlib.new(name, value.encode()).hexdigest())


@given(TEXT)
def test_encode_for_uri(value: str) -> None:
    assert call("f_encode_for_uri", text(value)) == text(quote(value, safe=""))


@given(TEXT)
def test_letter_case(value: str) -> None:
    assert call("f_ucase", text(value)) == text(value.upper())
    assert call("f_lcase", text(value)) == text(value.lower())


@given(TEXT, TEXT)
@example("abc", "")
@example("", "")
def test_parts(value: str, part: str) -> None:
    value += part + value
    assert call("f_contains", text(value), text(part)) == (part in value, XSD_BOOLEAN)
    assert call("f_strstarts", text(value), text(part)) == (value.startswith(part), XSD_BOOLEAN)
    assert call("f_strends", text(value), text(part)) == (value.endswith(part), XSD_BOOLEAN)
    before, _, after = value.partition(part) if part else ("", "", value)
    assert call("f_strbefore", text(value), text(part)) == text(before)
    assert call("f_strafter", text(value), text(part)) == text(after)
    assert call("f_strlen", text(value)) == (len(value), XSD_INTEGER)


def substring(value: str, start: Fraction, length: Fraction | None) -> str:
    """The definition of fn:substring (XPath 2.0 functions, section 7.4.3)."""
    first = math.floor(start + Fraction(1, 2))
    last = None if length is None else first + math.floor(length + Fraction(1, 2))
    return "".join(
        each for place, each in enumerate(value, 1) if first <= place and (last is None or place < last)
    )


@given(TEXT, st.fractions(-9, 9), st.none() | st.fractions(-9, 9))
@example("12345", Fraction(3, 2), Fraction(13, 5))
def test_substrings(value: str, start: Fraction, length: Fraction | None) -> None:
    numbers = [(each, XSD_DECIMAL) for each in (start, length) if each is not None]
    assert call("f_substr", text(value), *numbers) == text(substring(value, start, length))


def same(left: Any, right: Any) -> bool:
    """The same literal: NaN is NaN, and zeros have signs."""
    return repr(left) == repr(right)


@given(DOUBLE)
@example(0.49999999999999994)
@example(-0.5)
@example(4503599627370497.5)
def test_rounding(value: float) -> None:
    for function, integral in (("f_floor", math.floor), ("f_ceil", math.ceil), ("f_round", round_up)):
        expected = float(integral(Fraction(value))) if math.isfinite(value) else value
        if expected == 0:
            expected = math.copysign(0.0, value)
        assert same(call(function, (value, XSD_DOUBLE)), (expected, XSD_DOUBLE))


def round_up(value: Fraction) -> int:
    return math.floor(value + Fraction(1, 2))


def single(value: float) -> float:
    return ctypes.c_float(value).value


@given(st.floats(width=32), st.floats(width=32))
@example(0.10000000149011612, 0.20000000298023224)
def test_single_precision(left: float, right: float) -> None:
    for predicate, operation in (
        ("add", operator.add),
        ("subtract", operator.sub),
        ("multiply", operator.mul),
    ):
        expected = single(operation(left, right))
        expected = math.nan if math.isnan(expected) else expected
        found = call(predicate, (left, XSD_FLOAT), (right, XSD_FLOAT))
        assert same(found, (expected, XSD_FLOAT))
    if right != 0 and math.isfinite(left) and math.isfinite(right):
        assert same(call("divide", (left, XSD_FLOAT), (right, XSD_FLOAT)), (single(left / right), XSD_FLOAT))


INTEGER = st.integers() | st.integers(2**53 - 2, 2**53 + 2) | st.integers(2**24 - 2, 2**24 + 2)
NUMBER = (
    st.tuples(DOUBLE | INTEGER.map(lambda n: float(n % 2**64)), st.just(XSD_DOUBLE))
    | st.tuples(st.floats(width=32) | INTEGER.map(lambda n: single(n % 2**64)), st.just(XSD_FLOAT))
    | st.tuples(INTEGER, st.just(XSD_INTEGER))
    | st.tuples(
        st.decimals(allow_nan=False, allow_infinity=False, places=3).map(Fraction), st.just(XSD_DECIMAL)
    )
)
RANKS = {XSD_INTEGER: 0, XSD_DECIMAL: 1, XSD_FLOAT: 2, XSD_DOUBLE: 3}


@given(NUMBER, NUMBER)
@example((2**53 + 1, XSD_INTEGER), (2.0**53, XSD_DOUBLE))
@example((2**24 + 1, XSD_INTEGER), (2.0**24, XSD_FLOAT))
@example((Fraction(1, 10), XSD_DECIMAL), (single(0.1), XSD_FLOAT))
def test_comparison(left: tuple[Any, str], right: tuple[Any, str]) -> None:
    rank = max(RANKS[left[1]], RANKS[right[1]])
    one, other = (promoted(*each, rank) for each in (left, right))
    for predicate, test in (("equal", operator.eq), ("less", operator.lt), ("less_or_equal", operator.le)):
        truth = "true" if test(one, other) else "false"
        assert prolog.call("test_functions", "value_of", [predicate, left, right]) == truth


def promoted(value: Any, datatype: str, rank: int) -> Any:
    """XPath 2.0, section B.1."""
    if rank < 2:
        return value
    if rank == 2 and datatype != XSD_FLOAT:
        return nearest_single(Fraction(value))
    return float(value) if abs(value) < 2**1000 else value


def nearest_single(value: Fraction) -> float:
    """By way of a double, whose last bit is made odd where it is not exact: then both round alike."""
    double = float(value)
    if Fraction(double) != value:
        below = math.nextafter(double, -math.inf) if Fraction(double) > value else double
        double = below if int(below.hex().partition("p")[0][-1], 16) % 2 else math.nextafter(below, math.inf)
    return single(double)
