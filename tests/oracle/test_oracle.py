"""The oracle on a stream that is small enough to work its answers out by hand.

time    1      2      3      4      5
a       p 1    q b           p 3    s 2.5
b       p-----2       q-------------c          and always: c q a, b r 7
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from etalis_py.compiler.parse.parser import parse
from etalis_py.core.terms import Encoded, lexical_form
from etalis_py.core.vocabulary import XSD_DECIMAL, XSD_INTEGER
from tests.oracle.program import World, answers
from tests.oracle.solutions import Interval, Triple
from tests.oracle.vocabulary import PROLOGUE, SECOND

A, B, C, P, Q, R, S = (f"urn:{name}" for name in "abcpqrs")


def number(value: int) -> Encoded:
    return value, XSD_INTEGER


STREAM: tuple[tuple[Triple, Interval], ...] = (
    ((A, P, number(1)), (1, 1)),
    ((B, P, number(2)), (1, 2)),
    ((A, Q, B), (2, 2)),
    ((A, P, number(3)), (4, 4)),
    ((B, Q, C), (3, 5)),
    ((A, S, (Fraction(5, 2), XSD_DECIMAL)), (5, 5)),
)
WORLD = World(
    frozenset((triple, (start * SECOND, end * SECOND)) for triple, (start, end) in STREAM),
    frozenset({(C, Q, A), (B, R, number(7))}),
    clock=(1 * SECOND, 5 * SECOND),
)
ANSWERS = {
    "SELECT ?x { ?x :p ?y MINUS { ?x :q ?z } }": "1-1 a, 1-2 b",
    "SELECT ?y { ?x :p ?y MINUS { ?o :q ?z } }": "1-1 1, 1-2 2, 4-4 3",
    "SELECT ?y { ?x :p ?y FILTER EXISTS { ?x :q ?z } }": "4-4 3",
    "SELECT ?y { ?x :p ?y FILTER NOT EXISTS { ?z :p ?w FILTER (?w < ?y) } }": "1-1 1",
    "SELECT (EXISTS { ?x :q ?z } AS ?e) { ?x :p 2 }": "1-2 false",
    "SELECT ?y { ?x :p ?y VALUES (?x ?y) { (:a UNDEF) (:a 3) } }": "1-1 1, 4-4 3, 4-4 3",
    "SELECT ?x { ?x :p ?y } VALUES ?y { 2 }": "1-2 b",
    "SELECT ?x { VALUES ?x { 1 } }": "",
    "SELECT (COUNT(*) AS ?n) { ?x :p ?y }": "1-1 1, 2-2 2, 4-4 3",
    "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x :p ?y }": "1-1 1, 2-2 2, 4-4 2",
    "SELECT (GROUP_CONCAT(?y; SEPARATOR='+') AS ?n) { ?x :p ?y }": "1-1 1, 2-2 1+2, 4-4 1+2+3",
    "SELECT (SUM(?y) AS ?n) { ?x :p ?y } GROUP BY ?x": "1-1 1, 2-2 1, 2-2 2, 4-4 2, 4-4 4",
    "SELECT ?x { ?x :p ?y } GROUP BY ?x HAVING (COUNT(*) > 1)": "4-4 a",
    "SELECT (COUNT(*) AS ?n) { ?x :p ?y } WINDOW [RANGE PT2S]": "1-1 1, 2-2 2, 4-4 1",
    "SELECT (COUNT(*) AS ?n) { ?x :p ?y } WINDOW [RANGE PT1S STEP PT2S]": "2-2 1, 4-4 1",
    "SELECT (COUNT(*) AS ?n) { ?x :p ?y } WINDOW [RANGE PT1S STEP PT3S]": "3-3 0",
    "SELECT (COUNT(*) AS ?n) { ?x :p ?y } WINDOW [NOW-PT3S TO NOW-PT1S]": "1-1 0, 2-2 1, 4-4 1",
    "SELECT (SUM(?y) AS ?n) { ?x :p ?y } WINDOW [ROWS 2]": "1-1 1, 2-2 3, 4-4 5",
    "SELECT (AVG(?y) AS ?n) { ?x :p ?y }": "1-1 1, 2-2 1.5, 4-4 2",
    "SELECT (SUM(?y) AS ?n) { :a :q ?y }": "2-2 ",
    "SELECT (COUNT(?z) AS ?n) { ?x :q ?y OPTIONAL { ?y :r ?z } } WINDOW [ROWS 1]": "2-2 1, 5-5 0",
    "SELECT ?n { { ?x :p ?y } EQUALS { SELECT (MAX(?z) AS ?n) { ?w :p ?z } } }": "1-1 1, 4-4 3",
    "SELECT ?y { ?x :p|^:p ?y } ORDER BY DESC(?x) LIMIT 1": "1-1 a, 1-2 b, 4-4 a",
    "SELECT ?y { ?x :p|:q|:s ?y } OFFSET 1": "2-2 b, 5-5 2.5",
    "SELECT ?y { :a :q+ ?y }": "2-2 b, 2-5 a, 2-5 b, 2-5 c",
    "SELECT ?y { :a :s ?z . ?z :q* ?y }": "5-5 2.5",
    "SELECT ?y { :a :p 3 . :b :r? ?y }": "4-4 7, 4-4 b",
    "SELECT ?y { :b !(:p|^:q) ?y }": "3-5 c",
    "SELECT ?y { :a :p/^:p ?y }": "1-1 a, 4-4 a",
    "ASK { ?x :q ?y }": "2-2 true, 5-5 true",
    "DESCRIBE ?x { ?x :q :c }": "1-5 b p 2, 3-5 b q c, 3-5 b r 7",
}


def found(query: str) -> list[str]:
    """The answers, each as its times and terms."""
    rows = answers([parse(PROLOGUE + query)], WORLD)[0]
    return sorted(
        f"{start // SECOND}-{end // SECOND} {' '.join(map(readable, parts))}" for parts, start, end in rows
    )


def readable(part: object) -> str:
    match part:
        case str(), str() | tuple() as value:
            return readable_term(value)
        case tuple():
            return " ".join(map(readable_term, part))
        case _:
            return str(part).lower()


def readable_term(term: Encoded) -> str:
    return lexical_form(term)[0].removeprefix("urn:")


@pytest.mark.parametrize(("query", "expected"), ANSWERS.items())
def test_by_hand(query: str, expected: str) -> None:
    assert found(query) == sorted(expected.split(", ") if expected else [])
