"""What a trace costs (docs/why.md): the engine without one, and beside it the same engine with one.

Without a trace the engine has nothing of it (tests/why/test_untraced.py); if it began to cost something
without, the ratios here would fall.
"""

from __future__ import annotations

from functools import partial

from tests.benchmarks.contender import engine
from tests.benchmarks.kernel import PREFIX
from tests.benchmarks.streams import STEP, bursts, duration
from tests.benchmarks.workload import ENGINE, Trial, Workload

__all__ = ["WORKLOADS"]

KEYS = 1_000
WINDOW = 2 * KEYS * STEP
QUERIES = {
    "seq": f"SELECT * {{ {{ ?x :p ?a }} SEQ {{ ?x :q ?b }} FILTER (getDURATION() < {duration(WINDOW)}) }}",
    "filter": "SELECT * { ?x :p ?a FILTER (?a > 20) }",
    "optionalseq": "SELECT * { { ?x :p ?a } OPTIONALSEQ { ?x :q ?b } FILTER (?a < 980) }",
    "construct": "CONSTRUCT { ?x :r ?a } { ?x :p ?a FILTER (?a > 20) } ;; SELECT * { ?x :r ?a }",
}


def trial(query: str, count: int) -> Trial:
    """Every second event is the first step of a key, or what the query is about."""
    table = bursts(count, 2, 1, KEYS)
    texts = [f"PREFIX : <{PREFIX}> {text}" for text in query.split(";;")]
    contenders = {ENGINE: engine(table, *texts), "engine, with a trace": engine(table, *texts, trace=True)}
    return Trial(count, contenders, {})


WORKLOADS = [
    Workload(f"trace-{name}", f"{name}, without and with a trace", partial(trial, query), 20_000)
    for name, query in QUERIES.items()
]
