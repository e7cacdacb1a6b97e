"""One event at a time: how long it takes from `send` to the callback that gets the match.

Each event is sent by itself as rdflib terms, and time passes behind it, so that its instant is closed: the
match of an event that completes a pattern reaches its callback within these two calls. Beside it are the same
events in batches, and a loop in Python by hand, which takes no terms but plain values.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from rdflib import Literal, URIRef

from etalis_py import Engine
from tests.benchmarks.contender import engine
from tests.benchmarks.kernel import PREFIX
from tests.benchmarks.streams import STEP, bursts, duration
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Run, Trial, Workload

__all__ = ["WORKLOADS"]

KEYS = 1_000
WINDOW = 2 * KEYS * STEP
QUERY = (
    f"PREFIX : <{PREFIX}> "
    f"SELECT * {{ {{ ?x :p ?a }} SEQ {{ ?x :q ?b }} FILTER (getDURATION() < {duration(WINDOW)}) }}"
)


def trial(count: int) -> Trial:
    """Every second event completes the pattern of its key."""
    table = bursts(count, 2, 1, KEYS)
    rows = table.to_pydict()
    values = [int(text[1 : text.index('"', 1)]) for text in rows["o"]]
    events = list(zip(rows["s"], rows["p"], values, rows["start"], strict=True))
    contenders = {
        ENGINE: Contender(partial(_one_by_one, events)),
        "engine, in batches": engine(table, QUERY),
        "a loop by hand": Contender(partial(_by_hand, events)),
    }
    return Trial(count, contenders, {"keys": KEYS})


@contextmanager
def _one_by_one(events: list[tuple[str, str, int, int]], _keep: bool) -> Iterator[Run]:
    terms = [(URIRef(s[1:-1]), URIRef(p[1:-1]), Literal(o), end) for s, p, o, end in events]
    taken: list[int] = []
    sent = 0

    def note(_match: object) -> None:
        taken.append(time.perf_counter_ns() - sent)

    with Engine() as made:
        made.register(QUERY, on_match=note)
        made.advance(terms[0][3])  # rules are installed before the first event

        def run() -> Outcome:
            nonlocal sent
            for s, p, o, end in terms:
                sent = time.perf_counter_ns()
                made.send(s, p, o, end)
                made.advance(end + 1)
            return Outcome(len(taken), extra=_latencies(taken))

        yield run


@contextmanager
def _by_hand(events: list[tuple[str, str, int, int]], _keep: bool) -> Iterator[Run]:
    def run() -> Outcome:
        goals: dict[str, deque[tuple[int, int]]] = {}
        taken: list[int] = []
        first, second = f"<{PREFIX}p>", f"<{PREFIX}q>"
        for s, p, o, end in events:
            sent = time.perf_counter_ns()
            if p == first:
                goals.setdefault(s, deque()).append((end, o))
            elif p == second and s in goals:
                waiting = goals[s]
                while waiting and end - waiting[0][0] >= WINDOW:
                    waiting.popleft()
                taken += [time.perf_counter_ns() - sent for _ in waiting]
        return Outcome(len(taken), extra=_latencies(taken))

    yield run


def _latencies(taken: list[int]) -> dict[str, Any]:
    """Microseconds of the clock from the call to the match, of half of the matches and of 99 in 100."""
    ordered = sorted(taken)
    places = {"p50": len(ordered) // 2, "p99": len(ordered) * 99 // 100}
    return {f"microseconds_{name}": ordered[place] / 1000 for name, place in places.items()}


WORKLOADS = [
    Workload("single-event", "from sending one event to the callback of its match", trial, 50_000),
]
