"""The engine against the oracle, on random programs and streams.

``ETALIS_ORACLE_EXAMPLES`` is the number of examples of the long test.
"""

from __future__ import annotations

import os
from collections import Counter
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from etalis_py.engine import feeding
from tests.effort import tries
from tests.oracle.checking import check, check_seeds, checked_steps, expected_answers, nameless, opened
from tests.oracle.examples import LAST_SECOND, Example, examples, make_example
from tests.oracle.operators import ACCEPTED
from tests.oracle.running import batch_of, tally

SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.random
@settings(SETTINGS, max_examples=tries(200))
@given(example=examples())
def test_engine_agrees_with_oracle(example: Example, backgrounds: list[Path]) -> None:
    check(example, backgrounds)


@pytest.mark.random
def test_engine_agrees_with_oracle_for_each_seed(backgrounds: list[Path]) -> None:
    """Hypothesis's examples shrink, but many are alike; these do not, and each is a new one."""
    check_seeds(tries(600), backgrounds, make_example)


@pytest.mark.random
@pytest.mark.long
@pytest.mark.timeout(0)
def test_engine_agrees_with_oracle_at_length(backgrounds: list[Path]) -> None:
    check_seeds(int(os.environ.get("ETALIS_ORACLE_EXAMPLES", "20000")), backgrounds, make_example, "long")


@pytest.mark.random
@pytest.mark.parametrize("operator", ACCEPTED)
def test_each_operator_agrees(operator: str, backgrounds: list[Path]) -> None:
    operators = frozenset({operator, "GROUP BY"} if operator == "WINDOW" else {operator})
    check_seeds(tries(30), backgrounds, partial(make_example, operators=operators), operator)


@pytest.mark.random
@settings(SETTINGS, max_examples=tries(100))
@given(example=examples(), most=st.integers(0, 2))
def test_answers_may_come_in_portions(
    example: Example, most: int, backgrounds: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeding, "MOST_ANSWERS_AT_ONCE", most)
    check(example, backgrounds, in_portions=True)


@pytest.mark.random
@settings(SETTINGS, max_examples=tries(50))
@given(pair=st.tuples(examples(), examples()))
def test_engines_side_by_side_share_nothing(pair: tuple[Example, Example], backgrounds: list[Path]) -> None:
    first, second = pair
    with opened(first, backgrounds) as one, opened(second, backgrounds) as other:
        running = [checked_steps(one, first), checked_steps(other, second)]
        while running:
            running = [steps for steps in running if next(steps, running) is None]


@pytest.mark.random
@settings(SETTINGS, max_examples=tries(100))
@given(example=examples(), data=st.data())
def test_order_within_the_delay_does_not_matter(
    example: Example, data: st.DataObject, backgrounds: list[Path]
) -> None:
    order = data.draw(st.permutations(sorted(example.stream, key=repr)))
    with opened(example, backgrounds, delay=timedelta(seconds=LAST_SECOND)) as engine:
        expected = expected_answers(example)
        for occurrence in order:
            engine.send_encoded(batch_of([occurrence]))
        engine.finish()
        found = tally(list(engine.matches()), len(expected))
        assert [Counter(nameless(each)) for each in found] == list(map(Counter, expected))


@pytest.mark.random
@settings(SETTINGS, max_examples=tries(100))
@given(example=examples(), data=st.data())
def test_what_is_certain_is_not_taken_back(
    example: Example, data: st.DataObject, backgrounds: list[Path]
) -> None:
    """The input breaks off in the middle of the last instant."""
    stream = sorted(example.stream, key=lambda occurrence: (occurrence[1][1], repr(occurrence)))
    last = [each for each in stream if each[1][1] == stream[-1][1][1]]
    came = stream[: len(stream) - data.draw(st.integers(0, len(last)))]
    with opened(example, backgrounds) as engine:
        expected = expected_answers(example)
        if came:
            engine.send_encoded(batch_of(came))
        engine.give_certain()
        found = tally(list(engine.matches()), len(expected))
        assert all(
            Counter(nameless(some)) <= Counter(whole) for some, whole in zip(found, expected, strict=True)
        )
