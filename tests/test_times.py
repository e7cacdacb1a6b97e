"""Times are exact microseconds: before 1970, before year 1, after 9999, with any zone."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from etalis_py.core import times
from etalis_py.core.times import (
    TimeCache,
    format_duration,
    format_time,
    parse_time,
    parse_time_column,
    read_datetime,
)


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59.999999Z", -1),
        ("2011-03-11T05:46:23Z", 1_299_822_383_000_000),
        ("2000-02-29T00:00:00Z", 951_782_400_000_000),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
        ("0000-12-31T00:00:00Z", -62_135_683_200_000_000),
        ("-0001-01-01T00:00:00Z", -62_198_755_200_000_000),
        ("10000-01-01T00:00:00Z", 253_402_300_800_000_000),
        ("1970-01-01T00:00:00-14:00", 14 * 3_600_000_000),
        ("5", 5),
        ("-5", -5),
    ],
)
def test_known_moments(text: str, microseconds: int) -> None:
    assert parse_time(text) == microseconds
    if text.endswith("Z"):
        assert format_time(microseconds) == text


@pytest.mark.parametrize(
    ("text", "standard"),
    [
        ("2011-03-11 05:46:23", "2011-03-11T05:46:23Z"),
        ("2011-03-11t05:46:23z", "2011-03-11T05:46:23Z"),
        ("2011-03-11 05:46:23,25Z", "2011-03-11T05:46:23.25Z"),
        ("2011-03-11 06:46:23+01", "2011-03-11T05:46:23Z"),
        ("2011-03-11T01:16:23-0430", "2011-03-11T05:46:23Z"),
        ("2011-03-11 05:46", "2011-03-11T05:46:00Z"),
        ("2011-03-11T05:46Z", "2011-03-11T05:46:00Z"),
    ],
)
def test_other_ways_to_write_a_time(text: str, standard: str) -> None:
    """ISO 8601 and RFC 3339 allow more than xsd:dateTime does; a literal of that type is not read so."""
    cache = TimeCache()
    assert parse_time(text) == parse_time(standard)
    assert parse_time_column([standard, text, standard], cache) == [parse_time(standard)] * 3
    assert read_datetime(text) is None


@settings(max_examples=300, deadline=None)
@given(st.integers(-(10**19), 10**19))
def test_every_moment_reads_back(microseconds: int) -> None:
    assert parse_time(format_time(microseconds)) == microseconds


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        ("2011-03-11", "is a date without a time of day"),
        ("2016-12-31T23:59:60Z", "is a leap second, which the engine's times do not have"),
        ("1970-01-01T00:00:00.1234567Z", "is finer than a microsecond"),
        ("2011-02-29T00:00:00Z", "is a day that its month does not have"),
        ("2011-02-29 00:00", "is a day that its month does not have"),
        ("2011-03-11 25:00:00", "is neither an xsd:dateTime nor integer microseconds since 1970"),
        ("2011-03-11  05:46:23", "is neither an xsd:dateTime nor integer microseconds since 1970"),
        ("1.5", "has a decimal point, and a number is read as whole microseconds"),
        ("٣", "is neither an xsd:dateTime nor integer microseconds since 1970"),
        ("2011-03-11T05:46:23+14:30", "is neither an xsd:dateTime nor integer microseconds since 1970"),
    ],
)
def test_reasons(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)) as error:
        parse_time(text)
    assert str(error.value) == reason


def test_a_column_mixes_text_and_integers_and_refuses_the_rest() -> None:
    cache = TimeCache()
    assert parse_time_column(["1970-01-01T00:00:01Z", 7, "7"], cache) == [1_000_000, 7, 7]
    for wrong in (True, 1.0, None):
        with pytest.raises(ValueError, match=r"is not a time but|is missing"):
            parse_time_column([wrong], cache)


def test_no_duration_has_two_signs() -> None:
    with pytest.raises(ValueError, match="different signs"):
        format_duration(1, -1)


def test_columns_that_arrow_reads_have_the_same_times(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(1)
    usual = [
        format_time(chance.randrange(-(10**16), 10**16) // 10**step * 10**step) for step in (0, 3, 6)
    ] * 40
    unusual = (
        "1970-01-01T00:00:00", "1970-01-01T00:00:00+01:00", "1970-01-01T24:00:00Z", "1972-02-30T00:00:00Z",
        "1900-02-29T00:00:00Z", "2000-02-29T23:59:59.999999Z", "1000-01-01T00:00:00Z", "0999-01-01T00:00:00Z",
        "2999-12-31T00:00:00.10Z", "1970-01-01T00:00:60Z", "1970-01-01T00:00:00.1234567Z",
        "1970-13-01T00:00:00Z", "1970-00-01T00:00:00Z", "1970-01-00T00:00:00Z", "1970-01-01T29:00:00Z",
        "1970-01-01T00:00:00Z ", "5", "1970-01-01 00:00:00Z", "1970-01-01t00:00:00Z", "\ud800",
    )  # fmt: skip

    def read(texts: list[str]) -> list[int] | str:
        try:
            return list(parse_time_column(texts, TimeCache()))
        except ValueError as error:
            return str(error)

    for one in (usual[0], *unusual):
        texts = [*dict.fromkeys(usual), one]
        expected = read(texts)
        with monkeypatch.context() as patch:
            patch.setattr(times, "MANY", 0)
            assert read(texts) == expected
