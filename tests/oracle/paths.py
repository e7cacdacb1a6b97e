"""Property paths (SPARQL 1.1, section 18.4): which pairs of nodes a path connects, and when.

A path of length zero connects every node with itself, always. It is kept apart, as a number of times, since
which nodes there are depends on what the path is joined with.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.names import Names
from etalis_py.core.terms import Encoded
from tests.oracle.solutions import Interval, Triple, hull

__all__ = ["Edge", "Relation", "TooMuchError", "connected"]

MOST_EDGES = 400

Edge: TypeAlias = tuple[Encoded, Encoded, Interval | None]
Facts: TypeAlias = Iterable[tuple[Triple, Interval | None]]


class TooMuchError(Exception):
    """There is more than a test wants to see."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A bag of edges, and how often every node is connected with itself by nothing."""

    edges: list[Edge]
    zero: int = 0


def connected(path: syntax.Path, facts: Facts, names: Names, always: Interval | None) -> Relation:
    """What ``path`` connects; ``always`` is the interval of what holds always."""
    match path:
        case syntax.IriRef() | syntax.PrefixedName():
            wanted = names.resolve(path)
            return Relation([(s, o, interval) for (s, p, o), interval in facts if p == wanted])
        case syntax.InversePath(path=inner):
            return _turned(connected(inner, facts, names, always))
        case syntax.SequencePath(steps=steps):
            first, *others = (connected(step, facts, names, always) for step in steps)
            for other in others:
                first = _sequence(first, other)
            return first
        case syntax.AlternativePath(choices=choices):
            found = [connected(choice, facts, names, always) for choice in choices]
            return Relation([edge for each in found for edge in each.edges], sum(each.zero for each in found))
        case syntax.NegatedPropertySet(members=members):
            return _negated(members, facts, names)
        case syntax.RepeatedPath(path=inner, times=times):
            return _repeated(connected(inner, facts, names, always), times, always)


def _turned(relation: Relation) -> Relation:
    return Relation([(y, x, interval) for x, y, interval in relation.edges], relation.zero)


def _sequence(first: Relation, second: Relation) -> Relation:
    edges = _composed(first.edges, second.edges) + second.edges * first.zero + first.edges * second.zero
    return Relation(edges, first.zero * second.zero)


def _composed(first: Iterable[Edge], second: Iterable[Edge]) -> list[Edge]:
    return [(x, z, hull(one, other)) for x, y, one in first for also_y, z, other in second if y == also_y]


def _negated(members: Iterable[syntax.Iri | syntax.InversePath], facts: Facts, names: Names) -> Relation:
    """Forwards where a member is not inverse (or there is none), backwards where one is."""
    ahead = [names.resolve(each) for each in members if not isinstance(each, syntax.InversePath)]
    back = [each.path for each in members if isinstance(each, syntax.InversePath)]
    excluded = [names.resolve(each) for each in back if isinstance(each, syntax.Iri)]
    edges: list[Edge] = []
    for (s, p, o), interval in facts:
        if (ahead or not back) and p not in ahead:
            edges.append((s, o, interval))
        if back and p not in excluded:
            edges.append((o, s, interval))
    return Relation(edges)


def _repeated(inner: Relation, times: str, always: Interval | None) -> Relation:
    """A set. A node is connected with itself always where length is zero, and not once more by a cycle."""
    edges = set(inner.edges)
    while times != "?":
        longer = edges | set(_composed(edges, inner.edges))
        if len(longer) > MOST_EDGES:
            raise TooMuchError
        if longer == edges:
            break
        edges = longer
    if times == "+":
        once = [
            (x, y, interval) for x, y, interval in edges if x != y or interval != always or not inner.zero
        ]
        return Relation(once, min(inner.zero, 1))
    return Relation([(x, y, interval) for x, y, interval in edges if x != y], 1)
