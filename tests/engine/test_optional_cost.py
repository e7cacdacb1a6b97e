"""What optional and subtracted sides cost: the same however long the stream and and the window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from etalis_py.embedding import prolog
from etalis_py.engine.engine import Engine

DAY = 24 * 3600 * 1_000_000
WINDOW = 'FILTER (getDURATION() < "PT1S"^^xsd:duration)'
YOUNG = 'FILTER (getSTARTTIME() > ?now - "PT1S"^^xsd:dayTimeDuration)'
P, Q, P_NOW = "{ ?x :p ?y }", "{ ?x :q ?z }", "{ ?x :p ?y BIND (getENDTIME() AS ?now) }"
QUERIES = [
    f"{{ {P} OPTIONAL {Q} {WINDOW} }}",
    f"{{ {Q} OPTIONALSEQ {P} {WINDOW} }}",
    f"{{ {P} EQUALSOPTIONAL {Q} {WINDOW} }}",
    f"{{ {P} OPTIONAL {Q} FILTER (!BOUND(?z)) }}",
    f"{{ {Q} OPTIONALSEQ {P} FILTER (!BOUND(?z)) }}",
    f"{{ {P_NOW} OPTIONAL {{ ?x :q ?z {YOUNG} }} }}",
    f"{{ {P_NOW} OPTIONAL {{ ?x :q ?z {YOUNG} }} FILTER (!BOUND(?z)) }}",
    f"{{ {{ ?x :q ?z {YOUNG} }} OPTIONALSEQ {P_NOW} FILTER (!BOUND(?z)) }}",
    f"{{ {P_NOW} FILTER NOT EXISTS {{ ?x :q ?z {YOUNG} }} }}",
    f"{{ {P} MINUS {Q} }}",
]
PAPER = Path(__file__).parents[1] / "cases" / "paper-5-running-count-and-sum"


def inferences() -> int:
    return int(prolog.call("system", "statistics", "inferences"))


def events(numbers: range) -> dict[str, list[Any]]:
    """A hundred a second, of ten subjects: :q and :p by turns."""
    return {
        "start": [number * 10_000 for number in numbers],
        "s": [f"<urn:x{number // 2 % 10}>" for number in numbers],
        "p": ["<urn:q>" if number % 2 == 0 else "<urn:p>" for number in numbers],
        "o": [f'"{number % 7}"' for number in numbers],
    }


@pytest.mark.parametrize("query", QUERIES)
def test_an_event_costs_the_same_however_long_the_stream(query: str) -> None:
    costs = []
    with Engine() as engine:
        engine.register(f"PREFIX : <urn:> SELECT * WHERE {query}")
        for first in range(0, 6000, 1000):
            before = inferences()
            engine.send_batch(events(range(first, first + 1000)))
            costs.append(inferences() - before)
            sum(1 for _ in engine.matches())
    assert costs[-1] <= 1.05 * costs[1]


def test_a_run_costs_the_same_however_many_prices_are_in_the_window() -> None:
    """Each price makes every run of the last 10 days longer: the cost of one of these is constant."""
    few, many = (cost_of_a_run(prices) for prices in (20, 100))
    assert many <= 1.05 * few


def cost_of_a_run(prices: int) -> float:
    """Inferences for each answer of query (5), with so many prices in the window."""
    with Engine() as engine:
        for file in sorted(PAPER.glob("query*.rq")):
            engine.register(file.read_text(encoding="utf-8"))
        send_prices(engine, prices, range(2 * prices))
        before = inferences()
        answers = send_prices(engine, prices, range(2 * prices, 3 * prices))
        return (inferences() - before) / answers


def send_prices(engine: Engine, in_window: int, numbers: range) -> int:
    """How many answers they bring."""
    engine.send_batch(
        {
            "start": [number * 10 * DAY // in_window for number in numbers],
            "s": ["<urn:acme>"] * len(numbers),
            "p": ["<urn:price>"] * len(numbers),
            "o": [f'"{number % 89}"^^<http://www.w3.org/2001/XMLSchema#integer>' for number in numbers],
        }
    )
    return sum(1 for _ in engine.matches())
