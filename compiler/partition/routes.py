"""Dealing out: by the terms in which positions each occurrence finds the part of the stream it belongs to.

What an occurrence has to offer is its predicate; so all occurrences of one predicate go by the same
positions. Solutions of an earlier stage go by some of their columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

from etalis_py.compiler.algebra.algebra import TriplePattern
from etalis_py.compiler.plan.triggers import Position, TriggerFinder
from etalis_py.core.value_class import value_class

__all__ = ["Positions", "Routes", "merge_routes", "routes_of"]

Positions: TypeAlias = str
"""The positions that make the key, in their order: ``s``, ``o``, or several as in ``so``."""


@value_class
class Routes:
    """For each predicate the positions by which its occurrences are dealt out; ``other`` for all the rest.

    Where ``other`` is None, nothing can come of occurrences of other predicates: they need not be looked at.
    ``columns`` says by which of their columns solutions of earlier stages are dealt out, by their predicate.
    """

    positions: Mapping[str, Positions] = field(default_factory=dict)
    other: Positions | None = None
    columns: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    classes: frozenset[str] | None = None
    """Of occurrences of rdf:type only those of these classes are needed; None: all of them."""


def routes_of(pattern: TriplePattern, positions: Positions, triggers: TriggerFinder) -> Routes | None:
    """How the occurrences that can match ``pattern`` have to be dealt out to have ``positions`` as their key.

    None where one does not have it, or has it in two positions (a property whose domain and range give the
    same class).
    """
    routes: Routes | None = Routes()
    for trigger in triggers(pattern):
        sources = [trigger.source_of(each) for each in _each(positions)]
        if None in sources or routes is None:
            return None
        source = "".join(each for each in sources if each is not None)
        one = Routes(other=source) if trigger.predicate is None else Routes({trigger.predicate: source})
        routes = merge_routes(routes, one)
    return routes


def _each(positions: Positions) -> list[Position]:
    places: tuple[Position, ...] = ("s", "p", "o")
    return [places["spo".index(letter)] for letter in positions]


def merge_routes(first: Routes, second: Routes) -> Routes | None:
    """Both at once; None where one occurrence would have to go two ways."""
    other = first.other or second.other
    if other != (second.other or first.other):
        return None
    positions, columns = dict(first.positions), dict(first.columns)
    for predicate, position in second.positions.items():
        if positions.setdefault(predicate, position) != position:
            return None
    for predicate, places in second.columns.items():
        if columns.setdefault(predicate, places) != places:
            return None
    if other is not None and any(position != other for position in positions.values()):
        return None
    return Routes(positions, other, columns)
