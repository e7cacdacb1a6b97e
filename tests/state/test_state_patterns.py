"""The patterns of states are compiled like queries: all operators, background, what others construct."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from etalis_py.engine.engine import Engine
from etalis_py.profiling.engine import ProfilingEngine
from tests.engine.conftest import seconds, table
from tests.engine.counting import steps_of
from tests.state.conftest import CLOSED, PREFIX, Open, asked

ASK = "SELECT ?x { ?x :ask :now FILTER (prolog:closed(?x)) }"
JAM = [(1, "a", "slow", "now"), (2, "a", "slow", "now"), (3, "b", "slow", "now")]


@pytest.mark.parametrize(
    ("pattern", "held"),
    [
        ("{ ?S :slow ?x } SEQ { ?S :slow ?y }", ["a"]),
        ("{ ?S :slow ?x } OPTIONAL { ?S :seen ?y } FILTER (!BOUND(?y))", ["a", "b"]),
        ("?S :slow ?x FILTER NOT EXISTS { ?S :seen ?y }", ["a", "b"]),
        ("{ SELECT ?S (COUNT(*) AS ?n) { ?S :slow ?x } GROUP BY ?S } FILTER (?n > 1)", ["a"]),
        ("?S :slow ?x . FILTER (prolog:big(?S))", ["b"]),
        ("?S :slow ?x } UNION { ?S :seen ?x", ["a", "b"]),
        ("?S :slow ?x  # a comment", ["a", "b"]),
    ],
)
def test_operators(opened: Open, pattern: str, held: list[str]) -> None:
    with opened(PREFIX + f"big('urn:b').\n:- state(jam(S), begins(\"{pattern}\")).") as engine:
        engine.send_batch(table(JAM))
        engine.finish()
        assert asked(engine, "jam(S)") == [{"S": each} for each in held]


def test_background_and_entailment(opened: Open, tmp_path: Path) -> None:
    background = tmp_path / "roads.ttl"
    background.write_text(
        "@prefix : <urn:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ":blocked rdfs:subPropertyOf :shut . :a :part :centre . :b :part :centre .\n"
    )
    rules = PREFIX + ':- state(busy(District), begins("?s :shut ?why . ?s :part ?District")).'
    with opened(rules, background=[background]) as engine:
        engine.send_batch(table([(1, "a", "blocked", "fire")]))
        engine.finish()
        assert asked(engine, "busy(D)") == [{"D": "centre"}]


def test_what_a_query_constructs_changes_state(opened: Open) -> None:
    jam = "CONSTRUCT { ?s :status :closed } { { ?s :slow ?x } SEQ { ?s :slow ?y } }"
    with opened(CLOSED, jam, ASK) as engine:
        engine.send_batch(table([*JAM, (2, "a", "ask", "now"), (4, "a", "ask", "now")][:2]))
        engine.send_batch(table([(2, "a", "ask", "now"), (4, "a", "ask", "now"), (4, "b", "ask", "now")]))
        engine.finish()
        assert [(end, row) for _, end, row in seconds(engine, "q-2")] == [(4, {"x": "a"})]


@pytest.mark.parametrize("seed", range(6))
def test_random_changes(opened: Open, seed: int) -> None:
    """Against what the definition says, with windows of many lengths around, in batches of any size."""
    draw = random.Random(seed)
    late = 'SELECT ?x { {?x :status ?y} SEQ {?x :never ?z} FILTER (getDURATION() < "PT%dS"^^xsd:duration) }'
    windows = [late % length for length in range(draw.choice((0, 3, 20)))]
    rows, held, expected = [], set[str](), []
    for time in sorted(draw.sample(range(200), 60)):
        drawn = [(draw.choice("abcd"), draw.choice(("closed", "open", "ask"))) for _ in range(4)]
        events = list(dict.fromkeys(drawn[: draw.randint(1, 4)]))
        rows += [(time, s, *(("ask", "now") if what == "ask" else ("status", what))) for s, what in events]
        expected += [(time, s) for s in "abcd" if (s, "ask") in events and s in held]
        held -= {s for s, what in events if what == "open"}
        held |= {s for s, what in events if what == "closed"}
    with opened(CLOSED, ASK, *windows) as engine:
        first = 0
        while first < len(rows):
            size = draw.randint(1, 40)
            engine.send_batch(table(rows[first : first + size]))
            first += size
        engine.finish()
        assert [(end, row["x"]) for _, end, row in seconds(engine, "q")] == expected
        assert [each["X"] for each in asked(engine, "closed(X)")] == sorted(held)


def test_events_that_touch_no_state_pay_nothing(tmp_path: Path) -> None:
    plain, stateful = tmp_path / "plain.pl", tmp_path / "stateful.pl"
    plain.write_text("unused(1).\n")
    stateful.write_text(CLOSED)
    rows = table([(time, f"s{time % 7}", "price", time) for time in range(1000)])

    def steps(rules: Path) -> int:
        with Engine(rules=[rules]) as engine:
            engine.register("PREFIX : <urn:> SELECT ?x { { ?x :price 1 } SEQ { ?x :price ?y } }")
            engine.send_batch(table([(-1, "s", "price", 0)]))
            return steps_of(lambda: engine.send_batch(rows))

    assert steps(stateful) == steps(plain)


def test_a_change_costs_the_same_however_much_holds(opened: Open) -> None:
    with opened(CLOSED) as engine:

        def change(first: int) -> int:
            rows = [(2 * n, f"s{n}", "status", "closed") for n in range(first, first + 500)]
            return steps_of(lambda: engine.send_batch(table(rows)))

        change(0)
        few = change(1000)
        for first in range(2000, 12000, 500):
            change(first)
        assert change(20000) < 1.05 * few


def test_what_ended_leaves_nothing(opened: Open) -> None:
    with opened(CLOSED) as engine:
        for time in range(0, 200, 2):
            engine.send_batch(table([(time, "a", "status", "closed"), (time + 1, "a", "status", "open")]))
        engine.finish()
        assert asked(engine, "closed(X)") == asked(engine, "since(X, T)") == []


def test_a_profile_counts_them_too(tmp_path: Path) -> None:
    rules = tmp_path / "rules.pl"
    rules.write_text(CLOSED)
    with ProfilingEngine(rules=[rules]) as engine:
        engine.register("PREFIX : <urn:> " + ASK, name="q")
        engine.send_batch(table([(1, "a", "status", "closed"), (2, "a", "ask", "now")]))
        engine.finish()
        assert len(seconds(engine, "q")) == 1
        assert asked(engine, "closed(X)") == [{"X": "a"}]
        engine.profile()
