"""Make a recording to detect in: an earthquake, its seismic wave and its tsunami at a few DART buoys.

Nothing here is measured. The water above each sensor is the sum of tides (harmonic constituents), sensor
noise, a Rayleigh wave that shakes the sensor, and a tsunami that arrives at the speed sqrt(g h) of long
waves. It is sampled as a DART buoy does: every 15 minutes, and after a trigger every 15 seconds for some
minutes and every minute for some hours. The files have the NDBC form, newest first and oldest first by
turns, with missing values and with instants that come under two kinds of reading. The same seed gives the
same files.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from etalis_py.demos.tsunami.dart import SIMULATED
from etalis_py.demos.tsunami.stations import Station, bundled_stations
from etalis_py.demos.tsunami.towns import distance_km, travel_time
from etalis_py.demos.tsunami.waves import coda, noise, rayleigh_wave, tides, tsunami

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Earthquake", "earthquake", "simulate"]

BEGIN = datetime(2030, 1, 14, tzinfo=timezone.utc)
STEP = 15
"""Seconds between samples of the sensor."""
LENGTH = 3 * 86_400
"""Seconds a recording is long."""

DEPTHS = MappingProxyType(
    {"21418": 5662, "21413": 5825, "21419": 5320, "21415": 4720, "51407": 4740, "41421": 5806}
)
"""The buoys of the recording, the water above their sensors in metres; the last one is in another ocean."""

TRIGGER = 0.03
"""Metres off the tide at which a buoy begins to sample fast."""

MISSING_SHARE = 0.01
"""Share of the heights that get lost while a buoy samples fast."""


@dataclass(frozen=True, slots=True)
class Earthquake:
    """Where (degrees) and when (seconds after ``BEGIN``), and the wave's height 500 km away in metres."""

    latitude: float
    longitude: float
    second: int
    height: float


def earthquake(seed: int) -> Earthquake:
    """The earthquake of a seed: in the Japan Trench, in the evening of the second day."""
    random = np.random.default_rng([seed, 1])
    return Earthquake(
        latitude=38.1 + float(random.uniform(-0.8, 0.8)),
        longitude=142.9 + float(random.uniform(-0.3, 0.3)),
        second=30 * 3_600 + int(random.integers(0, 8 * 3_600)),
        height=float(random.uniform(0.7, 1.4)),
    )


def simulate(folder: Path, seed: int) -> list[Path]:
    """Write one file a buoy into ``folder`` (made if need be) and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    stations = bundled_stations()
    quake = earthquake(seed)
    paths = []
    for index, (buoy, depth) in enumerate(DEPTHS.items()):
        random = np.random.default_rng([seed, 2, index])
        disturbance = _disturbance(stations[buoy], quake, random)
        second = np.arange(0, LENGTH, STEP, dtype=np.int64)
        height = depth + tides(second, random) + noise(len(second), random) + disturbance
        rows = _sampled(second, height, disturbance)
        fast = {at for at, kind, _ in rows if kind > 1}
        lost = random.random(len(rows)) < MISSING_SHARE
        lines = [
            _row(*row, missing=bool(gone) and row[0] in fast) for row, gone in zip(rows, lost, strict=True)
        ]
        path = folder / f"{buoy}.txt"
        head = (
            f"{SIMULATED}, not measured: etalis demo tsunami --seed {seed}\n#YY  MM DD hh mm ss T   HEIGHT\n"
        )
        body = lines if index % 2 else lines[::-1]
        path.write_text(f"{head}#yr  mo dy hr mn  s -        m\n" + "".join(body), encoding="ascii")
        paths.append(path)
    return paths


def _disturbance(station: Station, quake: Earthquake, random: np.random.Generator) -> NDArray[np.float64]:
    """What the earthquake adds to the water above a sensor, in metres; nothing in another ocean."""
    second = np.arange(0, LENGTH, STEP, dtype=np.float64)
    distance = distance_km(quake.latitude, quake.longitude, station.latitude, station.longitude)
    if station.ocean != "PacificOcean":
        return np.zeros_like(second)
    height = quake.height * math.sqrt(500 / distance)  # the wave spreads over a circle
    arrival = quake.second + travel_time(distance)
    return (
        rayleigh_wave(second - quake.second, distance, 0.5 * height)
        + tsunami(second - arrival, height)
        + coda(second - arrival, 0.1 * height, random)
    )


def _sampled(
    second: NDArray[np.int64], height: NDArray[np.float64], disturbance: NDArray[np.float64]
) -> list[tuple[int, int, float]]:
    """Second, kind and height of each row a buoy sends, in order of time, coarse before fine."""
    minute_mean = np.convolve(height, np.full(4, 0.25))[: len(height)]
    minute_mean[:4] = height[:4]
    every_minute = np.zeros(len(second), dtype=np.bool_)
    every_sample = np.zeros(len(second), dtype=np.bool_)
    quiet_from = 0
    for trigger in np.flatnonzero(np.abs(disturbance) > TRIGGER) * STEP:
        if trigger >= quiet_from:
            every_minute |= (second >= trigger - 3_600) & (second <= trigger + 4 * 3_600)
            every_sample |= (second >= trigger - 60) & (second <= trigger + 300)
            quiet_from = int(trigger) + 4 * 3_600
    rows = []
    for kind, chosen, values in (
        (1, second % 900 == 0, height),
        (2, every_minute & (second % 60 == 0), minute_mean),
        (3, every_sample, height),
    ):
        rows += [
            (int(at), kind, float(value)) for at, value in zip(second[chosen], values[chosen], strict=True)
        ]
    return sorted(rows)


def _row(second: int, kind: int, height: float, *, missing: bool) -> str:
    time = BEGIN + timedelta(seconds=second)
    return f"{time:%Y %m %d %H %M %S} {kind} {9999.0 if missing else height:8.3f}\n"
