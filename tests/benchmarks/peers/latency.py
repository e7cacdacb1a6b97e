"""How long it takes from an event to its answer, if events come one by one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
from rdflib import XSD, Literal, URIRef

from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from tests.benchmarks.contender import row_of
from tests.benchmarks.peers.place import plain
from tests.benchmarks.workload import Contender, Outcome, Row, Run

__all__ = ["one_event"]


def one_event(table: pa.Table, query: str) -> Contender:
    """The engine: ``send``, then ``advance``, as the next event may be of the same instant; a callback.

    Gives the percentiles over events that have answers, from before ``send`` to the last answer, in
    microseconds.
    """

    @contextmanager
    def ready(keep: bool) -> Iterator[Run]:
        events = [
            (time, *(_term(row[name]) for name in "spo"))
            for time, row in zip(table.column("start").to_pylist(), table.to_pylist(), strict=True)
        ]
        rows: list[Row] = []
        answers = last = 0

        def take(match: Match) -> None:
            nonlocal answers, last
            answers += 1
            if keep:
                rows.append(row_of(match))
            last = time.perf_counter_ns()

        with Engine() as engine:
            engine.register(query, on_match=take)
            engine.advance(events[0][0])

            def run() -> Outcome:
                taken = []
                for moment, subject, predicate, object_ in events:
                    before, clock = answers, time.perf_counter_ns()
                    engine.send(subject, predicate, object_, moment)
                    engine.advance(moment + 1)
                    if answers > before:
                        taken.append(last - clock)
                taken.sort()
                extra = {
                    "p50_us": taken[len(taken) // 2] / 1e3,
                    "p99_us": taken[int(len(taken) * 0.99)] / 1e3,
                }
                return Outcome(answers, rows=rows if keep else None, extra=extra)

            yield run

    return Contender(ready)


def _term(text: str) -> URIRef | Literal:
    return URIRef(plain(text)) if text[0] == "<" else Literal(int(plain(text)), datatype=XSD.integer)
