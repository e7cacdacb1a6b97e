"""What selection and consumption cost: no more where more goals wait, and no memory for what is gone."""

from __future__ import annotations

from typing import Any

import pytest

from etalis_py.embedding import prolog
from etalis_py.engine.engine import Engine

SEQUENCE = "SELECT * { { ?x <urn:a> ?i } SEQ { ?x <urn:b> ?j } }"
JOIN = "SELECT * { ?x <urn:a> ?i . ?x <urn:b> ?j }"
QUESTIONS = 50


def events(times: range, predicate: str, subject: str) -> dict[str, list[Any]]:
    """One occurrence a millisecond; ``{}`` in ``subject`` is its number."""
    return {
        "start": [time * 1000 for time in times],
        "s": [f"<urn:{subject.format(number)}>" for number in range(len(times))],
        "p": [f"<urn:{predicate}>"] * len(times),
        "o": [f'"{time}"' for time in times],
    }


def inferences() -> int:
    return int(prolog.call("system", "statistics", "inferences"))


def cost(query: str, policy: Any, waiting: int, subject: str) -> int:
    """The inferences for a few matches while so many goals wait."""
    with Engine(policy=policy) as engine:
        engine.register(query)
        engine.send_batch(events(range(waiting), "a", subject))
        engine.advance(waiting * 1000)
        before = inferences()
        engine.send_batch(events(range(waiting, waiting + QUESTIONS), "b", subject))
        engine.finish()
        after = inferences()
        assert sum(1 for _ in engine.matches()) == QUESTIONS
    return after - before


@pytest.mark.parametrize("subject", ["x", "x{}"], ids=["one key", "a key each"])
@pytest.mark.parametrize("query", [SEQUENCE, JOIN], ids=["SEQ", "join"])
@pytest.mark.parametrize("policy", ["chronological", "recent"])
def test_a_choice_costs_the_same_however_many_wait(policy: Any, query: str, subject: str) -> None:
    few, many = (cost(query, policy, waiting, subject) for waiting in (100, 3000))
    assert many <= 1.05 * few


@pytest.mark.parametrize("policy", ["chronological", "recent"])
def test_what_is_consumed_leaves_nothing_behind(policy: Any) -> None:
    with Engine(policy=policy) as engine:
        engine.register(SEQUENCE)
        for batch in range(4):
            if batch == 2:
                before = kept(engine)
            time = 5000 * batch
            engine.send_batch(events(range(time, time + 2500), "a", f"x{time}n{{}}"))
            engine.send_batch(events(range(time + 2500, time + 5000), "b", f"x{time}n{{}}"))
            assert sum(1 for _ in engine.matches()) in range(2490, 2510)
        assert kept(engine) - before < 100  # of 10,000 events since, some still wait


def kept(engine: Engine) -> int:
    """All facts and rules of an engine."""
    module = engine._module
    every = f"current_predicate({module}:Name/Arity), functor(Head, Name, Arity)"
    counted = f"predicate_property({module}:Head, number_of_clauses(Count))"
    [answer] = engine.prolog(f"aggregate_all(sum(Count), ({every}, {counted}), Sum)")
    return int(str(answer["Sum"]))
