"""The pass that lets windows of several widths over one pattern do its work once.

A triple that ends at t is in a window of n microseconds that slides at [t, t + n), and a join of some at
[max t, min t + n): in a window that is narrower by d until d earlier, or never. A window that moves by steps
takes the first instant of its grid at or after each of these times, and the instant of the latest time is the
latest instant. So the lives of a block in any of some windows follow from those in the widest one, sliding:
joins and filters are made of these (`sharing` finds that they are equal), and each Snapshot takes its own
lives from there.

What is kept is of the widest window, which therefore stays the same when queries leave.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from etalis_py.compiler.algebra.operators import ALIVE, JOIN
from etalis_py.compiler.algebra.stream_windows import TimeExtent, reach
from etalis_py.compiler.plan.beginnings import with_pairs_told
from etalis_py.compiler.plan.plan import (
    ExistsPlan,
    ExtendPlan,
    FilterPlan,
    LookupPlan,
    Narrowed,
    Pair,
    PlanBase,
    PlanNode,
    ProjectPlan,
    QueryPlan,
    Scan,
    SnapshotPlan,
    TablePlan,
    UnionPlan,
    UnitPlan,
    children,
    walk,
)
from etalis_py.compiler.plan.plan_shapes import Shapes

__all__ = ["narrowed", "narrowings_of", "with_widest_windows"]


def with_widest_windows(plans: Sequence[QueryPlan]) -> list[QueryPlan]:
    """The plans, where blocks that differ in their windows alone have the lives of the widest of these."""
    shapes = Shapes()
    extents: dict[int, set[TimeExtent]] = {}
    begin: dict[int, set[bool]] = {}
    found: dict[str, tuple[int, TimeExtent]] = {}
    for node in _snapshots(plans):
        extent = _extent(node.input)
        if node.name in found or extent is None or node.narrowed is not None:
            continue
        shape = shapes.of(_within(node.input, _sliding(extent, 1)))
        if shape is not None and shape.works:
            extents.setdefault(shape.identity, set()).add(extent)
            begin.setdefault(shape.identity, set()).add(node.pairs_begin)
            found[node.name] = shape.identity, extent
    known = {name: by for plan in plans for name, by in narrowings_of(plan).items()}
    new = {
        name: max(each.width for each in extents[identity]) - extent.width
        for name, (identity, extent) in found.items()
        if len(extents[identity]) > 1 or len(begin[identity]) > 1
    }
    return [narrowed(plan, known | new) for plan in plans] if new else list(plans)


def narrowed(plan: QueryPlan, by: Mapping[str, int]) -> QueryPlan:
    """``plan``, where these Snapshots look at what is in a window so many microseconds wider than theirs.

    All others look at what is in their own, whatever they did.
    """
    root = _Narrowing(by).of(plan.root)
    return plan if root is plan.root else replace(plan, root=root)


def narrowings_of(plan: QueryPlan) -> dict[str, int]:
    """By the name of each Snapshot of ``plan`` with lives of a wider window, how much wider that is."""
    return {each.name: each.narrowed.by for each in _snapshots([plan]) if each.narrowed is not None}


def _snapshots(plans: Iterable[QueryPlan]) -> Iterator[SnapshotPlan]:
    for plan in plans:
        if plan.policy is None:
            nodes = (each for each in walk(plan.root) if isinstance(each, SnapshotPlan))
            yield from (each for each in nodes if not each.always and each.newest is None)


def _extent(block: PlanNode) -> TimeExtent | None:
    """The window of all triples in a block of joins and filters; None for anything else."""
    extents: set[TimeExtent] = set()
    for node in walk(block):
        match node:
            case Scan(eventful=False) | UnitPlan() | TablePlan() | LookupPlan() | ProjectPlan() | UnionPlan():
                continue
            case FilterPlan(tests=()) | ExtendPlan(tests=()):
                continue
            case Pair(operator=operator) if operator in (ALIVE, JOIN):
                continue
            case Scan(pattern=pattern) if pattern.place is not None and not pattern.place.begins_at_once:
                if not isinstance(pattern.place.extent, TimeExtent):
                    return None
                extents.add(pattern.place.extent)
            case _:
                return None
    return extents.pop() if len(extents) == 1 else None


def _sliding(extent: TimeExtent, width: int) -> TimeExtent:
    """A window of that width which slides, and holds what ``extent`` does by its bounds and its beginning."""
    return replace(extent, width=width, step=None, partial=False, moving=False)


def _within(node: PlanNode, extent: TimeExtent) -> PlanNode:
    """A block whose triples are all in another window, and whose lives are all told."""
    changes: dict[str, Any] = {} if node.window is None else {"window": reach(extent)}
    if isinstance(node, Pair) and node.begins:
        changes["begins"] = False
    if isinstance(node, Scan) and node.eventful:
        assert node.pattern.place is not None
        place = replace(node.pattern.place, extent=extent)
        changes["pattern"] = replace(node.pattern, place=place)
    for name in node.INPUTS if children(node) else ():
        changes[name] = _within(getattr(node, name), extent)
    return replace(node, **changes) if changes else node


class _Narrowing:
    """What stands in several places is changed once."""

    def __init__(self, by: Mapping[str, int]) -> None:
        self._by = by
        self._done: dict[int, tuple[Any, Any]] = {}

    def of(self, holder: Any) -> Any:
        """A node, or a test; itself where nothing in it changes."""
        if id(holder) not in self._done:
            self._done[id(holder)] = holder, self._changed(holder)
        return self._done[id(holder)][1]

    def _changed(self, holder: Any) -> Any:
        if isinstance(holder, SnapshotPlan):
            return _narrowed(holder, self._by.get(holder.name))
        changes: dict[str, Any] = {}
        for field in fields(holder):
            value = getattr(holder, field.name)
            parts = value if isinstance(value, tuple) else (value,)
            if parts and isinstance(parts[0], PlanBase | ExistsPlan):
                found = tuple(map(self.of, parts))
                if any(new is not old for new, old in zip(found, parts, strict=True)):
                    changes[field.name] = found if isinstance(value, tuple) else found[0]
        return replace(holder, **changes) if changes else holder


def _narrowed(node: SnapshotPlan, by: int | None) -> SnapshotPlan:
    if node.narrowed is not None:
        own = replace(node, narrowed=None, input=_within(node.input, node.narrowed.extent))
        node = with_pairs_told(own)
    if by is None:
        return node
    extent = _extent(node.input)
    assert extent is not None
    wider = _sliding(extent, extent.width + by)
    if wider == extent and not node.pairs_begin:
        return node
    return replace(node, narrowed=Narrowed(extent, by), input=_within(node.input, wider))
