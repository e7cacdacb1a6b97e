"""Runs that are cut: the engine is thrown away between two steps, and another one goes on from its state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from etalis_py.streams.batch import Batch
from tests.oracle.examples import Advance, Send
from tests.oracle.running import batch_of

__all__ = [
    "Answered",
    "Fresh",
    "Restart",
    "Row",
    "Step",
    "answered",
    "begun",
    "moved",
    "restored",
    "run",
    "step",
]

Answered = tuple[object, ...]
Fresh = Callable[..., Engine]
Restart = Callable[[Engine, int], Engine]


@dataclass(frozen=True)
class Row:
    """A batch as readers give it."""

    batch: Batch


Step = Send | Advance | Row


def answered(match: Match) -> Answered:
    """All that there is to a match, labels of blank nodes included."""
    triples = None if match.encoded_triples is None else repr(match.encoded_triples)
    bindings = None if match.encoded_triples is not None or match.boolean is not None else repr(match.encoded)
    return match.query, match.start, match.end, bindings, triples, match.boolean


def step(engine: Engine, each: Step) -> list[Answered]:
    """What one step brings."""
    match each:
        case Send(occurrences=occurrences):
            if occurrences:
                engine.send_encoded(batch_of(occurrences))
        case Advance(time=time):
            engine.advance(time)
        case Row(batch=batch):
            engine.send_encoded(batch)
    return list(map(answered, engine.matches()))


def run(fresh: Fresh, steps: Sequence[Step], restart: Restart) -> list[list[Answered]]:
    """What each step brings, and the end; ``restart`` gives the engine that goes on after a step."""
    engine = fresh()
    try:
        found = []
        for number, each in enumerate(steps):
            found.append(step(engine, each))
            engine = restart(engine, number)
        engine.finish()
        found.append(list(map(answered, engine.matches())))
    finally:
        engine.close()
    return found


def moved(engine: Engine, queries: list[str], **options: Any) -> Engine:
    """Another engine that goes on from the state of this one."""
    state = engine.snapshot()
    engine.close()
    return restored(state, queries, **options)


def restored(state: bytes, queries: list[str], **options: Any) -> Engine:
    """An engine that goes on from a state."""
    engine = begun(queries, **options)
    engine.restore([state])
    return engine


def begun(queries: list[str], **options: Any) -> Engine:
    """An engine with these queries, named q0, q1, ..."""
    engine = Engine(**options)
    for number, query in enumerate(queries):
        engine.register(query, name=f"q{number}")
    return engine
