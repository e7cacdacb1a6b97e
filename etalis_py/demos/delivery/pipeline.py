"""From a road network to everything found in a day of deliveries: tours, stream, queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.demos.delivery import tours as tour_files
from etalis_py.demos.delivery import turtle
from etalis_py.demos.delivery.engines import Program, copy_program, load_program, run_local, run_on_spark
from etalis_py.demos.delivery.outcome import Outcome, collect
from etalis_py.demos.delivery.simulate import simulate
from etalis_py.demos.delivery.stream import to_events

if TYPE_CHECKING:
    from etalis_py.demos.delivery.network import Network
    from etalis_py.demos.delivery.simulate import Simulation
    from etalis_py.demos.delivery.tours import Tour

__all__ = ["Prepared", "Run", "prepare", "run_pipeline"]


@dataclass(frozen=True, slots=True)
class Run:
    """The roads, the tours, the day that was simulated, and what the queries found in its stream.

    ``program``: the folder with the queries and rules that ran; ``changed``: those that differ from the
    demo's own.
    """

    network: Network
    tours: Sequence[Tour]
    day: Simulation
    outcome: Outcome
    made_city: bool
    program: Path
    changed: tuple[str, ...]


def run_pipeline(
    network: Network,
    tours: Sequence[Tour],
    *,
    closed: float,
    seed: int,
    folder: Path,
    engine: str = "local",
    made_city: bool = True,
) -> Run:
    """Simulate a day and let the queries see it; ``closed`` is the share of the legs that meet a closure.

    Writes what the engine reads into ``folder``, so that it can be run again with ``etalis run``:
    ``roads.ttl``, ``tours.ttl`` and ``stream.parquet``, and the queries and rules into ``program``; those
    that are there already are run as they are.
    """
    import pyarrow.parquet as pq

    prepared = prepare(network, tours, closed=closed, seed=seed, folder=folder)
    events = to_events(prepared.day.messages)
    pq.write_table(events, folder / "stream.parquet")
    run = run_on_spark if engine == "spark" else run_local
    outcome = collect(run(prepared.program, events))
    return Run(network, tours, prepared.day, outcome, made_city, folder / "program", prepared.changed)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A simulated day, the program that is to see it, and which files of that are not as in the demo."""

    day: Simulation
    program: Program
    changed: tuple[str, ...]


def prepare(network: Network, tours: Sequence[Tour], *, closed: float, seed: int, folder: Path) -> Prepared:
    """Simulate a day, and write what the engine reads, but the stream, into ``folder``."""
    roads, legs = folder / "roads.ttl", folder / "tours.ttl"
    roads.write_text(turtle.to_turtle(network), encoding="utf-8")
    legs.write_text(tour_files.to_turtle(tours), encoding="utf-8")
    changed = copy_program(folder / "program")
    day = simulate(network, tours, closed, seed)
    return Prepared(day, load_program([roads, legs], folder / "program"), tuple(changed))
