"""Whole runs of the command: N-Quads on disk to NDJSON on disk, and how long a small run takes to answer."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa

from etalis_py.cli import main
from etalis_py.core.times import format_time
from tests.benchmarks.kernel import PREFIX, by_hand
from tests.benchmarks.streams import STEP, bursts, duration
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Run, Trial, Workload

__all__ = ["WORKLOADS"]

KEYS = 1_000
WINDOW = 2 * KEYS * STEP
TEN = 10
QUERY = (
    f"PREFIX : <{PREFIX}> SELECT * WHERE {{ {{ ?x :p ?a }} SEQ {{ ?x :q ?b }} "
    f"FILTER(getDURATION() < {duration(WINDOW)}) }}"
)
_TIME = "http://www.w3.org/ns/prov#generatedAtTime"
_DATE_TIME = "http://www.w3.org/2001/XMLSchema#dateTime"
_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def nquads(count: int) -> Trial:
    """A named graph with its time for each event: two lines; an answer for every other event."""
    table = bursts(count, 2, 1, KEYS)
    return Trial(
        count,
        {ENGINE: Contender(_in_folder(table, _by_command)), "kernel": Contender(_in_folder(table, _hand))},
    )


def start(_count: int) -> Trial:
    """`etalis run` over ten events in a process of its own; beside it one that only loads SWI-Prolog."""
    table = bursts(TEN, 2, 1, KEYS)
    lines = "".join(_quads(table))
    run = ["-m", "etalis_py", "run", "seq.rq", "--stream", "events.nq", "--output", "answers.ndjson"]
    load = ["-c", "import janus_swi; janus_swi.query_once('true')"]
    return Trial(
        TEN,
        {
            ENGINE: Contender(_process(lines, run)),
            "python with SWI-Prolog": Contender(_process(lines, load), same_answers=False),
        },
    )


def _quads(table: pa.Table) -> Iterator[str]:
    for number, row in enumerate(table.to_pylist()):
        graph = f"<urn:g{number}>"
        yield f'{graph} <{_TIME}> "{format_time(row["start"])}"^^<{_DATE_TIME}> .\n'
        yield f"{row['s']} {row['p']} {row['o']} {graph} .\n"


def _in_folder(table: pa.Table, way: Any) -> Any:
    @contextmanager
    def ready(_keep: bool) -> Iterator[Run]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            folder.joinpath("seq.rq").write_text(QUERY, encoding="utf-8")
            with folder.joinpath("events.nq").open("w", encoding="utf-8") as out:
                out.writelines(_quads(table))
            with way(folder) as run:
                yield run

    return ready


@contextmanager
def _by_command(folder: Path) -> Iterator[Run]:
    answers = folder / "answers.ndjson"
    words = ["run", str(folder / "seq.rq"), "--stream", str(folder / "events.nq"), "--output", str(answers)]

    def run() -> Outcome:
        assert main([*words, "--quiet"]) == 0
        return Outcome(_lines(answers))

    yield run


@contextmanager
def _hand(folder: Path) -> Iterator[Run]:
    """The lines are cut at their blanks, the kernel runs, and ``json`` writes."""
    answers = folder / "answers.ndjson"
    with by_hand("seq2", _Cut(folder / "events.nq"), "pq", WINDOW).ready(True) as kernel:

        def run() -> Outcome:
            outcome = kernel()
            assert outcome.rows is not None
            with answers.open("w", encoding="utf-8") as out:
                for row in outcome.rows:
                    out.write(json.dumps(_record(row), separators=(",", ":")) + "\n")
            return Outcome(_lines(answers))

        yield run


class _Cut:
    """A file of the form that this module writes, as Arrow batches."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def to_batches(self, max_chunksize: int) -> Iterator[pa.RecordBatch]:
        """As an Arrow table has it."""
        columns: list[list[Any]] = [[], [], [], []]
        with self._path.open(encoding="utf-8") as lines:
            for line in lines:
                text = line.split('"', 2)[1]
                when = (datetime.fromisoformat(text.replace("Z", "+00:00")) - _EPOCH) // timedelta(
                    microseconds=1
                )
                for column, value in zip(columns, (when, *next(lines).split(" ")), strict=False):
                    column.append(value)
                if len(columns[0]) == max_chunksize:
                    yield _batch(columns)
                    columns = [[], [], [], []]
        if columns[0]:
            yield _batch(columns)


def _batch(columns: list[list[Any]]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(dict(zip(("start", "s", "p", "o"), columns, strict=True)))


def _record(row: tuple[Any, ...]) -> dict[str, Any]:
    key, first, second, begins, ends = row
    values = {
        name: {"type": "literal", "value": str(value), "datatype": _INTEGER}
        for name, value in (("a", first), ("b", second))
    }
    bindings = {"x": {"type": "uri", "value": key}, **values}
    return {"query": "seq", "start": _moment(begins), "end": _moment(ends), "bindings": bindings}


def _moment(microseconds: int) -> str:
    return (_EPOCH + timedelta(microseconds=microseconds)).isoformat().replace("+00:00", "Z")


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def _children() -> float:
    """Processor seconds of the processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _process(lines: str, words: list[str]) -> Any:
    @contextmanager
    def ready(_keep: bool) -> Iterator[Run]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            folder.joinpath("seq.rq").write_text(QUERY, encoding="utf-8")
            folder.joinpath("events.nq").write_text(lines, encoding="utf-8")

            def run() -> Outcome:
                began, before = time.perf_counter(), _children()
                subprocess.run([sys.executable, *words], cwd=folder, check=True)
                elapsed, seconds = time.perf_counter() - began, _children() - before
                answers = folder / "answers.ndjson"
                found = _lines(answers) if answers.exists() else 0
                return Outcome(found, seconds, extra={"start_seconds": elapsed})

            yield run

    return ready


WORKLOADS = [
    Workload("nquads-to-ndjson", "etalis run from N-Quads on disk to NDJSON on disk", nquads, 100_000),
    Workload("start", "a run of the command over ten events", start, 10, 10),
]
