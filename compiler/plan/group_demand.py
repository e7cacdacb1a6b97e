"""Groups whose rows are only wanted beside other solutions of the same instant.

In ``A EQUALS { SELECT ?k (AVG(?x) AS ?mean) ... GROUP BY ?k }`` a row counts only where A has a solution
with its key at that instant. So A asks for the rows, and an instant costs nothing for the other keys.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from etalis_py.compiler.algebra.aggregate_windows import PastWindow, RangeWindow
from etalis_py.compiler.algebra.algebra import TermPattern, Variable
from etalis_py.compiler.algebra.operators import Operator, Side
from etalis_py.compiler.plan.plan import (
    ExtendPlan,
    FilterPlan,
    GroupPlan,
    Pair,
    PlanNode,
    ProjectPlan,
    Scan,
)

__all__ = ["on_demand"]


def on_demand(
    node: PlanNode, join: Collection[Variable], asking: PlanNode
) -> tuple[PlanNode, GroupPlan | None]:
    """``node`` with its group's rows on demand, where ``join`` holds all keys of the group; and the group.

    Only where each row of the group becomes at most one solution of ``node``, with the same keys. ``asking``
    is the other side.
    """
    if isinstance(node, GroupPlan) and node.keys and node.eventful and set(node.keys) <= set(join):
        group = replace(node, on_demand=True, arrives_with_key=_arrives_with(asking, node))
        return group, group
    if isinstance(node, ProjectPlan) or (isinstance(node, FilterPlan | ExtendPlan) and not node.tests):
        inner, found = on_demand(node.input, join, asking)
        return (replace(node, input=inner), found) if found else (node, None)
    return node, None


# ---- who decides at which instants there are rows ----------------------------------------------------------


def _arrives_with(asking: PlanNode, group: GroupPlan) -> bool:
    """Whether each solution that asks for a row brings a solution of the group pattern with the same key.

    Rows are made at instants at which any solution of the group pattern arrives, whatever its key. Where one
    of the key that is asked for always does, other keys decide nothing. Not so with ROWS, which counts over
    all keys, nor with a STEP.
    """
    if not (group.extent is None or isinstance(group.extent, (RangeWindow, PastWindow))) or group.step:
        return False
    needed = _group_pattern(group.input)
    same: dict[Variable, TermPattern] = {key: key for key in group.keys}
    return needed is not None and _contained(needed, list(_certain(asking)), same)


def _group_pattern(node: PlanNode) -> list[Scan] | None:
    """The triple patterns that, matched at one instant, are a solution of ``node``; None for other plans."""
    if isinstance(node, Scan) and node.eventful and not node.timeless:
        return [node]
    if isinstance(node, ExtendPlan) and not node.tests:
        return _group_pattern(node.input)
    if isinstance(node, Pair) and node.policy is None and _is_of_points(node.operator):
        first, second = _group_pattern(node.left), _group_pattern(node.right)
        return None if first is None or second is None else [*first, *second]
    return None


def _is_of_points(operator: Operator) -> bool:
    """Whether any two solutions at one instant are a pair."""
    return operator.optional is None and operator.holds_at_one_instant


def _certain(node: PlanNode) -> Iterator[Scan]:
    """Triple patterns that match an event of the instant in each solution of ``node`` that is a point."""
    if isinstance(node, Scan) and node.eventful and not node.timeless:
        yield node
    elif isinstance(node, ExtendPlan | FilterPlan):
        yield from _certain(node.input)
    elif isinstance(node, Pair):
        for side in Side:
            if node.operator.has(side):
                yield from _certain(node.side(side))


def _contained(needed: list[Scan], there: Sequence[Scan], terms: Mapping[Variable, TermPattern]) -> bool:
    """Whether with terms for its variables each pattern of ``needed`` is one of ``there``."""
    if not needed:
        return True
    first, *others = needed
    return any(
        found is not None and _contained(others, there, found)
        for found in (_unified(first, scan, terms) for scan in there)
    )


def _unified(
    needed: Scan, there: Scan, terms: Mapping[Variable, TermPattern]
) -> dict[Variable, TermPattern] | None:
    if needed.pattern.sources != there.pattern.sources:
        return None
    if needed.pattern.place is not None or there.pattern.place is not None:
        return None
    found = dict(terms)
    for own, other in zip(needed.pattern.terms, there.pattern.terms, strict=True):
        wanted = found.setdefault(own, other) if isinstance(own, Variable) else own
        if wanted != other:
            return None
    return found
