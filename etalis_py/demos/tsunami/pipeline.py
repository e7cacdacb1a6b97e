"""From files to everything found in them: read, clean, stream, queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.demos.tsunami.clean import clean
from etalis_py.demos.tsunami.dart import MISSING_MM, Recording, read_recording
from etalis_py.demos.tsunami.detection import Detection, collect
from etalis_py.demos.tsunami.engines import detect_local, detect_on_spark, load_queries
from etalis_py.demos.tsunami.names import BACKGROUND, HERE
from etalis_py.demos.tsunami.stations import Station, to_turtle
from etalis_py.demos.tsunami.stream import readings_table, to_events

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Buoy", "Run", "read_recordings", "run_pipeline", "write_background"]


@dataclass(frozen=True, slots=True)
class Buoy:
    """One buoy of a run: its name, its place if one is known, and the rows of its recordings.

    ``usable`` readings are ``rows`` less ``missing`` heights less repeated instants.
    """

    name: str
    station: Station | None
    rows: int
    missing: int
    usable: int
    simulated: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What a run read and found: ``readings`` as ``stream.readings_table``, ``threshold`` in metres."""

    buoys: list[Buoy]
    readings: pa.Table
    detection: Detection
    threshold: float

    @property
    def simulated(self) -> bool:
        """Whether any recording was made by a computer."""
        return any(buoy.simulated for buoy in self.buoys)


def run_pipeline(
    paths: Sequence[Path],
    stations: Mapping[str, Station],
    *,
    threshold: float,
    folder: Path,
    engine: str = "local",
) -> Run:
    """Detect in the recordings; ``threshold`` in metres.

    Writes what the queries read into ``folder``, so that they can be run again with ``etalis run``:
    ``background.ttl`` and (with the local engine) ``stream.parquet``. Raises ``DataError`` for files that
    cannot be read.
    """
    recordings = read_recordings(paths)
    knowledge = write_background(recordings, stations, threshold, folder)
    if engine == "spark":
        readings, solutions = detect_on_spark(
            [one for of_buoy in recordings.values() for one in of_buoy], load_queries(), knowledge
        )
    else:
        readings = readings_table([clean(of_buoy) for of_buoy in recordings.values()])
        events = list(to_events(readings))
        _save(events, folder / "stream.parquet")
        solutions = detect_local(events, load_queries(), knowledge)
    detection = collect(solutions)
    buoys = [_buoy(name, stations.get(name), of_buoy, readings) for name, of_buoy in recordings.items()]
    return Run(buoys, readings, detection, threshold)


def read_recordings(paths: Sequence[Path]) -> dict[str, list[Recording]]:
    """The recordings by their buoys.

    Raises:
        DataError: EP45x, one cannot be read.
    """
    recordings: dict[str, list[Recording]] = {}
    for path in paths:
        recording = read_recording(path)
        recordings.setdefault(recording.buoy, []).append(recording)
    return recordings


def write_background(
    buoys: Iterable[str], stations: Mapping[str, Station], threshold: float, folder: Path
) -> list[Path]:
    """Write what the queries know of these buoys into ``folder``; all files of background."""
    background = folder / "background.ttl"
    background.write_text(
        to_turtle({name: stations.get(name) for name in buoys}, threshold), encoding="utf-8"
    )
    return [HERE / BACKGROUND, background]


def _buoy(name: str, station: Station | None, recordings: Sequence[Recording], readings: pa.Table) -> Buoy:
    import pyarrow.compute as pc

    return Buoy(
        name,
        station,
        rows=sum(len(recording.second) for recording in recordings),
        missing=sum(int((recording.height_mm == MISSING_MM).sum()) for recording in recordings),
        usable=pc.sum(pc.equal(readings["buoy"], name)).as_py() or 0,
        simulated=any(recording.simulated for recording in recordings),
    )


def _save(events: Sequence[pa.Table], path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if events:
        pq.write_table(pa.concat_tables(events), path)
