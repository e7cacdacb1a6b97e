"""Background knowledge: it reasons with the stream, holds always, and alone is no event."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from etalis_py.core.errors import CompileError, RunTimeError
from etalis_py.engine.engine import Engine
from tests.engine.conftest import run, seconds, table

TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
ONTOLOGY = """
@prefix : <urn:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Oak rdfs:subClassOf :Tree . :Tree rdfs:subClassOf :Plant, :Tree .
:knows rdfs:domain :Person ; rdfs:range :Person .
:bigger rdfs:subPropertyOf :related . :age rdfs:domain :Person .
:e1 :ocean :pacific . :e2 :ocean :pacific . :e3 :ocean :atlantic . :e1 a :Buoy .
"""


@pytest.fixture
def ontology(tmp_path: Path) -> Iterator[list[str]]:
    file = tmp_path / "ontology.ttl"
    file.write_text(ONTOLOGY, encoding="utf-8")
    return [str(file)]


#   time  1          2
#   a     Oak, Tree             both entail Plant at 1: one occurrence
#   b                Tree
def test_a_class_is_matched_through_its_subclasses_once(ontology: list[str]) -> None:
    rows = [(1, "a", TYPE, "Oak"), (1, "a", TYPE, "Tree"), (2, "b", TYPE, "Tree")]
    found = run("SELECT * { { ?x a :Plant } SEQ { ?y a :Plant } }", rows, background=ontology)
    assert found == [(1, 2, {"x": "a", "y": "b"})]
    assert run("SELECT * { ?x a :Plant }", rows, background=ontology, entailment="none") == []


def test_domain_range_and_subproperty(ontology: list[str]) -> None:
    rows = [(1, "a", "knows", "b"), (2, "a", "bigger", 1), (3, "c", "age", 5)]
    people = run("SELECT ?x { ?x a :Person }", rows, background=ontology)
    assert [(end, row["x"]) for _, end, row in people] == [(1, "a"), (1, "b"), (3, "c")]
    assert len(run("SELECT * { ?x :related ?y }", rows, background=ontology)) == 1
    assert len(run("SELECT * { ?x ?p ?y FILTER(?p = :related) }", rows, background=ontology)) == 1


#   time    1          2           3
#   alert   e1                     e3    the ocean is background: no time of its own
#                      e2
def test_background_joins_without_a_time(ontology: list[str]) -> None:
    query = "SELECT ?x ?y { { ?x :alert 1 . ?x :ocean ?o } SEQ { ?y :alert 1 . ?y :ocean ?o } }"
    rows = [(1, "e1", "alert", 1), (2, "e2", "alert", 1), (3, "e3", "alert", 1)]
    assert run(query, rows, background=ontology) == [(1, 2, {"x": "e1", "y": "e2"})]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { ?x :ocean ?o }",
        "SELECT * { { ?x :ocean ?o } SEQ { ?x :alert ?a } }",
        "SELECT * { { ?x :ocean ?o } EQUALS { ?x :alert ?a } }",
        "SELECT * { { ?x :ocean ?o } OPTIONAL { ?x :alert ?a } }",
    ],
)
def test_background_alone_is_no_event(query: str, ontology: list[str]) -> None:
    assert run(query, [(1, "e1", "alert", 1)], background=ontology) == []


def test_background_on_the_optional_side(ontology: list[str]) -> None:
    rows = [(1, "e1", "alert", 1), (2, "e9", "alert", 2)]
    assert run("SELECT * { ?x :alert ?a OPTIONAL { ?x :ocean ?o } }", rows, background=ontology) == [
        (1, 1, {"x": "e1", "a": 1, "o": "pacific"}),
        (2, 2, {"x": "e9", "a": 2}),
    ]


def test_a_derived_triple_entails_as_well(ontology: list[str]) -> None:
    with Engine(background=ontology) as engine:
        engine.register("PREFIX : <urn:> CONSTRUCT { ?x a :Oak } { ?x :acorns ?n }", name="make")
        engine.register("PREFIX : <urn:> SELECT ?x { ?x a :Plant }", name="read")
        engine.send_batch(table([(1, "a", "acorns", 3), (1, "a", TYPE, "Tree")]))
        engine.finish()
        assert seconds(engine, "read") == [(1, 1, {"x": "a"})]


def test_a_cycle_through_entailment_is_seen(ontology: list[str]) -> None:
    with Engine(background=ontology) as engine, pytest.raises(CompileError, match="EP205"):
        engine.register("PREFIX : <urn:> CONSTRUCT { ?x a :Oak } { { ?x :p ?y } OPTIONAL { ?x a :Plant } }")


@pytest.fixture
def rules(tmp_path: Path) -> list[str]:
    file = tmp_path / "near.pl"
    file.write_text(
        "near(A, B) :- abs(A - B) < 3.\n"
        "double(X, Y) :- Y is X * 2.\n"
        "shout(Text, Loud) :- string_upper(Text, Loud).\n"
        "home(X, Y) :- rdf(X, 'urn:ocean', Y).\n"
        "broken(X, Y) :- atom_length(f(X), Y).\n",
        encoding="utf-8",
    )
    return [str(file)]


def test_prolog_predicates_in_filter_and_bind(rules: list[str], ontology: list[str]) -> None:
    query = """SELECT ?d ?t ?h { { ?x :p ?a } SEQ { ?x :q ?b } FILTER(prolog:near(?a, ?b))
        BIND(prolog:double(?b) AS ?d) BIND(prolog:shout("hé") AS ?t) BIND(prolog:home(?x) AS ?h) }"""
    rows = [(1, "e1", "p", 1), (1, "e1", "p", 9), (2, "e1", "q", 2)]
    found = run(query, rows, rules=rules, background=ontology)
    assert found == [(1, 2, {"d": 4, "t": "HÉ", "h": "pacific"})]


def test_a_prolog_predicate_that_is_not_there_is_refused(rules: list[str]) -> None:
    with pytest.raises(CompileError, match="EP207") as raised:
        run("SELECT * { ?x :p ?a FILTER(prolog:neer(?a, 3)) }", [], rules=rules)
    assert "near" in (raised.value.hint or "")
    with pytest.raises(CompileError, match="EP207"):
        run("SELECT * { ?x :p ?a FILTER(prolog:near(?a, 3)) }", [])


def test_a_prolog_predicate_that_raises_stops_the_engine(rules: list[str]) -> None:
    with pytest.raises(RunTimeError, match="EP301"):
        run("SELECT * { ?x :p ?a BIND(prolog:broken(?x) AS ?z) }",
            [(1, "a", "p", '"text"')], rules=rules)  # fmt: skip


def test_closing_gives_the_background_back(ontology: list[str], rules: list[str]) -> None:
    for _ in range(5):
        with Engine(background=ontology, rules=rules) as engine:
            engine.register("PREFIX : <urn:> SELECT ?x { ?x a :Plant }")


def test_what_is_no_rdf_term_is_an_error_value_and_endless_predicates_are_given_up(tmp_path: Path) -> None:
    file = tmp_path / "odd.pl"
    file.write_text("odd(_, f(x)).\nloop(X) :- loop(X).\nthrows(_) :- throw(boom).\n", encoding="utf-8")
    rows = [(1, "a", "p", 1)]
    odd = run("SELECT ?x ?y { ?x :p ?a BIND(prolog:odd(?a) AS ?y) }", rows, rules=file)
    assert odd == [(1, 1, {"x": "a"})]
    for call, why in (("loop(?a)", "does not come to an end"), ("throws(?a)", "it throws boom")):
        with pytest.raises(RunTimeError, match=why) as raised:
            run(f"SELECT * {{\n ?x :p ?a FILTER(prolog:{call}) }}", rows, rules=file)
        assert raised.value.place is not None
        assert raised.value.place.line == 2
