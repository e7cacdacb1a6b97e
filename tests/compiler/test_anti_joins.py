"""Which optional operators are asked only for what stays alone, and that this changes no answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.passes import PASSES
from tests.compiler.test_passes import PREFIX, answers

MARKED = [
    "SELECT * { { ?x :p ?a } OPTIONAL { ?x :q ?b } FILTER(!BOUND(?b)) }",
    "SELECT * { { ?x :q ?b } OPTIONALSEQ { ?x :p ?a } FILTER(!BOUND(?b)) }",
    "SELECT * { { ?x :p ?a } EQUALSOPTIONAL { ?x :q ?b } FILTER(!BOUND(?b) && ?a > 1) }",
    "SELECT * { { ?x :p ?a } OPTIONAL { ?x :q ?b } BIND(?a + 1 AS ?c) FILTER(!BOUND(?b)) FILTER(?c > 1) }",
    "SELECT * { { ?x :p ?a } OPTIONAL { ?x :q ?b FILTER(?b > ?a) } FILTER(!BOUND(?b)) }",
]
NOT_MARKED = [
    # bound by the side that is kept
    "SELECT * { { ?x :p ?a } OPTIONAL { ?x :q ?a } FILTER(!BOUND(?a)) }",
    # a pair may leave it unbound, too
    "SELECT * { { ?x :p ?a } OPTIONAL { { ?x :q ?c } OPTIONAL { ?x :q ?b } } FILTER(!BOUND(?b)) }",
    # pairs pass
    "SELECT * { { ?x :p ?a } OPTIONAL { ?x :q ?b } FILTER(!BOUND(?b) || ?a > 1) }",
    # another ?b
    "SELECT * { { SELECT ?x ?a { { ?x :p ?a } OPTIONAL { ?x :q ?b } } } FILTER(!BOUND(?b)) }",
]


def optional_operators(pattern: algebra.Pattern) -> Iterator[bool]:
    """Whether each is marked."""
    if isinstance(pattern, algebra.Pair) and pattern.operator.optional is not None:
        yield pattern.anti
    for below in algebra.children(pattern):
        yield from optional_operators(below)


@pytest.mark.parametrize(
    ("query", "marked"), [*((each, True) for each in MARKED), *((each, False) for each in NOT_MARKED)]
)
def test_marks(query: str, marked: bool) -> None:
    [compiled] = compile_program(PREFIX + query, name="query")
    assert any(optional_operators(compiled.optimized.pattern)) == marked


@pytest.mark.parametrize("query", [*MARKED, *NOT_MARKED])
def test_the_answers_are_the_same(query: str) -> None:
    assert answers(query, PASSES) == answers(query, ())
