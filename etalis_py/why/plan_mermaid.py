"""Plans as Mermaid flow charts, which Markdown viewers draw: solutions flow from the patterns up.

https://mermaid.js.org/syntax/flowchart.html; what could be part of its syntax is written as a character code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.plan.triggers import TriggerFinder, plain_triggers
from etalis_py.why.drawing import Look
from etalis_py.why.plan_tree import PlanBox, plan_boxes, stage_text

__all__ = ["plan_mermaid"]

_PLAIN: Final = re.compile(r"[^\w ?:.,_\-]", re.ASCII)


def plan_mermaid(queries: Sequence[CompiledQuery], triggers: TriggerFinder = plain_triggers) -> str:
    """The plans of queries as one flow chart, without an end of line after it."""
    lines = ["flowchart BT"]
    for number, (query, tree) in enumerate(zip(queries, plan_boxes(queries, triggers), strict=True)):
        lines.append(f"  subgraph s{number} [{_label(query.name)}]")
        lines += _nodes(tree)
        lines.append("  end")
    lines.append(f"  spark[{_label(*stage_text(queries, triggers))}]")
    for look in Look:
        fill, border, dashed = look.value
        dashes = ",stroke-dasharray:5 3" if dashed else ""
        lines.append(f"  classDef {look.name.lower()} fill:{fill},stroke:{border}{dashes}")
    return "\n".join([*lines, "  class spark reason"])


def _nodes(box: PlanBox) -> Iterator[str]:
    yield f"    {box.name}[{_label(box.title, *box.notes)}]:::{box.look.name.lower()}"
    for each in box.below:
        yield from _nodes(each)
        yield f"    {each.name} --> {box.name}"


def _label(*lines: str) -> str:
    """A text of several lines, in quotes.

    >>> _label('a "b"', "c")
    '"a #34;b#34;<br/>c"'
    """
    escaped = (_PLAIN.sub(lambda found: f"#{ord(found[0])};", line) for line in lines)
    return f'"{"<br/>".join(escaped)}"'
