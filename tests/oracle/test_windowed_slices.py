"""Queries with windows in slices of time: the answers of all slices are those of the oracle.

Slices are as Spark makes them: an engine sees what ended less than the reach before its slice, and gives what
ends in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from etalis_py.compiler.partition.stages import Dealing, plan_stages
from etalis_py.core.errors import CompileError
from etalis_py.streams.batch import Batch
from tests.oracle.chooser import Chooser
from tests.oracle.evaluator import TooMuchError
from tests.oracle.examples import Example
from tests.oracle.running import open_engine, tally
from tests.oracle.solutions import Answer, Placed
from tests.oracle.test_windowed_agrees import REFUSED, expected_rows
from tests.oracle.windowed_texts import make_events_example, make_windowed_example


@pytest.mark.parametrize(
    ("make", "number", "least"), [(make_windowed_example, 40, 5), (make_events_example, 25, 3)]
)
def test_slices(make: Callable[[Chooser], Example], number: int, least: int, backgrounds: list[Path]) -> None:
    sliced = 0
    for seed in range(number):
        example = make(Chooser(Random(f"slices {seed}").randint))
        try:
            sliced += check(example, backgrounds)
        except CompileError as error:
            if REFUSED not in str(error):
                raise
        except TooMuchError:
            continue
    assert sliced >= least


def check(example: Example, files: list[Path]) -> int:
    """How many queries of an example have their answers in slices, each by itself."""
    sliced = 0
    for text in example.queries:
        one = Example((text,), example.steps, example.background, entails=example.entails)
        with open_engine(one, files) as engine:
            stages = plan_stages([engine.query("0").plan])
        if [stage.dealing for stage in stages] == [Dealing.SLICES] and stages[0].reach:
            given = sum(slices(one, files, stages[0].reach), Counter[Answer]())
            assert given == expected_rows(one, text), f"{one}"
            sliced += 1
    return sliced


def slices(example: Example, files: list[Path], reach: int) -> Iterator[Counter[Answer]]:
    """What each slice gives; a new one begins between every other pair of instants."""
    placed = sorted(example.placed, key=lambda each: each.interval[1])
    ends = sorted({each.interval[1] for each in placed})
    for low, high in pairwise([-(1 << 60), *ends[1:-1:2], 1 << 60]):
        part = [each for each in placed if low - reach < each.interval[1] <= high]
        with open_engine(example, files) as engine:
            engine.send_encoded(batch(part))
            engine.finish()
            (found,) = tally([each for each in engine.matches() if low < each.end <= high], 1)
            yield Counter(found)


def batch(placed: list[Placed]) -> Batch:
    """Occurrences in their streams and elements."""
    starts, ends = zip(*(each.interval for each in placed), strict=True)
    s, p, o = zip(*(each.triple for each in placed), strict=True)
    graphs, streams = [each.graph for each in placed], [each.stream for each in placed]
    return Batch(starts, ends, s, p, o, graphs, ["x"] * len(placed), range(len(placed)), streams)
