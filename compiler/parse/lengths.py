"""Lengths as queries with windows write them: ``10s``, ``10 SECONDS``, in CQELS ``1h30m`` and ``5000ns``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lark import Token

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.tree_base import count_of, span_of

__all__ = ["is_short", "read_length"]

_UNITS: Final = ("ms", "s", "m", "min", "h", "d")
"""Milliseconds, seconds, minutes (both), hours and days."""
_NANOSECONDS: Final = {
    "ns": 1,
    "ms": 10**6,
    "s": 10**9,
    "h": 3600 * 10**9,
    "d": 86400 * 10**9,
    **dict.fromkeys(("m", "min"), 60 * 10**9),
}
_LONG_UNITS: Final = {
    f"{long}{plural}": short
    for long, short in (("second", "s"), ("minute", "m"), ("hour", "h"), ("day", "d"))
    for plural in ("", "s")
}
"""As SPARQLstream writes them."""
_MEANT: Final = {
    **dict.fromkeys(("sec", "secs"), "s"),
    "mins": "m",
    **dict.fromkeys(("hr", "hrs"), "h"),
    **dict.fromkeys(("msec", "millis", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("w", "week", "weeks"), "d"),
}
"""What units of other languages are here; a week is seven days."""
_are_parts = re.compile(r"(?:\d+[^\W\d_]+)+").fullmatch
_each_part = re.compile(r"(\d+)([^\W\d_]+)").findall


def is_short(unit: str) -> bool:
    """Whether a unit stands at its number, as in ``10s``, and not apart from it.

    >>> is_short("s"), is_short("h30m"), is_short("HOURS")
    (True, True, False)
    """
    return all(each in _NANOSECONDS for each in re.split(r"\d+", unit.lower()))


def read_length(written: Sequence[Token]) -> syntax.Length | syntax.Duration:
    """A number, and its unit where it has one, or several of both.

    Raises:
        Fault: EP108, it has a unit that there is not, or is finer than a microsecond; EP109, too many digits.
    """
    number, *units = written
    if not units:
        return syntax.Length(count_of(number), None, span=span_of(written))
    text = "".join(written).lower()
    parts = [(count, _LONG_UNITS.get(unit, unit)) for count, unit in _each_part(text)]
    if not _are_parts(text) or any(unit not in _NANOSECONDS for _, unit in parts):
        hint = f"units are {', '.join(_UNITS)}: 10s, 5m, 1h30m; or a duration such as PT10S"
        if len(units) == 1 and (meant := _MEANT.get(text[len(number) :])):
            hint = f"write {int(number) * 7 if meant == 'd' else number}{meant}; {hint}"
        raise Fault("EP108", f"'{units[0]}' is not a unit of time", span_of(units[:1]), hint)
    counts = [count_of(Token.new_borrow_pos("INTEGER", count, number)) for count, _ in parts]
    if len(parts) == 1 and parts[0][1] in _UNITS:
        return syntax.Length(counts[0], parts[0][1], span=span_of(written))
    sizes = [_NANOSECONDS[unit] for _, unit in parts]
    microseconds, finer = divmod(sum(map(int.__mul__, counts, sizes)), 1000)
    if finer:
        hint = "the smallest unit is the microsecond: write 1000ns, or PT0.000001S"
        raise Fault("EP108", f"{text} is too fine", span_of(written), hint)
    seconds, rest = divmod(microseconds, 10**6)
    return syntax.Duration(f"PT{seconds}.{rest:06}S", span=span_of(written))
