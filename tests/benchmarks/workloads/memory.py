"""Memory: a long stream through a SEQ with a window, windows on streams, and engines that are closed.

Each contender runs in a process of its own, so that what one leaves behind does not hide what the next takes.
Beside the engine stands the kernel: what grows with it as well is Prolog's or Python's own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.benchmarks.window_memory_run import QUERIES
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Run, Trial, Workload

__all__ = ["WORKLOADS", "apart"]

PROJECT = Path(__file__).resolve().parents[3]


def stream(terms: str, count: int) -> Trial:
    """``terms``: ``known`` ones that come again and again, or all ``new``."""
    return Trial(
        count,
        {name: apart("memory_run", name, str(count), terms) for name in (ENGINE, "kernel")},
        {"terms": terms},
    )


def engines(count: int) -> Trial:
    """So many engines, one after the other, each with a query, some events, and an end."""
    return Trial(count, {ENGINE: apart("engines_run", str(count))})


SIZES = 1_000, 10_000, 100_000
"""Elements in a window."""


def windows(query: str, count: int) -> Trial:
    """Windows of `SIZES`, but none of more than ``count`` elements."""
    sizes = dict.fromkeys(str(min(size, count)) for size in SIZES)
    return Trial(count, {ENGINE: apart("window_memory_run", query, *sizes)})


def apart(script: str, *words: str) -> Contender:
    """What ``tests/benchmarks/SCRIPT.py`` does in a process of its own, and says in JSON."""

    @contextmanager
    def ready(_keep: bool) -> Iterator[Run]:
        def run() -> Outcome:
            command = [sys.executable, "-m", f"tests.benchmarks.{script}", *words]
            done = subprocess.run(command, cwd=PROJECT, check=True, stdout=subprocess.PIPE, text=True)
            told = json.loads(done.stdout)
            return Outcome(told.pop("answers"), told.pop("seconds"), extra=told)

        yield run

    return Contender(ready)


WORKLOADS = [
    Workload(
        "memory-known-terms", "memory of a long SEQ with a window", partial(stream, "known"), 10_000_000
    ),
    Workload(
        "memory-new-terms",
        "memory of a long SEQ with a window, all IRIs and literals new",
        partial(stream, "new"),
        10_000_000,
    ),
    *(
        Workload(
            f"window-memory-{query}",
            f"bytes for each element in a window: {query}",
            partial(windows, query),
            SIZES[-1],
            SIZES[0],
        )
        for query in QUERIES
    ),
    Workload("memory-engines", "memory of engines that are opened and closed", engines, 2_000, 6),
]
