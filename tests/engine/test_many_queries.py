"""Of many queries an event touches only those that it can mean something to."""

from __future__ import annotations

from typing import Any

import pytest

from etalis_py import Engine
from etalis_py.core.vocabulary import RDF_TYPE
from tests.engine.counting import steps_of

SHORT = 'FILTER(getDURATION() < "PT0.00002S"^^xsd:duration)'
KINDS = {
    "SEQ": "SELECT ?x {{ {{ ?x <urn:p{0}> ?a }} SEQ {{ ?x <urn:q{0}> ?b }} }}",
    "window": f"SELECT ?x {{{{ {{{{ ?x <urn:p{{0}}> ?a }}}} SEQ {{{{ ?x <urn:q{{0}}> ?b }}}} {SHORT} }}}}",
    "join": f"SELECT ?x {{{{ ?x <urn:p{{0}}> ?a . ?x <urn:q{{0}}> ?b {SHORT} }}}}",
    "EQUALS": "SELECT ?x {{ {{ ?x <urn:p{0}> ?a }} EQUALS {{ ?x <urn:q{0}> ?b }} }}",
    "OPTIONAL": "SELECT ?x {{ {{ ?x <urn:p{0}> ?a }} OPTIONAL {{ ?x <urn:q{0}> ?b }} }}",
    "class": "SELECT ?x {{ {{ ?x a <urn:p{0}> }} SEQ {{ ?x a <urn:q{0}> }} }}",
}
EVENTS = 3000


def stream(number: int, kind: str) -> dict[str, Any]:
    """Pairs of events, each for the next query."""
    names = [f"{'pq'[event % 2]}{event // 2 % number}" for event in range(EVENTS)]
    of_class = kind == "class"
    return {
        "start": [5 * event for event in range(EVENTS)],
        "s": [f"<urn:x{event // 2}>" for event in range(EVENTS)],
        "p": [f"<{RDF_TYPE}>" if of_class else f"<urn:{name}>" for name in names],
        "o": [f"<urn:{name}>" if of_class else "<urn:o>" for name in names],
    }


def steps_with(number: int, kind: str) -> int:
    with Engine() as engine:
        for each in range(number):
            engine.register(KINDS[kind].format(each), name=f"n{each}")
        engine.register("SELECT ?x { ?x ?p <urn:never> }", name="any predicate")
        engine.send_batch({"start": [-5], "s": ["<urn:x>"], "p": ["<urn:z>"], "o": ["<urn:o>"]})
        return steps_of(lambda: engine.send_batch(stream(number, kind)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_hundred_queries_take_the_steps_of_twenty(kind: str) -> None:
    """Not of one: goals of a short window that are in one store are forgotten together."""
    preparing = 100 * 80
    assert steps_with(100, kind) < 1.1 * steps_with(20, kind) + preparing


def test_registering_a_query_takes_the_same_steps_however_many_there_are() -> None:
    with Engine() as engine:

        def register(first: int, kind: str) -> int:
            def add() -> None:
                for each in range(first, first + 50):
                    engine.register(KINDS[kind].format(each), name=f"{kind}{each}")
                engine.advance(first)

            return steps_of(add)

        few = register(0, "OPTIONAL")
        for first in range(50, 500, 50):
            register(first, "window")
        assert register(500, "OPTIONAL") < 1.1 * few
