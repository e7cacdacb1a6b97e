"""The simulated day is one that could be."""

from __future__ import annotations

import pytest

from etalis_py.demos.delivery.network import Network
from etalis_py.demos.delivery.simulate import Simulation, simulate
from etalis_py.demos.delivery.tours import make_tours


@pytest.fixture(scope="module")
def day(city: Network) -> Simulation:
    return simulate(city, make_tours(city, 10, 20, 1), 0.5, 1)


def test_the_same_seed_is_the_same_day(city: Network, day: Simulation) -> None:
    tours = make_tours(city, 10, 20, 1)
    assert simulate(city, tours, 0.5, 1).messages == day.messages
    assert simulate(city, tours, 0.5, 2).messages != day.messages


def test_messages_are_in_order(day: Simulation) -> None:
    times = [message[0] for message in day.messages]
    assert times == sorted(times)


def test_roads_change_at_half_seconds_and_agents_report_at_whole_ones(day: Simulation) -> None:
    for time, _, what, _ in day.messages:
        assert time % 1_000_000 == (500_000 if what in ("status", "speed", "flow") else 0)


def test_more_than_half_of_the_legs_meet_a_closed_segment(day: Simulation) -> None:
    assert len(day.trips) == 200
    assert sum(trip.met_closed for trip in day.trips) > 100


def test_none_does_if_none_is_closed(city: Network) -> None:
    found = simulate(city, make_tours(city, 3, 10, 1), 0.0, 1)
    assert found.trips
    assert not found.closures
    assert not any(trip.met_closed for trip in found.trips)


def test_an_agent_is_cut_off_and_gets_there_later(day: Simulation) -> None:
    waited = [trip for trip in day.trips if any(way is None for _, _, way in trip.asked)]
    assert waited
    assert all(trip.reached > trip.left for trip in waited)


def test_each_agent_drives_from_stop_to_stop(city: Network, day: Simulation) -> None:
    for trip in day.trips:
        here = trip.leg.start
        for name in trip.taken:
            segment = city.segments[name]
            assert here == segment.start or (here == segment.end and not segment.one_way)
            here = segment.end if here == segment.start else segment.start
        assert here == trip.leg.goal


def test_a_segment_closes_before_it_opens(day: Simulation) -> None:
    closed: set[str] = set()
    for _, name, what, value in day.messages:
        if what == "status":
            assert (name in closed) == (value == "Open")
            (closed.remove if value == "Open" else closed.add)(name)
    assert not closed
