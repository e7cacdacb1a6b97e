"""Arithmetic of times against Python's calendar, and against itself beyond its years."""

from __future__ import annotations

import calendar
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from etalis_py.core.times import format_time, parse_time
from etalis_py.core.vocabulary import (
    XSD_DATETIME,
    XSD_DAYTIMEDURATION,
    XSD_DECIMAL,
    XSD_DURATION,
    XSD_INTEGER,
    XSD_YEARMONTHDURATION,
)
from etalis_py.embedding import prolog
from tests.rules.conftest import call

pytestmark = pytest.mark.usefixtures("_functions")
MOMENT = st.datetimes()
MONTHS = st.integers(-2000 * 12, 2000 * 12)
REST = st.integers(-(10**16), 10**16)
ERA = 400 * 12
"""Months after which the calendar repeats itself."""
ERA_LENGTH = 146_097 * 86_400_000_000


def encoded(moment: datetime) -> tuple[int, str]:
    return parse_time(moment.isoformat() + "Z"), XSD_DATETIME


@given(MOMENT)
def test_parts(moment: datetime) -> None:
    time = encoded(moment)
    for function, value in (
        ("f_year", moment.year), ("f_month", moment.month), ("f_day", moment.day),
        ("f_hours", moment.hour), ("f_minutes", moment.minute),
    ):  # fmt: skip
        assert call(function, time) == (value, XSD_INTEGER)
    seconds = call("f_seconds", time)
    assert seconds == ((seconds[0], XSD_DECIMAL))
    assert seconds[0] * 1_000_000 == moment.second * 1_000_000 + moment.microsecond


@given(MOMENT, MOMENT)
def test_differences(one: datetime, other: datetime) -> None:
    length = (one - other) // timedelta(microseconds=1)
    difference = call("subtract", encoded(one), encoded(other))
    assert difference == ((0, length), XSD_DAYTIMEDURATION)
    assert call("add", encoded(other), difference) == encoded(one)


@given(MOMENT, MONTHS)
def test_months(moment: datetime, months: int) -> None:
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    found = call("add", encoded(moment), ((months, 0), XSD_YEARMONTHDURATION))
    if 1 <= year <= 9999:
        day = min(moment.day, calendar.monthrange(year, month + 1)[1])
        assert found == encoded(moment.replace(year=year, month=month + 1, day=day))
    assert call("subtract", encoded(moment), ((-months, 0), XSD_YEARMONTHDURATION)) == found
    later = call("add", encoded(moment), ((months + ERA * 1000, 0), XSD_YEARMONTHDURATION))
    assert later == (found[0] + ERA_LENGTH * 1000, XSD_DATETIME)


@given(MOMENT, st.integers(0, 2000 * 12), st.integers(0, 10**16), st.sampled_from([1, -1]))
def test_months_come_before_the_rest(moment: datetime, months: int, rest: int, sign: int) -> None:
    both = call("add", encoded(moment), ((sign * months, sign * rest), XSD_DURATION))
    first = call("add", encoded(moment), ((sign * months, 0), XSD_DURATION))
    assert both == (first[0] + sign * rest, XSD_DATETIME)


@given(st.integers(-(10**22), 10**22), st.integers(-840, 840))
def test_a_time_with_an_offset_is_the_same_moment(moment: int, minutes: int) -> None:
    local = format_time(moment + minutes * 60_000_000)[:-1]
    zone = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
    assert parse_time(local + zone) == moment
    time = (moment, local + zone, XSD_DATETIME)
    assert call("f_tz", time)[0] == zone
    assert call("f_timezone", time) == ((0, minutes * 60_000_000), XSD_DAYTIMEDURATION)
    assert call("f_year", time)[0] == int(local.rpartition("T")[0][:-6])
    assert prolog.call("test_functions", "value_of", ["equal", time, (moment, XSD_DATETIME)]) == "true"
