"""Solutions and data sets of the oracle: plain values, nothing of the engine's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from etalis_py.terms import Encoded

__all__ = ["Answer", "Dataset", "Interval", "Occurrence", "Solution", "Triple", "joined"]

Triple: TypeAlias = tuple[Encoded, Encoded, Encoded]
Interval: TypeAlias = tuple[int, int]
Occurrence: TypeAlias = tuple[Triple, Interval]
"""A triple with its start and end."""

Answer: TypeAlias = tuple[frozenset[object], int, int]
"""Bindings of a SELECT or triples of a CONSTRUCT, with start and end."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A finite stream, and the triples that hold always. Both are closed under entailment already."""

    stream: frozenset[Occurrence]
    background: frozenset[Triple]


@dataclass(frozen=True, slots=True)
class Solution:
    """A mapping with an interval; no interval where it comes from background alone ("timeless")."""

    mapping: Mapping[str, Encoded]
    interval: Interval | None

    @property
    def key(self) -> tuple[frozenset[tuple[str, Encoded]], Interval | None]:
        """Equal for equal solutions."""
        return frozenset(self.mapping.items()), self.interval

    def restricted(self, names: Iterable[str]) -> Solution:
        """With these variables only."""
        kept = {name: self.mapping[name] for name in names if name in self.mapping}
        return Solution(kept, self.interval)


def joined(left: Solution, right: Solution) -> Solution | None:
    """The join of two compatible solutions; None where they disagree on a variable."""
    for name, value in left.mapping.items():
        if right.mapping.get(name, value) != value:
            return None
    return Solution({**left.mapping, **right.mapping}, _hull(left.interval, right.interval))


def _hull(left: Interval | None, right: Interval | None) -> Interval | None:
    """From the earlier start to the later end; no interval is neutral."""
    if left is None or right is None:
        return left or right
    return min(left[0], right[0]), max(left[1], right[1])
