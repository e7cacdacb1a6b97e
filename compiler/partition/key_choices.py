"""The choices of one query among its ways: by which key, of one variable or several, events go.

If each of two variables is a key by itself, both together are one as well: what is joined agrees on both.
Such a key deals out more evenly, so it comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from etalis_py.compiler.algebra.algebra import Variable
from etalis_py.compiler.partition.key_ways import Carrier, Way, ways
from etalis_py.compiler.partition.routes import Routes, merge_routes, routes_of
from etalis_py.compiler.plan.plan import (
    AbsencePlan,
    BetweenPlan,
    GapPlan,
    Pair,
    QueryPlan,
    RepeatPlan,
    Scan,
    walk,
)
from etalis_py.compiler.plan.solution_scan import SolutionScan
from etalis_py.compiler.plan.triggers import TriggerFinder
from etalis_py.core.value_class import value_class

__all__ = ["Choice", "choices", "event_scans", "route_of", "routes_of_way"]


@value_class
class Choice:
    """A key of one query, and how events are dealt out for it.

    ``key`` is None where each way of a UNION has its own. ``carriers`` are by the name of the scan, in the
    order of the key; ``hidden`` are the DISTINCT nodes whose columns do not hold it.
    """

    key: tuple[Variable, ...] | None
    carriers: Mapping[str, tuple[Carrier, ...]]
    routes: Routes
    hidden: frozenset[str] = frozenset()

    def letters(self, scan: Scan) -> str:
        """The positions of the key in a triple pattern."""
        return "".join(str(each) for each in self.carriers[scan.name])


def choices(plan: QueryPlan, triggers: TriggerFinder) -> list[Choice]:
    """All of one query: keys of several variables first, where operators join."""
    singles = []
    for way in ways(plan.root):
        routes, _ = routes_of_way(plan, way, triggers)
        # Only the DISTINCT of the whole answer may be made up for at the end.
        if routes is not None and way.hidden <= {plan.root.name}:
            key = None if way.key is None else (way.key,)
            carriers = {name: (where,) for name, where in way.positions.items()}
            singles.append(Choice(key, carriers, routes, way.hidden))
    if not any(
        isinstance(node, (Pair, GapPlan, BetweenPlan, AbsencePlan, RepeatPlan)) for node in walk(plan.root)
    ):
        return singles
    return [*_composites(plan, singles, triggers), *singles]


def _composites(plan: QueryPlan, singles: list[Choice], triggers: TriggerFinder) -> Iterator[Choice]:
    """The largest keys that begin with each of the variables."""
    seen = set()
    for number, first in enumerate(singles):
        whole = first
        for each in singles[number + 1 :]:
            whole = _together(plan, whole, each, triggers) or whole
        if whole is not first and frozenset(whole.key or ()) not in seen:
            seen.add(frozenset(whole.key or ()))
            yield whole


def _together(plan: QueryPlan, first: Choice, second: Choice, triggers: TriggerFinder) -> Choice | None:
    if first.key is None or second.key is None or set(second.key) <= set(first.key):
        return None
    carriers = {name: (*where, *second.carriers[name]) for name, where in first.carriers.items()}
    routes: Routes | None = Routes()
    for scan in event_scans(plan):
        own = route_of(scan, carriers[scan.name], triggers)
        routes = None if own is None or routes is None else merge_routes(routes, own)
    if routes is None:
        return None
    return Choice((*first.key, *second.key), carriers, routes, first.hidden | second.hidden)


def routes_of_way(plan: QueryPlan, way: Way, triggers: TriggerFinder) -> tuple[Routes | None, Scan | None]:
    """The routes for one way, or the pattern that they are impossible for."""
    routes: Routes | None = Routes()
    for scan in event_scans(plan):
        own = route_of(scan, (way.positions[scan.name],), triggers)
        routes = None if own is None or routes is None else merge_routes(routes, own)
        if routes is None:
            return None, scan
    return routes, None


def route_of(scan: Scan, carriers: tuple[Carrier, ...], triggers: TriggerFinder) -> Routes | None:
    """How the events of one leaf are dealt out by these carriers; None: they cannot be."""
    if isinstance(scan, SolutionScan):
        return Routes(columns={scan.stream: tuple(each for each in carriers if isinstance(each, int))})
    return routes_of(scan.pattern, "".join(str(each) for each in carriers), triggers)


def event_scans(plan: QueryPlan) -> Iterator[Scan]:
    """The leaves whose matches are events."""
    return (node for node in walk(plan.root) if isinstance(node, Scan) and node.eventful)
