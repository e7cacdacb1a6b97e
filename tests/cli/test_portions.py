"""A run whose answers are too many: they come at once, in bounded memory, and a limit ends it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Etalis
from tests.patience import PATIENCE
from tests.sanitizers import not_sanitized

SIDE = 10_000
"""Of either side of a cross join, which has 10**8 answers."""
MOST_MEMORY = 3 * 10**9
"""Address space, of which the libraries reserve most; the answers take more than ten times as much."""
CROSS = "SELECT ?a ?b { ?a <urn:p> ?x . ?b <urn:q> ?x }"


def write(folder: Path, name: str, times: tuple[int, int], side: int = SIDE) -> None:
    """Events of the left side from ``times[0]`` on, of the right one from ``times[1]`` on; -1: all at 1."""
    with (folder / name).open("w") as file:
        file.write("start,s,p,o\n")
        for time, which in zip(times, "pq", strict=True):
            for number in range(side):
                file.write(
                    f"{1 if time < 0 else time + number},<urn:{which}{number}>,<urn:{which}>,<urn:x>\n"
                )


@not_sanitized
@pytest.mark.parametrize("times", [(-1, -1), (0, SIDE)], ids=["one instant", "10,000 instants"])
@pytest.mark.parametrize("results", ["ndjson", "csv", "json", "table"])
def test_head_of_a_hundred_million_answers(folder: Path, times: tuple[int, int], results: str) -> None:
    """Whoever has read five lines has them at once: to find all takes half an hour and 30 GB."""
    write(folder, "events.csv", times)
    (folder / "cross.rq").write_text(CROSS)
    limited = f"ulimit -v {MOST_MEMORY // 1024}; exec {sys.executable} -m etalis_py"
    command = f"{limited} run cross.rq --stream events.csv --quiet --results {results}"
    with subprocess.Popen(
        ["sh", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        lines = [run.stdout.readline() for _ in range(5)]
        run.stdout.close()
        told = run.stderr.read().decode()
        assert not told or told.startswith("warning: EW65")
        assert run.wait(PATIENCE) == 0
    assert all(line.endswith(b"\n") for line in lines)
    if results == "ndjson":
        assert json.loads(lines[0])["bindings"]["a"]["value"] == "urn:p0"


def test_ctrl_c_amid_one_instant(folder: Path) -> None:
    write(folder, "events.csv", (-1, -1))
    (folder / "cross.rq").write_text(CROSS)
    line = "run cross.rq --stream events.csv --output out.ndjson"
    words = [sys.executable, "-m", "etalis_py", *line.split()]
    with subprocess.Popen(words, cwd=folder, stderr=subprocess.PIPE) as run:
        while not any(each.stat().st_size > 100_000 for each in folder.glob("*out.ndjson*")):
            assert run.poll() is None
            os.sched_yield()
        run.send_signal(signal.SIGINT)
        assert run.wait(PATIENCE) == 130
    text = (folder / "out.ndjson").read_bytes()
    assert text.endswith(b"\n")
    assert {len(json.loads(line)["bindings"]) for line in text.splitlines()[-1000:]} == {2}


def test_limits_end_a_run(etalis: Etalis, folder: Path) -> None:
    write(folder, "events.csv", (-1, -1), side=200)
    (folder / "cross.rq").write_text(CROSS)
    (folder / "own.rq").write_text(f"PRAGMA max_answers_per_instant 5\n{CROSS}")
    done = etalis("run cross.rq --stream events.csv --max-answers-per-instant 30000")
    assert (done.code, len(done.answers)) == (4, 20_000)
    assert "EP310 cross.rq, line 1, column 1: cross has more than 30,000 answers at one instant" in done.err
    done = etalis("run cross.rq own.rq --stream events.csv --max-answers-per-instant 40000 --quiet")
    assert (done.code, done.out) == (4, b"")
    assert done.err.startswith("EP310 own.rq, line 2, column 1: own has more than 5 answers")
    done = etalis("run cross.rq --stream events.csv --max-answers-per-instant 40000 --quiet")
    assert (done.code, len(done.answers)) == (0, 40_000)


def test_final_keeps_its_rows(etalis: Etalis, folder: Path) -> None:
    write(folder, "events.csv", (-1, -1), side=150)
    (folder / "cross.rq").write_text(CROSS)
    done = etalis("run cross.rq --stream events.csv --final --quiet")
    assert (done.code, len(set(done.found))) == (0, 22_500)


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("--max-memory lots", "it is a size such as 500MB"),
        ("--max-memory 0", "it is a size such as 500MB"),
        ("--max-answers-per-instant -1", ""),
        ("--max-time-per-instant soon", ""),
    ],
)
def test_a_limit_that_is_none(etalis: Etalis, option: str, hint: str) -> None:
    done = etalis(f"run rise.rq --stream rise.ndjson {option}")
    assert done.code == 2
    assert done.err.startswith("EP505")
    assert hint in done.err
