"""The order in which operators that wait for the end of an instant are settled.

What waits (OPTIONAL, EQUALSOPTIONAL, MINUS, EXISTS, groups, order) may be settled once nothing more can reach
it within the instant. Solutions flow from an operator's inputs to it, and from a CONSTRUCT to the patterns
its triples may match; not through the left side of SEQ and OPTIONALSEQ, which is always earlier. A program
in which such an operator reaches itself is not stratified and is refused (DESIGN section 5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

from etalis_py.compiler.algebra import Constant, TriplePattern
from etalis_py.compiler.plan import (
    ConstructPlan,
    Pair,
    PairOperator,
    PlanNode,
    QueryPlan,
    Scan,
    inputs,
    waits_for_instant,
    walk,
)

__all__ = ["Cycle", "TriggerTest", "settlement_order", "unifies"]

TriggerTest = Callable[[TriplePattern, TriplePattern], bool]
"""Whether a triple made from a template can trigger a pattern."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """A way from a waiting operator back to itself within one instant."""

    operator: PlanNode
    path: tuple[PlanNode, ...]


def settlement_order(
    plans: Sequence[QueryPlan], may_trigger: TriggerTest
) -> tuple[list[PlanNode], Cycle | None]:
    """The waiting operators of all queries, each after those it depends on; or the cycle that forbids it."""
    flow = _flow(plans, may_trigger)
    waiting = [node for plan in plans for node in walk(plan.root) if waits_for_instant(node)]
    before: dict[str, set[str]] = {node.name: set() for node in waiting}
    for operator in waiting:
        paths = _reachable(operator, flow)
        if operator.name in paths:
            return [], Cycle(operator, _path_back(operator, paths))
        for node, _ in paths.values():
            if waits_for_instant(node):
                before[node.name].add(operator.name)
    by_name = {node.name: node for node in waiting}
    return [by_name[name] for name in TopologicalSorter(before).static_order()], None


def unifies(template: TriplePattern, pattern: TriplePattern) -> bool:
    """Whether a triple of the template may be an instance of the pattern, without entailment."""
    return all(
        not isinstance(made, Constant) or not isinstance(wanted, Constant) or made.value == wanted.value
        for made, wanted in zip(template.terms, pattern.terms, strict=True)
    )


def _flow(plans: Sequence[QueryPlan], may_trigger: TriggerTest) -> dict[str, list[PlanNode]]:
    """For each node the nodes that its solutions reach directly, within the instant."""
    flow: dict[str, list[PlanNode]] = {}
    nodes = (node for plan in plans for node in walk(plan.root))
    scans = [node for node in nodes if isinstance(node, Scan) and node.eventful]
    for plan in plans:
        for node in walk(plan.root):
            for below in _now(node):
                flow.setdefault(below.name, []).append(node)
        if isinstance(plan, ConstructPlan):
            flow.setdefault(plan.root.name, []).extend(_triggered(plan.template, scans, may_trigger))
    return flow


def _now(node: PlanNode) -> Iterable[PlanNode]:
    """The inputs whose solutions of this instant matter to ``node`` in this instant."""
    if isinstance(node, Pair) and node.operator in (PairOperator.SEQ, PairOperator.OPTIONALSEQ):
        return (node.right,)
    return inputs(node)


def _triggered(
    template: tuple[TriplePattern, ...], scans: list[Scan], may_trigger: TriggerTest
) -> Iterator[Scan]:
    return (scan for scan in scans if any(may_trigger(triple, scan.pattern) for triple in template))


def _reachable(operator: PlanNode, flow: dict[str, list[PlanNode]]) -> dict[str, tuple[PlanNode, PlanNode]]:
    """Every node reached from ``operator``, with the node it was reached from."""
    found: dict[str, tuple[PlanNode, PlanNode]] = {}
    todo = [operator]
    while todo:
        here = todo.pop()
        for node in flow.get(here.name, ()):
            if node.name not in found:
                found[node.name] = (node, here)
                todo.append(node)
    return found


def _path_back(operator: PlanNode, found: dict[str, tuple[PlanNode, PlanNode]]) -> tuple[PlanNode, ...]:
    path: list[PlanNode] = [operator]
    while True:
        _, previous = found[path[-1].name]
        path.append(previous)
        if previous.name == operator.name:
            return tuple(reversed(path))
