"""What a re-routing costs: its time, and the memory of the engine, by the number of agents and of stops.

A step is what the engine does from being told that an agent asks to having given the new way: the instant is
sent, closed, and its answers are taken. Time is that of the processor for this thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import thread_time
from typing import TYPE_CHECKING

from etalis_py.demos.delivery import tours as tour_files
from etalis_py.demos.delivery import turtle
from etalis_py.demos.delivery.engines import load_program
from etalis_py.demos.delivery.simulate import simulate
from etalis_py.demos.delivery.stream import in_instants, to_events

if TYPE_CHECKING:
    from etalis_py.demos.delivery.network import Network
    from etalis_py.engine import Engine

__all__ = ["QUICK", "THOROUGH", "Cost", "cost_of", "measure"]

QUICK = tuple((agents, stops) for agents in (1, 10) for stops in (10, 15, 20))
"""Agents and stops of each run: those of Anicic et al. (2011), figure 3."""

THOROUGH = (
    *((1, stops) for stops in (10, 15, 20, 50, 100, 200, 500, 1_000)),
    *((10, stops) for stops in (10, 15, 20, 50, 100, 200, 500, 1_000)),
    *((agents, 20) for agents in (2, 5, 20, 50, 100)),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """One run: the time of each re-routing step (milliseconds) and of the whole stream (seconds).

    ``memory``: the most that Prolog held after a step, in megabytes: see ``HELD``.
    """

    agents: int
    stops: int
    steps: tuple[float, ...]
    seconds: float
    memory: float

    def quantile(self, share: float) -> float:
        """The time of a step that this share of the steps does not exceed."""
        return sorted(self.steps)[min(int(share * len(self.steps)), len(self.steps) - 1)]

    @property
    def mean(self) -> float:
        """The mean time of a step."""
        return sum(self.steps) / len(self.steps)


def measure(
    network: Network, closed: float, seed: int, folder: Path, *, thorough: bool = False
) -> list[Cost]:
    """The costs of runs of growing size; ``folder`` is where their background may be written."""
    return list(_costs(network, closed, seed, folder, THOROUGH if thorough else QUICK))


def _costs(
    network: Network, closed: float, seed: int, folder: Path, sizes: tuple[tuple[int, int], ...]
) -> Iterator[Cost]:
    for agents, stops in sizes:
        found = cost_of(network, agents, stops, closed, seed, folder)
        if found.steps:
            yield found


def cost_of(network: Network, agents: int, stops: int, closed: float, seed: int, folder: Path) -> Cost:
    """One run, instant by instant."""
    tours = tour_files.make_tours(network, agents, stops, seed)
    day = simulate(network, tours, closed, seed)
    instants = [to_events(messages) for messages in in_instants(day.messages)]
    with TemporaryDirectory(dir=folder) as scratch:
        roads, legs = Path(scratch, "roads.ttl"), Path(scratch, "tours.ttl")
        roads.write_text(turtle.to_turtle(network), encoding="utf-8")
        legs.write_text(tour_files.to_turtle(tours), encoding="utf-8")
        engine = load_program([roads, legs]).open_engine()
    with engine:
        steps = []
        most = 0.0
        begin = thread_time()
        for events in instants:
            before = thread_time()
            engine.send_batch(events)
            engine.advance(events["end"][0].as_py() + 1)
            answered = [match.query for match in engine.matches()]
            if "reroute" in answered:
                steps.append((thread_time() - before) * 1_000)
                most = max(most, held_by_prolog(engine))
        return Cost(agents, stops, tuple(steps), thread_time() - begin, most)


HELD = """
    context_module(Background), atom_concat(Engine, '_background', Background),
    module_property(Background, program_size(Facts)), module_property(Engine, program_size(Goals)),
    statistics(stack, Stacks), Held is Facts + Goals + Stacks
"""
"""A Prolog question: the bytes of background and rules, of what the engine waits for, and of the stacks."""


def held_by_prolog(engine: Engine) -> float:
    """Megabytes that Prolog holds for the engine."""
    (found,) = engine.prolog(HELD)
    return int(str(found["Held"])) / 1e6
