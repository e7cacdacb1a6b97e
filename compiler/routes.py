"""Dealing out: by the term in which position each occurrence finds the part of the stream it belongs to.

What an occurrence has to offer is its predicate; so all occurrences of one predicate go by one position.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from etalis_py.compiler.algebra import TriplePattern
from etalis_py.compiler.triggers import Position, TriggerFinder

__all__ = ["Routes", "merge_routes", "routes_of"]


@dataclass(frozen=True, slots=True)
class Routes:
    """For each predicate the position by which its occurrences are dealt out; ``other`` for all the rest.

    Where ``other`` is None, nothing can come of occurrences of other predicates: they need not be looked at.
    """

    positions: Mapping[str, Position] = field(default_factory=dict)
    other: Position | None = None


def routes_of(pattern: TriplePattern, position: Position, triggers: TriggerFinder) -> Routes | None:
    """How the occurrences that can match ``pattern`` have to be dealt out to have ``position`` as their key.

    None where one does not have it, or has it in two positions (a property whose domain and range give the
    same class).
    """
    routes: Routes | None = Routes()
    for trigger in triggers(pattern):
        source = trigger.source_of(position)
        if source is None or routes is None:
            return None
        one = Routes(other=source) if trigger.predicate is None else Routes({trigger.predicate: source})
        routes = merge_routes(routes, one)
    return routes


def merge_routes(first: Routes, second: Routes) -> Routes | None:
    """Both at once; None where one occurrence would have to go two ways."""
    other = first.other or second.other
    if other != (second.other or first.other):
        return None
    positions = dict(first.positions)
    for predicate, position in second.positions.items():
        if positions.setdefault(predicate, position) != position:
            return None
    if other is not None and any(position != other for position in positions.values()):
        return None
    return Routes(positions, other)
