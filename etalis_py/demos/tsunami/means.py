"""Four running means for each reading: what the prediction is made from.

For a reading at ``t`` and i = 0..3, the mean height and the mean time of the buoy's readings in ``(t - i h
- 15 min 15 s, t - i h - 15 s]``. After NOAA's tsunami detection algorithm (H. O. Mofjeld, 1997), which fits
a cubic to four such means; NDBC's fixed weights are the special case of means exactly one hour apart.

``spark_means`` gives exactly the same numbers: heights are summed in whole millimetres and times in whole
seconds, and each mean is one division. A test compares both bit by bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from etalis_py.demos.tsunami.clean import Readings

__all__ = ["HOUR", "LATEST", "MEANS", "SPAN", "Means", "means_of", "weights"]

MEANS = 4
HOUR = 3_600
"""Seconds from one mean to the next."""
LATEST = 15
"""Seconds before the reading at which the first window ends."""
SPAN = 900
"""Seconds a window is long."""


@dataclass(frozen=True, slots=True, eq=False)
class Means:
    """The four means of each reading; row i is the one i hours back.

    ``height`` in metres and ``age`` (the reading's time less the mean time) in seconds have the shape (4,
    number of readings) and are NaN where a window held no reading. ``judged`` tells which readings have all
    four.
    """

    height: NDArray[np.float64]
    age: NDArray[np.float64]
    judged: NDArray[np.bool_]


def means_of(readings: Readings) -> Means:
    """The means, by binary search in the times and differences of running sums."""
    second = readings.second
    heights = _running_sum(readings.height_mm)
    times = _running_sum(second)
    height = np.full((MEANS, len(second)), np.nan)
    age = np.full((MEANS, len(second)), np.nan)
    for i in range(MEANS):
        newest = second - i * HOUR - LATEST
        first = np.searchsorted(second, newest - SPAN, side="right")
        behind = np.searchsorted(second, newest, side="right")
        there = behind > first
        first, behind = first[there], behind[there]
        count = behind - first
        height[i, there] = (heights[behind] - heights[first]) / (count * 1000)
        age[i, there] = (count * second[there] - (times[behind] - times[first])) / count
    return Means(height, age, ~np.isnan(height).any(axis=0))


def weights(age: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of the means in the value at age 0 of the cubic through them (Lagrange): shape as ``age``,
    (4, ...).

    The queries write the same out in ``predict.rq``; this is for tests and plots.

    >>> weights(np.array([465.0, 4065.0, 7665.0, 11265.0])).round(4).tolist()
    [1.2538, -0.4303, 0.2282, -0.0518]
    """
    result = np.ones_like(age)
    for i in range(len(age)):
        for j in range(len(age)):
            if j != i:
                result[i] *= age[j] / (age[j] - age[i])
    return result


def _running_sum(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sums of the first 0, 1, 2, ... values."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(values)])
