"""The streams of the table: random keys, an event each millisecond, made the same way every time."""

from __future__ import annotations

from random import Random

import pyarrow as pa

from tests.benchmarks.streams import events, integer, iri

__all__ = ["KEYS", "alternating", "coded", "handed_over", "mixed", "of_queries", "sessions", "with_an_end"]

KEYS = 1_000
SESSION_KEYS = 100
"""Few, so that each has several sessions in a short stream, too."""


def alternating(count: int) -> pa.Table:
    """Events of random keys; those of one key are first and second steps in turn."""
    random = Random(1)
    seen = [0] * KEYS
    keys, steps = [], []
    for _ in range(count):
        key = random.randrange(KEYS)
        keys.append(key)
        steps.append("pq"[seen[key] % 2])
        seen[key] += 1
    return _table(keys, steps)


def mixed(count: int, steps: str) -> pa.Table:
    """Events of random keys and steps."""
    random = Random(2)
    keys = [random.randrange(KEYS) for _ in range(count)]
    return _table(keys, [random.choice(steps) for _ in range(count)])


def sessions(count: int) -> pa.Table:
    """Events of a hundred keys; those of one are sessions: a first step, two to five others, and a last one
    of the number of the first.
    """
    random = Random(5)
    left, numbers = [0] * SESSION_KEYS, [0] * SESSION_KEYS
    subjects, steps, values = [], [], []
    for place in range(count):
        key = random.randrange(SESSION_KEYS)
        begins = left[key] == 0
        if begins:
            left[key], numbers[key] = random.randint(4, 7), place
        left[key] -= 1
        step = "p" if begins else "r" if left[key] else "q"
        subjects.append(iri(f"k{key}"))
        steps.append(iri(step))
        values.append(integer(place % 1000 if step == "r" else numbers[key]))
    return events(subjects, steps, values)


def handed_over(count: int) -> pa.Table:
    """Random steps: ``k5 :p 7``, ``k5 :q m3``, ``m3 :r 8``."""
    random = Random(3)
    steps = [random.choice("pqr") for _ in range(count)]
    subjects = [iri(f"{'m' if step == 'r' else 'k'}{random.randrange(KEYS)}") for step in steps]
    objects = [
        iri(f"m{random.randrange(KEYS)}") if step == "q" else integer(number % 1000)
        for number, step in enumerate(steps)
    ]
    return events(subjects, [iri(step) for step in steps], objects)


def of_queries(count: int, queries: int) -> pa.Table:
    """Events of random keys, first and second steps in turn; the key says which query they are for."""
    random = Random(4)
    seen = [0] * KEYS
    keys, steps = [], []
    for _ in range(count):
        key = random.randrange(KEYS)
        keys.append(key)
        steps.append(f"{'pq'[seen[key] % 2]}{key % queries}")
        seen[key] += 1
    return _table(keys, steps)


def with_an_end(table: pa.Table, after: int) -> pa.Table:
    """One more event, of a key of its own, so many microseconds later: deadlines are over then."""
    last = table.column("start")[-1].as_py() + after
    end = events([iri("end")], [iri("q")], [integer(0)])
    return pa.concat_tables([table, end.set_column(0, "start", pa.array([last], pa.int64()))])


def coded(table: pa.Table) -> pa.Table:
    """The same events, each different text of a column once."""
    for place, name in enumerate(table.column_names):
        if name != "start":
            column = table.column(name).combine_chunks().dictionary_encode()
            table = table.set_column(place, name, column)
    return table


def _table(keys: list[int], steps: list[str]) -> pa.Table:
    return events(
        [iri(f"k{key}") for key in keys],
        [iri(step) for step in steps],
        [integer(number % 1000) for number in range(len(keys))],
    )
