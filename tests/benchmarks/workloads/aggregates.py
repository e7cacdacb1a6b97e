"""Sums over sliding windows of different lengths: over events of the last while, and over the newest matches.

A window of 50,000 costs what one of 50 costs, as each value comes once and leaves once: the engine with the
smallest window is measured beside the others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial

import pyarrow as pa

from tests.benchmarks.contender import engine
from tests.benchmarks.kernel import PREFIX, by_hand, pure_loop
from tests.benchmarks.streams import STEP, bursts, duration, one_step, scaled, whole_window
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Row, Run, Trial, Workload

__all__ = ["KEYS", "PARTNERS", "WORKLOADS", "sum_of_newest"]

RANGES = (50, 500, 5_000, 50_000)
"""Events in the window of time."""
ROWS = (50, 500, 5_000)
"""Matches in the window of rows."""
KEYS = 1_000
PARTNERS = 2 * KEYS * STEP
"""The window of the SEQ, in microseconds: a key has come again when it ends."""


def range_trial(size: int, count: int) -> Trial:
    """Sum, count and mean of the last ``size`` events, at each event; the window is full from the start."""
    size = scaled(size, count)
    count = whole_window(size, count)
    table = one_step(size + count, "p", KEYS, 0)
    before, measured = table.slice(0, size), table.slice(size)
    window = size * STEP
    length = duration(window).removesuffix("^^xsd:duration").strip('"')
    query = (
        f"PREFIX : <{PREFIX}> SELECT (SUM(?a) AS ?sum) (COUNT(?a) AS ?count) (AVG(?a) AS ?mean) "
        f"WHERE {{ ?x :p ?a }} WINDOW [RANGE {length}]"
    )
    contenders = {
        ENGINE: engine(measured, query, before=before),
        "kernel": by_hand("sliding", measured, "p", window, before=before),
        "loop": pure_loop("sliding", measured, "p", window, before=before),
        "python": _in_python(table, size),
    }
    return Trial(count, _beside_smallest(contenders, size, RANGES[0], partial(range_trial, RANGES[0], count)))


def rows_trial(size: int, count: int) -> Trial:
    """Sum over the newest ``size`` matches of a SEQ of two steps, at each match."""
    size = scaled(size, count)
    table = bursts(2 * size + count, 2, 1, KEYS)
    before, measured = table.slice(0, 2 * size), table.slice(2 * size)
    window, query = PARTNERS, sum_of_newest(size)
    option = [window, size]
    contenders = {
        ENGINE: engine(measured, query, before=before),
        "kernel": by_hand("sliding_seq", measured, "pq", option, before=before),
        "loop": pure_loop("sliding_seq", measured, "pq", option, before=before),
    }
    return Trial(count, _beside_smallest(contenders, size, ROWS[0], partial(rows_trial, ROWS[0], count)))


def sum_of_newest(size: int) -> str:
    """The query: the sum over the newest ``size`` matches of a SEQ of two steps."""
    seq = f"{{ ?x :p ?a }} SEQ {{ ?x :q ?b }} FILTER(getDURATION() < {duration(PARTNERS)})"
    return f"PREFIX : <{PREFIX}> SELECT (SUM(?b) AS ?sum) WHERE {{ {seq} }} WINDOW [ROWS {size}]"


def _beside_smallest(
    contenders: dict[str, Contender], size: int, smallest: int, trial: partial[Trial]
) -> dict[str, Contender]:
    if size <= smallest:
        return contenders
    other = trial()
    few = Contender(other.contenders[ENGINE].ready, other.events, same_answers=False)
    return {**contenders, f"engine, window of {smallest}": few}


def _in_python(table: pa.Table, size: int) -> Contender:
    """The same in plain Python: a deque and two numbers."""

    @contextmanager
    def ready(keep: bool) -> Iterator[Run]:
        def run() -> Outcome:
            values: deque[int] = deque()
            total, rows = 0, []
            times = table.column("start").to_pylist()
            objects = table.column("o").dictionary_encode().combine_chunks()
            read = [int(text[1 : text.index('"', 1)]) for text in objects.dictionary.to_pylist()]
            for number, (time, code) in enumerate(zip(times, objects.indices.to_pylist(), strict=True)):
                values.append(read[code])
                total += read[code]
                if len(values) > size:
                    total -= values.popleft()
                if number >= size:
                    rows.append((total, len(values), Fraction(total, len(values)), time, time))
            kept: list[Row] = list(rows)
            return Outcome(len(rows), rows=kept if keep else None)

        yield run

    return Contender(ready)


WORKLOADS = [
    *(
        Workload(
            f"range-{size}",
            f"sum, count and mean of the last {size:,} events",
            partial(range_trial, size),
            50_000,
        )
        for size in RANGES
    ),
    *(
        Workload(
            f"rows-{size}",
            f"sum over the newest {size:,} matches of a SEQ",
            partial(rows_trial, size),
            50_000,
        )
        for size in ROWS
    ),
]
