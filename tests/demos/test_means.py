"""The four means and the weights of the cubic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from etalis_py.demos.tsunami.clean import Readings
from etalis_py.demos.tsunami.means import means_of, weights

NDBC = [1.16818457031250, -0.28197558593750, 0.14689746093750, -0.03310644531250]


def readings(heights: dict[int, int]) -> Readings:
    """Readings of buoy b: second and millimetres."""
    seconds = sorted(heights)
    return Readings("b", np.array(seconds), np.array([heights[second] for second in seconds]), 0, 0)


def test_weights_of_means_an_hour_apart_are_those_of_ndbc() -> None:
    age = np.array([5.25 * 60 + i * 3600 for i in range(4)])
    assert weights(age).tolist() == pytest.approx(NDBC, abs=1e-14)


def test_weights_follow_any_cubic() -> None:
    age = np.array([310.0, 4000.0, 7300.0, 11500.0])
    cubic = np.polynomial.Polynomial([2.0, -3e-3, 1e-7, 4e-12])
    assert float(weights(age) @ cubic(age)) == pytest.approx(2.0, abs=1e-12)


def test_windows_are_open_at_the_old_end() -> None:
    #  t - 915 s     t - 914 s ... t - 15 s     t - 14 s      t
    #      (             x            x ]           .         judged
    t = 20_000
    heights = {t: 0, t - 14: 1, t - 15: 4000, t - 914: 8000, t - 915: 500}
    means = means_of(readings(heights))
    assert means.height[0, -1] == 6.0
    assert means.age[0, -1] == (15 + 914) / 2


def test_readings_without_four_means_are_not_judged() -> None:
    means = means_of(readings({900 * i: 5_000_000 for i in range(20)}))
    assert means.judged.tolist() == [i >= 13 for i in range(20)]  # three hours and one reading before that
    assert np.isnan(means.height[3, 12])


@given(st.dictionaries(st.integers(0, 20_000), st.integers(1, 11_000_000), max_size=40))
def test_means_are_what_the_definition_says(heights: dict[int, int]) -> None:
    means = means_of(readings(heights))
    for index, t in enumerate(sorted(heights)):
        for i in range(4):
            window = [s for s in heights if t - 3600 * i - 915 < s <= t - 3600 * i - 15]
            if window:
                mean = Fraction(sum(heights[s] for s in window), 1000 * len(window))
                age = Fraction(sum(t - s for s in window), len(window))
                assert (means.height[i, index], means.age[i, index]) == (float(mean), float(age))
            else:
                assert np.isnan(means.height[i, index])
                assert np.isnan(means.age[i, index])
