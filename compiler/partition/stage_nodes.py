"""Taking a plan apart: where it can be cut, and the plan with leaves in the place of what is cut off.

A node is cut off with all below it. Its solutions are events of the part above: so background alone must not
give any, they must not tell what they are made of (under a policy parts decide together what is used up), and
what the two parts know of each other otherwise must not be cut through: a test and what looks it up, a group
whose rows are asked for and who asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from operator import is_
from typing import Any

from etalis_py.compiler.plan.plan import (
    AbsencePlan,
    BetweenPlan,
    ClosurePlan,
    DistinctPlan,
    ExistsPlan,
    GapPlan,
    GroupPlan,
    OrderPlan,
    Pair,
    PlanNode,
    RepeatPlan,
    Scan,
    SkipPlan,
    SlicePlan,
    Step,
    decided_tests,
    walk,
    with_nested,
)
from etalis_py.compiler.plan.plan import PlanBase as _PlanBase

__all__ = ["cuttable", "ends_with_input", "has_work", "needs_every_instant", "with_leaves"]


def cuttable(root: PlanNode) -> dict[str, PlanNode]:
    """The nodes below ``root`` that can be cut off, by their names."""
    nodes = {node.name: node for node in walk(root)}
    return {name: node for name, node in nodes.items() if node is not root and _can_go(node, nodes)}


def _can_go(node: PlanNode, nodes: Mapping[str, PlanNode]) -> bool:
    if not node.eventful or node.timeless or node.schema.used:
        return False
    if isinstance(node, GroupPlan) and node.read_above:
        return False
    inside = {each.name for each in walk(node)}
    within = [nodes[name] for name in inside]
    without = [each for name, each in nodes.items() if name not in inside]
    decided = {test.name for each in within for test in decided_tests(each)}
    if any(test.name in decided for each in without for test in with_nested(each.looked_up)):
        return False
    asked = {each.name for each in within if isinstance(each, GroupPlan) and each.on_demand}
    return not any(
        isinstance(each, Pair) and each.asks is not None and each.asks.name in asked for each in without
    )


def has_work(node: PlanNode) -> bool:
    """Whether something is joined or gathered below ``node``, so that a stage of its own may be of use."""
    return any(
        isinstance(
            each,
            (
                GapPlan,
                BetweenPlan,
                AbsencePlan,
                RepeatPlan,
                SkipPlan,
                ClosurePlan,
                GroupPlan,
                OrderPlan,
                SlicePlan,
                DistinctPlan,
            ),
        )
        or (isinstance(each, Pair) and each.left.eventful and each.right.eventful)
        for each in walk(node)
    )


def needs_every_instant(node: PlanNode) -> bool:
    """Whether the passing of time itself makes answers, or whatever the stream holds at one instant."""
    if isinstance(node, ClosurePlan):
        return node.once
    if node.BY_CLOCK:
        return True
    return ends_with_input(node) or (isinstance(node, GroupPlan) and node.step is not None)


def ends_with_input(node: PlanNode) -> bool:
    """Whether the last solutions end when the whole input does: runs of LONGEST that nothing has broken."""
    return isinstance(node, RepeatPlan) and node.repeat.longest and node.then is None


def with_leaves(root: PlanNode, leaves: Mapping[str, Scan]) -> PlanNode:
    """``root`` with leaves in the place of the nodes with these names."""
    changed: PlanNode = _Leaves(leaves).of(root)
    return changed


class _Leaves:
    """Nodes and tests stand in several places of a plan; each becomes one new one."""

    def __init__(self, leaves: Mapping[str, Scan]) -> None:
        self._done: dict[str, Any] = dict(leaves)

    def of(self, value: Any) -> Any:
        if isinstance(value, _PlanBase | ExistsPlan):
            if value.name not in self._done:
                self._done[value.name] = self._rebuilt(value)
            return self._done[value.name]
        if isinstance(value, Step):
            return self._rebuilt(value)
        if isinstance(value, tuple):
            new = tuple(map(self.of, value))
            return value if all(map(is_, new, value)) else new
        return value

    def _rebuilt(self, value: Any) -> Any:
        old = {each.name: getattr(value, each.name) for each in fields(value)}
        new = {name: self.of(each) for name, each in old.items()}
        changed = {name: each for name, each in new.items() if each is not old[name]}
        return replace(value, **changed) if changed else value
