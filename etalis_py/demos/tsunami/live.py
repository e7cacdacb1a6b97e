"""The recordings replayed, with the places of the buoys, for a page that shows them as they come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from etalis_py.demos.live import Live, replay
from etalis_py.demos.tsunami.clean import clean
from etalis_py.demos.tsunami.engines import load_queries
from etalis_py.demos.tsunami.pipeline import read_recordings, write_background
from etalis_py.demos.tsunami.stations import Station, places_turtle
from etalis_py.demos.tsunami.stream import readings_table, to_events
from etalis_py.engine.options import EngineOptions

__all__ = ["replayed"]


def replayed(
    paths: Sequence[Path], stations: Mapping[str, Station], *, threshold: float, folder: Path, speed: float
) -> Live:
    """What is served of recordings; ``threshold`` in metres, ``speed`` times as fast as they were.

    Raises:
        DataError: a recording cannot be read.
    """
    recordings = read_recordings(paths)
    readings = readings_table([clean(of_buoy) for of_buoy in recordings.values()])
    options = live_options(recordings, stations, threshold, folder)
    return Live(options, load_queries(), replay(to_events(readings), speed))


def live_options(
    buoys: Iterable[str], stations: Mapping[str, Station], threshold: float, folder: Path
) -> EngineOptions:
    """The options of an engine that knows these buoys and where they are."""
    names = list(buoys)
    places = folder / "places.ttl"
    known = [station for name in names if (station := stations.get(name)) is not None]
    places.write_text(places_turtle(known), encoding="utf-8")
    knowledge = [*write_background(names, stations, threshold, folder), places]
    return EngineOptions.of([str(path) for path in knowledge], trace=True, on_late="drop")
