"""Which programs are stratified, and in which order their waiting operators are settled."""

from __future__ import annotations

import pytest

from etalis_py.compiler.compile import compile_program, order_settlements
from etalis_py.compiler.plan.strata import unifies
from etalis_py.core.errors import CompileError

PREFIX = "PREFIX : <urn:>\n"


def order(*queries: str) -> list[str]:
    compiled = []
    for number, query in enumerate(queries, start=1):
        compiled += compile_program(PREFIX + query, name=f"q{number}", first_number=number)
    return order_settlements(compiled, unifies)


def test_inner_operators_are_settled_first() -> None:
    found = order("SELECT * { { ?x :p ?y } OPTIONAL { { ?x :q ?z } EQUALSOPTIONAL { ?x :r ?w } } }")
    assert [name.split("_")[1] for name in found] == ["equalsoptional", "optional"]


def test_a_construct_is_settled_before_the_query_it_feeds_whatever_their_order() -> None:
    reader = "SELECT * { { ?x :made ?y } OPTIONAL { ?x :q ?z } }"
    maker = "CONSTRUCT { ?x :made ?y } { { ?x :p ?y } OPTIONAL { ?x :r ?z } }"
    assert [name[:2] for name in order(reader, maker)] == ["q2", "q1"]
    assert [name[:2] for name in order(maker, reader)] == ["q1", "q2"]


@pytest.mark.parametrize(
    "query",
    [
        "CONSTRUCT { ?x :p ?z } { { ?x :p ?y } OPTIONAL { ?y :p ?z } }",
        "CONSTRUCT { ?x :n 1 } { { ?x :p ?y } EQUALSOPTIONAL { ?x :n ?z } FILTER(!BOUND(?z)) }",
        "CONSTRUCT { ?x ?p ?z } { { ?x :p ?y } OPTIONAL { ?x :q ?z . ?x ?p ?y } }",
        "CONSTRUCT { ?x :p ?z } { { ?x :q ?y } OPTIONALSEQ { { ?x :p ?y } OPTIONAL { ?y :q ?z } } }",
    ],
)
def test_recursion_through_a_waiting_operator_is_refused_with_its_cycle(query: str) -> None:
    with pytest.raises(CompileError, match="EP205 line 2, column") as raised:
        order(query)
    assert "depends on its own result within one instant: " in raised.value.message
    assert raised.value.message.endswith("(q1, line 2)")


@pytest.mark.parametrize(
    "query",
    [
        "CONSTRUCT { ?x :p ?z } { { ?x :p ?y } SEQ { { ?y :q ?z } OPTIONAL { ?z :r ?w } } }",
        "CONSTRUCT { ?x :p ?z } { { { ?x :p ?y } OPTIONAL { ?x :q ?w } } OPTIONALSEQ { ?y :r ?z } }",
        "CONSTRUCT { ?x :p ?z } { { ?x :p ?y } SEQ { ?y :p ?z } }",
        "CONSTRUCT { ?x :reach ?z } { { ?x :edge ?y } SEQ { ?y :reach ?z } }",
    ],
)
def test_recursion_through_what_is_earlier_or_monotone_is_allowed(query: str) -> None:
    order(query)


def test_two_queries_can_make_a_cycle_together() -> None:
    first = "CONSTRUCT { ?x :a 1 } { { ?x :p ?y } EQUALSOPTIONAL { ?x :b ?z } }"
    second = "CONSTRUCT { ?x :b 1 } { ?x :a ?y }"
    order(first)
    with pytest.raises(CompileError, match="EP205"):
        order(first, second)


def test_a_window_on_what_its_query_makes() -> None:
    """It changes at each instant at which it is evaluated, so it would be evaluated again."""
    query = "REGISTER STREAM :o AS CONSTRUCT { ?x :p 1 } FROM WINDOW ON :o [RANGE 5s] { ?x :p ?y }"
    with pytest.raises(CompileError, match="EP205") as raised:
        order(query)
    assert raised.value.hint is not None
    assert "into a stream that neither it nor" in raised.value.hint


@pytest.mark.parametrize(
    "operator", ["SEQ", "MEETS", "OVERLAPS", "STARTS", "DURING", "EQUALS", "FINISHES", "PAR"]
)
def test_recursion_through_a_left_side_that_ends_earlier(operator: str) -> None:
    """What is made at the end of a pair is no left side of one that ends then; of others it may be."""
    query = f"CONSTRUCT {{ ?x :n 1 }} {{ {{ ?x :n ?z MINUS {{ ?x :q ?w }} }} {operator} {{ ?x :p ?y }} }}"
    if operator in ("EQUALS", "FINISHES", "PAR"):
        with pytest.raises(CompileError, match="EP205"):
            order(query)
    else:
        assert len(order(query)) == 1
