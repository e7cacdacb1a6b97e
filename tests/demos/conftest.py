"""What the demo's queries are to find, worked out with numpy and plain loops: no engine takes part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import pytest

from etalis_py.demos.tsunami.clean import Readings
from etalis_py.demos.tsunami.detection import Alert, BasinWarning, Detection
from etalis_py.demos.tsunami.means import Means, weights
from etalis_py.demos.tsunami.stations import Station

STANDS = 12 * 3_600

Reference: TypeAlias = "Callable[[Sequence[tuple[Readings, Means]], Mapping[str, Station], float], Detection]"


@pytest.fixture(scope="session")
def detect_by_hand() -> Reference:
    """The detection without an engine."""
    return detect


def detect(
    buoys: Sequence[tuple[Readings, Means]], stations: Mapping[str, Station], threshold: float
) -> Detection:
    """The detection in recordings of several buoys; threshold in metres."""
    result = Detection()
    for readings, means in buoys:
        predicted = (weights(means.age) * means.height).sum(axis=0)
        for index in np.flatnonzero(means.judged):
            key = readings.buoy, int(readings.second[index])
            result.predicted[key] = float(predicted[index])
            result.difference[key] = float(readings.height_mm[index] / 1000 - predicted[index])
            if abs(result.difference[key]) > threshold:
                result.above.add(key)
        result.alerts += alerts(readings.buoy, sorted(t for name, t in result.above if name == readings.buoy))
    result.alerts.sort()
    result.warnings = warnings(result.alerts, stations)
    return result


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
