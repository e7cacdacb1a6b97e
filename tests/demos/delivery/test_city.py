"""The made-up city is what the demo says of it."""

from __future__ import annotations

import pytest

from etalis_py.demos.delivery.city import BRIDGES, make_city
from etalis_py.demos.delivery.network import Network, strong_parts


@pytest.mark.parametrize("seed", range(4))
def test_size_and_connection(seed: int) -> None:
    found = make_city(seed)
    assert 1_300 <= len(found.junctions) <= 1_500
    assert len(found.segments) == 3_000
    assert len(strong_parts(found.junctions, found.arcs)) == 1
    one_way = sum(segment.one_way for segment in found.segments.values())
    assert 800 < one_way < 1_500


def test_the_same_seed_is_the_same_city(city: Network) -> None:
    assert make_city(1) == city
    assert make_city(2) != city


def test_few_bridges(city: Network) -> None:
    """Without the segments that cross the river, the city falls apart in two."""
    xs = [x for x, _ in city.river]
    step = xs[1] - xs[0]

    def north(junction: str) -> bool:
        x, y = city.place(junction)
        place = (x - xs[0]) / step
        (_, low), (_, high) = city.river[int(place)], city.river[int(place) + 1]
        return y > low + (high - low) * (place - int(place))

    crossing = [one for one in city.segments.values() if north(one.start) != north(one.end)]
    assert 3 <= len(crossing) <= BRIDGES + 1


def test_every_segment_lies_in_a_borough(city: Network) -> None:
    for segment in city.segments.values():
        assert city.districts[segment.district] in city.boroughs
    assert {city.districts[borough] for borough in city.boroughs} == {"City"}


def test_no_segment_is_shorter_than_its_ends_are_apart(city: Network) -> None:
    for segment in city.segments.values():
        (x1, y1), (x2, y2) = city.place(segment.start), city.place(segment.end)
        assert segment.length >= ((x1 - x2) ** 2 + (y1 - y2) ** 2) ** 0.5 - 0.1
