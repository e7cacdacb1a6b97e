"""Which pairs of windowed parts are told once, as they begin to live (`Pair.begins`).

A pair lives while both of its parts do. Where all their columns are its own, no other pair is equal to it: it
begins as one of them begins, and need not be kept. The parts have one life each, which goes on where it is
touched.
"""

from __future__ import annotations

from dataclasses import replace

from etalis_py.compiler.plan.plan import (
    ExtendPlan,
    FilterPlan,
    LookupPlan,
    Pair,
    PlanNode,
    ProjectPlan,
    Scan,
    SnapshotPlan,
    TablePlan,
    UnionPlan,
    UnitPlan,
    walk,
)
from etalis_py.compiler.plan.trace_columns import is_trace

__all__ = ["with_pairs_told"]


def with_pairs_told(node: SnapshotPlan) -> SnapshotPlan:
    """``node``, whose pairs are told as they begin to live; itself where it has to keep what lives."""
    if not node.begins_in_order or any(map(is_trace, node.schema.columns)):
        return node
    below = _told(node.input)
    return node if below is None else replace(node, input=below)


def _told(node: PlanNode) -> PlanNode | None:
    if isinstance(node, FilterPlan | ExtendPlan) and not node.tests:
        below = _told(node.input)
        return None if below is None else replace(node, input=below)
    if not isinstance(node, Pair) or not node.operator.intersects:
        return None
    if node.policy is not None or node.schema.used:
        return None
    left, right = node.left, node.right
    if {*left.schema.columns, *right.schema.columns} != set(node.schema.columns) or node.shared:
        return None
    if isinstance(right, Scan) and not right.eventful:
        below = _told(left)
        return None if below is None else replace(node, left=below)
    if isinstance(left, Scan) and not left.eventful:
        below = _told(right)
        return None if below is None else replace(node, right=below)
    return replace(node, begins=True) if _lives_in_order(left) and _lives_in_order(right) else None


def _lives_in_order(side: PlanNode) -> bool:
    """Whether each life of a solution of ``side`` begins as soon as what comes then does."""
    if not side.eventful or side.timeless:
        return False
    kinds = Scan, Pair, FilterPlan, ExtendPlan, ProjectPlan, UnionPlan, TablePlan, LookupPlan, UnitPlan
    return all(isinstance(each, kinds) for each in walk(side))
