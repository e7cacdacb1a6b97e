"""``predict.rq`` against the definition: four sliding means of a buoy, and the cubic through them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from etalis_py.demos.tsunami.clean import Readings
from etalis_py.demos.tsunami.detection import Detection, collect
from etalis_py.demos.tsunami.engines import detect_local, load_queries
from etalis_py.demos.tsunami.names import HERE
from etalis_py.demos.tsunami.stations import to_turtle
from etalis_py.demos.tsunami.stream import readings_table, to_events

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


@settings(max_examples=40, deadline=None)
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
