"""Random small ontologies against rules applied one by one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing

from hypothesis import example, given
from hypothesis import strategies as st

from etalis_py.core.literals import Encoded
from etalis_py.core.vocabulary import (
    RDF_TYPE,
    RDFS_DOMAIN,
    RDFS_RANGE,
    RDFS_SUBCLASSOF,
    RDFS_SUBPROPERTYOF,
    XSD_STRING,
)
from tests.ontologies.conftest import Filled
from tests.oracle.entailment import Closure

Triple = tuple[str, str, Encoded]
Graph = frozenset[Triple]
SCHEMA = (RDFS_SUBCLASSOF, RDFS_SUBPROPERTYOF, RDFS_DOMAIN, RDFS_RANGE)
OWN = ("urn:a", "urn:b", "urn:c", "urn:p", "urn:q", "_:x")
LITERAL: Encoded = ("text", XSD_STRING)


def closure(graph: Graph) -> Graph:
    """The graph and all that it entails, by the oracle."""
    return _triples(Closure.with_axioms(graph).triples)


def consequences(triple: Triple, background: Graph) -> Graph:
    """What one triple entails with the background's schema."""
    found = Closure.with_axioms(background).entailed([(triple, (0, 0))])
    return _triples(frozenset(each for each, _ in found))


def _triples(graph: Graph) -> Graph:
    """Without those that only help to reason: a blank node is no predicate."""
    return frozenset(each for each in graph if isinstance(each[1], str) and not each[1].startswith("_:"))


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


def check_answers(graph: Graph, *, odd: bool = False) -> None:
    """``odd``: what axioms and the vocabulary itself are below then is left open."""
    entailed = closure(graph)
    with closing(Filled(graph)) as background:
        for pattern in patterns(entailed):
            expected = [
                triple
                for triple in entailed
                if all(want in (None, have) for want, have in zip(pattern, triple, strict=True))
            ]
            found = background.answers(*pattern)
            if odd:
                found, expected = (
                    [each for each in some if "www.w3.org" not in f"{each[0]}{each[2]}"]
                    for some in (found, expected)
                )
            assert sorted(found, key=repr) == sorted(expected, key=repr), pattern


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
    check_answers(graph, odd=True)


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
