"""Queries (5) and (6) of the EP-SPARQL paper: running count and sum, and average, as tests/cases have them.

Each price makes all runs of its company longer that are still in the window, and each of these is an answer.
So that a longer window holds more events and not longer runs, there is a company for each ten events of it: a
run has ten prices at most, whatever the window. ``one-company`` has runs of 50 prices.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Literal

from tests.benchmarks.contender import engine
from tests.benchmarks.kernel import PREFIX, by_hand, pure_loop
from tests.benchmarks.streams import STEP, duration, one_step, scaled, whole_window
from tests.benchmarks.workload import ENGINE, Contender, Trial, Workload

__all__ = ["WORKLOADS", "queries"]

CASES = Path(__file__).resolve().parents[2] / "cases"
WINDOWS = (50, 500, 5_000, 50_000)
"""Events in the window."""
RUN = 10
"""Prices in a run, where companies grow with the window."""
Paper = Literal["paper-5-running-count-and-sum", "paper-6-average"]


def queries(paper: Paper, window: int) -> list[str]:
    """The queries of the case, with a window in microseconds for the 10 days, over the suite's prefix."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((CASES / paper).glob("*.rq"))]
    length = duration(window)
    day_time = length.replace("xsd:duration", "xsd:dayTimeDuration")
    return [
        text.replace("PREFIX : <urn:>", f"PREFIX : <{PREFIX}>")
        .replace('"P10D"^^xsd:dayTimeDuration', day_time)
        .replace('"P10D"^^xsd:duration', length)
        for text in texts
    ]


def trial(paper: Paper, size: int, prices: int, count: int) -> Trial:
    """``size`` events in the window, ``prices`` of them of one company. It is full before the clock runs."""
    prices = min(prices, max(RUN, count // 10))
    size = max(prices, scaled(size, count) // prices * prices)
    count = whole_window(size, count)
    table = one_step(size + count, "price", max(1, size // prices), 0)
    before, measured = table.slice(0, size), table.slice(size)
    window = size * STEP
    option = [window, "sum" if paper == "paper-5-running-count-and-sum" else "average"]
    contenders = {
        ENGINE: engine(measured, *queries(paper, window), before=before),
        "kernel": by_hand("runs", measured, ["price"], option, before=before),
        "loop": pure_loop("runs", measured, ["price"], option, before=before),
    }
    smallest = WINDOWS[0]
    if size > smallest:
        other = trial(paper, smallest, prices, count)
        few = Contender(other.contenders[ENGINE].ready, other.events, same_answers=False)
        contenders[f"engine, window of {smallest}"] = few
    return Trial(count, contenders, {"window_events": size, "companies": max(1, size // prices)})


def _workloads(paper: Paper, short: str) -> list[Workload]:
    what = "query (5), running count and sum" if short == "paper5" else "query (6), running average"
    return [
        *(
            Workload(
                f"{short}-{size}",
                f"{what}: {size:,} events in the window, ten of each company",
                partial(trial, paper, size, RUN),
                5_000,
                60,
            )
            for size in WINDOWS
        ),
        Workload(
            f"{short}-one-company",
            f"{what}: the 50 events in the window are of one company",
            partial(trial, paper, 50, 50),
            1_000,
            40,
        ),
    ]


WORKLOADS = [
    *_workloads("paper-5-running-count-and-sum", "paper5"),
    *_workloads("paper-6-average", "paper6"),
]
