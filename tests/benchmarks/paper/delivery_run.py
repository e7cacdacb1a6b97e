"""A day of the delivery demo, in a process of its own: its memory is that of nothing else.

Run: python -m tests.benchmarks.paper.delivery_run VISITORS LOCATIONS

Prints JSON: answers (new routes), processor seconds for the whole stream, the mean and the 95th percentile of
a new route in milliseconds, and the most memory that Prolog held, in megabytes.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from etalis_py.demos.delivery.measure import cost_of_a_day
from etalis_py.demos.delivery.roads import load_roads

__all__ = ["CLOSED", "SEED"]

CLOSED = 0.5
SEED = 1


def main() -> None:
    visitors, locations = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        cost = cost_of_a_day(load_roads(None, SEED), visitors, locations, CLOSED, SEED, Path(folder))
    steps = {"mean_ms": cost.mean, "p95_ms": cost.quantile(0.95)} if cost.steps else {}
    print(
        json.dumps({"answers": len(cost.steps), "seconds": cost.seconds, "memory_mb": cost.memory, **steps})
    )


if __name__ == "__main__":
    main()
