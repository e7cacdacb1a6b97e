"""Chains of steps: the engine against the oracle, on random programs and streams.

``ETALIS_ORACLE_EXAMPLES`` is the number of examples of the long test.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from etalis_py.engine import feeding
from tests.effort import tries
from tests.oracle.checking import check, check_seeds
from tests.oracle.chooser import drawn
from tests.oracle.step_examples import make_step_example
from tests.oracle.step_texts import ALL_STEPS

LONG = int(os.environ.get("ETALIS_ORACLE_EXAMPLES", "10000"))


@pytest.mark.random
@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=tries(100))
@given(data=st.data())
def test_engine_agrees_with_oracle(data: st.DataObject, backgrounds: list[Path]) -> None:
    check(make_step_example(drawn(data.draw)), backgrounds)


@pytest.mark.random
def test_engine_agrees_with_oracle_for_each_seed(backgrounds: list[Path]) -> None:
    check_seeds(tries(400), backgrounds, make_step_example, "steps")


@pytest.mark.random
@pytest.mark.parametrize("step", sorted(set(ALL_STEPS)))
def test_each_step_agrees(step: str, backgrounds: list[Path]) -> None:
    check_seeds(tries(40), backgrounds, partial(make_step_example, steps=(step, step, "SEQ")), step)


@pytest.mark.random
@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=tries(60))
@given(data=st.data(), most=st.integers(0, 2))
def test_answers_may_come_in_portions(
    data: st.DataObject, most: int, backgrounds: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeding, "MOST_ANSWERS_AT_ONCE", most)
    check(make_step_example(drawn(data.draw)), backgrounds, in_portions=True)


@pytest.mark.random
@pytest.mark.long
@pytest.mark.timeout(0)
def test_engine_agrees_with_oracle_at_length(backgrounds: list[Path]) -> None:
    check_seeds(LONG, backgrounds, make_step_example, "long steps")
