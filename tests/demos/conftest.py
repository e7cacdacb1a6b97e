"""What the demo's queries are to find, worked out with fractions and plain loops: no engine takes part."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from math import prod
from typing import TypeAlias

import pytest

from etalis_py.demos.tsunami.clean import Readings
from etalis_py.demos.tsunami.detection import Alert, Arrival, BasinWarning, Detection
from etalis_py.demos.tsunami.stations import Station

STANDS = 12 * 3_600

Reference: TypeAlias = "Callable[[Sequence[Readings], Mapping[str, Station], float], Detection]"


@pytest.fixture(scope="session")
def detect_by_hand() -> Reference:
    """The detection without an engine."""
    return detect


@pytest.fixture(scope="session")
def predict_by_hand() -> Callable[[Readings], dict[int, Fraction]]:
    """The predictions without an engine."""
    return predict


def detect(buoys: Sequence[Readings], stations: Mapping[str, Station], threshold: float) -> Detection:
    """The detection in recordings of several buoys; threshold in metres."""
    result = Detection()
    for readings in buoys:
        predicted = predict(readings)
        for second, height in zip(readings.second.tolist(), readings.height_mm.tolist(), strict=True):
            if second in predicted:
                key = readings.buoy, second
                difference = Fraction(height, 1000) - predicted[second]
                result.predicted[key] = float(predicted[second])
                result.difference[key] = float(difference)
                if abs(difference) > Fraction(repr(threshold)):
                    result.above.add(key)
        above = sorted(t for name, t in result.above if name == readings.buoy)
        result.alerts += alerts(readings.buoy, above)
        result.arrivals += arrivals(readings.buoy, above, result.difference, threshold)
    result.alerts.sort()
    result.arrivals.sort()
    result.warnings = warnings(result.alerts, stations)
    return result


def predict(readings: Readings) -> dict[int, Fraction]:
    """The prediction in metres by second, where all four windows have readings."""
    second = readings.second.tolist()
    heights = [0, *accumulate(readings.height_mm.tolist())]
    times = [0, *accumulate(second)]
    result = {}
    for now in second:
        points = []
        for hour in range(4):
            newest = now - 3_600 * hour - 15
            first, behind = bisect_right(second, newest - 900), bisect_right(second, newest)
            if count := behind - first:
                age = now - Fraction(times[behind] - times[first], count)
                points.append((age, Fraction(heights[behind] - heights[first], 1000 * count)))
        if len(points) == 4:
            result[now] = at_zero(points)
    return result


def at_zero(points: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    """The value at 0 of the polynomial through (x, y) points, after Lagrange."""
    return Fraction(
        sum(y * prod(other / (other - x) for other, _ in points if other != x) for x, y in points)
    )


def alerts(buoy: str, above: Sequence[int]) -> list[Alert]:
    """One alert when three readings follow within five minutes, unless one stands."""
    found: list[Alert] = []
    standing: int | None = None
    for index, third in enumerate(above):
        if standing is not None and third - standing < STANDS:
            standing = third
        elif index >= 2 and third - above[index - 2] < 300:
            found.append(Alert(third, above[index - 2], buoy))
            standing = third
    return found


def arrivals(
    buoy: str, above: Sequence[int], difference: Mapping[tuple[str, int], float], threshold: float
) -> list[Arrival]:
    """One arrival when the mean of ten minutes is three thresholds off, unless one goes on."""
    found: list[Arrival] = []
    arrived: int | None = None
    for second in above:
        if arrived is not None and second - arrived < STANDS:
            arrived = second
            continue
        last = [
            value for (name, at), value in difference.items() if name == buoy and second - 600 < at <= second
        ]
        mean = sum(last) / len(last)
        if len(last) >= 5 and abs(mean) > 3 * threshold:
            found.append(Arrival(second, buoy, mean))
            arrived = second
    return found


def warnings(raised: Sequence[Alert], stations: Mapping[str, Station]) -> list[BasinWarning]:
    """Each pair of alerts at two buoys of one ocean that began and ended within three hours."""
    ocean = {name: station.ocean for name, station in stations.items() if station.ocean}
    return [
        BasinWarning(other.end, ocean[one.buoy], one.buoy, other.buoy)
        for other in raised
        for one in raised
        if one.buoy in ocean
        and one.buoy != other.buoy
        and ocean[one.buoy] == ocean.get(other.buoy)
        and (one.end, one.buoy) < (other.end, other.buoy)
        and max(one.end, other.end) - min(one.start, other.start) < 3 * 3_600
    ]
