"""Read a road network from GeoJSON: a collection of lines, each a road.

A line has properties: ``speed`` (km/h), ``length`` (metres, else measured), ``oneway`` (else it can be driven
both ways), ``district``, ``from`` and ``to``, the names of its ends. Without these, an end, and a point that
two lines share, is a junction; a line is cut there. Points with the ``kind`` ``junction`` give names.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import asin, cos, radians, sin, sqrt
from pathlib import Path
from typing import Any, Final, TypeAlias

from etalis_py.core.errors import Place
from etalis_py.demos.delivery.network import Junction, Network, Segment, in_metres
from etalis_py.demos.delivery.projection import EARTH_RADIUS
from etalis_py.demos.delivery.road_errors import bad_value, nothing_in, unreadable
from etalis_py.demos.delivery.road_values import (
    NORMAL_SPEED,
    TOWN,
    direction,
    is_name,
    number,
    safe_name,
    unused,
)
from etalis_py.demos.geojson import Position

__all__ = ["read_geojson"]

Road: TypeAlias = "tuple[Place, str, Mapping[str, Any], list[Position]]"
"""A line: where it stands, its id, its properties, its points."""

_SAME: Final = 7
"""Decimals of degrees, 1 cm, in which two points of one junction agree."""


def read_geojson(path: Path) -> Network:
    """The network of a file; whether it is whole is checked in ``roads``.

    Raises ``DataError``: EP461 a file that cannot be read, EP462 no line in it, EP463 a value that is not
    valid; a row is a feature.
    """
    place = Place(str(path))
    document = _document(path, place)
    reader = _Reader(place)
    for road in reader.roads(document["features"]):
        reader.add(*road)
    if not reader.segments:
        raise nothing_in(place, "LineString")
    districts = _names_in(document.get("districts", {}), dict, place, "districts")
    boroughs = _names_in(document.get("boroughs", []), list, place, "boroughs")
    used = sorted({segment.district for segment in reader.segments.values()})
    return in_metres(Network(reader.junctions, reader.segments, districts, tuple(boroughs or used)))


def _document(path: Path, place: Place) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise unreadable(place, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise unreadable(place, "it is not UTF-8 text") from error
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise unreadable(Place(place.source, line), f"it is not JSON: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("features"), list):
        raise unreadable(place, "it is not a FeatureCollection", hint="docs/delivery.md has an example")
    return found


def _names_in(found: Any, kind: type[Any], place: Place, what: str) -> Any:
    if not isinstance(found, kind):
        raise bad_value(place, what, found, "names")
    names: Any = [*found, *found.values()] if isinstance(found, dict) else found
    for each in names:
        safe_name(str(each), f"a name in {what}", place)
    return found


class _Reader:
    """What was read so far."""

    def __init__(self, place: Place) -> None:
        self.junctions: dict[str, Junction] = {}
        self.segments: dict[str, Segment] = {}
        self._source = place.source
        self._names: dict[Position, str] = {}
        self._cuts: set[Position] = set()

    def roads(self, features: Sequence[Any]) -> list[Road]:
        """The lines of a file. Keeps the names of junctions, and where lines meet."""
        found: list[Road] = []
        for row, feature in enumerate(features, 1):
            place = Place(self._source, row=row)
            geometry = _part(feature, "geometry", place)
            properties = _part(feature, "properties", place)
            lines = geometry.get("coordinates")
            if geometry.get("type") == "Point" and properties.get("kind") == "junction":
                self._add_junction(_position(lines, place), properties, place)
            elif geometry.get("type") in ("LineString", "MultiLineString"):
                parts = [lines] if geometry["type"] == "LineString" else lines
                found += [
                    (place, _id(feature), properties, _positions(points, place))
                    for points in (parts if isinstance(parts, list) else [None])
                ]
        for place, _, properties, points in found:
            for side, end in (("from", points[0]), ("to", points[-1])):
                if properties.get(side) is not None:
                    self._names.setdefault(end, safe_name(str(properties[side]), "the junction", place))
        met = Counter(each for *_, points in found for each in dict.fromkeys(points))
        self._cuts = {each for each, times in met.items() if times > 1}
        return found

    def add(self, place: Place, name: str, properties: Mapping[str, Any], points: list[Position]) -> None:
        """Add the segments of a line."""
        given = [properties.get(side) for side in ("from", "to")]
        leads = direction(properties.get("oneway") or False, place)
        if leads < 0:
            points, given = points[::-1], given[::-1]
        cuts = self._cuts if given == [None, None] else set()
        for part in _cut(points, cuts):
            start, end = (
                self._junction(at, side, place) for at, side in zip((part[0], part[-1]), given, strict=True)
            )
            called = unused(name or f"{start}-{end}", self.segments, self.junctions)
            length = properties.get("length") if len(part) == len(points) else None
            self.segments[called] = Segment(
                called,
                start,
                end,
                _length(part) if length is None else number(length, "the length", place),
                _speed(properties, place),
                leads != 0,
                safe_name(str(properties.get("district") or TOWN), "the district", place),
                len(self.segments) + 1,
                tuple(part[1:-1]),
            )

    def _junction(self, position: Position, given: Any, place: Place) -> str:
        """The name of a junction: the one that is given, or the one known at its place, or a new one."""
        if given is not None:
            name = safe_name(str(given), "the junction", place)
        elif position in self._names:
            name = self._names[position]
        else:
            name = unused(f"n{len(self.junctions) + 1}", self.junctions, self.segments)
            self._names[position] = name
        self.junctions.setdefault(name, Junction(name, *position))
        return name

    def _add_junction(self, position: Position, properties: Mapping[str, Any], place: Place) -> None:
        name = safe_name(str(properties.get("name") or ""), "the name of the junction", place)
        self._names.setdefault(position, name)
        self.junctions[name] = Junction(name, *position, str(properties.get("label") or ""))


def _part(feature: Any, name: str, place: Place) -> Mapping[str, Any]:
    found = (feature.get(name) or {}) if isinstance(feature, dict) else None
    if not isinstance(found, dict):
        raise bad_value(place, f"the {name}", found, "an object of GeoJSON")
    return found


def _id(feature: Mapping[str, Any]) -> str:
    """The id of a feature as a name: ``way/17`` becomes ``way-17``."""
    found = str(feature.get("id", ""))
    return found if is_name(found) else re.sub(r"[^\w.~-]+", "-", found, flags=re.ASCII)


def _positions(found: Any, place: Place) -> list[Position]:
    points = [_position(each, place) for each in found] if isinstance(found, list) else []
    apart = [*points[:1], *(here for before, here in pairwise(points) if here != before)]
    if len(apart) < 2:
        raise bad_value(place, "the line", found, "two places or more")
    return apart


def _position(found: Any, place: Place) -> Position:
    if not isinstance(found, list) or len(found) < 2:
        raise bad_value(place, "a place", found, "longitude and latitude")
    longitude, latitude = (number(each, "a place", place, low=-1e9) for each in found[:2])
    if not (-360 <= longitude <= 360 and -90 < latitude < 90):
        raise bad_value(place, "a place", found, "longitude and latitude in degrees")
    return round(longitude, _SAME), round(latitude, _SAME)


def _cut(points: list[Position], at: set[Position]) -> Iterator[list[Position]]:
    """The parts of a line between its ends and the points at which others meet it."""
    first = 0
    for index in range(1, len(points)):
        if points[index] in at or index == len(points) - 1:
            yield points[first : index + 1]
            first = index


def _speed(properties: Mapping[str, Any], place: Place) -> float:
    found = properties.get("speed", properties.get("maxspeed"))
    if found is None:
        return NORMAL_SPEED
    if isinstance(found, str) and found.endswith("mph"):
        return round(1.609344 * number(found.removesuffix("mph"), "the speed", place), 1)
    return number(found, "the speed", place)


def _length(points: Sequence[Position]) -> float:
    """Metres along a line, 10 cm or more."""
    return round(max(0.1, sum(_metres(before, here) for before, here in pairwise(points))), 1)


def _metres(before: Position, here: Position) -> float:
    (x1, y1), (x2, y2) = ((radians(each[0]), radians(each[1])) for each in (before, here))
    chord = sin((y2 - y1) / 2) ** 2 + cos(y1) * cos(y2) * sin((x2 - x1) / 2) ** 2
    return 2 * EARTH_RADIUS * asin(min(1.0, sqrt(chord)))
