"""Times and durations as exact integers: microseconds since 1970-01-01T00:00:00Z, UTC, and back to text.

``xsd:dateTime`` as in XML Schema 1.1 part 2, section 3.3.7: proleptic Gregorian, year 0000 is 1 BC, years
before it are negative, no zone is read as UTC. A leap second (``:60``) and a time finer than a microsecond
have no value here. No float takes part anywhere.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from datetime import date, datetime, timedelta, timezone
from math import isfinite
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from etalis_py.core.arrow_times import TimeTexts, read_plain_times
from etalis_py.core.vocabulary import XSD_YEARMONTHDURATION

__all__ = [
    "SCALES",
    "TimeCache",
    "TimeUnit",
    "format_duration",
    "format_time",
    "likely_unit",
    "parse_duration",
    "parse_time",
    "parse_time_column",
    "read_datetime",
    "why_no_datetime",
]

SECOND: Final = 1_000_000
DAY: Final = 86_400 * SECOND
# All times are UTC, so `datetime` is used without a zone on purpose.
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001
_EPOCH_ORDINAL = _EPOCH.toordinal()
# What `datetime` reaches: 0001-01-01T00:00:00 to 9999-12-31T23:59:59.999999.
_LEAST = (datetime.min - _EPOCH) // timedelta(microseconds=1)  # noqa: DTZ901
_GREATEST = (datetime.max - _EPOCH) // timedelta(microseconds=1)  # noqa: DTZ901

_match_datetime = re.compile(
    r"(-?(?:0[0-9]{3}|[1-9][0-9]{3,17}))-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T"
    r"(?:([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(?:\.([0-9]+))?|24:00:00(?:\.0+)?)"
    r"(?:(Z)|([+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00)))?"
).fullmatch
_match_written = re.compile(
    r"(-?[0-9]{4,18}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2})(:[0-9]{2}(?:[.,][0-9]+)?)?"
    r"(?:([Zz])|([+-][0-9]{2})(?::?([0-9]{2}))?)?"
).fullmatch
_match_seconds = re.compile(r"([0-5][0-9])(?:\.([0-9]{1,6}))?Z?").fullmatch
_match_integer = re.compile(r"[+-]?[0-9]{1,30}").fullmatch
_match_decimal = re.compile(r"([+-]?)([0-9]{1,30})\.([0-9]*)").fullmatch

MANY = 100_000
"""Times of a stream, after which Arrow has read them sooner than it takes to load it."""

TimeUnit: TypeAlias = Literal["s", "ms", "us"]
"""What numbers in a column of times count since 1970."""
SCALES: Final = MappingProxyType({"us": 1, "ms": 1_000, "s": SECOND})
"""Microseconds of a unit."""
_EARLIEST: Final = 631_152_000
"""Seconds up to 1990."""
_LATEST: Final = 4_102_444_800
"""Seconds up to 2100."""
_match_duration = re.compile(
    r"(-)?P(?=[0-9T])(?:([0-9]{1,18})Y)?(?:([0-9]{1,18})M)?(?:([0-9]{1,18})D)?"
    r"(T(?=[0-9])(?:([0-9]{1,18})H)?(?:([0-9]{1,18})M)?(?:([0-9]{1,18})(?:\.([0-9]+))?S)?)?"
).fullmatch


def read_datetime(text: str) -> tuple[int, bool] | None:
    """Read an ``xsd:dateTime``: its microseconds and whether the text is the canonical form of its value.

    Canonical is ``2011-03-11T05:46:23Z`` or ``...23.5Z``: zone Z, no trailing zeros, hour below 24.
    None where the text has no value: not a dateTime, 31 February, a leap second, finer than a microsecond.

    >>> read_datetime("1970-01-01T00:00:02Z"), read_datetime("1970-01-01T01:00:00.50+01:00")
    ((2000000, True), (500000, False))
    """
    match = _match_datetime(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, zulu, zone = match.groups()
    days = _days(int(year), int(month), int(day))
    if days is None:
        return None
    canonical = zulu is not None and year != "-0000"
    if hour is None:  # 24:00:00 is the first moment of the next day
        value = (days + 1) * DAY
        canonical = False
    else:
        value = (((days * 24 + int(hour)) * 60 + int(minute)) * 60 + int(second)) * SECOND
    if fraction is not None:
        digits = fraction.rstrip("0")
        if len(digits) > 6:
            return None
        canonical = canonical and digits == fraction
        value += int(digits.ljust(6, "0"))
    if zone is not None:
        offset = (int(zone[1:3]) * 60 + int(zone[4:6])) * 60 * SECOND
        value += offset if zone[0] == "-" else -offset
    return value, canonical


def _days(year: int, month: int, day: int) -> int | None:
    """Days from 1970-01-01 to a proleptic Gregorian date; None if the month has no such day."""
    shift = 0
    if not 1 <= year <= 9999:  # the calendar repeats every 400 years = 146,097 days
        cycles = (year - 2000) // 400
        year, shift = year - cycles * 400, cycles * 146_097
    if day > 28:
        try:
            return date(year, month, day).toordinal() - _EPOCH_ORDINAL + shift
        except ValueError:
            return None
    return date(year, month, day).toordinal() - _EPOCH_ORDINAL + shift


def parse_time(text: str, scale: int = 1) -> int:
    """Read a time as stream files give it: a date with a time of day, or a number of units since the epoch.

    Of a date with a time of day other forms of ISO 8601 and RFC 3339 are read, too: a space in the place of
    the T, small letters, no seconds, a comma before their fraction, a zone without a colon or minutes. A unit
    has ``scale`` microseconds; one of more than a microsecond may have decimals. Raises ValueError with the
    reason.

    >>> parse_time("1970-01-01T00:00:02Z"), parse_time("-5"), parse_time("1970-01-01 01:00:02,5+01")
    (2000000, -5, 2500000)
    >>> parse_time("2.5", scale=1_000_000)
    2500000
    """
    found = read_datetime(text)
    if found is not None:
        return found[0]
    if _match_integer(text):
        return int(text) * scale
    decimal = _match_decimal(text)
    if decimal is not None and scale > 1:
        value = int(decimal[2]) * scale + _fraction(decimal[3], scale)
        return -value if decimal[1] == "-" else value
    as_standard = _in_standard_form(text)
    found = None if as_standard is None else read_datetime(as_standard)
    if found is not None:
        return found[0]
    raise ValueError(_why_no_time(as_standard or text))


def _fraction(digits: str, scale: int) -> int:
    """The microseconds of decimals of a unit."""
    digits = digits.rstrip("0")
    microseconds, rest = divmod(int(digits or "0") * scale, int("1" + "0" * len(digits)))
    if rest:
        raise ValueError("is finer than a microsecond")
    return microseconds


def _in_standard_form(text: str) -> str | None:
    """A date with a time of day as ``xsd:dateTime`` writes it; None for any other text."""
    match = _match_written(text)
    if match is None:
        return None
    day, minutes, seconds, zulu, hours, more = match.groups()
    zone = "Z" if zulu else f"{hours}:{more or '00'}" if hours else ""
    return f"{day}T{minutes}{(seconds or ':00').replace(',', '.')}{zone}"


def likely_unit(time: object, unit: TimeUnit | None = None) -> Literal["s", "ms", "us", "ns"] | None:
    """The unit of which a number makes a moment of 1990 to 2100, if ``unit`` is hardly meant; else None.

    Without ``unit`` it would be read as microseconds. As such, seconds would lie between minute 10 and minute
    69 of 1970, and milliseconds in its January or February. Times of tests may lie there, and are mostly
    whole seconds, so these are let through: of numbers of seconds or milliseconds they are one in many
    thousands. A user who says ``unit`` may mean early times, but none after the year 20000, where numbers of
    a finer unit would lie.

    >>> likely_unit(1_773_820_801), likely_unit("1773820801000"), likely_unit(900_000_000), likely_unit(5)
    ('s', 'ms', None, None)
    >>> likely_unit(1_773_820_801_000, "s"), likely_unit("1773820801000000.0", "ms"), likely_unit(5, "s")
    ('ms', 'us', None)
    """
    if isinstance(time, str):
        is_number = _match_integer(time) or (unit is not None and _match_decimal(time))
        time = int(time.partition(".")[0]) if is_number else None
    elif type(time) is float and unit is not None and isfinite(time):
        time = int(time)
    if type(time) is not int or (unit is None and time % SECOND == 0):
        return None
    factors: dict[Literal["s", "ms", "us", "ns"], int] = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
    coarsest = 0 if unit is None else factors[unit]
    for likely, factor in factors.items():
        if factor > coarsest and _EARLIEST * factor <= time <= _LATEST * factor:
            return None if unit is None and likely == "us" else likely
    return None


def why_no_datetime(text: str) -> str | None:
    """What keeps a text that looks like an ``xsd:dateTime`` from being one; None if it does not look so.

    >>> why_no_datetime("2016-12-31T23:59:60Z")
    "is a leap second, which the engine's times do not have"
    """
    if not text:
        return "is empty"
    if re.fullmatch(r"-?[0-9]{4,}-[0-9]{2}-[0-9]{2}", text):
        return "is a date without a time of day"
    if re.fullmatch(r".*T[0-9]{2}:[0-9]{2}:60(\.[0-9]+)?(Z|[+-].*)?", text):
        return "is a leap second, which the engine's times do not have"
    match = _match_datetime(text)
    if match is None:
        return None
    if match[7] is not None and len(match[7].rstrip("0")) > 6:
        return "is finer than a microsecond"
    return "is a day that its month does not have" if read_datetime(text) is None else None


_WHOLE: Final = "and a number is read as whole microseconds"


def _why_no_time(text: str) -> str:
    if re.fullmatch(r"[+-]?[0-9]+\.[0-9]*", text):
        return f"has a decimal point, {_WHOLE}"
    return why_no_datetime(text) or "is neither an xsd:dateTime nor integer microseconds since 1970"


class TimeCache(dict[object, int]):
    """Times already read, by their text; holds at most some ten thousand between two columns.

    Times of a stream are near each other: what precedes the seconds is read once a minute.
    """

    limit = 20_000

    def __init__(self, unit: TimeUnit = "us") -> None:
        super().__init__()
        self.scale: Final = SCALES[unit]
        self._asked = 0
        self._minutes: dict[str, int] = {}

    def __missing__(self, key: object) -> int:
        if type(key) is int:
            return key * self.scale
        if type(key) is float and self.scale > 1 and isfinite(key):
            return round(key * self.scale)
        if isinstance(key, datetime):
            if key.tzinfo is not None:
                key = key.astimezone(timezone.utc).replace(tzinfo=None)
            return (key - _EPOCH) // timedelta(microseconds=1)
        if type(key) is not str:
            raise ValueError("is missing" if key is None else f"is not a time but {type(key).__name__}")
        minute = self._minutes.get(key[:17])  # 2011-03-11T05:46:
        match = _match_seconds(key, 17)
        if minute is not None and match is not None:
            value = minute + int(match[1]) * SECOND + (int(match[2].ljust(6, "0")) if match[2] else 0)
        else:
            value = parse_time(key, self.scale)
            if match is not None and key[16] == ":" and key[11:13] != "24":
                self._minutes[key[:17]] = value // (60 * SECOND) * (60 * SECOND)
        self[key] = value
        return value

    def has_many(self, texts: Sequence[object]) -> bool:
        """Whether it pays to read a column at once: many times were asked for, and most of these differ."""
        self._asked += len(texts)
        return self._asked > MANY and 2 * len(set(texts)) > len(texts)

    def clear(self) -> None:
        """Forget all times."""
        super().clear()
        self._minutes.clear()


def parse_time_column(texts: Sequence[object], cache: TimeCache | None = None) -> Sequence[int]:
    """Microseconds for a column of times: text as `parse_time` reads it, or numbers in the cache's unit.

    Raises ValueError at the first that is not one; the caller finds the row.
    """
    scale = 1 if cache is None else cache.scale
    if isinstance(texts, array) and scale == 1:
        return texts
    if isinstance(texts, TimeTexts) and (found := texts.microseconds()) is not None:
        return found
    kinds = set(map(type, texts))
    if kinds == {int}:
        return list(texts) if scale == 1 else [time * scale for time in texts]  # type: ignore[arg-type, operator]
    if cache is None:
        cache = TimeCache()
    elif len(cache) > cache.limit:
        cache.clear()
    if kinds == {str} and cache.has_many(texts):
        found = read_plain_times(texts)
        if found is not None:
            return found
    return list(map(cache.__getitem__, texts))


def format_time(microseconds: int) -> str:
    """The canonical ``xsd:dateTime`` of a moment.

    >>> format_time(2_000_000), format_time(-1), format_time(253402300800_000_000)
    ('1970-01-01T00:00:02Z', '1969-12-31T23:59:59.999999Z', '10000-01-01T00:00:00Z')
    """
    if _LEAST <= microseconds <= _GREATEST:
        text = (_EPOCH + timedelta(microseconds=microseconds)).isoformat()
        return (text.rstrip("0") if len(text) > 19 else text) + "Z"
    cycles = (microseconds - _LEAST) // (146_097 * DAY)
    within = (_EPOCH + timedelta(microseconds=microseconds - cycles * 146_097 * DAY)).isoformat()
    year = int(within[:4]) + 400 * cycles
    text = f"{'-' if year < 0 else ''}{abs(year):04d}{within[4:]}"
    return (text.rstrip("0") if "." in text else text) + "Z"


def parse_duration(text: str) -> tuple[int, int]:
    """Months and microseconds of an ``xsd:duration`` (XML Schema 1.1 part 2, section 3.3.6), both signed.

    Raises ValueError if the text is not a duration or is finer than a microsecond.

    >>> parse_duration("P1Y2M"), parse_duration("-PT1.5S")
    ((14, 0), (0, -1500000))
    """
    match = _match_duration(text)
    if match is None:
        raise ValueError("is not an xsd:duration")
    sign, years, months, days, _, hours, minutes, seconds, fraction = match.groups("0")
    digits = fraction.rstrip("0")
    if len(digits) > 6:
        raise ValueError("is finer than a microsecond")
    total = ((int(days) * 24 + int(hours)) * 60 + int(minutes)) * 60 + int(seconds)
    result = int(years) * 12 + int(months), total * SECOND + int(digits.ljust(6, "0"))
    return (-result[0], -result[1]) if sign == "-" else result


def format_duration(months: int, microseconds: int, datatype: str = "") -> str:
    """The canonical form of a duration; zero is ``PT0S``, or ``P0M`` for the datatype yearMonthDuration.

    Raises ValueError if the two parts have different signs: XML Schema has no such duration.

    >>> format_duration(14, 3 * 86_400_000_000 + 14_706_500_000)
    'P1Y2M3DT4H5M6.5S'
    """
    if months == 0 and microseconds == 0:
        return "P0M" if datatype == XSD_YEARMONTHDURATION else "PT0S"
    if months > 0 > microseconds or months < 0 < microseconds:
        raise ValueError("a duration whose months and seconds have different signs")
    years, month = divmod(abs(months), 12)
    days, rest = divmod(abs(microseconds), DAY)
    minutes, rest = divmod(rest, 60 * SECOND)
    hours, minute = divmod(minutes, 60)
    second, fraction = divmod(rest, SECOND)
    clock = f"{hours}H" if hours else ""
    clock += f"{minute}M" if minute else ""
    if fraction:
        clock += f"{second}.{fraction:06d}".rstrip("0") + "S"
    elif second:
        clock += f"{second}S"
    calendar = "".join(f"{n}{unit}" for n, unit in ((years, "Y"), (month, "M"), (days, "D")) if n)
    sign = "-" if months < 0 or microseconds < 0 else ""
    return f"{sign}P{calendar}T{clock}" if clock else f"{sign}P{calendar}"
