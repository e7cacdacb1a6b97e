"""Answers on a line of time: as text for a terminal, as SVG for a page.

>>> from etalis_py.engine.matches import Match
>>> a = Match("q", 0, 4_000_000, ("x",), ("urn:a",))
>>> b = Match("q", 8_000_000, 8_000_000, ("x",), ("urn:b",))
>>> print(Timeline([a, b], {"": "urn:"}).text(60))
x=:a  ├─────────────────────────┤
x=:b                                                       ●
      1970-01-01T00:00:00Z                             ..08Z
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from etalis_py.compiler.spans import shorten
from etalis_py.core.counting import counted
from etalis_py.core.times import format_time
from etalis_py.engine.matches import Match
from etalis_py.results.table_writer import short_term
from etalis_py.why.drawing import Box, Look, outline_svg

__all__ = ["MOST_ROWS", "Timeline", "label"]

MOST_ROWS: Final = 200
"""So many of the newest answers are drawn."""

_LONGEST: Final = 40
"""Characters of a label in a terminal."""


@dataclass(frozen=True, slots=True, repr=False)
class Timeline:
    """The newest of some answers, their terms shortened by ``prefixes``."""

    matches: Sequence[Match]
    prefixes: Mapping[str, str]

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text()

    def _repr_svg_(self) -> str:
        return self.svg()

    def svg(self) -> str:
        """An SVG file: what each answer binds, and the time axis beside it."""
        newest = list(self.matches)[-MOST_ROWS:]
        is_of_several = len({match.query for match in newest}) > 1
        boxes = [
            Box(
                0, label(match, self.prefixes) or match.query, Look.DERIVED,
                (match.query,) if is_of_several else (), match.interval,
            )
            for match in newest
        ]  # fmt: skip
        return outline_svg(self._title(), boxes)

    def text(self, width: int = 100) -> str:
        """A line for each answer, and below them when the first begins and the last ends."""
        shown = [match for match in list(self.matches)[-MOST_ROWS:] if match.interval is not None]
        if not shown:
            return ""
        labels = [shorten(label(match, self.prefixes), min(_LONGEST, width // 2)) for match in shown]
        indent = max(map(len, labels)) + 2
        axis = max(width - indent, 10)
        first, last = min(each.start for each in shown), max(each.end for each in shown)
        scale = (axis - 1) / (last - first) if last > first else 0.0
        lines = [
            text.ljust(indent) + _bar(round((each.start - first) * scale), round((each.end - first) * scale))
            for text, each in zip(labels, shown, strict=True)
        ]
        return "\n".join([*lines, *(" " * indent + line for line in _axis(first, last, axis))])

    def _title(self) -> str:
        count = len(self.matches)
        names = ", ".join(dict.fromkeys(each.query for each in self.matches))
        newest = f", the newest {MOST_ROWS}" if count > MOST_ROWS else ""
        return f"{counted(count, 'answer')} of {names or 'no query'}{newest}"


def label(match: Match, prefixes: Mapping[str, str]) -> str:
    """What an answer binds, says or constructs."""
    if match.boolean is not None:
        return "true" if match.boolean else "false"
    if match.encoded_triples is not None:
        triples = (" ".join(short_term(term, prefixes) for term in each) for each in match.encoded_triples)
        return " . ".join(triples)
    return "  ".join(f"{name}={short_term(value, prefixes)}" for name, value in match.encoded.items())


def _bar(start: int, end: int) -> str:
    return " " * start + ("●" if start == end else "├" + "─" * (end - start - 1) + "┤")


def _axis(first: int, last: int, width: int) -> list[str]:
    """The times at both ends, of the last only what differs; on a line each where both do not fit."""
    begin = format_time(first)
    if first == last:
        return [begin]
    end = format_time(last)
    same = next((place for place, (a, b) in enumerate(zip(begin, end, strict=False)) if a != b), 0)
    same = max((place for place in range(same + 1) if place == 0 or end[place - 1] in "-T:"), default=0)
    short = f"..{end[same:]}" if same else end
    if len(begin) + len(short) + 2 <= width:
        return [begin + short.rjust(width - len(begin))]
    return [begin, short.rjust(width)]
