"""What a profile says: for each operator what went in, what was made, what came out, and the time.

Does not measure (``rules/tools/profile.pl`` does), and does not print (``cli/profile_table.py`` does).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["OperatorProfile", "Profile", "QueryProfile", "RuleProfile", "StoreProfile"]


@dataclass(frozen=True, slots=True)
class StoreProfile:
    """Goals of one store: how many were made, how many there are, and the most that were seen at once."""

    name: str
    made: int
    live: int
    most: int


@dataclass(frozen=True, slots=True)
class RuleProfile:
    """What an operator does for one reason.

    ``source`` is the node whose solutions the rule reacts to, None for any other reason. ``calls``: how often
    it was called. ``own``: seconds, without those of the rules that it calls.
    """

    name: str
    source: str | None
    line: int
    calls: int
    own: float


@dataclass(frozen=True, slots=True)
class OperatorProfile:
    """One operator of the plan, and what feeds it.

    ``events_in``: occurrences that a pattern looked at, or solutions that the inputs gave; ``matches_out``:
    solutions that it gave to the operator above. ``own``: seconds in its rules.
    """

    name: str
    text: str
    line: int
    events_in: int
    matches_out: int
    own: float
    rules: tuple[RuleProfile, ...]
    stores: tuple[StoreProfile, ...]
    inputs: tuple[OperatorProfile, ...]
    computed_by: str | None = None
    """Of an operator in several places: the query in which it is measured, where that is not here."""

    @property
    def total(self) -> float:
        """Seconds in its rules and in those of all that feeds it."""
        return self.own + sum(each.total for each in self.inputs)

    @property
    def goals_made(self) -> int:
        """Goals that were made, in all its stores."""
        return sum(each.made for each in self.stores)

    @property
    def goals_live(self) -> int:
        """Goals that there are when the profile is taken."""
        return sum(each.live for each in self.stores)

    @property
    def goals_most(self) -> int:
        """The most goals of each store, together: they need not have been there at the same time."""
        return sum(each.most for each in self.stores)

    def walk(self) -> Iterator[OperatorProfile]:
        """The operator and all that feeds it, from above."""
        yield self
        for each in self.inputs:
            yield from each.walk()


@dataclass(frozen=True, slots=True)
class QueryProfile:
    """One query; ``root`` stands for its answers."""

    name: str
    source: str | None
    root: OperatorProfile

    @property
    def answers(self) -> int:
        """How many were given."""
        return self.root.matches_out

    @property
    def operators(self) -> tuple[OperatorProfile, ...]:
        """All operators, from the answers down to the patterns."""
        return tuple(self.root.walk())


@dataclass(frozen=True, slots=True)
class Profile:
    """Where an engine spent its processor time, in seconds. What measuring takes is in ``measuring`` alone.

    ``outside`` has the time that no operator accounts for, by what it was spent on.
    """

    events: int
    queries: tuple[QueryProfile, ...]
    outside: Mapping[str, float]
    measuring: float

    @property
    def seconds(self) -> float:
        """All that was measured."""
        return sum(self.outside.values()) + sum(each.root.total for each in self.queries)

    def as_json(self) -> dict[str, Any]:
        """The profile as JSON has it."""
        return {
            "events": self.events,
            "seconds": _rounded(self.seconds),
            "measuring_seconds": _rounded(self.measuring),
            "outside": {name: _rounded(seconds) for name, seconds in self.outside.items()},
            "queries": [
                {"query": name, "source": source, "answers": root.matches_out, "plan": _operator(root)}
                for name, source, root in ((each.name, each.source, each.root) for each in self.queries)
            ],
        }


def _operator(operator: OperatorProfile) -> dict[str, Any]:
    return {
        "operator": operator.text,
        "name": operator.name,
        "line": operator.line,
        "events_in": operator.events_in,
        "goals_made": operator.goals_made,
        "goals_live": operator.goals_live,
        "goals_most": operator.goals_most,
        "matches_out": operator.matches_out,
        "own_seconds": _rounded(operator.own),
        "total_seconds": _rounded(operator.total),
        "rules": [
            {
                "rule": each.name,
                "source": each.source,
                "line": each.line,
                "calls": each.calls,
                "own_seconds": _rounded(each.own),
            }
            for each in operator.rules
        ],
        "stores": [
            {"store": each.name, "made": each.made, "live": each.live, "most": each.most}
            for each in operator.stores
        ],
        "inputs": [_operator(each) for each in operator.inputs],
        "computed_by": operator.computed_by,
    }


def _rounded(seconds: float) -> float:
    """To nanoseconds."""
    return round(seconds, 9)
