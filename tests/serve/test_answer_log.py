"""The log of answers holds what fits into its memory, and no more."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from etalis_py.cli import main
from etalis_py.serve.answer_log import AnswerLog
from tests.serve.servers import query_file, serving

LINE = b'{"query": "rise", "start": "%012d"}'


def test_memory_ends_at_the_bound() -> None:
    """In ten times its bytes of answers it takes what it may, counted by Python itself."""
    log, most = AnswerLog(500_000), 500_000
    tracemalloc.start()
    try:
        for first in range(0, 30_000, 10):
            log.add([("rise", LINE % number) for number in range(first, first + 10)])
        taken = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert most / 2 < taken < most * 1.1
    found = log.read(0)
    assert (found.lost, found.answers[0].number) == (found.answers[0].number - 1, found.lost + 1)
    assert log.read(29_999).answers[0].line == LINE % 29_999


def test_one_is_always_kept(tmp_path: Path) -> None:
    words = [query_file(tmp_path), "--state", tmp_path / "state", "--limit", "kept=1"]
    for _ in range(2):
        with serving(*words) as running:
            if not running.answers():
                for time in range(1, 11, 2):
                    running.send((time, f"n{time}", "low"), (time + 1, f"n{time}", "high"))
                running.post("/advance", '{"time": 12}')
            given = running.get("/answers")
            assert (given.headers["etalis-lost"], given.headers["etalis-last"]) == ("4", "5")
            assert [each["bindings"]["x"]["value"] for each in running.answers()] == ["urn:n9"]
            assert running.end() == 0


def test_a_size_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--limit", "kept=much"]) == 2
    assert "EP505 --limit kept cannot be 'much'" in capsys.readouterr().err
