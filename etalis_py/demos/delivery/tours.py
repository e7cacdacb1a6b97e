"""Agents, their vehicles and their tours: a depot, and stops in the order in which they are to be reached.

A leg leads from one stop to the next. Its way is planned over open roads, and the customer is promised a time
from leaving to arriving: a third more than planned and two minutes, in whole minutes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from etalis_py.core.times import format_duration
from etalis_py.demos.delivery.names import iri
from etalis_py.demos.delivery.network import Network
from etalis_py.demos.delivery.turtle import PREFIXES
from etalis_py.demos.delivery.ways import find_way

__all__ = ["Leg", "Tour", "make_tours", "plan_tour", "to_turtle"]

MINUTE = 60_000_000
VEHICLES = ("Van", "Van", "Lorry", "CargoBike")


@dataclass(frozen=True, slots=True)
class Leg:
    """From one stop to the next: the planned way, its time and the time promised, in microseconds."""

    name: str
    agent: str
    start: str
    goal: str
    planned: tuple[str, ...]
    time: int
    promised: int


@dataclass(frozen=True, slots=True)
class Tour:
    """An agent, the class of its vehicle, and its legs in order."""

    agent: str
    vehicle: str
    legs: tuple[Leg, ...]


def make_tours(network: Network, agents: int, stops: int, seed: int) -> list[Tour]:
    """Tours to random stops, for each agent the same number."""
    dice = random.Random(f"tours {seed}")  # noqa: S311 - deliveries, not a secret
    names = list(network.junctions)
    digits = len(str(agents))
    found = []
    for number in range(1, agents + 1):
        places = [dice.choice(names)]
        while len(places) <= stops:
            place = dice.choice(names)
            if place != places[-1]:
                places.append(place)
        found.append(plan_tour(network, f"a{number:0{digits}}", places, dice.choice(VEHICLES)))
    return found


def plan_tour(network: Network, agent: str, places: Sequence[str], vehicle: str = "Van") -> Tour:
    """The tour from the first place to all others; the network is connected."""
    digits = len(str(len(places) - 1))
    legs = []
    for number, (start, goal) in enumerate(pairwise(places), start=1):
        found = find_way(network, start, goal)
        assert found is not None
        time, way = found
        promised = -(-(time * 4 // 3 + 2 * MINUTE) // MINUTE) * MINUTE
        legs.append(Leg(f"{agent}-leg{number:0{digits}}", agent, start, goal, tuple(way), time, promised))
    return Tour(agent, vehicle, tuple(legs))


def to_turtle(tours: Sequence[Tour]) -> str:
    """Agents and legs as background of a run."""
    return PREFIXES + "\n".join(_lines(tours)) + "\n"


def _lines(tours: Sequence[Tour]) -> Iterator[str]:
    for tour in tours:
        yield f"<{iri(tour.agent)}> a :Agent ; :drives <{iri(tour.agent)}-vehicle> ."
        yield f"<{iri(tour.agent)}-vehicle> a :{tour.vehicle} ."
        for leg in tour.legs:
            way = " ".join(leg.planned)
            promised = format_duration(0, leg.promised)
            yield (
                f"<{iri(leg.name)}> a :Leg ; :start <{iri(leg.start)}> ; :goal <{iri(leg.goal)}> ; "
                f':promised "{promised}"^^xsd:dayTimeDuration ; :planned "{way}" .'
            )
