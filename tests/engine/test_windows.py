"""Aggregates over a stream: what is in the window, when it is asked, and rows asked for by their key."""

from __future__ import annotations

import random

import pytest

from etalis_py.core.errors import CompileError
from etalis_py.engine.engine import Engine
from tests.engine.conftest import run, seconds, table

COUNT = "SELECT (COUNT(*) AS ?n) (SUM(?v) AS ?sum) { ?x :v ?v } "
#   time    1    2         4    5              9
#   a       10             30   50
#   b            20                            90
READINGS = [(1, "a", "v", 10), (2, "b", "v", 20), (4, "a", "v", 30), (5, "a", "v", 50), (9, "b", "v", 90)]


def rows(query: str) -> list[tuple[int, int, int]]:
    """(time, n, sum) of each row; a row holds at its instant."""
    found = run(query, READINGS)
    assert all(start == end for start, end, _ in found)
    return [(end, row["n"], row["sum"]) for _, end, row in found]


def test_without_a_window_all_count() -> None:
    assert rows(COUNT) == [(1, 1, 10), (2, 2, 30), (4, 3, 60), (5, 4, 110), (9, 5, 200)]


def test_a_range_is_open_at_its_old_end() -> None:
    """At 5 the range of 3 s is (2, 5]: the reading at 2 is out."""
    assert rows(COUNT + "WINDOW [RANGE PT3S]") == [(1, 1, 10), (2, 2, 30), (4, 2, 50), (5, 2, 80), (9, 1, 90)]


def test_steps_come_though_nothing_happens() -> None:
    """Every 2 s over the last 3 s: at 8 the window (5, 8] is empty, and a count of 0 says so."""
    assert rows(COUNT + "WINDOW [RANGE PT3S STEP PT2S]") == [(2, 2, 30), (4, 2, 50), (6, 2, 80), (8, 0, 0)]


def test_an_empty_window_has_no_groups() -> None:
    query = "SELECT ?x (COUNT(*) AS ?n) { ?x :v ?v } GROUP BY ?x WINDOW [RANGE PT3S STEP PT2S]"
    found = [(end, row["x"], row["n"]) for _, end, row in run(query, READINGS)]
    assert found == [(2, "a", 1), (2, "b", 1), (4, "a", 1), (4, "b", 1), (6, "a", 2)]


def test_rows_are_the_newest_of_all_groups() -> None:
    assert rows(COUNT + "WINDOW [ROWS 2]") == [(1, 1, 10), (2, 2, 30), (4, 2, 50), (5, 2, 80), (9, 2, 140)]


def test_a_window_of_the_past() -> None:
    """From 5 s to 1 s ago: at 9 that is (4, 8], so the reading at 5 alone."""
    found = rows(COUNT + "WINDOW [NOW-PT5S TO NOW-PT1S]")
    assert found == [(1, 0, 0), (2, 1, 10), (4, 2, 30), (5, 3, 60), (9, 1, 50)]


def test_all_groups_are_given_anew() -> None:
    query = "SELECT ?x (MAX(?v) AS ?top) { ?x :v ?v } GROUP BY ?x HAVING (COUNT(*) > 1)"
    found = [(end, row["x"], row["top"]) for _, end, row in run(query, READINGS)]
    assert found == [(4, "a", 30), (5, "a", 50), (9, "a", 50), (9, "b", 90)]


def test_advance_passes_steps() -> None:
    with Engine() as engine:
        engine.register("PREFIX : <urn:> " + COUNT + "WINDOW [RANGE PT3S STEP PT2S]")
        engine.send_batch(table(READINGS[:1]))
        engine.advance(6_000_000)
        assert [(end, row["n"]) for _, end, row in seconds(engine)] == [(2, 1), (4, 0)]
        engine.finish()
        assert [(end, row["n"]) for _, end, row in seconds(engine)] == [(6, 0)]


def test_a_derived_event_at_a_step_is_an_event() -> None:
    query = (
        "CONSTRUCT { :all :silent ?now } WHERE { "
        "{ SELECT (COUNT(*) AS ?n) (NOW() AS ?now) { ?x :v ?v } WINDOW [RANGE PT2S STEP PT1S] } "
        "FILTER(?n = 0) } ;; PREFIX : <urn:> SELECT ?x { { :a :v ?x } SEQ { :all :silent ?t } "
        "FILTER(getDURATION() <= 'PT4S'^^xsd:duration) }"
    )
    assert [row for row in run(query, READINGS) if "x" in row[2]] == [
        (4, 7, {"x": 30}), (5, 7, {"x": 50}), (4, 8, {"x": 30}), (5, 8, {"x": 50}),
    ]  # fmt: skip


@pytest.mark.parametrize("operator", ["EQUALS", "EQUALSOPTIONAL"])
def test_rows_asked_for_are_the_rows(operator: str) -> None:
    """Rows are only made where the left side asks for them; a key that it does not have makes it all rows."""
    chance = random.Random(7)
    stream = [
        (time, chance.choice("abcd"), chance.choice(["v", "w"]), chance.randrange(5))
        for time in sorted(chance.choices(range(40), k=120))
    ]
    where = "{{ ?x :v ?v BIND(1 AS ?one) }}"
    group = f"SELECT ?x {{more}} (SUM(?v) AS ?sum) {where} GROUP BY ?x {{more}} WINDOW [RANGE PT6S]"
    asked, all_rows = (
        f"SELECT ?x ?w ?sum {{ {{ ?x :w ?w }} {operator} {{ {group.format(more=more)} }} }}"
        for more in ("", "?one")
    )
    assert run(asked, stream) == run(all_rows, stream)


@pytest.mark.parametrize(
    ("duration", "problem"),
    [("PT0.0000001S", "too fine"), (f"P{'9' * 20}D", "too long"), ("P1M", "no fixed")],
)
def test_a_duration_that_is_no_window_says_why(duration: str, problem: str) -> None:
    with Engine() as engine, pytest.raises(CompileError, match=f"EP210.*{duration} (is|has) {problem}"):
        engine.register(f"SELECT (COUNT(*) AS ?n) {{ ?x ?p ?v }} WINDOW [RANGE {duration}]")
