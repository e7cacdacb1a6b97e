"""Whole programs: from a CSV file of events to a CSV file of answers, each run in a new process."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from tests.benchmarks.peers.checksum import checksum_of_lines
from tests.benchmarks.peers.esper_contender import types_of
from tests.benchmarks.peers.java_program import built
from tests.benchmarks.peers.place import Place
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Run, Trial

__all__ = ["file_to_file"]


def file_to_file(place: Place, table: pa.Table, query: str, forms: Mapping[str, str]) -> Trial:
    """``etalis run``, and Esper with each of the forms; their files of answers have the same lines."""
    source, text = place.new_file("csv"), place.new_file("rq")
    pa.csv.write_csv(table, source)
    text.write_text(query, encoding="utf-8")

    def etalis(answers: Path) -> list[str]:
        words = ["run", str(text), "--stream", str(source), "--output", str(answers), "--quiet"]
        return [sys.executable, "-m", "etalis_py", *words]

    types = types_of(table)
    contenders = {
        ENGINE: _program(place, etalis),
        **place.if_available(
            "esper",
            lambda: {
                name: _program(place, _by_esper(place, source, epl, types)) for name, epl in forms.items()
            },
        ),
    }
    return Trial(table.num_rows, contenders, {"bytes": source.stat().st_size})


def _by_esper(place: Place, source: Path, epl: str, types: Sequence[str]) -> Callable[[Path], list[str]]:
    program, text = built("esper"), place.new_file("epl")
    text.write_text(epl, encoding="utf-8")
    return lambda answers: program.command("peers.CsvRun", source, text, answers, *types)


def _program(place: Place, command: Callable[[Path], list[str]]) -> Contender:
    answers = place.new_file("csv")

    @contextmanager
    def ready(keep: bool) -> Iterator[Run]:
        answers.unlink(missing_ok=True)

        def run() -> Outcome:
            before = _children()
            subprocess.run(command(answers), check=True, stderr=subprocess.DEVNULL)
            seconds = _children() - before
            with answers.open("rb") as lines:
                next(lines)  # the names of the columns
                found = list(lines)
            return Outcome(len(found), seconds, checksum=checksum_of_lines(found) if keep else None)

        yield run

    return Contender(ready)


def _children() -> float:
    """Processor seconds of the processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
