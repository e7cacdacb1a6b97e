"""Join-key analysis: which programs can be dealt out, by what, and what is in the way."""

from __future__ import annotations

import pytest
from etalis_py.compiler.compile import CompiledQuery, compile_program
from etalis_py.compiler.join_key import KeyPlan
from etalis_py.spark_udfs.detect import explain_obstacles, plan_program
from etalis_py.spark_udfs.routing import Routes


def planned(*queries: str) -> tuple[list[CompiledQuery], KeyPlan, Routes]:
    compiled: list[CompiledQuery] = []
    for query in queries:
        text = "PREFIX : <urn:>\n" + query
        compiled += compile_program(text, name=f"q{len(compiled)}", first_number=len(compiled) + 1)
    return compiled, *plan_program(compiled)


@pytest.mark.parametrize(
    ("query", "routes"),
    [
        ("SELECT * { { ?x :p ?y } SEQ { ?x :q ?z } }", {"urn:p": "s", "urn:q": "s"}),
        ("SELECT * { { ?x :p ?y } SEQ { ?y :q ?z } }", {"urn:p": "o", "urn:q": "s"}),
        ("SELECT * { { ?x :p ?y . ?x :r ?u } SEQ { ?x :q ?z } }", {f"urn:{p}": "s" for p in "pqr"}),
        ("SELECT * { { ?x :p ?y } OPTIONAL { ?x :q ?z } }", {"urn:p": "s", "urn:q": "s"}),
        ("SELECT * { { ?x :p ?y } UNION { ?y :q ?x } }", {"urn:p": "s", "urn:q": "o"}),
        ("SELECT * { ?x :p ?y FILTER(?y > 1) BIND(?y + 1 AS ?z) }", {"urn:p": "s"}),
    ],
)  # fmt: skip
def test_a_key_and_where_each_predicate_has_it(query: str, routes: dict[str, str]) -> None:
    _, key, found = planned(query)
    assert key.is_partitioned
    assert found.positions == routes


def test_a_variable_predicate_sends_everything_one_way() -> None:
    _, key, routes = planned("SELECT * { { ?x ?p ?y } SEQ { ?x :q ?z } }")
    assert key.is_partitioned
    assert (routes.other, routes.positions) == ("s", {"urn:q": "s"})


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT * {\n { ?x :p ?y } SEQ { ?z :q ?w } }", "line 3: this SEQ has no variable in common"),
        (
            "SELECT * { { { ?x :p ?y } SEQ { ?y :q ?z } } EQUALS { ?x :r ?w } }",
            "this EQUALS joins on ?x, the operators below on something else",
        ),
        ("SELECT * { { ?x :p ?y } SEQ { <urn:a> :q 1 } }", "this pattern has no variable"),
        ("SELECT * { { ?x :p ?y } SEQ { ?y :p ?z } }", "needs events by another position"),
    ],
)
def test_what_is_in_the_way_is_named(query: str, reason: str) -> None:
    compiled, key, _ = planned(query)
    assert not key.is_partitioned
    assert reason in "\n".join(explain_obstacles(key.obstacles, compiled))


def test_a_construct_must_carry_the_key_to_where_it_is_read() -> None:
    maker = "CONSTRUCT { ?x :r ?z } { { ?x :p ?y } SEQ { ?x :q ?z } }"
    assert planned(maker, "SELECT * { { ?x :r ?y } SEQ { ?x :p ?z } }")[1].is_partitioned
    assert not planned(maker, "SELECT * { { ?y :r ?x } SEQ { ?x :p ?z } }")[1].is_partitioned


def test_equal_answers_of_different_parts_are_merged() -> None:
    _, key, _ = planned("SELECT DISTINCT ?y { { ?x :p ?y } SEQ { ?x :q ?z } }")
    assert key.merge == {1}
    _, key, _ = planned("SELECT DISTINCT ?x { { ?x :p ?y } SEQ { ?x :q ?z } }")
    assert key.merge == set()
    assert not planned("SELECT * { { SELECT DISTINCT ?y { ?x :p ?y } } }")[1].merge
