"""Which events a program needs, and which part of it each goes to.

An event is dealt out by the term in the position that carries the join key of the patterns it can match.
Events that no pattern can match are dropped before they are sent anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from etalis_py.compiler.algebra import TriplePattern
from etalis_py.compiler.join_key import KeyPlan, Obstacle
from etalis_py.compiler.plan import QueryPlan, Scan, walk
from etalis_py.compiler.triggers import Position, Trigger

from etalis_py.terms import ntriples

if TYPE_CHECKING:
    from pyspark.sql import Column

__all__ = ["Routes", "TriggerFinder", "find_routes", "route_column"]


TriggerFinder = Callable[[TriplePattern], Iterable[Trigger]]


@dataclass(frozen=True, slots=True)
class Routes:
    """For each predicate the position that its events are dealt out by; ``other`` for all the rest.

    None as ``other`` drops the rest; ``conflict`` says why there is no way to deal them out.
    """

    positions: Mapping[str, Position]
    other: Position | None = None
    conflict: Obstacle | None = None


def find_routes(plans: Sequence[QueryPlan], key: KeyPlan, triggers: TriggerFinder) -> Routes:
    """How events are dealt out under ``key``; a conflict where one event would have to go two ways."""
    positions: dict[str, Position] = {}
    other: Position | None = None
    for plan in plans:
        for scan in walk(plan.root):
            if not isinstance(scan, Scan):
                continue
            for trigger in triggers(scan.pattern):
                where = _where(key.positions[scan.name], trigger)
                known = other if trigger.predicate is None else positions.get(trigger.predicate)
                if where is None or (known is not None and known != where):
                    reason = "this pattern needs events by another position than a pattern before it"
                    return Routes({}, conflict=Obstacle(plan.number, scan.span, reason))
                if trigger.predicate is None:
                    other = where
                else:
                    positions[trigger.predicate] = where
    if other is not None and any(where != other for where in positions.values()):
        plan = plans[0]
        reason = "a pattern with a variable predicate needs all events by another position"
        return Routes({}, conflict=Obstacle(plan.number, plan.span, reason))
    return Routes(positions, other)


def _where(position: Position, trigger: Trigger) -> Position | None:
    match position:
        case "s":
            return trigger.subject_is
        case "o":
            return trigger.object_is
        case "p":
            return "p"


def route_column(routes: Routes) -> Column:
    """The Spark column by which events are dealt out: null for those that no pattern can match."""
    from pyspark.sql import functions as f

    if routes.other is not None:
        return f.col(routes.other)
    by_position: dict[Position, list[str]] = {}
    for predicate, position in routes.positions.items():
        by_position.setdefault(position, []).append(ntriples(predicate))
    column = f.lit(None).cast("string")
    for position, predicates in sorted(by_position.items()):
        column = f.when(f.col("p").isin(predicates), f.col(position)).otherwise(column)
    return column
