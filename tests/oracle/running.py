"""The engine on an example, watched: what it gives after every step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from etalis_py.streams.batch import Batch
from tests.oracle.examples import Advance, Example, Place, Send
from tests.oracle.functions import FUNCTIONS
from tests.oracle.solutions import Answer, Occurrence
from tests.oracle.vocabulary import GRAPHS

__all__ = ["Delivery", "batch_of", "deliveries", "open_engine", "tally"]


@dataclass(frozen=True)
class Delivery:
    """The matches that one step gave. What ends before ``clock`` should have been given by now."""

    clock: int | None
    matches: tuple[Match, ...]


def open_engine(
    example: Example, files: list[Path], delay: timedelta | None = None, **options: Any
) -> Engine:
    """An engine with the queries of the example, named by their numbers.

    ``files`` are the backgrounds. With a ``delay`` it puts elements back in order. ``options`` are
    further ones of the engine.

    Raises:
        CompileError: the program cannot be run.
    """
    engine = Engine(
        () if example.background is None else [files[example.background]],
        graphs={graph: files[number] for graph, number in zip(GRAPHS, example.graphs, strict=False)},
        entailment="rdfs" if example.entails else "none",
        on_late="error" if delay is None else delay,
        at=example.at,
        functions=FUNCTIONS,
        **options,
    )
    try:
        for number, query in enumerate(example.queries):
            engine.register(query, name=str(number))
    except BaseException:
        engine.close()
        raise
    return engine


def deliveries(engine: Engine, example: Example, *, ends: bool = True) -> Iterator[Delivery]:
    """Take the steps of the example one by one; the last delivery has no clock: all is closed then.

    Without ``ends`` there is more to come.
    """
    clock = None
    for step in example.steps:
        match step:
            case Send(occurrences=occurrences, places=places):
                if not occurrences:
                    continue
                engine.send_encoded(batch_of(occurrences, places))
                clock = max(clock or 0, occurrences[-1][1][1])
            case Advance(time=time):
                engine.advance(time)
                clock = max(clock or 0, time)
        yield Delivery(clock, tuple(engine.matches()))
    if not ends:
        return
    engine.finish()
    yield Delivery(None, tuple(engine.matches()))


def _answer(match: Match) -> Answer:
    """A match in the form that the oracle uses."""
    if match.boolean is not None:
        return frozenset([match.boolean]), match.start, match.end
    if match.encoded_triples is not None:
        return frozenset(match.encoded_triples), match.start, match.end
    return frozenset(match.encoded.items()), match.start, match.end


def batch_of(occurrences: Sequence[Occurrence], places: Sequence[Place] = ()) -> Batch:
    """The occurrences in the form in which the readers of files give them."""
    triples = [triple for triple, _ in occurrences]
    starts, ends = [start for _, (start, _) in occurrences], [end for _, (_, end) in occurrences]
    s, p, o = ([triple[position] for triple in triples] for position in range(3))
    streams, graphs = ([place[side] for place in places] or None for side in range(2))
    sources, rows = ["example"] * len(triples), list(range(len(triples)))
    return Batch(starts, ends, s, p, o, graphs, sources, rows, streams)


def tally(matches: Sequence[Match], queries: int) -> list[list[Answer]]:
    """The answers of each query."""
    found: list[list[Answer]] = [[] for _ in range(queries)]
    for match in matches:
        found[int(match.query)].append(_answer(match))
    return found
