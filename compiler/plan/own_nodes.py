"""Which nodes of a plan have their rules from it, and not from another query that shares them."""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.compiler.plan.plan import Pair, PlanNode, QueryPlan, inputs

__all__ = ["own_nodes"]


def own_nodes(plan: QueryPlan) -> Iterator[PlanNode]:
    """The nodes whose rules are those of ``plan``, each once, inputs before the operators they feed."""
    seen = set(plan.shared.taken)
    todo = [(plan.root, False)]
    while todo:
        node, inputs_done = todo.pop()
        if inputs_done:
            yield node
        elif node.name not in seen:
            seen.add(node.name)
            todo.append((node, True))
            below = inputs(node)
            if isinstance(node, Pair) and node.left_goals is not None:
                below = below[1:]
            todo += ((each, False) for each in reversed(below))
