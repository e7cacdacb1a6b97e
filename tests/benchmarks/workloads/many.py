"""Many queries at once: 1 to 1,000 on predicates of their own, and queries that share their beginning.

An event touches the rules that can fire on it and no others, so 1,000 queries cost what one does: the engine
with one query is measured beside. Of 100 queries that begin alike, the beginning is to be done once.
"""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from tests.benchmarks.contender import engine
from tests.benchmarks.kernel import PREFIX, by_hand, pure_loop
from tests.benchmarks.streams import STEP, duration, events, integer, iri, scaled
from tests.benchmarks.workload import ENGINE, Contender, Trial, Workload

__all__ = ["WORKLOADS"]

KEYS = 1_000
ROUNDS = 2
"""How often each key has come before the clock runs: Prolog makes indexes when they are first needed."""
SIZES = (1, 10, 100, 1_000)
SHARING = (1, 100)


def apart(queries: int, count: int) -> Trial:
    """Each query has two predicates of its own; pairs of events go round the queries."""
    queries = scaled(queries, count)
    rounds = _pairs(queries, ROUNDS * 2 * KEYS + count)
    before, table = rounds.slice(0, ROUNDS * 2 * KEYS), rounds.slice(ROUNDS * 2 * KEYS)
    window = 2 * KEYS * STEP
    limit = f"FILTER(getDURATION() < {duration(window)})"
    texts = [
        f"PREFIX : <{PREFIX}> SELECT * {{ {{ ?x :p{each} ?a }} SEQ {{ ?x :q{each} ?b }} {limit} }}"
        for each in range(queries)
    ]
    numbers = {f"{step}{each}": number for each in range(queries) for number, step in enumerate("pq", 1)}
    contenders = {
        ENGINE: engine(table, *texts, before=before),
        "kernel": by_hand("seq2", table, numbers, window, before=before),
        "loop": pure_loop("seq2", table, numbers, window, before=before),
    }
    if queries > 1:
        one = apart(1, count)
        contenders["engine, 1 query"] = Contender(
            one.contenders[ENGINE].ready, one.events, same_answers=False
        )
    return Trial(count, contenders, {"queries": queries})


def _pairs(queries: int, count: int) -> pa.Table:
    keys = [number // 2 % KEYS for number in range(count)]
    return events(
        [iri(f"k{key}") for key in keys],
        [iri(f"{'pq'[number % 2]}{key % queries}") for number, key in enumerate(keys)],
        [integer(number % 1000) for number in range(count)],
    )


def sharing(queries: int, count: int) -> Trial:
    """Each query waits for a third step of its own after the same two; one event in eleven is a third one."""
    queries = scaled(queries, count)
    subjects, predicates, objects = [], [], []
    pairs = 5
    for number in range(count):
        block, within = divmod(number, 2 * pairs + 1)
        key = (block * pairs + min(within // 2, pairs - 1)) % KEYS
        last = within == 2 * pairs
        subjects.append(iri(f"m{key}" if last else f"k{key}"))
        predicates.append(iri(f"r{block % queries}" if last else "pq"[within % 2]))
        objects.append(iri(f"m{key}") if within % 2 == 1 else integer(number % 1000))
    table = events(subjects, predicates, objects)
    window = KEYS * STEP
    limit = f"FILTER(getDURATION() < {duration(window)})"
    texts = [
        f"PREFIX : <{PREFIX}> SELECT * {{ "
        f"{{ ?x :p ?a }} SEQ {{ ?x :q ?y }} SEQ {{ ?y :r{each} ?c }} {limit} }}"
        for each in range(queries)
    ]
    numbers = {"p": 1, "q": 2, **{f"r{each}": 3 for each in range(queries)}}
    contenders = {
        ENGINE: engine(table, *texts),
        "kernel": by_hand("seq3", table, numbers, window),
        "loop": pure_loop("seq3", table, numbers, window),
    }
    if queries > 1:
        one = sharing(1, count)
        contenders["engine, 1 query"] = Contender(
            one.contenders[ENGINE].ready, one.events, same_answers=False
        )
    return Trial(count, contenders, {"queries": queries})


def _plural(number: int) -> str:
    return "1 query" if number == 1 else f"{number:,} queries"


WORKLOADS = [
    *(
        Workload(
            f"queries-{size}",
            f"{_plural(size)}, each on predicates of its own",
            partial(apart, size),
            100_000,
        )
        for size in SIZES
    ),
    *(
        Workload(
            f"sharing-{size}", f"{_plural(size)} that begin with the same SEQ", partial(sharing, size), 50_000
        )
        for size in SHARING
    ),
]
