"""Programs that are cut anywhere give the answers that they give without a cut.

``ETALIS_ORACLE_EXAMPLES`` is the number of seeds of the long tests.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from etalis_py.core.errors import CompileError, RunTimeError
from etalis_py.engine.engine import Engine
from etalis_py.streams import open_streams
from tests.cases.test_cases import CASES
from tests.effort import tries
from tests.oracle.checking import NoExampleError, dismiss, opened
from tests.oracle.chooser import Chooser
from tests.oracle.examples import Example, Send, examples, make_example
from tests.oracle.policy_examples import make_policy_example
from tests.oracle.step_examples import make_step_example
from tests.snapshots.restarts import Fresh, Restart, Row, Step, answered, begun, run, step

SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck))
LONG = range(1000, 1000 + int(os.environ.get("ETALIS_ORACLE_EXAMPLES", "5000")))


@pytest.mark.random
@settings(SETTINGS, max_examples=tries(40))
@given(example=examples(), data=st.data())
def test_one_cut(example: Example, data: st.DataObject, backgrounds: list[Path]) -> None:
    cut = data.draw(st.integers(0, len(example.steps) - 1))
    check(partial(opened, example, backgrounds), example.steps, {cut})


@pytest.mark.random
def test_cut_after_each_step(backgrounds: list[Path]) -> None:
    check_seeds(range(tries(20)), backgrounds)


@pytest.mark.random
@pytest.mark.long
@pytest.mark.timeout(0)
def test_cut_after_each_step_at_length(backgrounds: list[Path]) -> None:
    check_seeds(LONG, backgrounds)


@pytest.mark.random
def test_patterns_cut_after_each_step(backgrounds: list[Path]) -> None:
    check_seeds(range(tries(25)), backgrounds, make_step_example)


@pytest.mark.random
@pytest.mark.long
@pytest.mark.timeout(0)
def test_patterns_cut_after_each_step_at_length(backgrounds: list[Path]) -> None:
    check_seeds(LONG, backgrounds, make_step_example)


@pytest.mark.random
def test_policies_cut_after_each_step() -> None:
    check_policies(range(tries(40)))


@pytest.mark.random
@pytest.mark.long
@pytest.mark.timeout(0)
def test_policies_cut_after_each_step_at_length() -> None:
    check_policies(LONG)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_case_cut_after_each_event(case: Path) -> None:
    background = case / "background.ttl"
    queries = [file.read_text(encoding="utf-8") for file in sorted(case.glob("query*.rq"))]
    fresh = partial(begun, queries, background=[str(background)] if background.exists() else ())
    rows = [
        Row(batch.part(row, row + 1))
        for batch in open_streams([str(case / "stream.csv")])
        for row in range(len(batch))
    ]
    check(fresh, rows)


def test_queries_that_are_registered_between_events(backgrounds: list[Path]) -> None:
    """The other engine is given all of them at once."""
    learned = 0
    for seed in range(80):
        example = make_example(Chooser(Random(f"late{seed}").randint))
        if len(example.queries) == 1 or len(example.steps) <= len(example.queries):
            continue
        try:
            learned += late_queries(example, backgrounds)
        except NoExampleError:
            continue
        except Exception as error:
            raise AssertionError(f"seed {seed}: {example}") from error
    assert learned >= 5


def late_queries(example: Example, backgrounds: list[Path]) -> bool:
    """One query after each step; whether there were answers after the cut."""
    count = len(example.queries)
    with (
        opened(example, backgrounds) as other,
        opened(replace(example, queries=()), backgrounds) as whole,
    ):
        for number, each in enumerate(example.steps[:count]):
            whole.register(example.queries[number], name=str(number))
            step(whole, each)
        other.restore([whole.snapshot()])
        found = False
        for each in example.steps[count:]:
            expected = step(whole, each)
            assert step(other, each) == expected
            found = found or bool(expected)
        whole.finish()
        other.finish()
        expected = list(map(answered, whole.matches()))
        assert list(map(answered, other.matches())) == expected
    return found or bool(expected)


def check_seeds(
    seeds: range, backgrounds: list[Path], make: Callable[[Chooser], Example] = make_example
) -> None:
    """Cut each of these examples after each step."""
    for seed in seeds:
        example = make(Chooser(Random(seed).randint))
        try:
            check(partial(opened, example, backgrounds), example.steps)
        except NoExampleError:
            continue
        except Exception as error:
            raise AssertionError(f"seed {seed}: {example}") from error


def check_policies(seeds: range) -> None:
    """The same for examples of policies."""
    for seed in seeds:
        example = make_policy_example(Chooser(Random(seed).randint))
        queries = [example.query, *([example.maker] if example.maker else [])]
        try:
            check(partial(begun, queries, policy=example.policy), list(map(Send, example.batches)))
        except (CompileError, NoExampleError):
            continue
        except Exception as error:
            raise AssertionError(f"seed {seed}: {example}") from error


def check(fresh: Fresh, steps: Sequence[Step], cuts: Collection[int] | None = None) -> None:
    """The runs that are cut after these steps, or all, and the one that is not give the same after each."""
    places = range(len(steps)) if cuts is None else cuts
    try:
        whole = run(fresh, steps, lambda engine, _: engine)
    except RunTimeError as error:
        if error.code != "EP302":
            raise
        dismiss("does not come to an end")
    assert run(fresh, steps, by_snapshots(fresh, places)) == whole
    recorded = partial(fresh, record_changes=True)
    assert run(recorded, steps, by_changes(recorded, places)) == whole


def by_snapshots(fresh: Fresh, cuts: Collection[int]) -> Restart:
    """After these steps another engine goes on from a snapshot."""
    return lambda engine, number: restarted(fresh, engine, [engine.snapshot()]) if number in cuts else engine


def by_changes(fresh: Fresh, cuts: Collection[int]) -> Restart:
    """As `by_snapshots`, from one snapshot and the changes after each step."""
    parts: list[bytes] = []

    def restart(engine: Engine, number: int) -> Engine:
        new = engine.changes() if parts else engine.snapshot()
        parts.extend(() if new is None else (new,))
        return restarted(fresh, engine, parts) if number in cuts else engine

    return restart


def restarted(fresh: Fresh, engine: Engine, parts: Sequence[bytes]) -> Engine:
    """Another engine goes on from these parts."""
    engine.close()
    following = fresh()
    following.restore(parts)
    return following
