"""Writers of results, alone; beside them JSON by ``json.dumps`` of records that are made already."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from etalis_py.core.vocabulary import XSD_INTEGER
from etalis_py.engine.matches import Match
from etalis_py.results import RESULT_FORMATS, QueryHead, open_writer
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Run, Trial, Workload

__all__ = ["WORKLOADS"]

VARIABLES = ("sensor", "value")
BATCH = 1_000


def writing(form: str, count: int) -> Trial:
    """So many matches of one query, to nowhere."""
    return Trial(
        count,
        {ENGINE: Contender(partial(_by_engine, form, count)), "json.dumps": Contender(partial(_dump, count))},
    )


@contextmanager
def _by_engine(form: str, count: int, _keep: bool) -> Iterator[Run]:
    if form == "nquads":
        head = QueryHead("make", "construct")
        matches = [
            Match("make", n, n + 5, encoded_triples=((f"urn:s{n}", "urn:p", (n, XSD_INTEGER)),))
            for n in range(count)
        ]
    else:
        head = QueryHead("fall", "select", VARIABLES)
        values = ((f"http://example.org/sensor/{n % 1000}", (n, XSD_INTEGER)) for n in range(count))
        matches = [Match("fall", n, n + 5, VARIABLES, value) for n, value in enumerate(values)]

    def run() -> Outcome:
        with Path(os.devnull).open("wb") as out, open_writer(form, out, heads=[head]) as writer:
            for first in range(0, count, BATCH):
                writer.write_all(matches[first : first + BATCH])
        return Outcome(count)

    yield run


@contextmanager
def _dump(count: int, _keep: bool) -> Iterator[Run]:
    records = [
        {"start": n, "end": n + 5, "sensor": f"http://example.org/sensor/{n % 1000}", "value": n}
        for n in range(count)
    ]

    def run() -> Outcome:
        with Path(os.devnull).open("w", encoding="utf-8") as out:
            out.writelines(map(json.dumps, records))
        return Outcome(count)

    yield run


WORKLOADS = [
    Workload(f"write-{form}", f"writing results as {form}", partial(writing, form), 100_000)
    for form in RESULT_FORMATS
]
