"""``etalis demo delivery``: deliveries in a city whose roads close."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.core.errors import UsageError
from etalis_py.demos.live import add_live_arguments, speed_of, watch
from etalis_py.demos.surroundings import make_folder, need, not_writable

if TYPE_CHECKING:
    from etalis_py.demos.delivery.network import Network
    from etalis_py.demos.delivery.tours import Tour

__all__ = ["add_arguments", "parse_share", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the demo."""
    parser.add_argument("--agents", type=int, default=10, metavar="N", help="agents (default: %(default)s)")
    parser.add_argument(
        "--stops", type=int, default=20, metavar="N", help="stops of each agent (default: %(default)s)"
    )
    parser.add_argument(
        "--closed", default="50%", metavar="SHARE",
        help="share of the legs on whose route a segment closes (default: 50%%)",
    )  # fmt: skip
    parser.add_argument(
        "--roads", type=Path, metavar="FILE",
        help="the road network: GeoJSON or Turtle (docs/delivery.md), or CSV with the columns "
        "from,to,length; without it, a city is made up",
    )  # fmt: skip
    parser.add_argument(
        "--two-way", action="store_true",
        help="roads in CSV can be driven both ways, unless their column oneway says otherwise",
    )  # fmt: skip
    parser.add_argument(
        "--largest-part", action="store_true",
        help="of a network that is not connected, use its largest part",
    )  # fmt: skip
    parser.add_argument(
        "--tours", type=Path, metavar="FILE",
        help="the tours: CSV with the columns agent,junction, one row for each stop; without it, "
        "they are made up",
    )  # fmt: skip
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        metavar="S",
        help="random seed of the simulated day (default: %(default)s)",
    )
    parser.add_argument(
        "--engine", choices=("local", "spark"), default="local",
        help="run in this process, or on Spark (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--measure", action=argparse.BooleanOptionalAction, default=None,
        help="measure what a re-routing costs with up to 1,000 stops and 100 agents, which takes minutes, "
        "or do not measure it (otherwise up to 20 stops and 10 agents)",
    )  # fmt: skip
    add_live_arguments(parser, "the simulated day", 60)
    parser.add_argument(
        "--output", type=Path, default=Path("out/delivery"), metavar="DIR",
        help="folder for routes.csv, alerts.csv, map.geojson and others (default: %(default)s)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Do what the arguments say; the exit code. Raises ``EtalisError`` for errors that a user can fix."""
    closed = parse_share(arguments.closed)
    _at_least_one("--agents", arguments.agents)
    _at_least_one("--stops", arguments.stops)
    if arguments.live is not None:
        return _live(arguments, closed)
    need("numpy", "matplotlib")
    from rich.console import Console

    from etalis_py.demos.delivery.cost_plot import write_cost
    from etalis_py.demos.delivery.map_plot import write_map
    from etalis_py.demos.delivery.measure import QUICK, THOROUGH, measure
    from etalis_py.demos.delivery.outputs import write_files
    from etalis_py.demos.delivery.pipeline import run_pipeline
    from etalis_py.demos.delivery.places import with_places
    from etalis_py.demos.delivery.screen import show
    from etalis_py.demos.delivery.write_geojson import map_of, roads_of

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, 120)
    network, tours = _roads_and_tours(arguments)
    folder = make_folder(arguments.output)
    try:
        found = run_pipeline(
            network, tours, closed=closed, seed=arguments.seed, folder=folder, engine=arguments.engine,
            made_city=arguments.roads is None,
        )  # fmt: skip
        placed = with_places(network)
        files = write_files(found, folder)
        for name, text in (("roads.geojson", roads_of(placed)), ("map.geojson", map_of(found, placed))):
            (folder / name).write_text(text, encoding="utf-8")
            files.append(folder / name)
        files.append(write_map(found, placed, folder / "map.png"))
        if arguments.engine == "local" and arguments.measure is not False:
            sizes = THOROUGH if arguments.measure else QUICK
            costs = measure(network, closed, arguments.seed, folder, sizes)
            files += write_cost(costs, network, folder)
    except OSError as error:
        raise not_writable(folder, error) from error
    show(found, files, console)
    return 0


def _roads_and_tours(arguments: argparse.Namespace) -> tuple[Network, list[Tour]]:
    from etalis_py.demos.delivery.read_tours import read_tours
    from etalis_py.demos.delivery.roads import load_roads
    from etalis_py.demos.delivery.tours import make_tours

    network = load_roads(
        arguments.roads, arguments.seed, only_largest_part=arguments.largest_part, two_way=arguments.two_way
    )
    if arguments.tours is not None:
        return network, read_tours(arguments.tours, network)
    return network, make_tours(network, arguments.agents, arguments.stops, arguments.seed)


def _live(arguments: argparse.Namespace, closed: float) -> int:
    need("numpy", "uvicorn")
    from rich.console import Console

    speed = speed_of(arguments)
    from etalis_py.demos.delivery.live import simulated

    network, tours = _roads_and_tours(arguments)
    folder = make_folder(arguments.output)
    live = simulated(network, tours, closed=closed, seed=arguments.seed, folder=folder, speed=speed)
    watch(live, port=arguments.port, say=Console(highlight=False).print)
    return 0


def parse_share(text: str) -> float:
    """A share: ``50%`` or ``0.5``.

    Raises ``UsageError`` EP544 for an invalid one.

    >>> parse_share("50%"), parse_share("0.25")
    (0.5, 0.25)
    """
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*(%?)\s*", text, re.ASCII)
    share = float(match.group(1)) / (100 if match.group(2) else 1) if match else -1.0
    if not 0 <= share <= 1:
        raise UsageError(
            "EP544",
            f"--closed is {text!r}, which is not a share from 0 to 100 %",
            hint="write it as 50% or 0.5",
        )
    return share


def _at_least_one(option: str, number: int) -> None:
    if number < 1:
        what = "an agent has at least one stop" if option == "--stops" else "there is at least one agent"
        raise UsageError("EP544", f"{option} is {number}: {what}", hint=f"give {option} a number from 1 on")
