"""The laws of steps, on random streams: first of the oracle alone, then of the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest

from etalis_py.compiler.parse.parser import parse
from etalis_py.engine.engine import Engine
from tests.effort import tries
from tests.oracle.chooser import Chooser
from tests.oracle.laws import LAWS, PATTERNS, Found, Law
from tests.oracle.program import World, answers
from tests.oracle.running import batch_of, tally
from tests.oracle.solutions import Occurrence
from tests.oracle.step_examples import step_stream

Make = Callable[[Chooser], Law]
Answers = Callable[[Sequence[str], list[Occurrence]], list[Found]]


def of_oracle(queries: Sequence[str], stream: list[Occurrence]) -> list[Found]:
    """The answers of the oracle to each query."""
    times = [end for _, (_, end) in stream]
    return answers(
        [parse(each) for each in queries], World(frozenset(stream), clock=(min(times), max(times)))
    )


def of_engine(queries: Sequence[str], stream: list[Occurrence]) -> list[Found]:
    """The answers of the engine to each query."""
    with Engine() as engine:
        for number, query in enumerate(queries):
            engine.register(query, name=str(number))
        engine.send_encoded(batch_of(stream))
        engine.finish()
        return tally(list(engine.matches()), len(queries))


def check(make: Make, ask: Answers, number: int) -> int:
    """So many cases of a law; in how many there was an answer."""
    answered = 0
    for seed in range(number):
        choice = Chooser(Random(f"{make.__name__} {seed}").randint)
        law = make(choice)
        stream = step_stream(choice, PATTERNS, lasting=law.lasting, tied=law.tied)
        found = ask(law.queries, stream)
        assert law.holds(found), f"seed {seed}: {law.queries} {stream}"
        answered += any(found)
    return answered


@pytest.mark.random
@pytest.mark.parametrize("make", LAWS, ids=lambda each: each.__name__.removeprefix("_"))
def test_law_of_the_oracle(make: Make) -> None:
    assert check(make, of_oracle, tries(100)) > tries(10)


@pytest.mark.random
@pytest.mark.parametrize("make", LAWS, ids=lambda each: each.__name__.removeprefix("_"))
def test_law_of_the_engine(make: Make) -> None:
    assert check(make, of_engine, tries(100)) > tries(10)
