"""What a re-routing costs: its time, and the memory of the engine, by the number of agents and of stops.

A step is what the engine does from an agent's question to the new way: the instant is
sent, closed, and its answers are taken. Where several agents were answered in one instant, each has its
share. Time is that of the processor for this thread.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from etalis_py.embedding import prolog

if TYPE_CHECKING:
    from etalis_py.demos.delivery.network import Network
    from etalis_py.demos.delivery.simulate import Message
    from etalis_py.demos.delivery.tours import Tour
    from etalis_py.engine.engine import Engine

__all__ = ["QUICK", "THOROUGH", "Cost", "Costs", "Sizes", "cost_of_a_day", "measure"]


@dataclass(frozen=True, slots=True)
class Sizes:
    """What is measured: days of some agents with some numbers of stops, and how it grows with agents.

    For the growth all runs have the same traffic, that of the day of the most agents.
    """

    agents: tuple[int, ...]
    stops: tuple[int, ...]
    growth: tuple[int, ...]
    growth_stops: int = 20


QUICK = Sizes((1, 10), (10, 15, 20), (1, 2, 5, 10))
"""The sizes of Anicic et al. (2011), figure 3."""

THOROUGH = Sizes((1, 10), (10, 15, 20, 50, 100, 200, 500, 1_000), (1, 2, 5, 10, 20, 50, 100))


@dataclass(frozen=True, slots=True)
class Cost:
    """One run: the time of each re-routing step (milliseconds) and of the whole stream (seconds).

    ``memory``: the most that Prolog held after a step, in megabytes: ``HELD`` and the stacks.
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


@dataclass(frozen=True, slots=True)
class Costs:
    """By the number of stops, and by the number of agents in one traffic."""

    by_stops: list[Cost]
    growth: list[Cost]


def measure(network: Network, closed: float, seed: int, folder: Path, sizes: Sizes = QUICK) -> Costs:
    """The costs of runs of growing size; ``folder`` is where their background may be written."""
    by_stops = [
        cost_of_a_day(network, agents, stops, closed, seed, folder)
        for agents in sizes.agents
        for stops in sizes.stops
    ]
    tours = tour_files.make_tours(network, sizes.growth[-1], sizes.growth_stops, seed)
    messages = simulate(network, tours, closed, seed).messages
    growth = [_first_agents(network, tours, messages, agents, folder) for agents in sizes.growth]
    return Costs([cost for cost in by_stops if cost.steps], [cost for cost in growth if cost.steps])


def cost_of_a_day(network: Network, agents: int, stops: int, closed: float, seed: int, folder: Path) -> Cost:
    """A day of some agents."""
    tours = tour_files.make_tours(network, agents, stops, seed)
    return _cost(network, tours, simulate(network, tours, closed, seed).messages, folder)


def _first_agents(
    network: Network, tours: Sequence[Tour], messages: Sequence[Message], agents: int, folder: Path
) -> Cost:
    """The day as it is if only the first agents report."""
    silent = {tour.agent for tour in tours[agents:]}
    heard = [message for message in messages if message[1] not in silent]
    return _cost(network, tours[:agents], heard, folder)


def _cost(network: Network, tours: Sequence[Tour], messages: Sequence[Message], folder: Path) -> Cost:
    """One run, instant by instant."""
    instants = [to_events(each) for each in in_instants(messages)]
    with TemporaryDirectory(dir=folder) as scratch:
        roads, legs = Path(scratch, "roads.ttl"), Path(scratch, "tours.ttl")
        roads.write_text(turtle.to_turtle(network), encoding="utf-8")
        legs.write_text(tour_files.to_turtle(tours), encoding="utf-8")
        engine = load_program([roads, legs]).open_engine()
    with engine:
        steps: list[float] = []
        seconds = most = 0.0
        for events in instants:
            before = thread_time()
            engine.send_batch(events)
            engine.advance(events["end"][0].as_py() + 1)
            answers = sum(match.query == "reroute" for match in engine.matches())
            took = thread_time() - before
            seconds += took
            if answers:
                steps += [took * 1_000 / answers] * answers
                if len(steps) % _SAMPLED < answers:
                    most = max(most, held_by_prolog(engine))
        most = max(most, held_by_prolog(engine))
        return Cost(len(tours), len(tours[0].legs), tuple(steps), seconds, most)


HELD = """
    context_module(Background), atom_concat(Engine, '_background', Background),
    findall(Size,
            ( ( Module = Background ; Module = Engine ),
              current_predicate(_, Module:Head),
              \\+ predicate_property(Module:Head, imported_from(_)),
              predicate_property(Module:Head, size(Size)) ),
            Sizes),
    foldl([S, Sum0, Sum]>>(Sum is Sum0 + S), Sizes, 0, Held)
"""
"""A Prolog question: the bytes of background, of rules, and of what the engine waits for."""

_SAMPLED = 20
"""How many re-routings lie between two looks at the memory."""


def held_by_prolog(engine: Engine) -> float:
    """Megabytes that Prolog holds for the engine, its stacks included."""
    (found,) = engine.prolog(HELD)
    return (int(str(found["Held"])) + int(prolog.call("system", "statistics", "stack"))) / 1e6
