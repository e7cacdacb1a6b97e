"""The progress line: on a terminal, in long runs only, and never in the way of answers."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from etalis_py.cli import progress, task_progress
from etalis_py.spark_udfs.session.tasks import Tasks

END_OF_LINE_TAKEN_AWAY = "\x1b[2K"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[], _Terminal]:
    """Makes standard error a terminal, within a test: pytest sets it anew before each."""
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setenv("TERM", "xterm")

    def switch() -> _Terminal:
        monkeypatch.setattr(sys, "stderr", shown := _Terminal())
        return shown

    return switch


def test_it_tells_events_and_time(etalis, folder: Path, terminal) -> None:
    shown = terminal()
    assert etalis("run rise.rq --stream rise.ndjson --output out.ndjson").code == 0
    assert "100%" in shown.getvalue()
    assert "3 events" in shown.getvalue()
    assert "up to 1970-01-01T00:00:03Z" in shown.getvalue()
    assert shown.getvalue().endswith(END_OF_LINE_TAKEN_AWAY)
    assert len((folder / "out.ndjson").read_text().splitlines()) == 1


def test_without_a_known_size_it_counts(etalis, folder: Path, terminal) -> None:
    (folder / "rise.ndjson.gz").write_bytes(gzip.compress((folder / "rise.ndjson").read_bytes()))
    shown = terminal()
    assert etalis("run rise.rq --stream rise.ndjson.gz --output out.ndjson").code == 0
    assert "3 events" in shown.getvalue()
    assert "%" not in shown.getvalue()


def test_quiet_shows_none(etalis, terminal) -> None:
    shown = terminal()
    assert etalis("run rise.rq --stream rise.ndjson --quiet").code == 0
    assert shown.getvalue() == ""


def test_it_gives_way_to_answers_on_the_same_terminal(etalis, terminal, monkeypatch) -> None:
    shown = terminal()
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    done = etalis("run rise.rq --stream rise.ndjson --results ndjson")
    assert len(done.answers) == 1
    assert shown.getvalue().endswith(END_OF_LINE_TAKEN_AWAY)


def test_spark_tells_of_its_tasks(terminal, monkeypatch) -> None:
    monkeypatch.setattr(task_progress, "PATIENCE", -1.0)
    shown = terminal()
    bar = task_progress.TaskProgress(wanted=True)
    for tasks in (Tasks(0, 0), Tasks(1, 3), Tasks(3, 3)):
        bar.show(tasks)
    bar.close()
    assert "3 of 3 tasks of Spark" in shown.getvalue()
    assert shown.getvalue().endswith(END_OF_LINE_TAKEN_AWAY)
    bar.show(Tasks(1, 2))
    assert "1 of 2" not in shown.getvalue()


def test_no_terminal_no_line(etalis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    assert etalis("run rise.rq --stream rise.ndjson").err == ""
