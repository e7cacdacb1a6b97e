"""Groups whose rows are only wanted beside other solutions of the same instant.

In ``A EQUALS { SELECT ?k (AVG(?x) AS ?mean) ... GROUP BY ?k }`` a row counts only where A has a solution
with its key at that instant. So A asks for the rows, and an instant costs nothing for the other keys.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from etalis_py.compiler.algebra import Variable
from etalis_py.compiler.plan import ExtendPlan, FilterPlan, GroupPlan, PlanNode, ProjectPlan

__all__ = ["on_demand"]


def on_demand(node: PlanNode, join: Collection[Variable]) -> tuple[PlanNode, GroupPlan | None]:
    """``node`` with its group's rows on demand, where ``join`` holds all keys of the group; and the group.

    Only where each row of the group becomes at most one solution of ``node``, with the same keys.
    """
    match node:
        case GroupPlan(keys=keys) if keys and node.eventful and set(keys) <= set(join):
            group = replace(node, on_demand=True)
            return group, group
        case ProjectPlan(input=below) | FilterPlan(input=below, tests=()) | ExtendPlan(input=below, tests=()):
            inner, found = on_demand(below, join)
            return (replace(node, input=inner), found) if found else (node, None)
        case _:
            return node, None
