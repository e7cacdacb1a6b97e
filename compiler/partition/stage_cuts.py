"""Cutting one query where the key changes: units, each of which has a key of its own, if it can have one.

A binarized plan is a tree of keyed joins. From the bottom up, each node's ways to have a key are found, where
a node may be cut off from what is above it: above the cut its solutions are events that carry all their
variables. Of the ways to one key the one with the fewest cuts is kept. A unit that has no way even so (a join
without a common variable, an aggregate, ORDER BY) stays without a key, and what is joined below it is cut
off.

A triple pattern is cut off, too, where its predicate is needed by another position as well
(``{?x :p ?y} SEQ {?y :p ?z}``), or where the ontology hides the key: its matches then go by a key of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from etalis_py.compiler.partition.key_choices import route_of
from etalis_py.compiler.partition.key_ways import Way, solution_ways, ways_over
from etalis_py.compiler.partition.routes import Routes, merge_routes
from etalis_py.compiler.partition.stage_nodes import cuttable, has_work, needs_every_instant, with_leaves
from etalis_py.compiler.plan.plan import (
    AbsencePlan,
    BetweenPlan,
    GapPlan,
    Pair,
    PlanNode,
    QueryPlan,
    RepeatPlan,
    Scan,
    SelectPlan,
    inputs,
    walk,
)
from etalis_py.compiler.plan.solution_scan import solution_scan, solution_stream
from etalis_py.compiler.plan.triggers import TriggerFinder
from etalis_py.core.value_class import value_class

__all__ = ["Unit", "cut_query", "whole_query"]

_WITHOUT_KEY = 100
"""What a unit without a key costs, in cuts."""


@value_class
class Unit:
    """A part of a query that runs in one stage: its plan, and the internal stream of its solutions, if any.

    Without ``stream`` it is the last of its query, and its answers are those of the query. ``query`` is
    the number of the query, ``plan.number`` that of the unit.
    """

    query: int
    plan: QueryPlan
    stream: str | None = None


def whole_query(plan: QueryPlan) -> list[Unit]:
    """The query uncut."""
    return [Unit(plan.number, plan)]


def cut_query(plan: QueryPlan, triggers: TriggerFinder, next_number: Callable[[], int]) -> list[Unit]:
    """The units of a query, each after those whose solutions it takes."""
    if any(needs_every_instant(node) for node in walk(plan.root)):
        return whole_query(plan)
    return list(_Cutter(plan, triggers, next_number).units())


@value_class
class _Best:
    """How the part below a node is best cut, as a unit with that node on top."""

    cuts: frozenset[str]
    cost: int


class _Cutter:
    def __init__(self, plan: QueryPlan, triggers: TriggerFinder, next_number: Callable[[], int]) -> None:
        self._plan = plan
        self._triggers = triggers
        self._next_number = next_number
        self._cuttable = cuttable(plan.root)
        self._ways: dict[str, list[Way]] = {}
        self._offers: dict[str, list[Way]] = {}
        self._units: dict[str, _Best] = {}

    def units(self) -> Iterator[Unit]:
        """All units, the one with the root of the plan last."""
        yield from self._unit(self._plan.root, self._plan.number)

    def _unit(self, top: PlanNode, number: int) -> Iterator[Unit]:
        leaves: dict[str, Scan] = {}
        for name in sorted(self._best(top).cuts):
            node, own = self._cuttable[name], self._next_number()
            leaves[name] = solution_scan(node, solution_stream(own))
            yield from self._unit(node, own)
        root = with_leaves(top, leaves)
        if top is self._plan.root:
            yield Unit(self._plan.number, replace(self._plan, root=root))
        else:
            plan = SelectPlan(number, root, ordered=False, span=top.span)
            yield Unit(self._plan.number, plan, solution_stream(number))

    # ---- the ways, with cuts ----------------------------------------------------------------------------

    def _own_ways(self, node: PlanNode) -> list[Way]:
        """The ways of ``node`` without a cut above it, the cheapest to each key."""
        if node.name not in self._ways:
            self._ways[node.name] = self._cheapest(ways_over(node, self._below))
        return self._ways[node.name]

    def _below(self, node: PlanNode) -> list[Way]:
        """The ways that an operator has for its input ``node``."""
        if node.name not in self._offers:
            cut: list[Way] = []
            if node.name in self._cuttable and has_work(node):
                cut = solution_ways(node, frozenset({node.name}))
            self._offers[node.name] = self._cheapest([*cut, *self._own_ways(node)])
        return self._offers[node.name]

    def _cheapest(self, found: list[Way]) -> list[Way]:
        best: dict[object, tuple[int, Way]] = {}
        for way in found:
            cost = self._cost(way.cuts)
            if way.key not in best or cost < best[way.key][0]:
                best[way.key] = cost, way
        return [way for _, way in best.values()]

    def _cost(self, cuts: frozenset[str]) -> int:
        return sum(1 + self._best(self._cuttable[name]).cost for name in cuts)

    # ---- units --------------------------------------------------------------------------------------------

    def _best(self, top: PlanNode) -> _Best:
        if top.name not in self._units:
            self._units[top.name] = self._find_best(top)
        return self._units[top.name]

    def _find_best(self, top: PlanNode) -> _Best:
        if isinstance(top, Scan):
            return _Best(frozenset(), 0)
        found = []
        for way in self._own_ways(top):
            if way.cuts and not _pairs_above(top, way.cuts):
                continue
            scans = self._scans_in_the_way(top, way) if way.hidden <= {top.name} else None
            if scans is not None:
                found.append(_Best(way.cuts | scans, self._cost(way.cuts) + len(scans)))
        if found:
            return min(found, key=lambda each: each.cost)
        cuts = frozenset(self._worth_cutting(top))
        return _Best(cuts, _WITHOUT_KEY + self._cost(cuts))

    def _scans_in_the_way(self, top: PlanNode, way: Way) -> frozenset[str] | None:
        """The patterns that have to be cut off for the events to go this way; None: that does not help."""
        routes, cut = Routes(), set()
        for scan in _region(top, way.cuts):
            own = route_of(scan, (way.positions[scan.name],), self._triggers)
            merged = None if own is None else merge_routes(routes, own)
            if merged is not None:
                routes = merged
            elif scan.name in self._cuttable:
                cut.add(scan.name)
            else:
                return None
        return frozenset(cut)

    def _worth_cutting(self, node: PlanNode) -> Iterator[str]:
        """What is joined by a key below a node that has none."""
        for each in inputs(node):
            if each.name in self._cuttable and has_work(each) and self._best(each).cost < _WITHOUT_KEY:
                yield each.name
            else:
                yield from self._worth_cutting(each)


def _pairs_above(top: PlanNode, cuts: frozenset[str]) -> bool:
    """Whether something is joined above the cuts; else the stage above would have nothing to do."""
    if top.name in cuts:
        return False
    pairs = isinstance(top, Pair) and top.left.eventful and top.right.eventful
    return (
        pairs
        or isinstance(top, GapPlan | BetweenPlan | AbsencePlan | RepeatPlan)
        or any(_pairs_above(each, cuts) for each in inputs(top))
    )


def _region(top: PlanNode, cuts: frozenset[str]) -> Iterator[Scan]:
    """The patterns of a unit, whose matches are events."""
    if top.name in cuts:
        return
    if isinstance(top, Scan) and top.eventful:
        yield top
    for each in inputs(top):
        yield from _region(each, cuts)
