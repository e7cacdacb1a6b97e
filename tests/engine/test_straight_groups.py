"""Rows that ask for their own group (``rules/native/straight_groups.c``) are answered as by Prolog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from etalis_py import Engine
from tests.engine.counting import in_prolog
from tests.engine.test_machine import PREFIX, answers, is_native
from tests.engine.test_straight_answers import stream
from tests.engine.test_window_cost import looked_at

OWN = "SELECT * {{ {{ ?x :p ?y }} EQUALS {{ SELECT {} {{ ?x :p ?w }} GROUP BY {} WINDOW [{}] }} }}"
LAST = "RANGE PT0.00003S"
ALL = """?x (COUNT(*) AS ?a) (COUNT(DISTINCT ?w) AS ?b) (SUM(?w) AS ?c) (AVG(?w) AS ?d) (MIN(?w) AS ?e)
    (MAX(?w) AS ?f) (SAMPLE(?w) AS ?g) (GROUP_CONCAT(?w) AS ?h)"""
STRAIGHT = {
    "mean": OWN.format("?x (AVG(?w) AS ?m)", "?x", LAST),
    "all": OWN.format(ALL, "?x", LAST),
    "rows": OWN.format(ALL, "?x", "ROWS 5"),
    "past": OWN.format("?x (SUM(?w) AS ?m)", "?x", "NOW - PT0.00003S TO NOW - PT0.00001S"),
    "moment": OWN.format("?x (SUM(?w) AS ?m)", "?x", "RANGE PT0.000001S"),
    "ever": OWN.format("?x (SUM(?w) AS ?m)", "?x", LAST).replace(f" WINDOW [{LAST}]", ""),
    "object": OWN.format("?w (COUNT(?x) AS ?m)", "?w", LAST).replace("?y", "?w"),
    "both": OWN.format("?x ?y (COUNT(*) AS ?m)", "?x ?y", LAST).replace("?w", "?y"),
}
OTHERS = {
    "having": OWN.format("?x (COUNT(*) AS ?m)", "?x HAVING (COUNT(*) > 1)", LAST),
    "filter": OWN.format("?x (AVG(?w) AS ?m)", "?x", LAST).replace("?w }", "?w FILTER(?w != 1) }"),
    "calculated": OWN.format("?x (AVG(?w) AS ?m)", "?x", LAST)[:-1] + "FILTER(?m > 1) }",
    "other key": OWN.format("?x (COUNT(?v) AS ?m)", "?x", LAST).replace("?x :p ?w", "?v :p ?x"),
    "constant": OWN.format("?x (SUM(?w) AS ?m)", "?x", LAST).replace("?x :p ?y", "?x :p 1"),
}
QUERIES = STRAIGHT | OTHERS


def batches(most: int) -> Sequence[Mapping[str, Any]]:
    return [
        {**each, **{time: [at + 200 * place for at in each[time]] for time in ("start", "end")}}
        for place, each in enumerate(stream(seed, 60, most=most) for seed in range(3))
    ]


@pytest.mark.parametrize("most", [1, 2, 9])
@pytest.mark.parametrize("name", QUERIES)
def test_answers_are_those_of_prolog(name: str, most: int) -> None:
    found = answers({name: QUERIES[name]}, batches(most))
    with in_prolog():
        assert answers({name: QUERIES[name]}, batches(most)) == found
    assert found or most == 9


@pytest.mark.parametrize("name", STRAIGHT)
def test_no_goal_is_looked_for(name: str) -> None:
    with Engine() as engine:
        engine.register(PREFIX + STRAIGHT[name])
        assert is_native(engine)
        engine.send_batch(alone())
        engine.finish()
        assert len(engine.matches()) > 20 - 10 * (name == "past")
        assert looked_at(engine) == 0


def alone() -> Mapping[str, Any]:
    """Rows that begin when they end, each at an instant of its own."""
    columns = stream(5, 60, most=1)
    times = [3 * row for row, _ in enumerate(columns["end"])]
    return {**columns, "start": times, "end": times}


@pytest.mark.parametrize("name", ["all", "rows", "ever"])
def test_another_engine_goes_on_from_a_snapshot_and_changes(name: str) -> None:
    """Rows that were answered in one way and in the other change the same."""
    expected = answers({name: QUERIES[name]}, batches(2))
    found: list[str] = []
    parts: list[bytes] = []
    last = len(batches(2)) - 1
    for place, each in enumerate(batches(2)):
        with Engine(record_changes=True) as engine:
            engine.register(PREFIX + QUERIES[name], name=name)
            if parts:
                engine.restore(parts)
            else:
                parts.append(engine.snapshot())
            for row, _ in enumerate(each["end"]):
                engine.send_batch({column: values[row : row + 1] for column, values in each.items()})
                found.extend(map(repr, engine.matches()))
                parts.extend(part for part in [engine.changes()] if part is not None)
            if place == last:
                engine.finish()
                found.extend(map(repr, engine.matches()))
    assert found == expected


def test_rows_that_are_derived_come_into_one_instant() -> None:
    """Both are in the group before it is asked."""
    query = OWN.format("?x (COUNT(*) AS ?m)", "?x", LAST)
    rules = {"derived": "CONSTRUCT { ?x :p 1 . ?x :p 2 } { ?x :q ?y }", "count": query}
    found = answers(rules, batches(1))
    with in_prolog():
        assert answers(rules, batches(1)) == found
    assert any("(2, 'http" in each.partition("values=")[2] for each in found)
