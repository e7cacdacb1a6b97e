"""The one printer of what queries share: which parts are computed once, and for whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.explain.readable import readable_for
from etalis_py.compiler.plan.own_nodes import own_nodes
from etalis_py.compiler.plan.plan import Pair, PlanNode, QueryPlan, SnapshotPlan, inputs
from etalis_py.compiler.plan.sharing import share
from etalis_py.compiler.plan.widths import with_widest_windows
from etalis_py.core.durations import spoken_duration

__all__ = ["sharing_text"]


def sharing_text(queries: Sequence[CompiledQuery]) -> str:
    """What queries that are registered together have in common, a line each; empty if they have nothing."""
    plans = share(with_widest_windows([query.plan for query in queries])).plans
    names = {f"q{query.plan.number}": query.name for query in queries}

    def place(node: str) -> str:
        return f"{node} of {names[node.split('_', maxsplit=1)[0]]}"

    lines = []
    for query, plan in zip(queries, plans, strict=True):
        taken = [each.name for each in _entries(plan) if each.name in plan.shared.taken]
        lines += [f"{query.name} takes the solutions of {place(each)}" for each in dict.fromkeys(taken)]
        lines += [f"{query.name} keeps {each}" for each in dict.fromkeys(_narrowed(query, plan))]
        goals = (node.left_goals for node in own_nodes(plan) if isinstance(node, Pair))
        lines += [f"{query.name} looks for goals of {place(each)}" for each in goals if each is not None]
        twice = [each.name for each in _entries(plan) if each.name not in plan.shared.taken]
        own = (each for each in dict.fromkeys(twice) if twice.count(each) > 1)
        lines += [f"{query.name} computes {each} once for {twice.count(each)} places" for each in own]
    return "\n".join(lines)


def _narrowed(query: CompiledQuery, plan: QueryPlan) -> Iterator[str]:
    """For each window that takes its lives from those in a wider one, what of that it keeps."""
    readable = readable_for(query)
    for node in own_nodes(plan):
        if isinstance(node, SnapshotPlan) and node.narrowed is not None:
            extent, wider = (
                node.narrowed.extent,
                spoken_duration(node.narrowed.extent.width + node.narrowed.by),
            )
            yield f"what is in {readable.stream_window(extent)} of what is in the last {wider}"


def _entries(plan: QueryPlan) -> Iterator[PlanNode]:
    """What feeds an operator of the plan, or its answers, as often as it does so."""
    yield plan.root
    for node in own_nodes(plan):
        below = inputs(node)
        yield from below[1:] if isinstance(node, Pair) and node.left_goals is not None else below
