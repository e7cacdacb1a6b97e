"""The experiments of section 6 of the EP-SPARQL paper, in its order, and of section 8 of that on SPAseq:
``etalis bench paper``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tests.benchmarks.paper.demos import LOCATIONS, VISITORS, deliveries, readings
from tests.benchmarks.paper.printed import READINGS, TIME_WINDOWS, TRIPLES
from tests.benchmarks.paper.reasoning import ALL, HIERARCHIES, reasoning
from tests.benchmarks.paper.stock import BACKGROUNDS, EVENTS, MINUTES, VARIANTS, stock
from tests.benchmarks.paper.windows import COUNT_WINDOWS, over_rows, over_time
from tests.benchmarks.peers.comparison import Comparison
from tests.benchmarks.workload import Workload

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: Sequence[Workload | Comparison] = (
    *(
        Comparison(
            f"paper-time-{seconds}s",
            f"figure 1(a): queries (5) and (6) with a window of {seconds} s",
            partial(over_time, seconds),
            1_000,
            60,
        )
        for seconds in TIME_WINDOWS
    ),
    *(
        Comparison(
            f"paper-sum-{size}",
            f"figure 1(b): sum over the newest {size:,} matches of a SEQ",
            partial(over_rows, size),
            50_000,
            200,
        )
        for size in COUNT_WINDOWS
    ),
    *(
        Comparison(
            f"paper-reasoning-{triples}",
            f"figure 2: {triples:,} triples, {ALL:,} classes",
            partial(reasoning, ALL),
            triples,
            200,
        )
        for triples in TRIPLES
    ),
    *(
        Comparison(
            f"paper-hierarchy-{classes}",
            f"as figure 2: {TRIPLES[-1]:,} triples, {classes:,} classes",
            partial(reasoning, classes),
            TRIPLES[-1],
            200,
        )
        for classes in HIERARCHIES[:-1]
    ),
    *(
        Workload(
            f"paper-delivery-{visitors}-{locations}",
            f"figure 3: {visitors} visitor{'s' * (visitors > 1)}, {locations} locations each",
            partial(deliveries, visitors, locations),
            locations,
            2,
        )
        for visitors in VISITORS
        for locations in LOCATIONS
    ),
    Workload("paper-tsunami", "figure 4: readings of one sensor", readings, READINGS, 60),
    *(
        Workload(
            f"paper-stock-{variant}-{minutes}",
            f"SPAseq, figures 15 and 20: {VARIANTS[variant][0]}, windows of {minutes} minutes",
            partial(stock, variant, minutes, 0),
            EVENTS,
            60,
        )
        for variant in VARIANTS
        for minutes in MINUTES
    ),
    *(
        Workload(
            f"paper-stock-known-{known}",
            f"SPAseq, figure 18: A; B; C with {known:,} triples of background",
            partial(stock, "next", MINUTES[-1], known),
            EVENTS,
            60,
        )
        for known in BACKGROUNDS
    ),
)
