"""Triples as a query writes them, taken apart: collections and property lists are triples too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.names import Names
from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import RDF_FIRST, RDF_NIL, RDF_REST
from tests.oracle.expressions import constant
from tests.oracle.solutions import Interval, Solution

__all__ = ["Term", "Unknown", "WrittenTriple", "is_hidden", "matched", "written_triples"]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A variable, or a blank node of a pattern, whose name starts with ``_:``."""

    name: str


Term: TypeAlias = "Unknown | Encoded"
WrittenTriple: TypeAlias = tuple[Term, "Term | syntax.Path", Term]


def is_hidden(name: str) -> bool:
    """Whether this is a blank node of the query."""
    return name.startswith("_:")


def written_triples(subjects: Iterable[syntax.SubjectTriples], names: Names) -> list[WrittenTriple]:
    """All triples of a block; only what is more than an IRI stays a path."""
    found: list[WrittenTriple] = []
    for each in subjects:
        _properties(_node(each.subject, names, found), each.properties, names, found)
    return found


def _properties(
    subject: Term, properties: Iterable[syntax.PropertyObjects], names: Names, found: list[WrittenTriple]
) -> None:
    for each in properties:
        for target in each.objects:
            found.append((subject, _verb(each.verb, names), _node(target, names, found)))


def _verb(verb: syntax.Variable | syntax.Path, names: Names) -> Term | syntax.Path:
    if isinstance(verb, syntax.Variable):
        return Unknown(verb.name)
    return constant(verb, names) if isinstance(verb, syntax.Iri) else verb


def _node(node: syntax.GraphNode, names: Names, found: list[WrittenTriple]) -> Term:
    """The term that stands for ``node``; the triples that come with it are added to ``found``."""
    fresh = Unknown(f"_: {node.span.start}")
    match node:
        case syntax.Variable(name=name):
            return Unknown(name)
        case syntax.BlankNode(label=label):
            return fresh if label is None else Unknown(f"_:{label}")
        case syntax.BlankNodePropertyList(properties=properties):
            _properties(fresh, properties, names, found)
            return fresh
        case syntax.Collection(items=items):
            cells: list[Term] = [Unknown(f"{fresh.name} {place}") for place in range(len(items))]
            for cell, item, rest in zip(cells, items, [*cells[1:], RDF_NIL], strict=True):
                found.append((cell, RDF_FIRST, _node(item, names, found)))
                found.append((cell, RDF_REST, rest))
            return cells[0] if cells else RDF_NIL
        case _:
            return constant(node, names)


def matched(
    terms: Iterable[Term], values: Iterable[Encoded], interval: Interval | None
) -> Iterator[Solution]:
    """The solution in which ``terms`` are ``values``, if there is one."""
    mapping: dict[str, Encoded] = {}
    for wanted, value in zip(terms, values, strict=True):
        if (mapping.setdefault(wanted.name, value) if isinstance(wanted, Unknown) else wanted) != value:
            return
    yield Solution(mapping, interval)
