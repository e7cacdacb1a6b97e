"""The simulated day replayed, with what a map needs: roads as lines, stops as points, where agents are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Final

from etalis_py.demos.delivery.names import HERE, iri
from etalis_py.demos.delivery.network import Network
from etalis_py.demos.delivery.pipeline import prepare
from etalis_py.demos.delivery.places import with_places
from etalis_py.demos.delivery.simulate import BEGIN, Message, Trip
from etalis_py.demos.delivery.stream import to_events
from etalis_py.demos.delivery.tours import Tour
from etalis_py.demos.geojson import Position
from etalis_py.demos.live import Live, replay
from etalis_py.engine.options import EngineOptions

__all__ = ["places_turtle", "positions", "simulated"]

_GEO: Final = "http://www.w3.org/2003/01/geo/wgs84_pos#"
_SEEN: Final = 0.5
"""Seconds between two events that tell where an agent is, as the watching person counts."""


def simulated(
    network: Network, tours: Sequence[Tour], *, closed: float, seed: int, folder: Path, speed: float
) -> Live:
    """What is served of a day, ``speed`` times as fast as it is simulated."""
    prepared = prepare(network, tours, closed=closed, seed=seed, folder=folder)
    placed, places = with_places(network), folder / "places.ttl"
    places.write_text(places_turtle(placed, tours), encoding="utf-8")
    every = max(1, round(speed * _SEEN)) * 1_000_000
    seen = positions(placed, tours, prepared.day.trips, every)
    messages = list(merge(prepared.day.messages, seen, key=itemgetter(0)))
    program = prepared.program
    options = EngineOptions.of(
        [*program.background, str(places)],
        rules=[*program.rules, str(HERE / "under_way.pl")],
        trace=True,
        on_late="drop",
    )
    return Live(options, program.queries, replay([to_events(messages)], speed))


def places_turtle(network: Network, tours: Sequence[Tour]) -> str:
    """Roads as lines (OGC GeoSPARQL), legs as the points that they lead to (W3C Basic Geo)."""
    degrees = network.projection.to_degrees
    lines = [
        "@prefix geosparql: <http://www.opengis.net/ont/geosparql#> .",
        f"@prefix geo: <{_GEO}> .",
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .",
    ]
    for name in network.segments:
        text = ", ".join("{:.7f} {:.7f}".format(*degrees(point)) for point in network.line(name))
        lines.append(f'<{iri(name)}> geosparql:asWKT "LINESTRING({text})"^^geosparql:wktLiteral .')
    for leg in (leg for tour in tours for leg in tour.legs):
        longitude, latitude = degrees(network.place(leg.goal))
        place = f"geo:lat {latitude:.7f} ; geo:long {longitude:.7f}"
        lines.append(f'<{iri(leg.name)}> {place} ; rdfs:label "{leg.name}" .')
    return "\n".join(lines) + "\n"


def positions(
    network: Network, tours: Sequence[Tour], trips: Sequence[Trip], every: int
) -> Iterator[Message]:
    """Where each agent is: at the begin, and every so many microseconds of a trip; in order of time."""
    degrees = network.projection.to_degrees
    starts = [(tour.agent, degrees(network.place(tour.legs[0].start))) for tour in tours]
    first = [message for agent, where in starts for message in _at(BEGIN, agent, where)]
    return chain(first, merge(*(_of_trip(network, trip, every) for trip in trips), key=itemgetter(0)))


def _of_trip(network: Network, trip: Trip, every: int) -> Iterator[Message]:
    here = trip.leg.start
    for name, (began, ended) in zip(trip.taken, trip.driven, strict=True):
        segment = network.segments[name]
        points = network.line_of_way(here, [name])
        for time in range(-(-began // every) * every, ended, every):
            place = _along(points, (time - began) / (ended - began))
            yield from _at(time, trip.leg.agent, network.projection.to_degrees(place))
        here = segment.end if here == segment.start else segment.start
    yield from _at(trip.reached, trip.leg.agent, network.projection.to_degrees(network.place(here)))


def _at(time: int, agent: str, where: Position) -> Iterator[Message]:
    yield time, agent, f"{_GEO}lat", where[1]
    yield time, agent, f"{_GEO}long", where[0]


def _along(points: Sequence[tuple[float, float]], share: float) -> tuple[float, float]:
    """The place on a line of so many pieces, each taken as equally long."""
    piece = min(int(share * (len(points) - 1)), len(points) - 2)
    rest = share * (len(points) - 1) - piece
    (x1, y1), (x2, y2) = points[piece], points[piece + 1]
    return x1 + (x2 - x1) * rest, y1 + (y2 - y1) * rest
