"""Whether a plan asks where occurrences are from."""

from __future__ import annotations

from etalis_py.compiler.plan.plan import QueryPlan, Scan, walk

__all__ = ["asks_places"]


def asks_places(plan: QueryPlan) -> bool:
    """Whether a pattern asks for the stream or the element that an occurrence belongs to."""
    return any(isinstance(node, Scan) and node.pattern.place is not None for node in walk(plan.root))
