"""``predict.rq`` against the definition: four sliding means of a buoy, and the cubic through them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from etalis_py.compiler.algebra.algebra import TriplePattern
from etalis_py.compiler.partition.join_key import find_key
from etalis_py.demos.tsunami.clean import Readings
from etalis_py.demos.tsunami.detection import Detection, collect
from etalis_py.demos.tsunami.engines import detect_local, load_queries
from etalis_py.demos.tsunami.names import HERE
from etalis_py.demos.tsunami.spark_detection import STAGES
from etalis_py.demos.tsunami.stations import to_turtle
from etalis_py.demos.tsunami.stream import TRIPLES, readings_table, to_events
from etalis_py.embedding import prolog
from etalis_py.engine.engine import Engine
from etalis_py.spark_udfs.planning.program import QuerySource, compile_all
from tests.effort import tries

HOUR, MINUTE = 3_600, 60
NDBC = [1.16818457031250, -0.28197558593750, 0.14689746093750, -0.03310644531250]
"""Weights of means exactly one hour apart (National Data Buoy Center)."""

PREDICT = {"predict": load_queries()["predict"]}


@pytest.fixture(scope="module")
def background(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    path = tmp_path_factory.mktemp("background") / "background.ttl"
    path.write_text(to_turtle({"a": None, "b": None}, 0.03))
    return [HERE / "sensors.ttl", path]


def readings(buoy: str, heights: dict[int, int]) -> Readings:
    """Readings of a buoy: second and millimetres."""
    seconds = sorted(heights)
    return Readings(buoy, np.array(seconds), np.array([heights[second] for second in seconds]), 0, 0)


def run(background: list[Path], *buoys: Readings) -> Detection:
    return collect(detect_local(to_events(readings_table(buoys)), PREDICT, background))


def test_weights_of_means_an_hour_apart_are_those_of_ndbc(background: list[Path]) -> None:
    # one reading in the middle of each window, at 5 min 15 s and 1, 2, 3 hours before that
    now = 20_000
    for hour, weight in enumerate(NDBC):
        heights = {now - 315 - i * HOUR: 1000 + (1_000_000 if i == hour else 0) for i in range(4)}
        found = run(background, readings("a", heights | {now: 1}))
        assert found.predicted["a", now] == pytest.approx(1 + 1000 * weight, abs=1e-12)


def test_a_cubic_is_followed_exactly(background: list[Path]) -> None:
    now = 20_000
    ages = [31, 400, 730, 1150]  # tens of seconds
    heights = {now - 10 * age: age**3 - 7 * age**2 + 31 * age + 5_000_000 for age in ages}
    found = run(background, readings("a", heights | {now: 5_000_030}))
    assert found.predicted["a", now] == pytest.approx(5000, abs=1e-10)
    assert found.difference["a", now] == pytest.approx(0.03, abs=1e-12)


@pytest.mark.parametrize(("age", "inside"), [(14, False), (15, True), (914, True), (915, False), (0, False)])
def test_windows_are_open_at_the_old_end(background: list[Path], age: int, inside: bool) -> None:
    #  t - 915 s     t - 914 s ... t - 15 s     t - 14 s      t
    #      (             x            x ]           .         judged
    now = 20_000
    for hour in range(4):
        others = {now - i * HOUR - 400: 2000 for i in range(4) if i != hour}
        found = run(background, readings("a", {now: 1} | others | {now - hour * HOUR - age: 2000}))
        assert [at for _, at in found.predicted if at == now] == ([now] if inside else [])


def test_readings_without_four_means_are_not_judged(background: list[Path]) -> None:
    found = run(background, readings("a", {900 * i: 5_000_000 for i in range(20)}))
    assert sorted(at for _, at in found.predicted) == [900 * i for i in range(13, 20)]


def test_buoys_do_not_mix(background: list[Path]) -> None:
    one = readings("a", {900 * i: 1000 for i in range(16)})
    other = readings("b", {900 * i: 3000 for i in range(16)})
    found = run(background, one, other)
    assert {name: height for (name, _), height in found.predicted.items()} == {"a": 1.0, "b": 3.0}
    stranger = readings("c", {900 * i: 1000 for i in range(16)})  # no buoy that the background knows
    assert run(background, one, stranger).predicted == {("a", 900 * i): 1.0 for i in range(13, 16)}


@pytest.mark.random
@settings(max_examples=tries(40), deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.integers(0, 4).flatmap(lambda n: st.integers(n * HOUR, n * HOUR + 20 * MINUTE)),
            st.integers(1, 11_000_000),
            min_size=1,
            max_size=40,
        ),
        min_size=1,
        max_size=2,
    )
)
def test_predictions_are_what_the_definition_says(
    background: list[Path], predict_by_hand: Callable[[Readings], dict[int, Fraction]],
    recordings: list[dict[int, int]],
) -> None:  # fmt: skip
    buoys = [readings(name, heights) for name, heights in zip("ab", recordings, strict=False)]
    found = run(background, *buoys)
    expected = {
        (each.buoy, now): float(height) for each in buoys for now, height in predict_by_hand(each).items()
    }
    assert found.predicted == pytest.approx(expected, rel=1e-12, abs=1e-9)
    assert found.predicted.keys() == expected.keys()


def inferences(background: list[Path], buoys: int, step: int) -> float:
    """Prolog inferences a reading, once the windows are full; ``step``: seconds between a buoy's readings."""
    names = [f"b{number}" for number in range(buoys)]
    background = [HERE / "sensors.ttl", background[1].with_name(f"{buoys}.ttl")]
    background[1].write_text(to_turtle(dict.fromkeys(names), 0.03))
    first, more = 4 * HOUR // step, 50
    seconds = range(0, (first + more) * step, step)
    rows = [readings(name, {at + place: 5_000_000 for at in seconds}) for place, name in enumerate(names)]
    ends = [TRIPLES * buoys * first, TRIPLES * buoys * (first + more)]
    events = pa.concat_tables(to_events(readings_table(rows)))
    with Engine(background=[str(path) for path in background]) as engine:
        engine.register(PREDICT["predict"])
        counts = []
        for begin, end in itertools.pairwise([0, *ends]):
            engine.send_batch(events.slice(begin, end - begin))
            counts.append(int(prolog.call("system", "statistics", "inferences")))
    return float(counts[1] - counts[0]) / (buoys * more)


def test_the_cost_of_a_reading_depends_neither_on_other_buoys_nor_on_the_windows(
    background: list[Path],
) -> None:
    one = inferences(background, 1, 15 * MINUTE)
    assert inferences(background, 30, 15 * MINUTE) < 1.1 * one
    assert inferences(background, 1, 15) < 1.1 * one  # sixty in a window


def test_all_but_the_basin_query_are_dealt_out_by_buoy() -> None:
    def known(pattern: TriplePattern) -> bool:
        return getattr(pattern.predicate, "value", "").endswith(("type", "threshold", "ocean"))

    by_buoy, basin = (
        find_key(
            [
                each.plan
                for each in compile_all(
                    [QuerySource(name, load_queries()[name]) for name in stage], background=known
                )
            ]
        )
        for stage in STAGES
    )
    assert by_buoy.is_partitioned
    assert set(by_buoy.routes.positions.values()) == {"s"}
    assert not basin.is_partitioned
