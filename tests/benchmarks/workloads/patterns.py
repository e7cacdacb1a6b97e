"""Patterns: the next one, rising runs, all between two, what did not come by its deadline.

What a pattern keeps should not make an event dearer: ``islands`` are as long as they say, ``between`` has so
many open first steps to a key, ``absence`` so many that wait for their deadline.
"""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from tests.benchmarks.contender import engine
from tests.benchmarks.kernel import PREFIX, by_hand, pure_loop
from tests.benchmarks.streams import STEP, bursts, events, integer, iri, scaled
from tests.benchmarks.workload import ENGINE, Trial, Workload

__all__ = ["WORKLOADS"]

KEYS = 1_000
FEW_KEYS = 10
ABSENT_KEYS = 100_000
"""Keys come round again when their deadline has passed."""


def next_of(count: int) -> Trial:
    """1,000 keys; each first step is followed by its second."""
    return _trial("next", bursts(count, 2, 1, KEYS), "{ ?x :p ?a } SEQ NEXT { ?x :q ?b }", "?x ?a ?b")


def islands(length: int, count: int) -> Trial:
    """Runs of ``length`` of ten keys in turn; something else ends the last ones."""
    length = scaled(length, count)
    rising = range(count - FEW_KEYS)
    table = events(
        [iri(f"k{number % FEW_KEYS}") for number in range(count)],
        [iri("p" if number in rising else "q") for number in range(count)],
        [integer(number // FEW_KEYS % length + 1) for number in range(count)],
    )
    pattern = (
        "REPEAT 2 TO * STRICT LONGEST PER ?x { ?x :p ?v FILTER (?v > PREV(?v, 0)) }"
        " MEASURES (COUNT(*) AS ?n, FIRST(?v) AS ?first, LAST(?v) AS ?last)"
    )
    return _trial("islands", table, pattern, "?x ?n ?first ?last")


def between(open_steps: int, condition: str, kernel: str, count: int) -> Trial:
    """``open_steps`` first steps of each key, then what lies between, then one second step of each key."""
    open_steps = scaled(open_steps, count // (3 * FEW_KEYS))
    first = open_steps * FEW_KEYS
    steps = ["p"] * first + ["r"] * (count - first - FEW_KEYS) + ["q"] * FEW_KEYS
    table = events(
        [iri(f"k{number % FEW_KEYS}") for number in range(count)],
        list(map(iri, steps)),
        [integer(0 if step == "p" else number % 1000 + 1) for number, step in enumerate(steps)],
    )
    pattern = (
        f"{{ ?x :p ?a }} SEQ REPEAT {{ ?x :r ?v{condition} }} MEASURES (COUNT(*) AS ?n, SUM(?v) AS ?sum)"
        " SEQ { ?x :q ?b }"
    )
    return _trial(kernel, table, pattern, "?x ?a ?b ?n ?sum")


def absence(open_steps: int, count: int) -> Trial:
    """A first step, and an answer to the one of ``open_steps`` before it if that is even; the others wait."""
    open_steps = scaled(open_steps, count // 4)
    subjects, predicates = [], []
    for number in range(count):
        key, is_second = divmod(number, 2)
        answered = key - open_steps
        key, step = (
            (answered if answered >= 0 and answered % 2 == 0 else key, "q") if is_second else (key, "p")
        )
        waits_for = "z" if step == "q" and key != answered else f"k{key % ABSENT_KEYS}"
        subjects.append(iri(waits_for))
        predicates.append(iri(step))
    table = events(subjects, predicates, [integer(number % 1000) for number in range(count)])
    length = (2 * open_steps + 2) * STEP
    last = (count + 2 * open_steps + 10) * STEP
    times = [*table.column("start").to_pylist()[:-1], last]
    table = table.set_column(0, "start", pa.array(times, pa.int64()))
    pattern = f"{{ ?x :p ?a }} SEQ NOT {{ ?x :q ?b }} FOR PT{length / 1_000_000:f}S"
    return _trial("absence", table, pattern, "?x ?a", length)


def _trial(kernel: str, table: pa.Table, pattern: str, variables: str, option: int = 0) -> Trial:
    query = f"PREFIX : <{PREFIX}> SELECT {variables} WHERE {{ {pattern} }}"
    return Trial(
        table.num_rows,
        {
            ENGINE: engine(table, query),
            "kernel": by_hand(kernel, table, "pqr", option),
            "loop": pure_loop(kernel, table, "pqr", option),
        },
    )


def _workloads() -> list[Workload]:
    found = [Workload("pattern-next", "SEQ NEXT, 1,000 keys", next_of, 200_000)]
    found += [
        Workload(
            f"pattern-islands-{length}",
            f"REPEAT STRICT LONGEST: rising runs of {length:,}",
            partial(islands, length),
            100_000,
        )
        for length in (20, 200, 2_000)
    ]
    found += [
        Workload(
            f"pattern-between-{number}",
            f"REPEAT ALL between two steps, {number:,} first steps of a key open",
            partial(between, number, "", "between_shared"),
            100_000,
        )
        for number in (1, 10, 100, 1_000)
    ]
    found += [
        Workload(
            f"pattern-between-each-{number}",
            f"the same with a condition on the first step, {number:,} open",
            partial(between, number, " FILTER (?v > ?a)", "between_each"),
            20_000,
        )
        for number in (1, 10, 100)
    ]
    found += [
        Workload(
            f"pattern-absence-{number}",
            f"SEQ NOT FOR, {number:,} wait for their deadline",
            partial(absence, number),
            events_of,
        )
        for number, events_of in ((100, 500_000), (100_000, 500_000))
    ]
    return found


WORKLOADS = _workloads()
