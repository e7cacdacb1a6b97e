"""The road network of a run: a user's file, checked, or the city of a seed."""

from __future__ import annotations

from pathlib import Path

from etalis_py.core.errors import Place
from etalis_py.demos.delivery.city import make_city
from etalis_py.demos.delivery.network import Network, largest_part, strong_parts
from etalis_py.demos.delivery.read_csv import read_csv
from etalis_py.demos.delivery.read_turtle import read_turtle
from etalis_py.demos.delivery.road_errors import not_connected, unknown_junction, unreadable

__all__ = ["load_roads"]

_READERS = {".csv": read_csv, ".ttl": read_turtle, ".nt": read_turtle}


def load_roads(path: Path | None, seed: int, *, only_largest_part: bool = False) -> Network:
    """The network of the file, or a made one.

    Raises ``DataError``: EP461 to EP463 for a file that cannot be read, EP464 a segment that ends at no
    junction, EP465 a network that is not connected (unless only its largest part is asked for).
    """
    if path is None:
        return make_city(seed)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise unreadable(
            Place(str(path)),
            f"a suffix {path.suffix!r} is not known",
            hint="Turtle has .ttl, N-Triples .nt, a table of arcs .csv",
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
