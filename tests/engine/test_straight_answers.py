"""Answers that native code writes where it finds them (``rules/native/straight.c``) are those of Prolog."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from tests.engine.counting import in_prolog
from tests.engine.test_machine import TERMS, answers, literal, outcome_of

SEQ = """SELECT ?x ?y ?z { { ?x :p ?y } SEQ { ?x :q ?z }
    FILTER(getDURATION() < "PT0.0001S"^^xsd:dayTimeDuration) }"""
QUERIES = {
    "key": SEQ,
    "twice": "SELECT ?y ?y (?y AS ?again) { { ?x :p ?y } SEQ { ?x :q ?z } }",
    "none": "SELECT ?z { { ?x :p ?y } SEQ { ?x :q ?z } }",
    "no key": "SELECT * { { ?w :p ?y } SEQ { ?x :q ?z } }",
    "distinct": "SELECT DISTINCT ?x { { ?x :p ?y } SEQ { ?x :q ?z } }",
    "ask": "ASK { { ?x :p ?y } SEQ { ?x :q ?z } }",
    "constant": "SELECT ?x ?y { { ?x :p ?y } SEQ { ?x :q :b } }",
    "three": "SELECT * { { ?x :p ?y } SEQ { ?x :q ?z } SEQ { ?x :r ?w } }",
    "shared": "SELECT * { { ?x :p ?y } SEQ { ?x :q ?y } }",
}


def stream(seed: int, rows: int, *, most: int, subjects: str = "ab") -> Mapping[str, Any]:
    """Rows each of which is alone at its end; some are alone with another, and they last up to ``most``."""
    chance = random.Random(seed)
    ends = sorted(3 * row - chance.choice([0, 0, 0, 3]) for row in range(rows))
    return {
        "start": [end - chance.randrange(most) for end in ends],
        "end": ends,
        "s": [f"<urn:{chance.choice(subjects)}>" for _ in ends],
        "p": [f"<urn:{chance.choice('pppqr')}>" for _ in ends],
        "o": [literal(chance.choice(TERMS)) for _ in ends],
    }


@pytest.mark.parametrize("most", [2, 9])
@pytest.mark.parametrize("name", QUERIES)
def test_answers_are_those_of_prolog(name: str, most: int) -> None:
    batches = [stream(seed, 60, most=most) for seed in range(3)]
    batches = [
        {**each, **{time: [at + 200 * place for at in each[time]] for time in ("start", "end")}}
        for place, each in enumerate(batches)
    ]
    found = answers({name: QUERIES[name]}, batches)
    with in_prolog():
        assert answers({name: QUERIES[name]}, batches) == found
    assert found


@pytest.mark.parametrize("most", [1, 9])
def test_an_instant_may_have_many(most: int) -> None:
    """More goals than are looked at before an answer is written."""
    batches = [stream(7, 500, most=most, subjects="a")]
    found = answers({"none": QUERIES["none"]}, batches)
    with in_prolog():
        assert answers({"none": QUERIES["none"]}, batches) == found


def test_two_rules_answer_in_order() -> None:
    """An answer of the first query is not written before one of the other that starts earlier."""
    queries = {"late": SEQ.replace("0.0001S", "0.00001S"), "early": SEQ}
    batches = [stream(3, 80, most=4)]
    found = answers(queries, batches)
    with in_prolog():
        assert answers(queries, batches) == found


@pytest.mark.parametrize("most", [2, 3])
def test_an_instant_keeps_to_its_limit(most: int) -> None:
    batches = [stream(1, 40, most=1)]
    found = outcome_of({"key": SEQ}, batches, max_answers_per_instant=most)
    with in_prolog():
        assert outcome_of({"key": SEQ}, batches, max_answers_per_instant=most) == found
    assert "EP310" in found[1]
