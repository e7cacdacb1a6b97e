"""Writers of results, alone, of answers as they leave the engine; beside them ``json.dumps``.

Its records are made already.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path

from etalis_py.embedding.cells import ATOM, GRAPH, INTEGER, Cells, Graphs
from etalis_py.engine.answer_columns import Answers, Receiver, Receivers
from etalis_py.results import RESULT_FORMATS, QueryHead, open_writer
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Run, Trial, Workload

__all__ = ["WORKLOADS"]

FALL = Receiver("fall", ("sensor", "value"), "select")
MAKE = Receiver("make", (), "construct")
BATCH = 1_000


def writing(form: str, count: int) -> Trial:
    """So many answers of one query, to nowhere."""
    return Trial(
        count,
        {ENGINE: Contender(partial(_by_engine, form, count)), "json.dumps": Contender(partial(_dump, count))},
    )


@contextmanager
def _by_engine(form: str, count: int, _keep: bool) -> Iterator[Run]:
    receiver = MAKE if form == "nquads" else FALL
    starts, ends = array("q", range(count)), array("q", range(5, count + 5))
    answers = Answers(Receivers({1: receiver}), array("i", [1]) * count, starts, ends, _values(form, count))
    head = QueryHead(receiver.name, receiver.form, receiver.variables)

    def run() -> Outcome:
        with Path(os.devnull).open("wb") as out, open_writer(form, out, heads=[head]) as writer:
            for block in answers.blocks(BATCH):
                writer.write_answers(block)
        return Outcome(count)

    yield run


def _values(form: str, count: int) -> Cells:
    """As the engine has them: a sensor and an integer; or a graph of one triple."""
    if form == "nquads":
        names = ["urn:p", *(f"urn:s{n}" for n in range(count))]
        data = array("q", chain.from_iterable((n + 1, 0, n) for n in range(count)))
        terms = Cells(bytes([ATOM, ATOM, INTEGER]) * count, data, names)
        graphs = Graphs(array("q", range(1, count + 1)), terms)
        return Cells(bytes([GRAPH]) * count, array("q", range(count)), graphs=graphs)
    sensors = [f"http://example.org/sensor/{number}" for number in range(1000)]
    values = chain.from_iterable((n % 1000, n) for n in range(count))
    return Cells(bytes([ATOM, INTEGER]) * count, array("q", values), sensors)


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
