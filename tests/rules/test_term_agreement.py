"""Prolog and Python read and write literals alike: a join compares terms that either of them made."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from etalis_py.core.literals import Encoded, canonical_lexical, encode_literal, read_typed
from etalis_py.core.vocabulary import (
    INTEGER_RANGES,
    XSD,
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
from etalis_py.embedding import prolog

NUMBERS = (XSD_DECIMAL, XSD_DOUBLE, XSD_FLOAT, *INTEGER_RANGES)
TIMES = (XSD_DATETIME, XSD_DATETIMESTAMP)
DURATIONS = (XSD_DURATION, XSD_DAYTIMEDURATION, XSD_YEARMONTHDURATION)
EVERY = (*NUMBERS, *TIMES, *DURATIONS, XSD_BOOLEAN, XSD_STRING, XSD + "date", "urn:type")

_PLAIN_CORNERS = """
0 -0 +0 00 1 true false TRUE NaN INF -INF +INF inf nan 1. . 127 128 -129 255 256 9223372036854775808
1e400 -1e400 1e-400 -1e-400 1e999999999 1e-999999999 1e1234567890 5e-324 2e-324 -0.0E0 1.0E2 1_000
1.7976931348623157E308 1.7976931348623159E308 1.5 -.5 2.0 P PT P1YT P0M PT0S -P0M P12M PT60S PT24H P1M1D
P1Y0M 0000-01-01T00:00:00Z -0000-01-01T00:00:00Z 10000-01-01T00:00:00Z 01000-01-01T00:00:00Z
2011-03-11T05:46:23Z 2011-03-11T05:46:23.50Z 2012-02-29T24:00:00Z 2011-02-29T00:00:00Z 2011-03-11T05:46:60Z
"""
_LONG_CORNERS = ("9" * 4000, "9" * 4001, "0." + "1" * 4001, "9" * 4000 + "e5", "0." + "0" * 3990 + "1e3990")
_SINGLE_CORNERS = """
0.1 16777217 16777219 33554433e0 3.4028235E38 340282356779733661637539395458142568447.9 1e-45 7e-46 -1e39
340282356779733661637539395458142568448 1.0000001788139343261718751 1.0000001788139343261718749 1.17549435E-38
7.0064923216240853546186479164495806564013097093825788587853e-46 1.1754943508222874e-38 9.8607613E-32 1E-40
"""
_TEXT_CORNERS = ("", " 1", "1\n", "1\0", "P\n1Y", "\u0663")
CORNERS = [*_PLAIN_CORNERS.split(), *_SINGLE_CORNERS.split(), *_LONG_CORNERS, *_TEXT_CORNERS]
NUMBER = st.from_regex(r"[+-]?[0-9]{0,30}(\.[0-9]{0,8})?([eE][+-]?[0-9]{0,4})?", fullmatch=True)
TIME = st.from_regex(
    r"-?[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9](\.[0-9]{0,8})?"
    r"(|Z|z|[+-](0[0-9]|1[0-4]):[0-5][0-9])",
    fullmatch=True,
)
_AMOUNT = "([0-9]{1,2}|[0-9]{17,20})"
DURATION = st.from_regex(
    f"[+-]?P({_AMOUNT}Y)?({_AMOUNT}M)?({_AMOUNT}D)?(T({_AMOUNT}H)?({_AMOUNT}M)?({_AMOUNT}(\\.[0-9]{{0,8}})?S)?)?",
    fullmatch=True,
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.fixture(scope="module", autouse=True)
def _prolog() -> None:
    prolog.load_runtime()
    prolog.do("user", "use_module", str(Path(__file__).with_name("agreement.pl")))


def same(left: object, right: object) -> bool:
    """Equal, with the signs of zeros, NaN equal to NaN and True different from 1."""
    match left, right:
        case tuple(), tuple():
            return len(left) == len(right) and all(map(same, left, right))
        case float(), float():
            return (math.isnan(left) and math.isnan(right)) or (
                left == right and math.copysign(1, left) == math.copysign(1, right)
            )
        case _:
            return left == right and isinstance(left, bool | float) == isinstance(right, bool | float)


def check(text: str, datatype: str) -> None:
    encoded = read_typed(text, datatype)
    from_prolog = prolog.encoded(prolog.call("test_agreement", "read_literal", (text, datatype)))
    assert same(from_prolog, encoded), (from_prolog, encoded)
    check_term(encoded)


def check_term(encoded: Encoded) -> None:
    assert same(prolog.encoded(prolog.call("test_agreement", "round_trip", encoded)), encoded)
    if isinstance(encoded, tuple):
        text = encoded[1] if len(encoded) == 3 else canonical_lexical(*encoded)
        assert prolog.call("test_agreement", "form", encoded) == text


@pytest.mark.parametrize("text", CORNERS, ids=lambda text: text[:20])
def test_corners(text: str) -> None:
    for datatype in EVERY:
        check(text, datatype)


@pytest.mark.parametrize(
    ("texts", "datatypes"), [(NUMBER, NUMBERS), (TIME, TIMES), (DURATION, DURATIONS), (TEXT, EVERY)],
    ids=["number", "time", "duration", "text"],
)  # fmt: skip
def test_generated(texts: st.SearchStrategy[str], datatypes: tuple[str, ...]) -> None:
    @given(texts, st.sampled_from(datatypes))
    def agree(text: str, datatype: str) -> None:
        check(text, datatype)

    agree()


@given(TEXT)
@example("it's \"\\ \0\x7f\n\r\ufffe\U0010ffff")
@example("[]")
@example("true")
def test_hostile_text(text: str) -> None:
    for term in (text, (text, XSD_STRING), (text, "urn:" + text), encode_literal(text, lang="en-AT")):
        check_term(term)


@given(st.floats(), st.floats(width=32), st.integers(), st.fractions())
def test_values(double: float, single: float, integer: int, fraction: object) -> None:
    check_term((double, XSD_DOUBLE))
    check_term((single, XSD_FLOAT))
    check_term((integer, XSD_DATETIME))
    check_term((fraction, XSD_DECIMAL))  # type: ignore[arg-type]


def test_unbound() -> None:
    assert prolog.call("test_agreement", "round_trip", None) is None
