"""Random small ontologies against rules applied one by one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from etalis_py.literals import Encoded
from etalis_py.vocabulary import (
    RDF_TYPE,
    RDFS_DOMAIN,
    RDFS_RANGE,
    RDFS_SUBCLASSOF,
    RDFS_SUBPROPERTYOF,
    XSD_STRING,
)
from tests.ontologies.conftest import Filled

Triple = tuple[str, str, Encoded]
Graph = frozenset[Triple]
SCHEMA = (RDFS_SUBCLASSOF, RDFS_SUBPROPERTYOF, RDFS_DOMAIN, RDFS_RANGE)
OWN = ("urn:a", "urn:b", "urn:c", "urn:p", "urn:q", "_:x")
LITERAL: Encoded = ("text", XSD_STRING)


def closure(graph: Graph) -> Graph:
    """The graph and all that RDF 1.1 Semantics, rdfs2, 3, 5, 7, 9 and 11, make of it."""
    return _triples(_fixpoint(graph, lambda known: set(_by_rules(known, known)) | set(_of_schema(known))))


def consequences(triple: Triple, background: Graph) -> Graph:
    """What rdfs2, 3, 7 and 9 make of one triple with the schema of the background's closure."""
    schema = _fixpoint(background, lambda known: set(_by_rules(known, known)) | set(_of_schema(known)))
    return _triples(_fixpoint(frozenset([triple]), lambda known: set(_by_rules(known, schema))))


def _fixpoint(graph: Graph, step: Callable[[Graph], set[Triple]]) -> Graph:
    while not (found := step(graph)) <= graph:
        graph |= found
    return graph


def _by_rules(graph: Graph, schema: Graph) -> Iterator[Triple]:
    said: dict[tuple[str, str], list[Any]] = {}
    for s, p, o in schema:
        if p in SCHEMA:
            said.setdefault((s, p), []).append(o)
    for s, p, o in graph:
        yield from ((s, q, o) for q in said.get((p, RDFS_SUBPROPERTYOF), ()) if isinstance(q, str))
        yield from ((s, RDF_TYPE, c) for c in said.get((p, RDFS_DOMAIN), ()))
        if isinstance(o, str):
            yield from ((o, RDF_TYPE, c) for c in said.get((p, RDFS_RANGE), ()))
            if p == RDF_TYPE:
                yield from ((s, RDF_TYPE, c) for c in said.get((o, RDFS_SUBCLASSOF), ()))


def _of_schema(graph: Graph) -> Iterator[Triple]:
    for p in (RDFS_SUBCLASSOF, RDFS_SUBPROPERTYOF):
        edges = [(s, o) for s, q, o in graph if q == p]
        yield from ((s, p, o) for s, middle in edges for middle2, o in edges if middle == middle2)


def _triples(graph: Graph) -> Graph:
    """Without those that only help to reason: a blank node is no predicate."""
    return frozenset(triple for triple in graph if not triple[1].startswith("_:"))


def triples(predicates: tuple[str, ...], nodes: tuple[str, ...]) -> st.SearchStrategy[Triple]:
    node = st.sampled_from(nodes)
    return st.tuples(
        node,
        st.sampled_from(predicates).filter(lambda p: p[0] != "_"),
        st.one_of(node, node, st.just(LITERAL)),
    )


USUAL = st.frozensets(st.one_of(triples(SCHEMA, OWN), triples((*OWN, RDF_TYPE), OWN)), max_size=14)
ODD = st.frozensets(triples((*SCHEMA, *SCHEMA, RDF_TYPE, *OWN), (*SCHEMA, RDF_TYPE, *OWN)), max_size=10)


def patterns(graph: Graph) -> Iterator[tuple[Encoded | None, ...]]:
    """All shapes of pattern, for the triples of a graph and some that are not in it."""
    some = sorted(graph, key=repr)[:12]
    others: list[Triple] = [
        ("urn:a", RDF_TYPE, "urn:b"),
        ("urn:a", "urn:p", LITERAL),
        ("urn:n", "urn:n", "urn:n"),
    ]
    for bound in itertools.product((True, False), repeat=3):
        yield from {
            tuple(term if keep else None for term, keep in zip(triple, bound, strict=True))
            for triple in [*some, *others]
        }


def check_answers(graph: Graph) -> None:
    entailed = closure(graph)
    with closing(Filled(graph)) as background:
        for pattern in patterns(entailed):
            expected = [
                triple
                for triple in entailed
                if all(want in (None, have) for want, have in zip(pattern, triple, strict=True))
            ]
            assert sorted(background.answers(*pattern), key=repr) == sorted(expected, key=repr), pattern


@given(USUAL)
def test_background_triple(graph: Graph) -> None:
    check_answers(graph)


@given(ODD)
@example(frozenset({("urn:below", RDFS_SUBPROPERTYOF, RDFS_SUBCLASSOF), ("urn:a", "urn:below", "urn:b")}))
@example(frozenset({(RDF_TYPE, RDFS_SUBPROPERTYOF, RDFS_SUBCLASSOF), ("urn:a", RDF_TYPE, "urn:b")}))
@example(
    frozenset(
        {
            (RDF_TYPE, RDFS_RANGE, "urn:Class"),
            (RDF_TYPE, RDFS_DOMAIN, "urn:Thing"),
            ("urn:a", RDF_TYPE, "urn:b"),
        }
    )
)
def test_background_that_speaks_of_rdfs_itself(graph: Graph) -> None:
    check_answers(graph)


@given(st.one_of(USUAL, ODD), st.one_of(triples((*OWN, RDF_TYPE, *SCHEMA), (*OWN, RDF_TYPE))))
def test_entailed_by_triple(graph: Graph, triple: Triple) -> None:
    expected = consequences(triple, graph)
    with closing(Filled(graph)) as background:
        first = background.consequences(*triple)
        assert sorted(first, key=repr) == sorted(expected, key=repr)
        assert background.consequences(*triple) == first


@given(st.one_of(USUAL, ODD), triples((*OWN, RDF_TYPE, *SCHEMA), (*OWN, RDF_TYPE)))
def test_what_a_triple_entails_it_triggers(graph: Graph, triple: Triple) -> None:
    s, p, o = triple
    with closing(Filled(graph)) as background:
        for s2, p2, o2 in background.consequences(*triple):
            for pattern_object in (o2, None):
                ways = [way for q, way in background.triggers(p2, pattern_object) if q == p]
                assert any(
                    (way in ("same", "subproperty") and (s2, o2) == (s, o))
                    or (way in ("class", "domain") and s2 == s)
                    or (way == "range" and s2 == o)
                    or way == "typed"
                    for way in ways
                ), (s2, p2, o2, ways)


@given(USUAL)
def test_without_entailment(graph: Graph) -> None:
    with closing(Filled(graph, "none")) as background:
        assert sorted(background.answers(None, None, None), key=repr) == sorted(graph, key=repr)
        for triple in graph:
            assert background.consequences(*triple) == [triple]
