"""Roads and what happened on them as GeoJSON, for maps and other programs.

Properties have the names that ``read_geojson`` reads; colours are those of the picture, as
``stroke`` and ``marker-color`` (https://github.com/mapbox/simplestyle-spec).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from etalis_py.core.times import format_time
from etalis_py.demos.delivery.network import Network
from etalis_py.demos.delivery.outputs import legs_of, minutes, way_time
from etalis_py.demos.delivery.pipeline import Run
from etalis_py.demos.geojson import Feature, collection, line, point

__all__ = ["CLOSED", "PLANNED", "TAKEN", "map_of", "roads_of"]

PLANNED: Final = "#1b6ca8"
TAKEN: Final = "#f08a24"
CLOSED: Final = "#c9184a"


def roads_of(network: Network) -> str:
    """A network, all of whose junctions have places, as ``read_geojson`` reads it."""
    features = [*_junctions(network), *_segments(network)]
    return collection(features, districts=dict(network.districts), boroughs=list(network.boroughs))


def _junctions(network: Network) -> Iterator[Feature]:
    for junction in network.junctions.values():
        place = network.projection.to_degrees(network.place(junction.name))
        yield point(place, kind="junction", name=junction.name, label=junction.label or None)


def _segments(network: Network) -> Iterator[Feature]:
    for name, segment in network.segments.items():
        properties = {
            "from": segment.start,
            "to": segment.end,
            "length": segment.length,
            "speed": segment.speed,
            "oneway": segment.one_way,
            "district": segment.district or None,
        }
        yield {"id": name, **_line(network, network.line(name), **properties)}


def map_of(run: Run, network: Network) -> str:
    """The answers on a map: closed segments, planned, driven and new ways, and alerts, each with its times.

    ``network`` is that of the run, with places.
    """
    features = [
        *_closures(run, network),
        *_trips(run, network),
        *_new_ways(run, network),
        *_alerts(run, network),
    ]
    return collection(features, simulated=True)


def _closures(run: Run, network: Network) -> Iterator[Feature]:
    for one in run.day.closures:
        times = {"begin": format_time(one.begin), "end": format_time(one.end)}
        points = network.line(one.segment)
        yield _line(network, points, kind="closure", segment=one.segment, **times, stroke=CLOSED)


def _trips(run: Run, network: Network) -> Iterator[Feature]:
    for trip in run.day.trips:
        leg = trip.leg
        about = {"agent": leg.agent, "leg": leg.name}
        planned = network.line_of_way(leg.start, leg.planned)
        yield _line(network, planned, kind="planned", **about, minutes=minutes(leg.time), stroke=PLANNED)
        times = {"left": format_time(trip.left), "reached": format_time(trip.reached)}
        driven = network.line_of_way(leg.start, trip.taken)
        yield _line(network, driven, kind="driven", **about, **times, stroke=TAKEN)


def _new_ways(run: Run, network: Network) -> Iterator[Feature]:
    legs = legs_of(run)
    for new in run.outcome.reroutes:
        about = {"agent": legs[new.leg].agent, "leg": new.leg, "asked": format_time(new.time)}
        takes = minutes(way_time(run.network, new.way))
        points = network.line_of_way(new.here, new.way)
        yield _line(network, points, kind="new way", **about, minutes=takes, stroke=TAKEN)


def _alerts(run: Run, network: Network) -> Iterator[Feature]:
    legs = legs_of(run)
    alerts = [(one.time, "cut off", one.agent, one.leg, one.here) for one in run.outcome.cut_off]
    alerts += [(one.time, "late", one.agent, one.leg, legs[one.leg].goal) for one in run.outcome.late]
    for time, kind, agent, leg, where in sorted(alerts):
        place = network.projection.to_degrees(network.place(where))
        about = {"agent": agent, "leg": leg, "time": format_time(time), "marker-color": CLOSED}
        yield point(place, kind=kind, junction=where, **about)


def _line(network: Network, points: Iterable[tuple[float, float]], **properties: object) -> Feature:
    return line([network.projection.to_degrees(each) for each in points], **properties)
