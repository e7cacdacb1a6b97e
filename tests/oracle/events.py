"""Events in windows at one instant: the equations of RSEP-QL (Dell'Aglio et al., EKAW 2016, section 4).

Where the paper's equations do not give its own examples, what gives them: FIRST and LAST choose among what
agrees with the right side and ended before it (equation 7 hands that on), or lies beside it as another
combinator says, and a pair of SEQc and SEQr has rivals only among pairs with equal values of the variables
that both sides name. One mapping is before another if it ends before it, or ends with it and starts before
it. What is consumed is a triple of an element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import inf
from operator import eq
from typing import TypeAlias

from typing_extensions import assert_never

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax_walk import walk
from etalis_py.core.terms import Encoded
from tests.oracle import relations
from tests.oracle.solutions import Interval, Placed, Solution

__all__ = ["Basic", "Consumption", "EventMapping", "Holds", "Mappings"]


@dataclass(frozen=True, slots=True)
class EventMapping:
    """A mapping with the interval of what it is made of, and that itself: triples of elements."""

    values: frozenset[tuple[str, Encoded]]
    interval: Interval
    used: frozenset[Placed] = frozenset()

    @property
    def order(self) -> tuple[int, int]:
        """Least for what is first."""
        return self.interval[1], self.interval[0]


Basic: TypeAlias = Callable[[syntax.EventPattern], Iterable[EventMapping]]
"""What the elements of a window have of a basic event (equation 4)."""
Holds: TypeAlias = Callable[[syntax.Expression, "EventMapping"], bool]
"""Whether a condition is true of what an event binds, and of its interval."""
_Values: TypeAlias = Mapping[str, Encoded]
_Events: TypeAlias = "set[EventMapping]"


@dataclass(frozen=True, slots=True)
class Mappings:
    """The event mappings of an event pattern under a selection policy."""

    basic: Basic
    holds: Holds
    selection: str = "unrestricted"
    found: dict[syntax.EventPattern, list[EventMapping]] = field(default_factory=dict)

    def of(
        self,
        event: syntax.EventExpression,
        limit: float = inf,
        given: _Values | None = None,
        fits: Callable[[Interval], bool] = lambda _: True,
    ) -> _Events:
        """Those up to ``limit`` that agree with ``given``; FIRST and LAST choose from what ``fits``."""
        given = {} if given is None else given
        match event:
            case syntax.EventPattern():
                if event not in self.found:
                    self.found[event] = list(self.basic(event))
                return {
                    each for each in self.found[event] if each.interval[1] <= limit and _agree(each, given)
                }
            case syntax.ChosenEvent(word=word, event=inner):
                inside = self.of(inner, limit, given, fits)
                return _chosen(word, {each for each in inside if fits(each.interval)})
            case syntax.EventChain(operator="SEQ"):
                found = self._lefts(event, limit, given)
                return {_both(one, other) for one, other in self._pairs(event, found)}
            case syntax.EventChain(operator="OPTIONALSEQ"):
                found = self._lefts(event, limit, given)
                alone = {other for other, ones in found.items() if not ones}
                return {_both(one, other) for one, other in self._pairs(event, found)} | alone
            case syntax.EventChain(operator="EQUALSOPTIONAL", left=left, right=right):
                equal = {
                    one: {
                        other
                        for other in self.of(
                            right, limit, {**given, **dict(one.values)}, partial(eq, one.interval)
                        )
                        if other.interval == one.interval
                    }
                    for one in self.of(left, limit, given)
                }
                alone = {one for one, others in equal.items() if not others}
                return {_both(one, other) for one, others in equal.items() for other in others} | alone
            case syntax.EventChain(operator="UNION", left=left, right=right):
                return self.of(left, limit, given, fits) | self.of(right, limit, given, fits)
            case syntax.EventChain(operator=operator, left=left, right=right):
                pairs = set()
                for other in self.of(right, limit, given):
                    related = partial(_related, operator, other.interval)
                    agreeing = self.of(left, limit, {**given, **dict(other.values)}, related)
                    pairs |= {_both(one, other) for one in agreeing if related(one.interval)}
                return pairs
            case syntax.FilteredEvent(event=inner, conditions=conditions):
                return {
                    each
                    for each in self.of(inner, limit, given, fits)
                    if all(self.holds(condition, each) for condition in conditions)
                }
            case syntax.EventName():
                raise NotImplementedError
            case _:
                assert_never(event)

    def _lefts(
        self, chain: syntax.EventChain, limit: float, given: _Values
    ) -> dict[EventMapping, set[EventMapping]]:
        """The mappings of the right side, each with those of the left side that are before it."""
        rights = self.of(chain.right, limit, given)
        if self.selection == "naive":
            rights = _chosen("LAST", rights)
        return {
            other: self.of(chain.left, other.interval[0] - 1, {**given, **dict(other.values)})
            for other in rights
        }

    def _pairs(
        self, chain: syntax.EventChain, lefts: Mapping[EventMapping, set[EventMapping]]
    ) -> list[tuple[EventMapping, EventMapping]]:
        """The pairs of a SEQ that its policy selects."""
        match self.selection:
            case "unrestricted":
                return [(one, other) for other, ones in lefts.items() for one in ones]
            case "naive":
                return [(one, other) for other, ones in lefts.items() for one in _chosen("LAST", ones)]
        word = "FIRST" if self.selection == "chronological" else "LAST"
        shared = _names(chain.left) & _names(chain.right)
        chosen = []
        for other, ones in lefts.items():
            rivals = {
                each for each, found in lefts.items() if found and _only(each, shared) == _only(other, shared)
            }
            if other in _chosen(word, rivals):
                chosen += [(one, other) for one in _chosen(word, ones)]
        return chosen


def _related(operator: str, right: Interval, left: Interval) -> bool:
    return relations.RELATIONS[operator](Solution({}, left), Solution({}, right))


def _chosen(word: str, events: _Events) -> _Events:
    """Equations 5 and 6: those that none is before, or behind."""
    if word == "FIRST":
        return {each for each in events if not any(other.order < each.order for other in events)}
    return {each for each in events if not any(other.order > each.order for other in events)}


def _agree(event: EventMapping, given: _Values) -> bool:
    return all(given.get(name, value) == value for name, value in event.values)


def _both(one: EventMapping, other: EventMapping) -> EventMapping:
    begin = min(one.interval[0], other.interval[0])
    end = max(one.interval[1], other.interval[1])
    return EventMapping(one.values | other.values, (begin, end), one.used | other.used)


@dataclass(slots=True)
class Consumption:
    """What each MATCH has consumed at the evaluations before, and uses at this one (section 4.4)."""

    consumed: dict[syntax.MatchPattern, set[Placed]] = field(default_factory=dict)
    used: dict[syntax.MatchPattern, set[Placed]] = field(default_factory=dict)

    def left_of(self, match: syntax.MatchPattern, placed: Iterable[Placed]) -> frozenset[Placed]:
        """What it may still use."""
        return frozenset(placed) - self.consumed.get(match, set())

    def use(self, match: syntax.MatchPattern, events: Iterable[EventMapping]) -> None:
        """It has these events at this evaluation."""
        self.used.setdefault(match, set()).update(each for event in events for each in event.used)

    def evaluated(self) -> None:
        """The evaluation is over."""
        for match, used in self.used.items():
            self.consumed.setdefault(match, set()).update(used)


def _names(event: syntax.EventExpression) -> set[str]:
    return {each.name for each in walk(event) if isinstance(each, syntax.Variable)}


def _only(event: EventMapping, names: set[str]) -> frozenset[tuple[str, Encoded]]:
    return frozenset((name, value) for name, value in event.values if name in names)
