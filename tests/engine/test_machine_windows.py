"""Joins of windows, told as they begin: rows that are alone in their instants give what Prolog gives."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from etalis_py import Engine
from tests.engine.counting import in_prolog
from tests.engine.test_machine import PREFIX, answers, answers_in_turn, is_native

BOTH = "WINDOW :v { ?x :p ?y . ?x :q ?z }"
WHERE = {
    "slides": ("[RANGE PT0.000012S]", BOTH),
    "whole": ("[RANGE PT0.000012S WHOLE]", BOTH),
    "tumbles": ("[RANGE PT0.00001S STEP PT0.00001S]", BOTH),
    "hops": ("[RANGE PT0.000015S STEP PT0.000004S]", BOTH),
    "leaves-gaps": ("[RANGE PT0.000006S STEP PT0.000008S]", BOTH),
    "begins": ("[RANGE PT0.00001S STEP PT0.000005S STARTING AT 7]", BOTH),
    "filters": ("[RANGE PT0.000012S]", f"{BOTH} FILTER (?y != ?z)"),
    "three": ("[RANGE PT0.00003S]", "WINDOW :v { ?x :p ?y . ?x :q ?z . ?x :r ?w }"),
    "crosses": ("[RANGE PT0.000003S]", "WINDOW :v { ?x :p ?y . ?u :q ?z }"),
    "itself": ("[RANGE PT0.000005S]", "WINDOW :v { ?x :p ?y . ?y :p ?z }"),
    "apart": ("[RANGE PT0.000012S]", "WINDOW :v { ?x :p ?y } WINDOW :w { ?x :q ?z }"),
}
QUERIES = {
    name: f"""SELECT ISTREAM * FROM NAMED WINDOW :v ON :s {window}
        FROM NAMED WINDOW :w ON :t [RANGE PT0.000009S] {{ {where} }}"""
    if ":w" in where
    else f"SELECT ISTREAM * FROM NAMED WINDOW :v ON :s {window} {{ {where} }}"
    for name, (window, where) in WHERE.items()
}
QUERIES["closed-open"] = f"PRAGMA window-bounds closed-open {QUERIES['hops']}"
BESIDE = {
    "other": "SELECT * { { ?x :p ?y } SEQ { ?x :r ?w } FILTER (getDURATION() < 'PT0.000005S'^^xsd:duration) }"
}


def rows(chance: random.Random, first: int, count: int, spread: int) -> Mapping[str, Any]:
    """Most are alone in their instants; few different triples, so that most come again."""
    ends = sorted(chance.randrange(first, first + count * spread) for _ in range(count))
    names = ["<urn:a>", "<urn:b>", "<urn:c>"]
    return {
        "start": [end - chance.randrange(3) for end in ends],
        "end": ends,
        "s": [chance.choice(names) for _ in ends],
        "p": [chance.choice(["<urn:p>", "<urn:q>", "<urn:p>", "<urn:q>", "<urn:r>"]) for _ in ends],
        "o": [chance.choice([*names, '"1"', "<urn:d>"]) for _ in ends],
        "stream": [chance.choice(["<urn:s>", "<urn:s>", "<urn:t>", None]) for _ in ends],
    }


def one_by_one(batches: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [
        {name: [column[at]] for name, column in each.items()}
        for each in batches
        for at in range(len(each["end"]))
    ]


@pytest.mark.parametrize("name", QUERIES)
def test_it_runs_without_prolog(name: str) -> None:
    with Engine() as engine:
        engine.register(PREFIX + QUERIES[name])
        assert is_native(engine)


@pytest.mark.parametrize("spread", [1, 3])
@pytest.mark.parametrize("name", QUERIES)
def test_answers_are_those_of_prolog(name: str, spread: int) -> None:
    chance = random.Random(f"{name} {spread}")
    first = -50 * spread
    batches = [rows(chance, first + 100 * spread * each, 100, spread) for each in range(3)]
    for queries in ({name: QUERIES[name]}, {name: QUERIES[name], **BESIDE}):
        found = answers(queries, batches)
        assert answers(queries, one_by_one(batches)) == found
        with in_prolog():
            assert answers(queries, batches) == found
        assert len(found) > 4


def test_one_goes_on_where_the_other_stopped() -> None:
    """Each batch in an engine of its own, that begins with the state of the one before."""
    chance = random.Random(7)
    batches = [rows(chance, 40 * each, 20, 2) for each in range(6)]
    for name in ("slides", "hops", "tumbles"):
        queries = {name: QUERIES[name]}
        assert sorted(answers_in_turn(queries, batches)) == sorted(answers(queries, batches))
