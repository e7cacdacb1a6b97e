"""A run at one instant: background and stream together, as plain SPARQL has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from etalis_py.engine.engine import Engine
from tests.engine.conftest import seconds, table

AT = 3
BACKGROUND = """
@prefix : <urn:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:a :near :b . :b :near :c . :c :height 5 . :Oak rdfs:subClassOf :Tree .
"""


@pytest.fixture
def background(tmp_path: Path) -> str:
    path = tmp_path / "background.ttl"
    path.write_text(BACKGROUND)
    return str(path)


def answers(query: str, rows: list[tuple[Any, ...]], *background: str) -> list[dict[str, Any]]:
    """The rows of a SELECT; all at the instant."""
    with Engine(background, at=AT * 1_000_000) as engine:
        engine.register("PREFIX : <urn:> " + query)
        engine.send_batch(table([(AT, *row) for row in rows]))
        engine.finish()
        found = seconds(engine)
    assert all((start, end) == (AT, AT) for start, end, _ in found)
    return [row for _, _, row in found]


def test_background_answers_by_itself(background: str) -> None:
    assert answers("SELECT ?x { ?x :near ?y }", [], background) == [{"x": "a"}, {"x": "b"}]
    assert answers("SELECT ?x { VALUES ?x { :a :b } }", []) == [{"x": "a"}, {"x": "b"}]
    assert answers("SELECT * {}", []) == [{}]


def test_a_triple_of_both_is_one_triple(background: str) -> None:
    rows = [("a", "near", "b"), ("a", "near", "d")]
    found = answers("SELECT ?y { :a :near ?y } ORDER BY ?y", rows, background)
    assert found == [{"y": "b"}, {"y": "d"}]


def test_a_walk_of_both_is_one_walk(background: str) -> None:
    rows = [("a", "near", "b"), ("c", "near", "d"), ("d", "near", "a")]
    found = answers("SELECT ?y { :a :near+ ?y } ORDER BY ?y", rows, background)
    assert found == [{"y": each} for each in "abcd"]
    found = answers("SELECT ?y { :a :near* ?y } ORDER BY ?y", rows, background)
    assert found == [{"y": each} for each in "abcd"]


def test_modifiers_see_background_and_stream_together(background: str) -> None:
    rows = [("d", "near", "a"), ("a", "near", "b")]
    assert answers("SELECT ?x { ?x :near ?y } ORDER BY DESC(?x) LIMIT 2", rows, background) == [
        {"x": "d"}, {"x": "b"},
    ]  # fmt: skip
    assert answers("SELECT (COUNT(*) AS ?n) { ?x :near ?y }", rows, background) == [{"n": 3}]
    assert answers("SELECT DISTINCT ?p { ?x ?p ?y FILTER(?p = :near) }", rows, background) == [{"p": "near"}]


def test_optional_minus_and_exists_see_both(background: str) -> None:
    rows = [("b", "height", 7)]
    assert answers("SELECT ?x ?h { ?x :near ?y OPTIONAL { ?y :height ?h } }", rows, background) == [
        {"x": "a", "h": 7}, {"x": "b", "h": 5},
    ]  # fmt: skip
    assert answers("SELECT ?x { ?x :near ?y MINUS { ?x :height ?h } }", rows, background) == [{"x": "a"}]
    query = "SELECT ?x { ?x :near ?y FILTER EXISTS { ?x :height ?h } }"
    assert answers(query, rows, background) == [{"x": "b"}]


def test_nothing_is_counted(background: str) -> None:
    assert answers("SELECT (COUNT(*) AS ?n) (SUM(?x) AS ?s) { ?x :none ?y }", []) == [{"n": 0, "s": 0}]
    assert answers("SELECT ?x (COUNT(*) AS ?n) { ?x :none ?y } GROUP BY ?x", [], background) == []


def test_entailment_holds_there_too(background: str) -> None:
    rdf_type = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    assert answers("SELECT ?x { ?x a :Tree }", [("e", rdf_type, "Oak")], background) == [{"x": "e"}]


def test_a_single_construct_is_a_question() -> None:
    """Alone it would feed itself for ever; with another query it is a rule."""
    query = "PREFIX : <urn:> CONSTRUCT { ?y :next [] } WHERE { ?x :next ?y }"
    with Engine(at=1_000_000) as engine:
        engine.register(query)
        engine.send_batch(table([(1, "a", "next", "b")]))
        engine.finish()
        assert len(list(engine.matches())) == 1
    with Engine(at=1_000_000) as engine:
        engine.register("PREFIX : <urn:> CONSTRUCT { ?y :after ?x } WHERE { ?x :next ?y }")
        engine.register("PREFIX : <urn:> SELECT ?x { ?x :after :a }", name="seen")
        engine.send_batch(table([(1, "a", "next", "b")]))
        engine.finish()
        assert seconds(engine, "seen") == [(1, 1, {"x": "b"})]


MADE = "CONSTRUCT { ?x :made :y } { ?x :q ?z MINUS { ?x :r ?z } }"
ROWS = [("a", "q", "b"), ("d", "y", "a")]
NODES = {"a", "b", "d", "y"}


@pytest.mark.parametrize("made_first", [True, False])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT ?x { ?x :p* ?y }", NODES),
        ("SELECT ?x { ?x :p? ?y } ORDER BY ?x", NODES),
        ("SELECT ?x { ?x :p* ?y MINUS { ?x :made ?z } }", NODES - {"a"}),
        ("SELECT ?x { ?x :q ?z FILTER EXISTS { ?k :p* ?l FILTER (?k = :y) } }", {"a"}),
        ("SELECT ?x { ?x :q ?z FILTER NOT EXISTS { ?k :p* ?l FILTER (?k = :y) } }", set()),
        ("SELECT ?x { ?d ?x ?a . ?x :p* ?x }", {"y"}),
        ("SELECT ?x { :a :q ?b . ?x :p* ?y }", NODES),
        ("SELECT ?x { { :d :y ?b } OPTIONAL { ?x :p* ?y } }", NODES),
        ("SELECT ?x { ?x :made ?z . ?x :p* ?y }", {"a"}),
    ],
)
def test_paths_of_no_step_know_the_nodes_that_are_made(
    query: str, expected: set[str], made_first: bool
) -> None:
    queries = [("made", MADE), ("asked", query)]
    with Engine(at=AT * 1_000_000) as engine:
        for name, text in queries if made_first else reversed(queries):
            engine.register("PREFIX : <urn:> " + text, name=name)
        engine.send_batch(table([(AT, *row) for row in ROWS]))
        engine.finish()
        found = [str(match["x"]).removeprefix("urn:") for match in engine.matches("asked")]
    assert sorted(found) == sorted(expected)


def test_a_query_may_make_triples_of_the_nodes_its_path_finds() -> None:
    with Engine(at=AT * 1_000_000) as engine:
        engine.register("PREFIX : <urn:> CONSTRUCT { ?y :reached ?x } { ?x :q* ?y }", name="made")
        engine.register("PREFIX : <urn:> SELECT ?x { ?x :reached ?y }", name="asked")
        engine.send_batch(table([(AT, *row) for row in ROWS]))
        engine.finish()
        found = sorted(str(match["x"]).removeprefix("urn:") for match in engine.matches("asked"))
    assert found == ["a", "b", "b", "d"]
