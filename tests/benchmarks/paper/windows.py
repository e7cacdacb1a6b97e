"""Figure 1 of the paper: throughput over windows of time, and of a sum over a sequence with windows of rows.

Beside stands Esper, whose answers are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pyarrow as pa

from tests.benchmarks.contender import engine
from tests.benchmarks.kernel import PREFIX
from tests.benchmarks.paper.printed import TIME_WINDOWS
from tests.benchmarks.peers.esper_contender import esper, form
from tests.benchmarks.peers.place import Place
from tests.benchmarks.streams import bursts, integer, iri, scaled
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Run, Trial
from tests.benchmarks.workloads.aggregates import KEYS, PARTNERS, sum_of_newest
from tests.benchmarks.workloads.paper import queries

__all__ = ["COUNT_WINDOWS", "RATE", "TIME_WINDOWS", "WINDOW_CLAUSE", "over_rows", "over_time"]

COUNT_WINDOWS = (50, 100, 500, 1_000, 5_000, 50_000)
"""Figure 1(b): the newest matches. The text of its axis ends in 50000, which may be 5,000 and a stray 0."""
RATE = 10
"""Prices a second. The paper does not say how many there were."""
SECOND = 1_000_000
AVERAGE = """PREFIX : <%s> SELECT ?company ?average {
  { ?company :price ?price }
  EQUALS
  {
    SELECT ?company (AVG(?each) AS ?average) { ?company :price ?each }
    GROUP BY ?company WINDOW [RANGE PT%dS]
  }
}"""
WINDOW_CLAUSE = "engine, WINDOW"


def over_time(seconds: int, place: Place, count: int) -> Trial:
    """Queries (5) and (6): the average price of one company in the last ``seconds``, at each price.

    The engine runs them as the paper means them, with CONSTRUCTs that feed each other: each price makes all
    runs of prices longer that are still in the window. With ``WINDOW`` and AVG it is one query. An answer of
    the first also has the time of the oldest price, which is left out here.
    """
    table = pa.table(
        {
            "start": pa.array(range(0, count * SECOND // RATE, SECOND // RATE), pa.int64()),
            "s": [iri("acme")] * count,
            "p": [iri("price")] * count,
            "o": [integer(number % 1_000) for number in range(count)],
        }
    )
    window = seconds * SECOND
    contenders = {
        ENGINE: _at_end(engine(table, *queries("paper-6-average", window), last_only=True)),
        WINDOW_CLAUSE: engine(table, AVERAGE % (PREFIX, seconds)),
        **place.if_available(
            "esper",
            lambda: {"esper, grouped": esper(place, table, form("average-grouped", window=window))},
        ),
    }
    return Trial(count, contenders, {"window_s": seconds, "prices_in_window": seconds * RATE})


def over_rows(size: int, place: Place, count: int) -> Trial:
    """The sum over the newest ``size`` matches of a SEQ of two steps; each event is part of a match."""
    size = scaled(size, count)
    table = bursts(max(count, 4 * size), 2, 1, KEYS)

    def by_esper(name: str) -> Contender:
        return esper(place, table, form(f"sum-{name}", window=PARTNERS, rows=size))

    contenders = {
        ENGINE: engine(table, sum_of_newest(size)),
        **place.if_available(
            "esper", lambda: {f"esper, {name}": by_esper(name) for name in ("join", "pattern")}
        ),
    }
    return Trial(table.num_rows, contenders, {"window_rows": size})


def _at_end(contender: Contender) -> Contender:
    """The same with answers that hold at their end."""

    @contextmanager
    def ready(keep: bool) -> Iterator[Run]:
        with contender.ready(keep) as run:

            def at_end() -> Outcome:
                outcome = run()
                if outcome.rows is None:
                    return outcome
                return replace(outcome, rows=[(*values, end, end) for *values, _, end in outcome.rows])

            yield at_end

    return Contender(ready)
