"""The command line as a user has it: in this process where that will do, else in one of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from etalis_py.cli import main

PREFIX = "PREFIX ex: <http://example.org/>\n"
RISE = PREFIX + "SELECT ?x WHERE { { ?x ex:low ?a } SEQ { ?x ex:high ?b } }\n"
"""Two steps about one thing; on RISE_EVENTS it holds for ex:a from 1 to 3 s."""
RISE_EVENTS = (
    (1, "<http://example.org/a>", "<http://example.org/low>", '"1"'),
    (2, "<http://example.org/b>", "<http://example.org/high>", '"2"'),
    (3, "<http://example.org/a>", "<http://example.org/high>", '"3"'),
)


def time(second: int) -> str:
    return f"1970-01-01T00:00:{second:02d}Z"


def ndjson(events: Any = RISE_EVENTS) -> str:
    rows = (dict(zip(("start", "s", "p", "o"), (time(start), *spo), strict=True)) for start, *spo in events)
    return "".join(json.dumps(row) + "\n" for row in rows)


@dataclass(frozen=True)
class Done:
    """What a finished command left: exit code and what it wrote."""

    code: int
    out: bytes
    err: str

    @property
    def answers(self) -> list[dict[str, Any]]:
        """The lines of ndjson."""
        assert self.out.endswith(b"\n") or not self.out
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def found(self) -> list[tuple[str, ...]]:
        """The values of each solution, without their kinds."""
        return [tuple(term["value"] for term in each["bindings"].values()) for each in self.answers]


Etalis = Callable[..., Done]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with rise.rq and rise.ndjson."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rise.rq").write_text(RISE)
    (tmp_path / "rise.ndjson").write_text(ndjson())
    return tmp_path


@pytest.fixture
def etalis(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Etalis:
    """Runs a command line in this process."""

    def run(line: str, *words: str) -> Done:
        capfdbinary.readouterr()
        code = main([*line.split(), *words])
        out, err = capfdbinary.readouterr()
        return Done(code, out, err.decode())

    return run


@pytest.fixture
def start(folder: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts a command line in a process of its own, with pipes; what still runs at the end is killed."""
    running: list[subprocess.Popen[bytes]] = []

    def popen(line: str, **options: Any) -> subprocess.Popen[bytes]:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        words = [sys.executable, "-m", "etalis_py", *line.split()]
        process = subprocess.Popen(**{"args": words, "cwd": folder, **pipes, **options})
        running.append(process)
        return process

    yield popen
    for process in running:
        process.kill()
        process.communicate()
