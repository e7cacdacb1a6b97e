"""What pictures of plans show: each operator with its join, its window, its rules, its goals and the key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.explain.hidden_names import in_words_of
from etalis_py.compiler.explain.plan_printer import (
    entailed_by,
    node_facts,
    operator_text,
    outcome_text,
    positions_text,
    ways_text,
)
from etalis_py.compiler.explain.readable import Readable, readable_for, window_text
from etalis_py.compiler.explain.stage_printer import stage_lines, stage_obstacles
from etalis_py.compiler.partition.join_key import KeyPlan, find_key
from etalis_py.compiler.partition.stages import Dealing, plan_stages
from etalis_py.compiler.plan.plan import PlanNode, Scan, StatePlan, inputs
from etalis_py.compiler.plan.triggers import TriggerFinder
from etalis_py.compiler.rules.generate import rules_of_nodes
from etalis_py.compiler.rules.rules import Rule, RuleKind, RuleSet, Store, StoreKind
from etalis_py.why.drawing import Look

__all__ = ["PlanBox", "plan_boxes", "stage_text"]

_KINDS = {
    RuleKind.TRIGGER: "trigger",
    RuleKind.INSERTION: "goal insertion",
    RuleKind.CHECKING: "checking",
    RuleKind.BOTH: "goal insertion and checking",
    RuleKind.PASSING: "passing on",
    RuleKind.SETTLING: "settling",
    RuleKind.CHOOSING: "choosing",
    RuleKind.CONSUMING: "consuming",
    RuleKind.TIMELESS: "background",
    RuleKind.ASKING: "evaluation for each match",
    RuleKind.STATE: "changing a state",
    RuleKind.ANSWER: "answer",
}


@dataclass(frozen=True, slots=True)
class PlanBox:
    """One operator; ``name`` is that of its predicate in the rules."""

    name: str
    title: str
    notes: tuple[str, ...]
    look: Look
    below: tuple[PlanBox, ...] = ()


def plan_boxes(queries: Sequence[CompiledQuery], triggers: TriggerFinder) -> list[PlanBox]:
    """One tree for each query, with its answer on top."""
    key = find_key([each.plan for each in queries], triggers)
    return [_query(each, key, triggers) for each in queries]


def stage_text(queries: Sequence[CompiledQuery], triggers: TriggerFinder) -> list[str]:
    """How Spark runs the program: dealt out by a key in one stage, or in one partition, and why."""
    if any(isinstance(each.plan, StatePlan) for each in queries):
        return ["on Spark: one partition, since the state depends on the whole stream"]
    key = find_key([each.plan for each in queries], triggers)
    if key.is_partitioned:
        names = [name for own in key.keys.values() for name in own or ()]
        by = ", ".join(f"?{name}" for name in dict.fromkeys(names)) or "the key of each way"
        return [f"on Spark: one stage, events dealt out by {by}"]
    stages = plan_stages([each.plan for each in queries], triggers)
    if len(stages) == 1 and stages[0].dealing is Dealing.ONE_PART:
        return [
            "on Spark: one partition, since there is no join key",
            *stage_obstacles(stages[0], queries),
        ]
    readable = readable_for(queries[0])
    return [
        f"on Spark, stage {number}: {'; '.join(stage_lines(stage, queries, readable))}"
        for number, stage in enumerate(stages, 1)
    ]


def _query(query: CompiledQuery, key: KeyPlan, triggers: TriggerFinder) -> PlanBox:
    readable = in_words_of(query)
    drawer = _Drawer(query, key, triggers, readable)
    title = f"{query.name}: {outcome_text(query.plan, readable)}"
    name = f"q{query.plan.number}_answer"
    return PlanBox(name, title, (), Look.DERIVED, (drawer.box(query.plan.root),))


class _Drawer:
    def __init__(
        self, query: CompiledQuery, key: KeyPlan, triggers: TriggerFinder, readable: Readable
    ) -> None:
        self._query = query
        self._key = key
        self._triggers = triggers
        self._readable = readable
        self._made = rules_of_nodes(query.plan)

    def box(self, node: PlanNode) -> PlanBox:
        made = self._made.get(node.name, RuleSet())
        line = f"line {self._query.text.line_of(node.span)}"
        notes = [" | ".join((line, *node_facts(node, self._readable)))]
        if isinstance(node, Scan) and node.eventful:
            notes += self._scan(node)
        notes += [f"{node.name} | {_rules(made.rules)}", *map(_store, made.stores)]
        below = tuple(map(self.box, inputs(node)))
        return PlanBox(node.name, operator_text(node, self._readable), tuple(notes), _look(node), below)

    def _scan(self, scan: Scan) -> list[str]:
        notes = []
        if found := entailed_by(scan, self._triggers, self._readable):
            notes.append(f"also matched through the ontology by {ways_text(found)}")
        if self._key.is_partitioned and scan.name in self._key.positions:
            notes.append(f"on Spark dealt out by its {positions_text(self._key.positions[scan.name])}")
        return notes


def _look(node: PlanNode) -> Look:
    if isinstance(node, Scan):
        return Look.EVENT if node.eventful else Look.BACKGROUND
    if not node.eventful:
        return Look.BACKGROUND
    return Look.WAITING if node.waits_for_instant else Look.OPERATOR


def _rules(rules: Sequence[Rule]) -> str:
    counts = Counter(_KINDS[each.kind] for each in rules)
    kinds = (f"{number} {kind}" if number > 1 else kind for kind, number in counts.items())
    return f"rules: {', '.join(kinds) or 'none'}"


def _store(store: Store) -> str:
    window = f"while the window is {window_text(store.window)}"
    return f"goals in {store.name}, kept {window if store.kind is StoreKind.WINDOW else store.kind.value}"
