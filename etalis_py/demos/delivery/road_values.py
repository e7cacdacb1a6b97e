"""Values of roads as files of any form write them."""

from __future__ import annotations

import math
import re
from collections.abc import Container

from etalis_py.core.errors import Place
from etalis_py.demos.delivery.road_errors import bad_value

__all__ = ["NORMAL_SPEED", "TOWN", "direction", "is_name", "number", "safe_name", "unused"]

NORMAL_SPEED = 50.0
"""km/h where a file tells none."""

TOWN = "Town"
"""The one district of a network whose file tells none."""

is_name = re.compile(r"[\w.~-]+|[A-Za-z][\w+.-]*:[^\s<>\"{}|\\^`]+", re.ASCII).fullmatch
_DIRECTIONS = {0: ("no", "false", "0"), 1: ("yes", "true", "1"), -1: ("-1", "reverse")}


def safe_name(text: str, what: str, place: Place) -> str:
    """A name that can stand in an IRI, or is one. Raises ``DataError`` EP463 for any other."""
    if not is_name(text):
        raise bad_value(place, what, text, "letters, digits and the signs . ~ _ -, or an IRI")
    return text


def number(text: object, what: str, place: Place, low: float = 0.0) -> float:
    """A finite number above ``low``. Raises ``DataError`` EP463 for anything else."""
    try:
        value = (
            float(text) if isinstance(text, (str, int, float)) and not isinstance(text, bool) else math.nan
        )
    except (ValueError, OverflowError):
        value = math.nan
    if not low < value < math.inf:
        expected = "a number above 0" if low == 0 else "a number"
        raise bad_value(place, what, text, expected)
    return value


def direction(oneway: object, place: Place) -> int:
    """Where a road leads by its ``oneway``, as OpenStreetMap has it: 0 both ways, 1 forward, -1 backward.

    Raises ``DataError`` EP463 for another value.

    >>> direction("yes", Place()), direction(False, Place()), direction("-1", Place())
    (1, 0, -1)
    """
    word = str(oneway).strip().lower()
    for found, words in _DIRECTIONS.items():
        if word in words:
            return found
    raise bad_value(place, "oneway", oneway, "yes, no or -1")


def unused(name: str, *taken: Container[str]) -> str:
    """The name, with a number behind it where it is taken.

    >>> unused("a-b", {"a-b": 1}, {"a-b-2": 1})
    'a-b-3'
    """
    found, times = name, 1
    while any(found in names for names in taken):
        times += 1
        found = f"{name}-{times}"
    return found
