"""From the counts of ``rules/profile.pl`` to the profile of a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.explain import readable_for
from etalis_py.compiler.plan import Pair, PlanNode, inputs
from etalis_py.compiler.plan_printer import operator_text, plan_text
from etalis_py.compiler.rules import RuleKind
from etalis_py.profiling_report import OperatorProfile, QueryProfile, RuleProfile, StoreProfile
from etalis_py.profiling_rules import ANSWERS, RuleProbe, StoreProbe

__all__ = ["OUTSIDE", "Counts", "Probes", "query_profile"]

OUTSIDE: Final = ("instants", "terms", "entailment", "answers", "preparing", "measuring")
"""The slots that are no rules', in the order of ``rules/profile.pl``."""
_KINDS: Final = {
    RuleKind.TRIGGER: "trigger",
    RuleKind.INSERTION: "goal insertion",
    RuleKind.CHECKING: "checking",
    RuleKind.BOTH: "goal insertion and checking",
    RuleKind.PASSING: "passing on",
    RuleKind.SETTLING: "end of instant",
    RuleKind.CHOOSING: "choice",
    RuleKind.CONSUMING: "consumption",
    RuleKind.TIMELESS: "background",
    RuleKind.ANSWER: "answer",
}
_SECOND: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Probes:
    """A query as it was registered, and where it is measured."""

    query: CompiledQuery
    rules: Sequence[RuleProbe]
    stores: Sequence[StoreProbe]


@dataclass(frozen=True, slots=True)
class Counts:
    """All that was counted (``profile_counts/2``). Times are nanoseconds; slots and places count from 1."""

    own: Sequence[int]
    moves: Sequence[int]
    calls: Sequence[int]
    found: Sequence[int]
    made: Sequence[int]
    most: Sequence[int]
    live: Sequence[int]
    ran: int
    move_cost: float

    @classmethod
    def of(cls, answer: Sequence[Any]) -> Counts:
        """What Prolog answered."""
        return cls(*answer)

    def seconds(self, slot: int) -> float:
        """The time of a slot, without what the clock itself takes."""
        return max(0.0, self.own[slot - 1] - self.moves[slot - 1] * self.move_cost) / _SECOND

    def outside(self, name: str) -> float:
        """Seconds in one of `OUTSIDE`."""
        return self.seconds(OUTSIDE.index(name) + 1)

    @property
    def ran_seconds(self) -> float:
        """How long Prolog ran, all that measuring takes included."""
        return self.ran / _SECOND

    @property
    def clock_seconds(self) -> float:
        """What the clock itself took."""
        return sum(map(min, self.own, (moves * self.move_cost for moves in self.moves))) / _SECOND


def query_profile(probes: Probes, counts: Counts, answers: int) -> QueryProfile:
    """The profile of one query."""
    query = probes.query
    return QueryProfile(query.name, query.text.source, _Reader(probes, counts).answers(answers))


class _Reader:
    def __init__(self, probes: Probes, counts: Counts) -> None:
        self._query = probes.query
        self._probes = probes
        self._counts = counts
        self._readable = readable_for(probes.query)

    def answers(self, count: int) -> OperatorProfile:
        plan = self._query.plan
        first, *_ = plan_text(plan, self._readable).split("\n")
        line = self._query.text.line_of(plan.span)
        return self._operator(ANSWERS, first, line, count, (self._node(plan.root),))

    def _node(self, node: PlanNode) -> OperatorProfile:
        text = operator_text(node, self._readable)
        if isinstance(node, Pair) and node.join:
            text = f"{text} on {self._readable.variables(node.join)}"
        line = self._query.text.line_of(node.span)
        return self._operator(node.name, text, line, self._given(node), tuple(map(self._node, inputs(node))))

    def _given(self, node: PlanNode) -> int:
        """How many solutions a node gave: those of the stream, and of background those asked for."""
        counts = self._counts
        reactions = (counts.calls[each.slot - 1] for each in self._probes.rules if each.source == node.name)
        own = (each.slot for each in self._probes.rules if each.operator == node.name)
        return max(reactions, default=0) + sum(counts.found[slot - 1] for slot in own)

    def _operator(
        self, name: str, text: str, line: int, out: int, below: tuple[OperatorProfile, ...]
    ) -> OperatorProfile:
        probes = [each for each in self._probes.rules if each.operator == name]
        taken = sum(each.matches_out for each in below) if below else self._looked_at(probes)
        own = sum(self._counts.seconds(each.slot) for each in probes)
        rules = tuple(map(self._rule, probes))
        stores = tuple(self._store(each) for each in self._probes.stores if each.operator == name)
        return OperatorProfile(name, text, line, taken, out, own, rules, stores, below)

    def _looked_at(self, probes: Sequence[RuleProbe]) -> int:
        """The occurrences that came to a pattern, and what it found in the background."""
        counts = self._counts
        triggers = (each.slot for each in probes if each.kind is RuleKind.TRIGGER)
        return sum(counts.calls[slot - 1] for slot in triggers) + sum(
            counts.found[each.slot - 1] for each in probes
        )

    def _rule(self, probe: RuleProbe) -> RuleProfile:
        kind = _KINDS.get(probe.kind, probe.kind.name.lower())
        line = self._query.text.line_of(probe.span)
        counts = self._counts
        return RuleProfile(kind, probe.source, line, counts.calls[probe.slot - 1], counts.seconds(probe.slot))

    def _store(self, probe: StoreProbe) -> StoreProfile:
        counts, place = self._counts, probe.place - 1
        return StoreProfile(probe.name, counts.made[place], counts.live[place], counts.most[place])
