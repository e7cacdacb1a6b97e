"""What is another value each time, or at each instant: RAND, UUID, BNODE, NOW."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import run

EVENTS = [(second, "a", "p", second) for second in range(200)]


def values(query: str, name: str, events: list[tuple[Any, ...]] = EVENTS) -> list[Any]:
    return [bindings.get(name) for _, _, bindings in run(query, events)]


@pytest.mark.parametrize(
    "test",
    [
        "RAND() < 0.5",
        "!(RAND() < 0.5)",
        "RAND() < 0.5 && RAND() < 0.8",
        "?o < 0 || RAND() < 0.5",
        "RAND() IN (RAND())",
    ],
)
def test_a_random_test_is_drawn_once(test: str) -> None:
    found = values(f'SELECT (IF({test}, "yes", "no") AS ?x) {{ ?s :p ?o }}', "x")
    assert set(found) <= {"yes", "no"}  # never unbound
    assert len(found) == len(EVENTS)
    assert None not in values(f"SELECT (({test}) AS ?x) {{ ?s :p ?o }}", "x")


def test_random_numbers() -> None:
    found = values("SELECT (RAND() AS ?x) { ?s :p ?o }", "x")
    assert all(0 <= each < 1 for each in found)
    assert len(set(found)) == len(found)


def test_one_value_in_a_solution() -> None:
    query = "SELECT ?x { ?s :p ?o BIND (UUID() AS ?u) BIND (?u = ?u && ISIRI(?u) AS ?x) FILTER (?x) }"
    assert values(query, "x") == [True] * len(EVENTS)
    found = values("SELECT (UUID() = UUID() AS ?x) { ?s :p ?o }", "x")
    assert found == [False] * len(EVENTS)


def test_blank_nodes_of_a_solution() -> None:
    """SPARQL 1.1, section 17.4.2.9."""
    query = """SELECT (BNODE("x") AS ?a) (BNODE("x") AS ?b) (BNODE("y") AS ?c) (BNODE() AS ?d) (BNODE() AS ?e)
    { ?s :p ?o }"""
    found = [bindings for _, _, bindings in run(query, EVENTS)]
    for each in found:
        assert each["a"] == each["b"]
        assert len({each[name] for name in "acde"}) == 4
    assert len({each[name] for each in found for name in "acde"}) == 4 * len(EVENTS)


def test_a_label_is_one_node_from_bind_to_select() -> None:
    query = 'SELECT (BNODE("x") AS ?a) ?f { ?s :p ?o BIND (BNODE("x") AS ?f) FILTER (?o >= 0) }'
    found = [bindings for _, _, bindings in run(query, EVENTS)]
    assert all(each["a"] == each["f"] for each in found)
    assert len({each["a"] for each in found}) == len(EVENTS)


def test_a_label_may_be_computed() -> None:
    query = "SELECT (BNODE(STR(?o)) AS ?a) (BNODE(?t) AS ?b) { ?s :p ?o BIND (STR(?o) AS ?t) }"
    found = [bindings for _, _, bindings in run(query, EVENTS)]
    assert all(each["a"] == each["b"] for each in found)


@pytest.mark.parametrize("label", ['"x"@en', "1", ":a", "?o"])
def test_a_label_is_a_simple_literal(label: str) -> None:
    assert values(f"SELECT (BNODE({label}) AS ?x) {{ ?s :p ?o }}", "x", EVENTS[:1]) == [None]


def test_now_is_the_instant() -> None:
    query = "SELECT (NOW() = getENDTIME() AS ?x) { { ?s :p ?o } SEQ { ?s :q ?o } }"
    assert values(query, "x", [(1, "a", "p", 1), (3, "a", "q", 1)]) == [True]


def test_now_is_one_value_in_an_instant() -> None:
    query = """SELECT (NOW() AS ?x) { ?s :p ?o BIND (NOW() AS ?n)
    FILTER (?n = NOW() && DATATYPE(?n) = xsd:dateTime) }"""
    assert values(query, "x", [(1, "a", "p", 1), (1, "a", "p", 2), (2, "a", "p", 3)]) == [
        1_000_000,
        1_000_000,
        2_000_000,
    ]


def test_now_where_the_optional_side_is_missing() -> None:
    """Settled at the end of the instant, within it."""
    query = "SELECT (NOW() AS ?x) { { ?s :p ?o } OPTIONAL { ?s :q ?z FILTER (NOW() > ?z) } }"
    assert values(query, "x", [(5, "a", "p", 1), (9, "a", "p", 2)]) == [5_000_000, 9_000_000]


@pytest.mark.parametrize(
    "pattern",
    [
        "BIND (UUID() AS ?u) ?s :p ?o",
        "?s :p ?o { BIND (UUID() AS ?u) }",
        "?s :p ?o { SELECT ?u { BIND (UUID() AS ?u) } }",
        '?s :p ?o { BIND (BNODE("x") AS ?u) }',
    ],
)
def test_a_pattern_without_time_is_evaluated_once(pattern: str) -> None:
    """As SPARQL does: its one solution is joined with all others."""
    assert len(set(values(f"SELECT ?u {{ {pattern} }}", "u"))) == 1


def test_a_random_part_of_the_background_stays_the_same(tmp_path: Path) -> None:
    (tmp_path / "b.nt").write_text("".join(f"<urn:b> <urn:q> <urn:{n}> .\n" for n in range(40)))
    query = "SELECT ?s ?v { ?s :p ?o { :b :q ?v FILTER (RAND() < 0.5) } }"
    found = run(query, [(1, "a", "p", 1), (2, "b", "p", 1)], background=[str(tmp_path / "b.nt")])
    first, second = ({row["v"] for _, _, row in found if row["s"] == name} for name in "ab")
    assert first == second
    assert 0 < len(first) < 40


def test_each_row_of_a_bag_has_a_value_of_its_own() -> None:
    query = "SELECT ?u { ?s :p ?o { VALUES ?x { 1 1 1 } BIND (UUID() AS ?u) } }"
    assert len(set(values(query, "u", EVENTS[:1]))) == 3
