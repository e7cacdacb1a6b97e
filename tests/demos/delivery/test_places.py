"""Places that are made up for junctions without any look like the network."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from etalis_py.demos.delivery.network import Network
from etalis_py.demos.delivery.places import with_places


def test_a_network_with_places_keeps_them(city: Network) -> None:
    assert with_places(city) is city


def test_distances_are_about_right(city: Network) -> None:
    bare = replace(
        city, junctions={name: replace(one, x=None, y=None) for name, one in city.junctions.items()}
    )
    made = with_places(bare)
    names = list(city.junctions)[::40]
    true = np.array([city.place(name) for name in names])
    found = np.array([made.place(name) for name in names])
    distances = [
        np.hypot(*(points[:, None] - points[None]).T)[np.triu_indices(len(names), 1)]
        for points in (true, found)
    ]
    assert np.corrcoef(*distances)[0, 1] > 0.9
    assert 0.7 < np.median(distances[1] / distances[0]) < 1.4
