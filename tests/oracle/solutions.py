"""Solutions and data sets of the oracle: plain values, nothing of the engine's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from etalis_py.compiler.parse import syntax
from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import DEFAULT_STREAM

if TYPE_CHECKING:
    from tests.oracle.events import Consumption

__all__ = [
    "Answer",
    "Clock",
    "Dataset",
    "Interval",
    "Occurrence",
    "Placed",
    "Solution",
    "Triple",
    "hull",
    "joined",
]

Triple: TypeAlias = tuple[Encoded, Encoded, Encoded]
Interval: TypeAlias = tuple[int, int]
Occurrence: TypeAlias = tuple[Triple, Interval]
"""A triple with its start and end."""

Answer: TypeAlias = tuple[frozenset[object], int, int]
"""Bindings of a SELECT, triples of a CONSTRUCT or the truth of an ASK, with start and end."""

Clock: TypeAlias = tuple[int, int]
"""The first instant that there is, and the last."""


@dataclass(frozen=True, slots=True)
class Placed:
    """An occurrence, its stream, and the name of its element if it has one.

    ``by_name_only``: a query derived it into a named stream, so that plain patterns do not see it.
    """

    triple: Triple
    interval: Interval
    stream: str = DEFAULT_STREAM
    graph: str | None = None
    by_name_only: bool = False


Goals: TypeAlias = Mapping[str, Sequence[tuple[Encoded, ...]]]


@dataclass(frozen=True, slots=True)
class Dataset:
    """What plain patterns see of the streams, and the triples that hold always; closed under entailment.

    ``named`` are the graphs that GRAPH ranges over. ``clock`` is None where no time passes. With ``at`` all
    is at this instant: plain SPARQL. ``stated`` is the background as its files have it, where more follows.
    ``placed`` is all that is in any stream, ``given`` what the input brought of it; ``streams`` are those of
    FROM STREAM, None where there is none.
    Where ``of_elements`` is true, GRAPH ranges over elements of streams instead. ``windows`` are those on
    streams, by name, and what each holds at the instant.
    """

    stream: frozenset[Occurrence]
    background: frozenset[Triple]
    named: Mapping[str, frozenset[Triple]] = field(default_factory=dict)
    clock: Clock | None = None
    at: int | None = None
    stated: frozenset[Triple] | None = None
    placed: frozenset[Placed] = frozenset()
    given: frozenset[Placed] = frozenset()
    streams: frozenset[str] | None = None
    of_elements: bool = False
    windows: Mapping[str, frozenset[Placed]] = field(default_factory=dict)
    inline: Mapping[syntax.StreamPattern, frozenset[Placed]] = field(default_factory=dict)
    """What the windows hold that stand in a pattern (CQELS)."""
    selection: str = "unrestricted"
    """Which pairs of a SEQ in MATCH are chosen."""
    consumption: Consumption | None = None
    """What each MATCH may use; None: all."""
    goals: Goals = field(default_factory=dict)
    """By the IRI of a Prolog predicate all its answers."""

    @property
    def always(self) -> Interval | None:
        """The interval of what holds always: none, but for plain SPARQL."""
        return None if self.at is None else (self.at, self.at)

    @property
    def facts(self) -> list[tuple[Triple, Interval | None]]:
        """What patterns match. In plain SPARQL stream and background are one graph, and a set."""
        always = [(triple, self.always) for triple in self.background]
        return [*self.stream, *always] if self.at is None else list({*self.stream, *always})


@dataclass(frozen=True, slots=True)
class Solution:
    """A mapping with an interval; no interval where it comes from background alone ("timeless").

    ``known``: the end of its last occurrence, where it ends later, at a deadline or by what broke a run.
    """

    mapping: Mapping[str, Encoded]
    interval: Interval | None
    known: int | None = field(default=None, compare=False)

    @property
    def key(self) -> tuple[frozenset[tuple[str, Encoded]], Interval | None]:
        """Equal for equal solutions."""
        return frozenset(self.mapping.items()), self.interval

    @property
    def last_occurrence(self) -> int | None:
        """The end of the last occurrence that it is made of."""
        return self.known if self.interval is None or self.known is not None else self.interval[1]

    def restricted(self, names: Iterable[str]) -> Solution:
        """With these variables only."""
        return replace(self, mapping={name: self.mapping[name] for name in names if name in self.mapping})

    def extended(self, name: str, value: Encoded | None) -> Solution:
        """With one more variable, which stays unbound where the value is None."""
        return self if value is None else replace(self, mapping={**self.mapping, name: value})

    def until(self, end: int) -> Solution:
        """The same, known at ``end`` only."""
        assert self.interval is not None
        return Solution(self.mapping, (self.interval[0], end), self.last_occurrence)


def joined(left: Solution, right: Solution) -> Solution | None:
    """The join of two compatible solutions; None where they disagree on a variable."""
    mapping, other = left.mapping, right.mapping
    for name, value in mapping.items():
        if other.get(name, value) != value:
            return None
    both = hull(left.interval, right.interval)
    if left.known is None and right.known is None:  # as most are, and there are millions
        return Solution({**mapping, **other}, both, None if both is None else both[1])
    ends = [each.last_occurrence for each in (left, right) if each.last_occurrence is not None]
    return Solution({**mapping, **other}, both, max(ends) if ends else None)


def hull(left: Interval | None, right: Interval | None) -> Interval | None:
    """From the earlier start to the later end; no interval is neutral."""
    if left is None or right is None:
        return left or right
    return min(left[0], right[0]), max(left[1], right[1])
