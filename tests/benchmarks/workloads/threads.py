"""Several threads beside one: queries whose events cost their rules little, and more.

Seconds are those of the clock. Answers are taken as Arrow tables.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Final

from tests.benchmarks.contender import engine
from tests.benchmarks.kernel import PREFIX
from tests.benchmarks.peers.streams import alternating
from tests.benchmarks.streams import STEP, duration
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Run, Trial, Unavailable, Workload

__all__ = ["WORKLOADS"]

THREADS: Final = 2
SEQ: Final = "PREFIX : <%s> SELECT ?x ?a ?b { { ?x :p ?a } SEQ { ?x :q ?b } FILTER(getDURATION() < %s%s) }"
FILTERS: Final = {
    "light": (6, "", "three partners, all of which are answers"),
    "computed": (6, " && ?a + ?b * 3 > %d + ?a / 7", "three partners, a filter of sums and products"),
    "many-partners": (60, " && ?a + ?b > %d", "30 partners, few of which are answers"),
    "regex": (6, " && REGEX(STR(?a), '7')", "three partners, a filter that needs Prolog"),
}
"""Seconds of the window, what else is filtered, and in words."""
LEAST: Final = 1_990
"""Few sums of two values are more; a short run has none."""


def shared(seconds: int, condition: str, count: int) -> Trial:
    """One thread and several, in turn."""
    if (os.cpu_count() or 1) < THREADS:
        raise Unavailable("there is one core")
    table = alternating(count)
    condition = condition.replace("%d", str(LEAST if count >= 100_000 else 0))
    query = SEQ % (PREFIX, duration(seconds * 1_000 * STEP), condition)
    contenders = {
        name: by_the_clock(engine(table, query, columns=True, threads=threads))
        for name, threads in ((ENGINE, THREADS), ("one thread", 1))
    }
    return Trial(count, contenders, {"threads": THREADS})


def by_the_clock(contender: Contender) -> Contender:
    """The same, its seconds those of the clock."""

    @contextmanager
    def ready(keep: bool) -> Iterator[Run]:
        with contender.ready(keep) as run:

            def timed() -> Outcome:
                began = time.perf_counter()
                outcome = run()
                return replace(outcome, seconds=time.perf_counter() - began)

            yield timed

    return replace(contender, ready=ready)


WORKLOADS = [
    Workload(f"threads-{name}", f"SEQ in two threads: {words}", partial(shared, seconds, condition))
    for name, (seconds, condition, words) in FILTERS.items()
]
