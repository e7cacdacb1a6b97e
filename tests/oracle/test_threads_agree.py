"""An engine with several threads gives what one thread gives, in the same order, after each step."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count as counting
from pathlib import Path
from random import Random

import pytest

from etalis_py.core.errors import EtalisError
from etalis_py.engine import feeding, threads
from etalis_py.engine.engine import Engine
from tests.effort import tries
from tests.oracle.checking import NoExampleError, opened
from tests.oracle.chooser import Chooser
from tests.oracle.examples import Example, make_example
from tests.oracle.policy_examples import PolicyExample, make_policy_example
from tests.oracle.running import batch_of, deliveries
from tests.oracle.step_examples import make_step_example
from tests.oracle.windowed_texts import make_events_example


def found(example: Example, backgrounds: list[Path], number: int) -> tuple[list[list[str]], int]:
    """The matches after each step, and how many threads worked."""
    steps: list[list[str]] = []
    with opened(example, backgrounds, threads=number) as engine:
        try:
            steps += ([*map(repr, each.matches)] for each in deliveries(engine, example))
        except EtalisError as error:
            steps.append([*map(repr, engine.matches()), str(error)])
        return steps, engine.threads


@pytest.mark.random
@pytest.mark.parametrize(
    ("make", "count"), [(make_example, 100), (make_step_example, 100), (make_events_example, 100)]
)
def test_random_programs(make: Callable[[Chooser], Example], count: int, backgrounds: list[Path]) -> None:
    """Few of them have a key."""
    dealt = 0
    for number in range(tries(count)):
        example = make(Chooser(Random(f"threads{number}").randint))
        try:
            alone, _ = found(example, backgrounds, 1)
        except NoExampleError:
            continue
        together, working = found(example, backgrounds, 2)
        assert together == alone, f"number {number}: {example}"
        dealt += working > 1
    assert dealt


def policy_answers(example: PolicyExample, number: int) -> tuple[list[list[str]], int]:
    with Engine(policy=example.policy, threads=number, on_late="drop") as engine:
        engine.register(example.query)
        steps = []
        for each in example.batches:
            engine.send_encoded(batch_of(each))
            steps.append([*map(repr, engine.matches())])
        engine.finish()
        return [*steps, [*map(repr, engine.matches())]], engine.threads


@pytest.mark.random
def test_policies() -> None:
    dealt = 0
    for number in range(tries(150)):
        example = make_policy_example(Chooser(Random(f"threads{number}").randint))
        alone, _ = policy_answers(example, 1)
        together, working = policy_answers(example, 2 + number % 2)
        assert together == alone, f"number {number}: {example}"
        dealt += working > 1
    assert dealt > 10


@pytest.mark.random
@pytest.mark.parametrize("most", [1, 2])
def test_answers_in_portions(backgrounds: list[Path], monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """With few answers in a portion, lanes stand still in the middle of instants."""
    monkeypatch.setattr(feeding, "MOST_ANSWERS_AT_ONCE", most)
    monkeypatch.setattr(threads, "MOST_ANSWERS_AT_ONCE", most)
    seeds = counting()
    for _ in range(tries(50)):
        seed = f"portions{next(seeds)}"
        example = make_example(Chooser(Random(seed).randint))
        try:
            alone, together = (found(example, backgrounds, several)[0] for several in (1, 2))
        except NoExampleError:
            continue
        assert [sorted(each) for each in together] == [sorted(each) for each in alone], f"seed {seed!r}"
