"""Rows that native code takes one after the other (``rules/native/alone.c``): time passes all the same."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from etalis_py import Engine
from tests.engine.counting import in_prolog
from tests.engine.test_machine import PREFIX, TERMS, literal

WITHIN = 'FILTER(getDURATION() < "PT0.00008S"^^xsd:dayTimeDuration)'
STEPS = {
    "one": "SELECT * { ?x :p ?y }",
    "two": f"SELECT * {{ {{ ?x :p ?y }} SEQ {{ ?x :q ?z }} {WITHIN} }}",
    "three": f"SELECT * {{ {{ ?x :p ?y }} SEQ {{ ?x :q ?z }} SEQ {{ ?x :r ?w }} {WITHIN} }}",
    "ends": f"SELECT ?w {{ {{ ?x :p ?y }} SEQ {{ ?x :q ?z }} SEQ {{ ?z :r ?w }} {WITHIN} }}",
    "own": f"SELECT * {{ {{ ?x :p ?y }} SEQ {{ ?x :p ?z }} {WITHIN} }}",
}


def stream(seed: int, first: int, rows: int) -> Mapping[str, Any]:
    """Most rows are alone in their instants; some are late; nothing comes for two windows now and then."""
    chance = random.Random(seed)
    ends, time = [], first
    for _ in range(rows):
        time += chance.choice([1, 1, 2, 3, 0, 5]) if chance.random() < 0.99 else 200
        ends.append(time - (chance.random() < 0.03) * chance.randrange(1, 9))
    keys = ["<urn:a>", "<urn:b>", "_:n"]
    return {
        "start": [end - chance.choice([0, 0, 2]) for end in ends],
        "end": ends,
        "s": [chance.choice(keys) for _ in ends],
        "p": [f"<urn:{chance.choice(['p', 'p', 'q', 'q', 'r', 'other'])}>" for _ in ends],
        "o": [literal(chance.choice([*TERMS, *keys])) for _ in ends],
    }


def run(query: str) -> list[Any]:
    """Answers, late rows and the state after each batch."""
    found: list[Any] = []
    with Engine(on_late="drop") as engine:
        engine.register(PREFIX + query)
        for part in range(4):
            engine.send_batch(stream(part, 600 * part, 150))
            found.append((list(map(repr, engine.matches())), engine.late, engine.snapshot()))
        engine.finish()
        found.append(list(map(repr, engine.matches())))
    return found


@pytest.mark.parametrize("portions", [20_000, 7])
@pytest.mark.parametrize("name", STEPS)
def test_answers_and_states_are_those_of_prolog(
    name: str, portions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("etalis_py.engine.feeding.MOST_ANSWERS_AT_ONCE", portions)
    found = run(STEPS[name])
    with in_prolog():
        assert run(STEPS[name]) == found
    assert all(late for _, late, _ in found[:-1])
    assert any(answers for answers, _, _ in found[:-1])


#   time                 1         2
#   stream             a p b     a q c
#   q0 (CONSTRUCT)                 |    a r c
#   q1                             |    ?x = a, of what q0 derives, in the same instant
def test_what_is_derived_from_a_row_alone_is_answered_after_it() -> None:
    queries = ["CONSTRUCT { ?x :r ?y } { ?x :q ?y }", "SELECT ?x { ?x :r ?y }"]
    ends = [1, 2, 3]
    events = {"start": [0, 1, 2], "end": ends, "s": ["<urn:a>"] * 3, "p": ["<urn:p>", "<urn:q>", "<urn:r>"],
              "o": ["<urn:b>"] * 3}  # fmt: skip

    def names() -> list[tuple[str, int]]:
        with Engine() as engine:
            for number, query in enumerate(queries):
                engine.register(PREFIX + query, name=f"q{number}")
            engine.send_batch(events)
            engine.finish()
            return [(match.query, match.end) for match in engine.matches()]

    assert names() == [("q0", 2), ("q1", 2), ("q1", 3)]
    with in_prolog():
        assert names() == [("q0", 2), ("q1", 2), ("q1", 3)]
