"""The simulated recording: repeatable, of the NDBC form, quiet before the earthquake and loud after it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest

from etalis_py.demos.tsunami.clean import Readings, clean
from etalis_py.demos.tsunami.dart import read_recording
from etalis_py.demos.tsunami.simulate import BEGIN, DEPTHS, earthquake, simulate, travel_time
from etalis_py.demos.tsunami.stations import bundled_stations
from etalis_py.demos.tsunami.towns import distance_km

Predict: TypeAlias = "Callable[[Readings], dict[int, Fraction]]"


def differences(readings: Readings, predicted: dict[int, Fraction]) -> np.ndarray:
    """Observed less predicted height in metres, NaN where there is no prediction."""
    expected = [float(predicted.get(second, np.nan)) for second in readings.second.tolist()]
    return readings.height_mm / 1000 - np.array(expected)


def test_a_seed_makes_the_same_files(tmp_path: Path) -> None:
    first, again, other = (simulate(tmp_path / name, seed) for name, seed in (("a", 7), ("b", 7), ("c", 8)))
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
    assert all(one.read_bytes() != two.read_bytes() for one, two in zip(first, other, strict=True))


def test_files_say_that_they_are_simulated(tmp_path: Path) -> None:
    for path in simulate(tmp_path, 1):
        assert path.read_text().startswith("# SIMULATED, not measured")
        assert read_recording(path).simulated


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_quiet_before_and_loud_after(tmp_path: Path, predict_by_hand: Predict, seed: int) -> None:
    quake = earthquake(seed)
    begin = int(BEGIN.timestamp())
    for path in simulate(tmp_path, seed):
        readings = clean([read_recording(path)])
        difference = differences(readings, predict_by_hand(readings))
        assert np.nanmax(np.abs(difference[readings.second < begin + quake.second])) < 0.015
        assert (np.nanmax(np.abs(difference)) > 0.1) == (readings.buoy != "41421")


def test_a_tsunami_arrives_at_the_speed_of_long_waves(tmp_path: Path, predict_by_hand: Predict) -> None:
    quake = earthquake(1)
    stations = bundled_stations()
    for path in simulate(tmp_path, 1):
        readings = clean([read_recording(path)])
        place = stations[readings.buoy]
        if place.ocean != "PacificOcean":
            continue
        distance = distance_km(quake.latitude, quake.longitude, place.latitude, place.longitude)
        due = int(BEGIN.timestamp()) + quake.second + travel_time(distance)
        off = np.abs(differences(readings, predict_by_hand(readings))) > 0.03
        in_the_hour = (readings.second > due) & (readings.second < due + 3600)
        assert off[in_the_hour].mean() > 0.4


def test_the_reader_is_given_something_to_clean(tmp_path: Path) -> None:
    recordings = [read_recording(path) for path in simulate(tmp_path, 1)]
    assert {recording.buoy for recording in recordings} == set(DEPTHS)
    newest_first = [recording.second[0] > recording.second[-1] for recording in recordings]
    assert any(newest_first)
    assert not all(newest_first)
    readings = [clean([recording]) for recording in recordings]
    assert sum(one.missing for one in readings) > 0
    assert sum(one.repeated for one in readings) > 0
