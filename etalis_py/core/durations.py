"""Durations in the words of people: whole, or the two largest units."""

from __future__ import annotations

from typing import Final

__all__ = ["brief_duration", "short_duration", "spoken_duration"]

_SECOND: Final = 1_000_000
_UNITS: Final = (
    ("day", "d", 86_400 * _SECOND),
    ("hour", "h", 3_600 * _SECOND),
    ("minute", "min", 60 * _SECOND),
)
_WHOLE: Final = (
    ("d", 86_400 * _SECOND), ("h", 3_600 * _SECOND), ("m", 60 * _SECOND), ("s", _SECOND), ("ms", 1_000),
)  # fmt: skip


def spoken_duration(microseconds: int) -> str:
    """All of a duration, in words.

    >>> spoken_duration(93_600_000_000), spoken_duration(1_500_000), spoken_duration(0)
    ('1 day 2 hours', '1.5 seconds', '0 seconds')
    """
    if microseconds < 0:
        return f"minus {spoken_duration(-microseconds)}"
    *counts, rest = _counts(microseconds)
    parts = [_plural(str(count), unit) for count, (unit, *_) in zip(counts, _UNITS, strict=True) if count]
    if rest or not parts:
        whole, fraction = divmod(rest, _SECOND)
        parts.append(_plural(f"{whole}.{fraction:06d}".rstrip("0").rstrip("."), "second"))
    return " ".join(parts)


def brief_duration(microseconds: int) -> str:
    """A duration to the second, by its two largest units, for tables and alerts.

    >>> brief_duration(319_000_000), brief_duration(4_500_000_000), brief_duration(400_000)
    ('5 min 19 s', '1 h 15 min', '0 s')
    >>> brief_duration(86_400_000_000 + 5_000_000)
    '1 d'
    """
    *counts, rest = _counts(round(microseconds / _SECOND) * _SECOND)
    parts = [*zip(counts, (short for _, short, _ in _UNITS), strict=True), (rest // _SECOND, "s")]
    first = next((place for place, (count, _) in enumerate(parts) if count), len(parts) - 1)
    largest = parts[first : first + 2]
    return " ".join(f"{count} {unit}" for count, unit in largest if count) or "0 s"


def short_duration(microseconds: int) -> str:
    """A length in the largest unit that it is a whole number of.

    >>> short_duration(90_000_000), short_duration(3_600_000_000), short_duration(1_001)
    ('90s', '1h', '1001µs')
    """
    unit, size = next((each for each in _WHOLE if microseconds and microseconds % each[1] == 0), ("µs", 1))
    return f"{microseconds // size}{unit}"


def _counts(microseconds: int) -> list[int]:
    """How many of each unit, and the microseconds that are left."""
    found = []
    for *_, size in _UNITS:
        count, microseconds = divmod(microseconds, size)
        found.append(count)
    return [*found, microseconds]


def _plural(count: str, unit: str) -> str:
    return f"{count} {unit}" + ("" if count == "1" else "s")
