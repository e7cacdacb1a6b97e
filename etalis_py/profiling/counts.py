"""From the counts of ``rules/tools/profile.pl`` to the profile of a query."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.explain.hidden_names import in_words_of
from etalis_py.compiler.explain.plan_printer import operator_text, plan_text
from etalis_py.compiler.plan.own_nodes import own_nodes
from etalis_py.compiler.plan.plan import Pair, PlanNode, inputs
from etalis_py.compiler.rules.rules import RuleKind
from etalis_py.compiler.spans import Span
from etalis_py.profiling.report import OperatorProfile, QueryProfile, RuleProfile, StoreProfile
from etalis_py.profiling.rules import ANSWERS, RuleProbe, StoreProbe

__all__ = ["OUTSIDE", "Counts", "Probes", "query_profiles"]

OUTSIDE: Final = (
    "instants",
    "terms",
    "entailment",
    "answers",
    "preparing",
    "measuring",
    "collection",
    "away",
)
"""The slots that are not rules', in the order of ``rules/tools/profile.pl``."""
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
    RuleKind.ASKING: "evaluation for each match",
    RuleKind.STATE: "change of state",
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
    """All that was counted (``clock_counts/2``). Times are nanoseconds; slots and places count from 1."""

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


def query_profiles(
    probes: Sequence[Probes], counts: Counts, answers: Mapping[str, int]
) -> tuple[QueryProfile, ...]:
    """The profiles of all queries of an engine; ``answers`` tells how many each gave."""
    everything = _Everything(probes, counts)
    return tuple(
        QueryProfile(
            each.query.name,
            each.query.text.source,
            _Reader(each, everything).answers(answers[each.query.name]),
        )
        for each in probes
    )


class _Everything:
    """What was counted of the operators of all queries: one may compute what another needs."""

    def __init__(self, probes: Sequence[Probes], counts: Counts) -> None:
        self.counts = counts
        self.holders = {node.name: each.query.name for each in probes for node in own_nodes(each.query.plan)}
        self._out: defaultdict[str, int] = defaultdict(int)
        self._found: defaultdict[str, int] = defaultdict(int)
        self._came: defaultdict[str, int] = defaultdict(int)
        for probe in (probe for each in probes for probe in each.rules):
            if probe.source is not None:  # every rule that reacts to a solution was called for each
                calls = counts.calls[probe.slot - 1]
                self._out[probe.source] = max(self._out[probe.source], calls)
            self._found[probe.operator] += counts.found[probe.slot - 1]
            if probe.kind is RuleKind.TRIGGER:
                self._came[probe.operator] += counts.calls[probe.slot - 1]

    def given(self, node: PlanNode) -> int:
        """How many solutions a node gave: those of the stream, and of background those asked for."""
        return self._out[node.name] + self._found[node.name]

    def taken(self, node: PlanNode) -> int:
        """Solutions of the inputs; of a pattern what came to it, and what it found in the background."""
        below = inputs(node)
        return sum(map(self.given, below)) if below else self._came[node.name] + self._found[node.name]


class _Reader:
    """Reads the profile of one query."""

    def __init__(self, probes: Probes, everything: _Everything) -> None:
        self._query = probes.query
        self._probes = probes
        self._everything = everything
        self._counts = everything.counts
        self._readable = in_words_of(probes.query)
        self._shown: set[str] = set()

    def answers(self, count: int) -> OperatorProfile:
        """The query as a whole, with all below it."""
        plan = self._query.plan
        first, *_ = plan_text(plan, self._readable).split("\n")
        root = self._node(plan.root)
        return OperatorProfile(
            ANSWERS, first, self._line(plan.span), self._everything.given(plan.root), count,
            *self._measured(ANSWERS), (root,),
        )  # fmt: skip

    def _node(self, node: PlanNode) -> OperatorProfile:
        text = operator_text(node, self._readable)
        if isinstance(node, Pair) and node.join:
            text = f"{text} on {self._readable.variables(node.join)}"
        taken, out = self._everything.taken(node), self._everything.given(node)
        holder = self._everything.holders.get(node.name)
        if node.name in self._shown or holder not in (None, self._query.name):
            return OperatorProfile(
                node.name, text, self._line(node.span), taken, out, 0.0, (), (), (), holder
            )
        self._shown.add(node.name)
        below = tuple(map(self._node, inputs(node)))
        measured = self._measured(node.name)
        return OperatorProfile(node.name, text, self._line(node.span), taken, out, *measured, below)

    def _measured(self, name: str) -> tuple[float, tuple[RuleProfile, ...], tuple[StoreProfile, ...]]:
        probes = self._of(name)
        own = sum(self._counts.seconds(each.slot) for each in probes)
        stores = (self._store(each) for each in self._probes.stores if each.operator == name)
        return own, tuple(map(self._rule, probes)), tuple(stores)

    def _of(self, name: str) -> list[RuleProbe]:
        return [each for each in self._probes.rules if each.operator == name]

    def _line(self, span: Span) -> int:
        return self._query.text.line_of(span)

    def _rule(self, probe: RuleProbe) -> RuleProfile:
        kind = _KINDS.get(probe.kind, probe.kind.name.lower())
        line = self._line(probe.span)
        counts = self._counts
        return RuleProfile(kind, probe.source, line, counts.calls[probe.slot - 1], counts.seconds(probe.slot))

    def _store(self, probe: StoreProbe) -> StoreProfile:
        counts, place = self._counts, probe.place - 1
        return StoreProfile(probe.name, counts.made[place], counts.live[place], counts.most[place])
