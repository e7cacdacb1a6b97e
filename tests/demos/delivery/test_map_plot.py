"""What the map of one leg says of the answers that the agent got."""

from __future__ import annotations

from dataclasses import replace

import pytest

from etalis_py.demos.delivery.map_plot import _answers, _asked_at
from etalis_py.demos.delivery.network import Network
from etalis_py.demos.delivery.simulate import Trip, simulate
from etalis_py.demos.delivery.tours import make_tours


@pytest.fixture(scope="module")
def trip(city: Network) -> Trip:
    return simulate(city, make_tours(city, 1, 1, 1), 0.5, 1).trips[0]


def test_cut_off_is_not_open(trip: Trip) -> None:
    asked = [(0, "j1", None), (300_000_000, "j1", ("s1",)), (400_000_000, "j2", ())]
    told = replace(trip, asked=asked)
    assert _answers(told).split("     ") == [
        "1: 00:00 cut off",
        "2: 00:05 a new way",
        "3: 00:06 its way is open",
    ]
    assert _asked_at(told) == {"j1": ("1-2", ("s1",)), "j2": ("3", ())}
