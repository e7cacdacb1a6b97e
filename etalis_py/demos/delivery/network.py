"""A road network: junctions, and segments that join two of them.

Lengths and coordinates are in metres, speeds in km/h, times in whole microseconds. Does not search for ways:
see ``ways`` (and ``routing.pl``, which is what the demo is about).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from etalis_py.demos.delivery.projection import Projection, projection_around

__all__ = [
    "Arc",
    "Arcs",
    "Junction",
    "Network",
    "Segment",
    "arcs_of",
    "in_metres",
    "largest_part",
    "strong_parts",
    "travel_time",
]

Arc: TypeAlias = "tuple[str, str, int]"
"""A way on from a junction: the segment, the junction at its other end, and the time it takes (us)."""

Arcs: TypeAlias = "Mapping[str, list[Arc]]"


@dataclass(frozen=True, slots=True)
class Junction:
    """A junction: its name, its place in metres east and north of some point (None: not known), its label."""

    name: str
    x: float | None = None
    y: float | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of road. ``length`` in metres, ``speed``, what is permitted, in km/h; ``district`` by name.

    A segment that is not ``one_way`` can be driven from either end; it closes as a whole. ``bends`` are the
    points between its ends, in metres, for maps.
    """

    name: str
    start: str
    end: str
    length: float
    speed: float = 50.0
    one_way: bool = False
    district: str = ""
    number: int = 0
    bends: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Network:
    """Junctions and segments by name.

    ``districts`` gives the larger district that a district lies in; ``boroughs`` are those that are warned.
    ``river``: its middle, for the picture. ``projection`` says where on earth the places are; those of a city
    that is made up, or of a file without degrees, around longitude 0, latitude 0.
    """

    junctions: Mapping[str, Junction]
    segments: Mapping[str, Segment]
    districts: Mapping[str, str]
    boroughs: tuple[str, ...]
    river: tuple[tuple[float, float], ...] = ()
    projection: Projection = field(default_factory=Projection)

    @cached_property
    def arcs(self) -> Arcs:
        """By junction, the ways on from it when no road is closed or slow."""
        return arcs_of(self.segments.values())

    @property
    def has_places(self) -> bool:
        """Whether every junction has coordinates."""
        return all(junction.x is not None for junction in self.junctions.values())

    def place(self, junction: str) -> tuple[float, float]:
        """The coordinates of a junction that has some."""
        found = self.junctions[junction]
        assert found.x is not None
        assert found.y is not None
        return found.x, found.y

    def line(self, segment: str) -> list[tuple[float, float]]:
        """The points of a segment, whose ends have places, from its start to its end."""
        found = self.segments[segment]
        return [self.place(found.start), *found.bends, self.place(found.end)]

    def line_of_way(self, start: str, way: Iterable[str]) -> list[tuple[float, float]]:
        """The points of a way that starts at a junction."""
        here, points = start, [self.place(start)]
        for name in way:
            segment = self.segments[name]
            onward = here == segment.start
            points += self.line(name)[1:] if onward else self.line(name)[-2::-1]
            here = segment.end if onward else segment.start
        return points


def travel_time(segment: Segment, speed: float | None = None) -> int:
    """Microseconds to pass a segment, at the speed permitted or a lower one (km/h).

    Rounded up to a millisecond, and up to a millisecond more, by the segment's number: so it hardly ever
    happens that two ways take the same time, and every search finds the same one. ``roads.pl`` has
    this formula as well.

    >>> travel_time(Segment("s1", "a", "b", 500.0, 50.0, number=1))
    36000919
    """
    slowest = segment.speed if speed is None else min(speed, segment.speed)
    milliseconds = Fraction(repr(segment.length)) * 3_600 / Fraction(repr(slowest))
    return -(-milliseconds.numerator // milliseconds.denominator) * 1_000 + segment.number * 7_919 % 1_000


def arcs_of(segments: Iterable[Segment]) -> Arcs:
    """The ways on from each junction, in the order of the segments."""
    found: dict[str, list[Arc]] = defaultdict(list)
    for segment in segments:
        time = travel_time(segment)
        found[segment.start].append((segment.name, segment.end, time))
        if not segment.one_way:
            found[segment.end].append((segment.name, segment.start, time))
    return dict(found)


def in_metres(network: Network) -> Network:
    """The network whose coordinates are longitude and latitude so far."""
    found = network.junctions
    known = [(one.x, one.y) for one in found.values() if one.x is not None and one.y is not None]
    projection = projection_around(known)

    def moved(junction: Junction) -> Junction:
        if junction.x is None or junction.y is None:
            return junction
        x, y = projection.to_metres((junction.x, junction.y))
        return replace(junction, x=x, y=y)

    return replace(
        network,
        junctions={name: moved(one) for name, one in found.items()},
        segments={
            name: replace(one, bends=tuple(map(projection.to_metres, one.bends)))
            for name, one in network.segments.items()
        },
        projection=projection,
    )


def largest_part(network: Network) -> Network:
    """The network without all that cannot be reached from its largest part, or cannot reach it."""
    kept = set(strong_parts(network.junctions, network.arcs)[0])
    return replace(
        network,
        junctions={name: junction for name, junction in network.junctions.items() if name in kept},
        segments={
            name: segment
            for name, segment in network.segments.items()
            if segment.start in kept and segment.end in kept
        },
    )


def strong_parts(junctions: Iterable[str], arcs: Arcs) -> list[list[str]]:
    """The strongly connected parts, the largest first: within one, each junction can be reached from each.

    Tarjan's algorithm (1972), without recursion: a road network is deeper than Python's stack.
    """
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    open_parts: list[str] = []
    is_open: set[str] = set()
    parts: list[list[str]] = []
    for root in junctions:
        if root in order:
            continue
        work = [(root, iter(arcs.get(root, ())))]
        order[root] = low[root] = len(order)
        open_parts.append(root)
        is_open.add(root)
        while work:
            here, onward = work[-1]
            for _, there, _ in onward:
                if there not in order:
                    order[there] = low[there] = len(order)
                    open_parts.append(there)
                    is_open.add(there)
                    work.append((there, iter(arcs.get(there, ()))))
                    break
                if there in is_open:
                    low[here] = min(low[here], order[there])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[here])
                if low[here] == order[here]:
                    cut = open_parts.index(here)
                    parts.append(open_parts[cut:])
                    is_open.difference_update(open_parts[cut:])
                    del open_parts[cut:]
    return sorted(parts, key=len, reverse=True)
