"""The road network of a run: a user's file, checked, or the city of a seed."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from etalis_py.core.errors import Place, UsageError
from etalis_py.demos.delivery.city import make_city
from etalis_py.demos.delivery.network import Network, largest_part, strong_parts
from etalis_py.demos.delivery.read_csv import read_csv
from etalis_py.demos.delivery.read_geojson import read_geojson
from etalis_py.demos.delivery.read_turtle import read_turtle
from etalis_py.demos.delivery.road_errors import not_connected, unknown_junction, unreadable

__all__ = ["load_roads"]

_READERS = {
    ".csv": read_csv,
    ".geojson": read_geojson,
    ".json": read_geojson,
    ".ttl": read_turtle,
    ".nt": read_turtle,
}


def load_roads(
    path: Path | None, seed: int, *, only_largest_part: bool = False, two_way: bool = False
) -> Network:
    """The network of the file, or a made one; with ``two_way`` rows of CSV can be driven both ways.

    Raises ``UsageError`` EP544 if ``two_way`` is asked for and there are none; ``DataError``: EP461 to EP463
    for a file that cannot be read, EP464 a segment that ends at no junction, EP465 a network that is not
    connected (unless only its largest part is asked for).
    """
    if two_way and (path is None or path.suffix.lower() != ".csv"):
        raise UsageError(
            "EP544",
            "--two-way is of roads in CSV, whose rows lead one way",
            hint="Turtle and GeoJSON say of each road whether it is one-way; leave --two-way out",
        )
    if path is None:
        return make_city(seed)
    reader = _READERS.get(path.suffix.lower())
    if two_way and reader is read_csv:
        reader = partial(read_csv, two_way=True)
    if reader is None:
        raise unreadable(
            Place(str(path)),
            f"a suffix {path.suffix!r} is not known",
            hint="GeoJSON has .geojson, Turtle .ttl, N-Triples .nt, a table of arcs .csv",
        )
    network = reader(path)
    for segment in network.segments.values():
        for end in (segment.start, segment.end):
            if end not in network.junctions:
                raise unknown_junction(Place(str(path)), segment.name, end)
    parts = strong_parts(network.junctions, network.arcs)
    if len(parts) > 1:
        if not only_largest_part:
            raise not_connected(Place(str(path)), parts)
        network = largest_part(network)
    return network
