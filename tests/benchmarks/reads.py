"""A yardstick for what events cost in a large window: reads of as much memory, one after the other.

Where an event takes as many instructions in a large window as in a small one, what is dearer is that its rows
are in none of the processor's caches. How much that is differs from machine to machine, and with what else
runs on it: so it is measured in the same run.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from etalis_py.core.compiled import compiled
from tests.benchmarks.workload import Contender, Outcome, Run

__all__ = ["READS", "reads"]

LINES = 8
"""Of 64 bytes, for each event that is held: about as much as a store, its indexes and terms take."""
READS = 20
"""For each event."""


def reads(held: int, events: int) -> Contender:
    """`READS` for each event among the lines of those that are held, each at a place that the last told."""

    @contextmanager
    def ready(keep: bool) -> Iterator[Run]:
        library = ctypes.CDLL(str(compiled(Path(__file__).parent / "kernels" / "reads", "cc")))
        library.read_lines.argtypes = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
        lines = _round(held * LINES)
        address, length = lines.buffer_info()
        library.read_lines(address, 0, length // 8)

        def run() -> Outcome:
            library.read_lines(address, 0, READS * events)
            return Outcome(0)

        yield run

    return Contender(ready, events, same_answers=False)


def _round(count: int) -> array[int]:
    """Lines of which each names the next, in no order, until the first comes again."""
    order = list(range(count))
    Random(6).shuffle(order)
    words = array("q", bytes(64 * count))
    for line, following in zip(order, (*order[1:], order[0]), strict=True):
        words[8 * line] = following
    return words
