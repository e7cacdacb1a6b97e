"""Plans as pictures: an outline of operators, what each knows of its window, its join and its goals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.plan.triggers import TriggerFinder, plain_triggers
from etalis_py.why.drawing import Box, Look, outline_svg
from etalis_py.why.plan_tree import PlanBox, plan_boxes, stage_text

__all__ = ["plan_svg"]


def plan_svg(queries: Sequence[CompiledQuery], triggers: TriggerFinder = plain_triggers) -> str:
    """The plans of queries as one SVG file."""
    title = f"plan of {', '.join(each.name for each in queries)}"
    stage, *reasons = stage_text(queries, triggers)
    boxes = [box for tree in plan_boxes(queries, triggers) for box in _outline(tree, 0)]
    return outline_svg(title, [Box(0, stage, Look.REASON, tuple(reasons)), *boxes])


def _outline(box: PlanBox, depth: int) -> Iterator[Box]:
    yield Box(depth, box.title, box.look, box.notes)
    for each in box.below:
        yield from _outline(each, depth + 1)
