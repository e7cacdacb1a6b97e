"""One operator each: a SEQ whose events all have one key, EQUALS, OPTIONALSEQ, UNION, an arithmetic FILTER.

All but ``one-key`` have 1,000 keys and a window that keeps one or two goals a key.
"""

from __future__ import annotations

import pyarrow as pa

from tests.benchmarks.contender import engine
from tests.benchmarks.kernel import PREFIX, by_hand, pure_loop
from tests.benchmarks.streams import STEP, bursts, duration, events, integer, iri
from tests.benchmarks.workload import ENGINE, Trial, Workload

__all__ = ["WORKLOADS"]

KEYS = 1_000
WINDOW = 2 * KEYS * STEP
"""Microseconds from one first step of a key to its next."""
CROWD = 20
"""Goals of one key that are alive."""


def one_key(count: int) -> Trial:
    """Nothing to choose by: each second step has ten partners, the goals of the last 20 events."""
    return _trial(
        "seq2", bursts(count, 2, 1, 1), _seq("{ ?x :p ?a } SEQ { ?x :q ?b }", CROWD * STEP), CROWD * STEP
    )


def equals(count: int) -> Trial:
    """Two events at each instant, one of each side, with one key."""
    numbers = [number // 2 for number in range(count)]
    table = events(
        [iri(f"k{number % KEYS}") for number in numbers],
        [iri("pq"[number % 2]) for number in range(count)],
        [integer(number % 1000) for number in range(count)],
    )
    times = pa.array([number * STEP for number in numbers], pa.int64())
    table = table.set_column(0, "start", times)
    return _trial("equals", table, _query("{ ?x :p ?a } EQUALS { ?x :q ?b }"), 0)


def optionalseq(count: int) -> Trial:
    """Every other key has a first step, so half of the answers are second steps alone."""
    table = bursts(count, 2, 1, KEYS)
    named = [iri(f"k{number // 2 % KEYS}") for number in range(count)]
    odd = [number // 2 % 2 for number in range(count)]
    predicates = [
        iri("o" if odd[number] and number % 2 == 0 else "pq"[number % 2]) for number in range(count)
    ]
    table = events(named, predicates, table.column("o").to_pylist())
    optional = f"{{ ?x :p ?a FILTER(getSTARTTIME() > ?now - {_day_time(WINDOW)}) }}"
    pattern = f"{optional} OPTIONALSEQ {{ ?x :q ?b BIND(getENDTIME() AS ?now) }}"
    return _trial("optionalseq", table, _query(pattern, "?x ?a ?b"), WINDOW)


def union(count: int) -> Trial:
    """Three events a key: two that the union matches, and the one that completes both."""
    predicates = [iri("prq"[number % 3]) for number in range(count)]
    subjects = [iri(f"k{number // 3 % KEYS}") for number in range(count)]
    table = events(subjects, predicates, [integer(number % 1000) for number in range(count)])
    window = 3 * KEYS * STEP // 2
    return _trial(
        "union", table, _seq("{ { ?x :p ?a } UNION { ?x :r ?a } } SEQ { ?x :q ?b }", window), window
    )


def arithmetic(count: int) -> Trial:
    """A filter with products and sums of both sides, which some tenth of the pairs pass."""
    objects = [integer(number * 7919 % 1000) for number in range(count)]
    table = bursts(count, 2, 1, KEYS).set_column(3, "o", pa.array(objects))
    pattern = "{ ?x :p ?a } SEQ { ?x :q ?b } FILTER(?b * 10 > ?a * 11 && ?a + ?b < 1500)"
    return _trial("filter", table, _seq(pattern, WINDOW), WINDOW)


def _trial(kernel: str, table: pa.Table, query: str, option: int) -> Trial:
    return Trial(
        table.num_rows,
        {
            ENGINE: engine(table, query),
            "kernel": by_hand(kernel, table, "pqr", option),
            "loop": pure_loop(kernel, table, "pqr", option),
        },
    )


def _query(pattern: str, variables: str = "*") -> str:
    return f"PREFIX : <{PREFIX}> SELECT {variables} WHERE {{ {pattern} }}"


def _seq(pattern: str, window: int) -> str:
    return _query(f"{pattern} FILTER(getDURATION() < {duration(window)})")


def _day_time(microseconds: int) -> str:
    return duration(microseconds).replace("xsd:duration", "xsd:dayTimeDuration")


WORKLOADS = [
    Workload(
        "one-key", "SEQ whose events all have one key: ten partners for each second step", one_key, 100_000
    ),
    Workload("equals", "EQUALS of two sides with a key", equals, 100_000),
    Workload("optionalseq", "OPTIONALSEQ: a partner for every other second step", optionalseq, 100_000),
    Workload("union", "UNION on the left of a SEQ", union, 99_999),
    Workload("filter", "SEQ with a FILTER of products and sums", arithmetic, 100_000),
]
