"""The figures of a profile, exactly, on streams small enough to count by hand."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from etalis_py.core.errors import CompileError
from etalis_py.engine.engine import Engine
from etalis_py.profiling.engine import ProfilingEngine
from etalis_py.profiling.report import OperatorProfile, Profile
from tests.engine.conftest import run, seconds, table

Figures = tuple[int, int, int, int, int]


def profile(query: str, rows: Iterable[tuple[Any, ...]], **options: Any) -> Profile:
    with ProfilingEngine(**options) as engine:
        engine.register("PREFIX : <urn:> " + query)
        engine.send_batch(table(rows))
    return engine.profile()


def figures(operator: OperatorProfile) -> Figures:
    """In, goals made, live and at most, out."""
    goals = (operator.goals_made, operator.goals_live, operator.goals_most)
    return operator.events_in, *goals, operator.matches_out


def by_text(profile: Profile) -> dict[str, Figures]:
    return {each.text: figures(each) for query in profile.queries for each in query.operators}


#   1    2    3    4    5    6
#   a p  b p  a q  a p  a q  other
SEQ_ROWS = [
    (1, "a", "p", 1), (2, "b", "p", 2), (3, "a", "q", 3),
    (4, "a", "p", 4), (5, "a", "q", 5), (6, "a", "other", 6),
]  # fmt: skip


def test_a_sequence() -> None:
    found = by_text(profile("SELECT ?x { { ?x :p ?y } SEQ { ?x :q ?z FILTER(?z > 3) } }", SEQ_ROWS))
    assert found == {
        "answers": (2, 0, 0, 0, 2),
        "project": (2, 0, 0, 0, 2),
        "SEQ on ?x": (4, 3, 3, 3, 2),
        "?x :p ?y": (3, 0, 0, 0, 3),
        "FILTER ?z > 3": (2, 0, 0, 0, 1),
        "?x :q ?z": (2, 0, 0, 0, 2),
    }


def test_rules_of_one_operator() -> None:
    report = profile("SELECT ?x { { ?x :p ?y } SEQ { ?x :q ?z } }", SEQ_ROWS)
    seq = next(each for each in report.queries[0].operators if each.text.startswith("SEQ"))
    assert [(each.name, each.calls, each.line) for each in seq.rules] == [
        ("goal insertion", 3, 1),
        ("checking", 2, 1),
    ]
    assert [each.source for each in seq.rules] == [each.name for each in seq.inputs]
    assert (report.events, report.queries[0].answers) == (6, 3)


def test_goals_that_are_forgotten_do_not_live() -> None:
    rows = [(second, "a", "p", second) for second in range(1, 11)]
    query = 'SELECT ?y { { ?x :p ?y } SEQ { ?x :q ?z } FILTER(getDURATION() < "PT2S"^^xsd:duration) }'
    _, made, live, most, _ = by_text(profile(query, rows))["SEQ on ?x"]
    assert made == 10
    assert live <= most <= 5  # two windows' worth, and the one that turns them


def test_waiting_for_the_instant() -> None:
    rows = [(1, "a", "p", 1), (1, "a", "q", 1), (1, "b", "p", 1), (2, "c", "p", 1)]
    found = by_text(profile("SELECT * { { ?x :p ?y } OPTIONAL { ?x :q ?z } }", rows))
    assert found["OPTIONAL on ?x"] == (4, 4, 1, 3, 3)  # what waits goes, what is looked back at stays


def test_an_aggregate_keeps_what_is_in_its_window() -> None:
    rows = [(second, "a", "p", second) for second in range(1, 6)]
    query = "SELECT (SUM(?y) AS ?sum) { ?x :p ?y } WINDOW [RANGE PT3S]"
    found = by_text(profile(query, rows))
    assert next(found[text] for text in found if text.startswith("GROUP BY")) == (5, 5, 3, 4, 5)


def test_background_is_counted_where_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "b.ttl").write_text("<urn:a> a <urn:Big> . <urn:b> a <urn:Big> .")
    rows = [(1, "a", "p", 1), (2, "c", "p", 1)]
    found = by_text(profile("SELECT ?x { ?x :p ?y . ?x a :Big }", rows, background=[str(tmp_path / "b.ttl")]))
    assert found["?x a :Big"] == (1, 0, 0, 0, 1)
    assert found["Join on ?x"][0] == 3


def test_constructed_triples_are_events_of_the_other_query() -> None:
    with ProfilingEngine() as engine:
        engine.register("PREFIX : <urn:> CONSTRUCT { ?x :high ?y } { ?x :p ?y FILTER(?y > 1) }", name="high")
        engine.register("PREFIX : <urn:> SELECT ?x { ?x :high ?y }", name="seen")
        engine.send_batch(table([(1, "a", "p", 1), (2, "a", "p", 2)]))
    report = engine.profile()
    assert by_text(report)["?x :high ?y"] == (1, 0, 0, 0, 1)
    assert [(each.name, each.answers) for each in report.queries] == [("high", 1), ("seen", 1)]


@pytest.mark.parametrize("policy", ["chronological", "recent"])
def test_answers_are_the_same(policy: Any) -> None:
    query = "SELECT ?y ?z { { ?x :p ?y } SEQ { ?x :q ?z } }"
    with ProfilingEngine(policy=policy) as engine:
        engine.register("PREFIX : <urn:> " + query)
        engine.send_batch(table(SEQ_ROWS))
        engine.finish()
        assert seconds(engine) == run(query, SEQ_ROWS, policy=policy)


def test_time_is_found_where_it_is_spent(tmp_path: Path) -> None:
    (tmp_path / "slow.pl").write_text("slow(_) :- forall(between(1, 20000, _), true).\n")
    rows = [(second, "a", "p", second) for second in range(50)]
    query = "SELECT ?y { ?x :p ?y FILTER(?y >= 0) FILTER(prolog:slow(?y)) FILTER(?x != :b) }"
    report = profile(query, rows, rules=[str(tmp_path / "slow.pl")])
    dearest = max(report.queries[0].operators, key=lambda each: each.own)
    assert "slow" in dearest.text
    assert dearest.own > report.seconds / 2
    assert report.queries[0].root.total == pytest.approx(
        sum(each.own for each in report.queries[0].operators)
    )


def test_a_refused_query_leaves_nothing() -> None:
    with ProfilingEngine() as engine:
        circle = "CONSTRUCT { ?x <urn:p> ?y } { ?x <urn:q> ?y MINUS { ?x <urn:p> ?y } }"
        with pytest.raises(CompileError, match="EP205"):
            engine.register(circle)
        engine.register("SELECT ?x { { ?x <urn:p> ?y } SEQ { ?x <urn:q> ?z } }")
        engine.send_batch(table(SEQ_ROWS))
    assert [each.answers for each in engine.profile().queries] == [3]


def test_a_profile_can_be_taken_before_the_end() -> None:
    with ProfilingEngine() as engine:
        engine.register("SELECT ?x { ?x <urn:p> ?y }")
        engine.send_batch(table(SEQ_ROWS[:2]))
        assert engine.profile().events == 2
        engine.send_batch(table(SEQ_ROWS[2:]))
    assert engine.profile().queries[0].answers == 3


def is_wrapped(engine: Engine) -> bool:
    return bool(list(engine.prolog("'$wrapped_predicate'(etalis_terms:decode_terms(_, _), _)")))


def test_engines_side_by_side() -> None:
    """The library's predicates are wrapped as long as there is an engine that measures."""
    with Engine() as plain:
        assert not is_wrapped(plain)
        with ProfilingEngine() as one, ProfilingEngine() as other:
            assert is_wrapped(plain)
            for engine in (plain, one, other):
                engine.register("SELECT ?x { ?x <urn:p> ?y }")
                engine.send_batch(table(SEQ_ROWS))
            assert plain.query("query").rules == one.query("query").rules
        assert not is_wrapped(plain)
    for engine in (one, other):
        assert engine.profile().queries[0].operators[-1].events_in == 3


def test_what_is_watched_is_there() -> None:
    """A predicate of the library that is renamed is not missed."""
    with ProfilingEngine() as engine:
        assert list(engine.prolog("forall(etalis_profile:outside(_, M, N), current_predicate(M:N/_))")) == [
            {}
        ]


SHARED = "{ { ?x :p ?y } SEQ { ?x :q ?z } }"


def shared_profile(**options: Any) -> Profile:
    with ProfilingEngine(**options) as engine:
        engine.register(f"PREFIX : <urn:> SELECT ?x ?z {SHARED}", name="one")
        engine.register(f"PREFIX : <urn:> SELECT ?z {{ {SHARED} FILTER(?z > ?y + 2) }}", name="two")
        engine.send_batch(table(SEQ_ROWS))
    return engine.profile()


def test_what_queries_share_is_measured_once() -> None:
    one, two = shared_profile().queries
    seq = {each.text: each for each in one.operators}["SEQ on ?x"]
    again = {each.text: each for each in two.operators}["SEQ on ?x"]
    assert (seq.computed_by, again.computed_by) == (None, "one")
    assert figures(seq) == (5, 3, 3, 3, 3)
    assert figures(again) == (5, 0, 0, 0, 3)
    assert (again.own, again.inputs) == (0, ())
    assert [(each.name, each.answers) for each in (one, two)] == [("one", 3), ("two", 1)]


def test_queries_that_share_nothing() -> None:
    one, two = shared_profile(share=False).queries
    assert {each.computed_by for each in (*one.operators, *two.operators)} == {None}
    assert figures(two.operators[-3]) == (5, 3, 3, 3, 3)


def test_a_part_that_stands_twice_in_a_query() -> None:
    late = "{ ?x :p ?y FILTER(?y > 1) }"
    either = f"{{ {late} SEQ {{ ?x :q ?z }} UNION {{ {late} SEQ {{ ?x :r ?z }} }} }}"
    report = profile(f"SELECT ?x {either}", SEQ_ROWS)
    filters = [each for each in report.queries[0].operators if each.text.startswith("FILTER")]
    assert [(each.computed_by, each.events_in, each.matches_out) for each in filters] == [
        (None, 3, 2),
        ("query", 3, 2),
    ]
    assert sum(each.goals_made for each in report.queries[0].operators) == 2  # goals are shared as well


def test_a_cut_is_for_all_clauses_of_a_predicate() -> None:
    """Nothing between: the latest one in the way is looked for in a rule with a cut and a clause after it."""
    query = (
        "SELECT ?x ?u ?w { { { ?x :p ?u } SEQ { ?x :r ?w } }"
        " EQUALSOPTIONAL { { ?x :p ?u } SEQ { ?x :q ?v } SEQ { ?x :r ?w } } FILTER(!BOUND(?v)) }"
    )
    rows = [(1, "a", "p", 1), (2, "a", "q", 2), (3, "a", "r", 3), (4, "a", "p", 4), (5, "a", "r", 5)]
    with ProfilingEngine() as engine:
        engine.register("PREFIX : <urn:> " + query)
        engine.send_batch(table(rows))
        engine.finish()
        assert seconds(engine) == run(query, rows)


def test_what_is_evaluated_for_each_match_belongs_to_the_operator_that_waits() -> None:
    rows = [(1, "a", "q", "u"), (2, "c", "s", "v"), (3, "b", "q", "v")]
    text = "SELECT ?x { ?x :q ?w FILTER EXISTS { { ?y :s ?z FILTER (?w = :v) } UNION { ?y :t ?w } } }"
    [query] = profile(text, rows).queries
    [waiting] = [each for each in query.operators if each.text.startswith("waits")]
    assert {each.name for each in waiting.rules} >= {"evaluation for each match"}


@pytest.mark.parametrize(
    ("group", "live"),
    [
        ("{ ?y :s ?z FILTER (?w = :v) } UNION { ?y :t ?w }", 1),
        ("{ { ?y :s ?z FILTER (?w = :v) } UNION { ?y :t ?w } } SEQ { ?y :u ?k }", 200),
        (
            """{ ?y :s ?z FILTER (?w = :v) } UNION { ?y :t ?w }
            FILTER (getSTARTTIME() > ?now - "PT50S"^^xsd:dayTimeDuration)""",
            100,
        ),
    ],
    ids=["one point", "each time", "while it is young"],
)
def test_what_is_kept_to_be_evaluated_is_bounded(group: str, live: int) -> None:
    """Of a part one point is kept of each combination that matters, where no operator asks for the times."""
    rows = [(number, f"c{number}", "s", "v") for number in range(1, 201)]
    text = f"SELECT ?x {{ ?x :q ?w BIND (getENDTIME() AS ?now) FILTER EXISTS {{ {group} }} }}"
    [query] = profile(text, rows).queries
    kept = sum(store.live for operator in query.operators for store in operator.stores)
    assert live // 2 <= kept <= live
