"""Loading background: from its file the first time, then from the cache; beside it a parser alone.

Each run is a process of its own with an empty cache.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.benchmarks.background_data import TRIPLES_PER_DEVICE, taxonomy_as_turtle, write_background
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Run, Trial, Workload
from tests.benchmarks.workloads.knowledge import taxonomy_file

__all__ = ["WORKLOADS"]

PROJECT = Path(__file__).resolve().parents[3]
TAXONOMY = 80_161
"""Triples of the taxonomy."""


def background(count: int) -> Trial:
    """So many triples about devices, as N-Triples."""
    whole = max(1, count // TRIPLES_PER_DEVICE) * TRIPLES_PER_DEVICE
    return _trial(whole, lambda folder: write_background(folder, whole))


def taxonomy(_count: int) -> Trial:
    """The taxonomy as Turtle; there is one size of it."""
    source = taxonomy_file()
    return _trial(TAXONOMY, lambda folder: taxonomy_as_turtle(folder, source))


def _trial(count: int, make: Callable[[Path], Path]) -> Trial:
    ways = {ENGINE: "first", "engine, cached": "cached", "parser": "parser"}
    return Trial(count, {name: Contender(partial(_ready, make, way)) for name, way in ways.items()})


@contextmanager
def _ready(make: Callable[[Path], Path], way: str, _keep: bool) -> Iterator[Run]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.benchmarks.load_run", way, str(make(Path(folder))), folder]

        def run() -> Outcome:
            done = subprocess.run(command, cwd=PROJECT, check=True, stdout=subprocess.PIPE, text=True)
            told = json.loads(done.stdout)
            return Outcome(told.pop("triples"), told.pop("seconds"), extra=told)

        yield run


WORKLOADS = [
    Workload(
        "load-taxonomy", "loading a taxonomy of 80,161 triples from Turtle", taxonomy, TAXONOMY, TAXONOMY
    ),
    Workload("load-background", "loading a million triples from N-Triples", background, 1_000_000),
]
