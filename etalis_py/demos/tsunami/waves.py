"""What moves the water above a deep-sea pressure sensor: tides, noise, seismic waves and tsunamis, simulated.

All times are arrays of seconds, all heights metres. The shapes are simple and plausible, not a model of any
event.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CONSTITUENTS", "coda", "noise", "rayleigh_wave", "tides", "tsunami"]

CONSTITUENTS = MappingProxyType(
    {
        "M2": (28.984104, 0.30),
        "S2": (30.0, 0.12),
        "N2": (28.439730, 0.06),
        "K2": (30.082137, 0.03),
        "K1": (15.041069, 0.22),
        "O1": (13.943036, 0.16),
        "P1": (14.958931, 0.07),
        "Q1": (13.398661, 0.03),
    }
)
"""The largest tides: speed in degrees an hour, and a usual height in deep water in metres."""

RAYLEIGH_SPEED = 3.8
"""Kilometres a second at which the first strong surface waves of an earthquake run."""


def tides(second: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.float64]:
    """The sum of the constituents, with a phase and a height for this place."""
    result = np.zeros(len(second))
    for speed, height in CONSTITUENTS.values():
        local = height * random.uniform(0.7, 1.3)
        result += local * np.cos(np.radians(speed) * second / 3_600 + random.uniform(0, 2 * np.pi))
    return result


def noise(count: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Noise of the sensor and of long waves: 0.4 mm from sample to sample, 0.8 mm over some minutes."""
    kernel = np.exp(-np.arange(120) / 20)
    slow = np.convolve(random.normal(size=count + len(kernel) - 1), kernel, mode="valid")
    slow *= 0.0008 / np.sqrt(np.sum(kernel**2))
    return slow + random.normal(scale=0.0004, size=count)


def rayleigh_wave(since: NDArray[np.float64], kilometres: float, height: float) -> NDArray[np.float64]:
    """The surface wave of an earthquake ``since`` seconds ago at that distance: minutes of fast swings.

    Longer periods run ahead, so the swings get faster; they are too fast for the buoy's 15 seconds and look
    like noise in a recording, as they do in real ones.
    """
    late = np.clip(since - kilometres / RAYLEIGH_SPEED, 0, None)
    swell = (late / 90) * np.exp(1 - late / 90)
    period = 14 + 26 * np.exp(-late / 150)
    return np.asarray(height * swell * np.sin(2 * np.pi * late / period))


def tsunami(since: NDArray[np.float64], height: float) -> NDArray[np.float64]:
    """The first waves, ``since`` seconds after the arrival: a crest, a trough, and a train that dies away."""
    crest = np.exp(-0.5 * ((since - 900) / 330) ** 2)
    trough = -0.38 * np.exp(-0.5 * ((since - 2_150) / 520) ** 2)
    late = np.clip(since - 3_000, 0, None)
    train = 0.22 * (late / 1_800) * np.exp(1 - late / 1_800) * np.sin(2 * np.pi * late / 1_300)
    return np.asarray(height * (crest + trough + train))


def coda(since: NDArray[np.float64], height: float, random: np.random.Generator) -> NDArray[np.float64]:
    """Echoes from all coasts: waves of 8 to 40 minutes at random phases that fade over half a day."""
    late = np.clip(since - 2_400, 0, None)
    periods = np.linspace(480, 2_400, 24)
    phases = random.uniform(0, 2 * np.pi, size=len(periods))
    waves = np.sin(2 * np.pi * late[:, None] / periods + phases).sum(axis=1) / np.sqrt(len(periods) / 2)
    rise = 1 - np.exp(-late / 3_600)
    return np.asarray(height * rise * np.exp(-late / 28_800) * waves)
