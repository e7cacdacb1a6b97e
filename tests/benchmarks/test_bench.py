"""``etalis bench`` shows that each workload runs, and that engine and kernels find the same."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from etalis_py.cli import bench, main
from etalis_py.core.explanations import MESSAGES
from tests.benchmarks.suite import QUICK, WORKLOADS, choose
from tests.benchmarks.workload import ENGINE, Unavailable, Workload

EVENTS = 240


LIKE_OTHERS = (
    *("memory-known-terms", "load-taxonomy", "background-100000", "background-1000000"),
    *[each.name for each in WORKLOADS if each.name.startswith("window-memory-")][1:],
)
"""They differ from others in their data only, or their query, and take seconds."""
ONCE = [each for each in WORKLOADS if each.name not in LIKE_OTHERS and not each.name.startswith("spark-")]


@pytest.mark.parametrize("workload", ONCE, ids=lambda each: each.name)
def test_all_find_the_same_answers(workload: Workload) -> None:
    try:
        trial = workload.trial(min(EVENTS, workload.quick))
    except Unavailable as reason:
        pytest.skip(str(reason))
    expected = None
    for name, contender in trial.contenders.items():
        with contender.ready(True) as run:
            outcome = run()
        if name == ENGINE:
            expected = outcome
        elif contender.same_answers:
            assert expected is not None
            assert outcome.answers == expected.answers > 0, name
            if outcome.rows is not None and expected.rows is not None:
                assert Counter(outcome.rows) == Counter(expected.rows), name


def test_the_table_and_the_records(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "records.ndjson"
    name = "seq2-unrestricted-window-alternating"
    assert main(["bench", name, "--events", "200", "--runs", "2", "--output", str(file)]) == 0
    (record,) = map(json.loads, file.read_text().splitlines())
    assert (record["workload"], record["events"], record["runs"]) == (name, 200, 2)
    assert record["engine"]["answers"] == record["yardsticks"]["kernel"]["answers"] == 100
    assert len(record["yardsticks"]["loop"]["ratios"]) == 2
    assert set(record["machine"]) == {"processor", "cores", "system", "python", "swipl"}
    head, _, titles, line, loop = capsys.readouterr().out.splitlines()
    assert record["machine"]["processor"] in head
    assert titles.split()[:6] == ["workload", "answers", "events/s", "steps", "ratio", "beside"]
    assert line.startswith(f"{name} ")
    assert len({len(each) for each in (titles, line, loop)}) == 1  # numbers end where their titles do
    assert "kernel" in line
    assert "loop" in loop


def test_a_quick_look_is_at_one_of_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(choose(QUICK, WORKLOADS)) == len(QUICK)
    assert main(["bench", "--quick"]) == 0
    shown = capsys.readouterr().out
    assert [name for name in QUICK if f"\n{name} " not in shown] == []


def test_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--list", "seq3", "seq2-recent-window-*"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told
    assert all(line.startswith(("seq3-", "seq2-recent-window-")) for line in told)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["seq2-resent"], "EP501 there is no benchmark 'seq2-resent'"),
        (["seq2", "--runs", "0"], "EP505 --runs 0 is not a number of at least 1"),
        (["seq2", "--events", "many"], "EP505 --events many is not a number of at least 1"),
        (["seq2", "--output", "no/such/folder/file"], "EP507 cannot write no/such/folder/file"),
    ],
)
def test_bad_arguments(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *words]) == 2
    assert capsys.readouterr().err.startswith(message)


def test_without_a_checkout(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bench, "PROJECT", tmp_path)
    assert main(["bench"]) == 2
    assert capsys.readouterr().err == (MESSAGES / "EP508.txt").read_text(encoding="utf-8")
