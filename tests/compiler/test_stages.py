"""Stages: where programs are cut, by what each stage is dealt out, and how far back slices of time look."""

from __future__ import annotations

import pytest

from etalis_py.compiler.compile import CompiledQuery, compile_program
from etalis_py.compiler.explain.readable import readable_for
from etalis_py.compiler.explain.stage_printer import stages_text
from etalis_py.compiler.partition.class_filter import with_classes
from etalis_py.compiler.partition.routes import Routes
from etalis_py.compiler.partition.stages import Dealing, Stage, plan_stages
from etalis_py.compiler.plan.triggers import Trigger, plain_triggers
from etalis_py.core.vocabulary import RDF_TYPE

SOON = 'FILTER(getDURATION() < "PT5S"^^xsd:duration)'
SECOND = 1_000_000


def compiled(*queries: str) -> list[CompiledQuery]:
    found: list[CompiledQuery] = []
    for query in queries:
        text = "PREFIX : <urn:>\n" + query
        found += compile_program(text, name=f"q{len(found) + 1}", first_number=len(found) + 1)
    return found


def staged(*queries: str) -> list[Stage]:
    return plan_stages([each.plan for each in compiled(*queries)])


RATINGS = """SELECT * {
  { ?rating :company ?company ; :agency ?agency ; :grade ?low }
  SEQ
  { ?later :company ?company ; :agency ?agency ; :grade ?high } }"""


def test_the_key_changes_between_groups() -> None:
    queries = compiled(RATINGS)
    stages = plan_stages([each.plan for each in queries])
    assert stages_text(stages, queries, readable_for(queries[0])) == (
        "2 stages on Spark:\n"
        "  1  dealt out by ?later and ?rating\n"
        "     events: :company by subject, :agency by subject, :grade by subject\n"
        "     finds for later stages: q1_join_10, q1_join_5\n"
        "  2  dealt out by ?company, ?agency\n"
        "     events: none of the stream\n"
        "     takes: q1_join_5, q1_join_10\n"
        "     answers: q1"
    )


@pytest.mark.parametrize(
    ("queries", "dealings"),
    [
        (["SELECT * { { ?x :p ?y } SEQ { ?x :q ?z } }"], ["by key"]),
        (["SELECT * { { ?x :p ?y } SEQ { ?y :p ?z } }"], ["by key"] * 2),
        # The third joins what the first two find.
        (["SELECT * { ?x :p ?y . ?y :q ?z . ?z :r ?x }"], ["by key"] * 2),
        (["SELECT * { ?x :p ?y }", "SELECT * { ?x :q ?y . ?x :p ?y }"], ["by key"]),
        (["SELECT * { ?x :p ?y . ?x :q ?z }", "SELECT * { ?x :p ?y . ?z :q ?y }"], ["by key"] * 2),
        (["SELECT * { { ?x :p ?y } SEQ { ?z :q ?u } }"], ["in one part"]),
        ([f"SELECT * {{ {{ ?x :p ?y }} SEQ {{ ?z :q ?u }} {SOON} }}"], ["by time"]),
        (["SELECT * { { ?x :p ?y . ?x :q ?z } SEQ { ?u :r 1 . ?u :q ?v } }"], ["by key", "in one part"]),
        (["SELECT ?x { ?x :p ?y . ?x :q ?z } ORDER BY ?y LIMIT 2"], ["by key", "by time"]),
        # What is used up is used up everywhere.
        (["PRAGMA policy recent SELECT * { { ?x :p ?y . ?x :q ?z } SEQ { ?u :r ?y . ?u :q ?w } }"],
         ["in one part"]),
        # A circle of queries stays together.
        (["CONSTRUCT { ?y :p ?x } { ?x :p ?y . ?x :q ?y }"], ["in one part"]),
        (["SELECT (COUNT(*) AS ?n) { ?x :p ?y . ?x :q ?z } WINDOW [RANGE PT10S STEP PT1S]"], ["in one part"]),
    ],
)  # fmt: skip
def test_stages(queries: list[str], dealings: list[str]) -> None:
    assert [stage.dealing.value for stage in staged(*queries)] == dealings


@pytest.mark.parametrize(
    ("group", "reach"),
    [
        (f"{{ ?x :p ?y }} SEQ {{ ?z :q ?u }} {SOON}", 5 * SECOND),
        (f"{{ ?x :p ?y }} EQUALS {{ ?z :q ?u }} {SOON}", 0),
        (f"{{ {{ ?x :p ?y }} SEQ {{ ?z :q ?u }} {SOON} }} SEQ {{ ?v :r ?w }}", None),
        (f"{{ {{ ?x :p ?y }} SEQ {{ ?z :q ?u }} {SOON} }} EQUALS {{ ?v :r ?w }}", 5 * SECOND),
        (f"{{ ?x (:p|:q)+ ?y }} {SOON}", 5 * SECOND),
        (f"{{ ?x :p ?y }} OPTIONAL {{ ?z :q ?u }} {SOON}", None),
        ("{ ?x :p ?y } EQUALSOPTIONAL { ?z :q ?u }", 0),
        (f"{{ ?x :p ?y }} SEQ {{ ?z :q ?u }} {SOON} FILTER NOT EXISTS {{ ?v :r ?w }}", None),
        (f"{{ ?x :p ?y }} SEQ {{ ?z :q ?u }} {SOON} BIND(UUID() AS ?id)", None),
        ("{ SELECT (COUNT(*) AS ?n) { ?x :p ?y } WINDOW [RANGE PT10S] }", 10 * SECOND),
        ("{ SELECT (COUNT(*) AS ?n) { ?x :p ?y } WINDOW [NOW-PT20S TO NOW-PT10S] }", 20 * SECOND),
        ("{ SELECT (COUNT(*) AS ?n) { ?x :p ?y } WINDOW [ROWS 5] }", None),
        ("{ SELECT (COUNT(*) AS ?n) { ?x :p ?y } }", None),
    ],
)  # fmt: skip
def test_how_far_back_answers_look(group: str, reach: int | None) -> None:
    last = staged(f"SELECT * {{ {group} }}")[-1]
    assert last.reach == reach
    assert last.dealing is (Dealing.ONE_PART if reach is None else Dealing.SLICES)


def test_what_a_query_makes_is_read_by_another_key() -> None:
    maker = "CONSTRUCT { ?x :r ?z } { { ?x :p ?y } SEQ { ?x :q ?z } }"
    first, second = staged(maker, "SELECT * { { ?y :r ?x } SEQ { ?x :p ?z } }")
    assert (first.triples, second.triples) == (frozenset(), {1})
    assert second.key.routes.positions == {"urn:r": "o", "urn:p": "s"}


def test_only_classes_that_some_pattern_can_match_are_needed() -> None:
    types = Routes({RDF_TYPE: "s", "urn:p": "s"})

    def classes(query: str, *, entailed: bool = False) -> frozenset[str] | None:
        plans = [each.plan for each in compiled(query)]
        found = plain_triggers
        if entailed:
            found = lambda _: [Trigger(RDF_TYPE, "class", "s", None)]  # noqa: E731
        return with_classes(types, plans, found, lambda name: [f"{name}Below"]).classes

    assert classes("SELECT * { ?x a :C . ?x a :D ; :p ?y }") == {"urn:C", "urn:D"}
    assert classes("SELECT * { ?x a :C }", entailed=True) == {"urn:C", "urn:CBelow"}
    assert classes("SELECT * { ?x a ?c ; a :D }") is None
