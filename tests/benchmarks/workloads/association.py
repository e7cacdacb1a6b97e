"""Chains whose last step is rare: evaluated as written, and in the order that rates choose.

For each second step there are some first steps of its key in the window, and as written each such pair is
kept, in case the third step comes. Once in 2,500 events it does. From the right, nothing is paired till then.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pyarrow as pa

from etalis_py.engine.engine import Engine
from etalis_py.rates import Rates
from tests.benchmarks.contender import drain, engine
from tests.benchmarks.kernel import PREFIX, by_hand, pure_loop
from tests.benchmarks.streams import STEP, duration, events, integer, iri
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Run, Trial, Workload

__all__ = ["WORKLOADS"]

KEYS = 5
WINDOW = 400 * STEP
"""Microseconds in which each key has 40 first and 40 second steps."""
RARE = 2_500
"""One event in so many is a third step."""
FIRST = 199
"""The number of the first of them."""
COUNTED = 10_000
"""Events that the rates are counted in."""
_PATTERNS = {
    "seq": "{ ?x :p ?a } SEQ { ?x :q ?b } SEQ { ?x :r ?c }",
    "join": "?x :p ?a . ?x :q ?b . ?x :r ?c",
}


def stream(count: int) -> pa.Table:
    """First and second steps in turn, and now and then a third one."""
    steps = ["r" if number % RARE == FIRST else "pq"[number % 2] for number in range(count)]
    subjects = [iri(f"k{number // 2 % KEYS}") for number in range(count)]
    return events(subjects, list(map(iri, steps)), [integer(number % 1000) for number in range(count)])


def trial(kind: str, count: int) -> Trial:
    """The engine with the rates of the stream and without them; for SEQ also Prolog by hand."""
    table = stream(count)
    query = f"PREFIX : <{PREFIX}> SELECT * {{ {_PATTERNS[kind]} FILTER(getDURATION() < {duration(WINDOW)}) }}"
    contenders = {
        ENGINE: _with_rates(table, query),
        "engine, as written": engine(table, query),
    }
    if kind == "seq":
        contenders["kernel"] = by_hand("rare_last", table, "pqr", WINDOW)
        contenders["loop"] = pure_loop("rare_last", table, "pqr", WINDOW)
    return Trial(count, contenders, {"keys": KEYS, "third_steps": count // RARE})


def _with_rates(table: pa.Table, query: str) -> Contender:
    @contextmanager
    def ready(keep: bool) -> Iterator[Run]:
        rates = Rates.measure(table.slice(0, COUNTED))
        with Engine() as made:
            made.register(query, rates=rates)

            def run() -> Outcome:
                return drain(made, table, keep=keep, finish=True)

            yield run
            deque(made.matches(), maxlen=0)

    return Contender(ready)


WORKLOADS = [
    Workload(
        f"rare-last-{kind}",
        f"{operator} of three steps with a rare last one, in the order that rates choose",
        partial(trial, kind),
        events=20_000,
    )
    for kind, operator in (("seq", "SEQ"), ("join", "join"))
]
