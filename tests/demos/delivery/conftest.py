"""Small road networks, and the made-up city."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from etalis_py.demos.delivery.city import make_city
from etalis_py.demos.delivery.network import Junction, Network, Segment
from etalis_py.demos.delivery.turtle import to_turtle

Road = tuple[str, str, float]


@pytest.fixture(scope="session")
def city() -> Network:
    return make_city(1)


@pytest.fixture
def roads() -> Callable[..., Network]:
    """Makes a network of two-way segments ``(from, to, metres)``, named for their ends: ``ab``."""
    return network_of


def network_of(roads: Sequence[Road], one_way: Sequence[Road] = ()) -> Network:
    segments = {
        f"{start}{end}": Segment(f"{start}{end}", start, end, length, 36.0, alone, "Docks", number)
        for number, ((start, end, length), alone) in enumerate(
            [*((road, False) for road in roads), *((road, True) for road in one_way)], start=1
        )
    }
    names = sorted({end for segment in segments.values() for end in (segment.start, segment.end)})
    return Network(
        {name: Junction(name) for name in names}, segments, {"Docks": "East", "East": "City"}, ("East",)
    )


@pytest.fixture
def written(tmp_path: Path) -> Callable[[Network], Path]:
    """Writes a network to a Turtle file."""

    def write(network: Network) -> Path:
        path = tmp_path / "roads.ttl"
        path.write_text(to_turtle(network), encoding="utf-8")
        return path

    return write
