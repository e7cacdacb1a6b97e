"""``etalis bench --peers``: peers give the same answers as the engine, and what is not there is left out."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

import pytest

from etalis_py.cli import main
from etalis_py.provision.java import Java
from tests.benchmarks.figures import PAGE
from tests.benchmarks.peers import flink_contender, java_program, loops, rspjs_contender
from tests.benchmarks.peers.checksum import checksum
from tests.benchmarks.peers.comparison import Comparison, answers_of, compare
from tests.benchmarks.peers.figures import BEGIN, END, page_with_peers
from tests.benchmarks.peers.java_program import Program, built
from tests.benchmarks.peers.place import place
from tests.benchmarks.peers.rows import ROWS, queries
from tests.benchmarks.peers.window_rows import WINDOW_ROWS
from tests.benchmarks.workload import ENGINE, Unavailable

EVENTS = 2_000
LEFT_TO_LONG = "left to the long tests"
FEW_QUERIES = Comparison("queries-3", "3 queries, each on predicates of its own", partial(queries, 3))
ALL = (*(row for row in ROWS if not row.name.startswith(("queries-", "window-"))), FEW_QUERIES)


@pytest.mark.slow
@pytest.mark.parametrize("row", ALL, ids=lambda each: each.name)
def test_all_give_the_same_answers(row: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flink_contender, "built", _not_now)  # it is large, and slow to start
    _check_answers(row, "esper", monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("row", WINDOW_ROWS, ids=lambda each: each.name)
def test_rsp_js_gives_the_same_answers(row: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flink_contender, "built", _not_now)
    _check_answers(row, "rsp-js", monkeypatch)


def test_without_node_windows_are_compared_with_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rspjs_contender.shutil, "which", lambda _name: None)
    monkeypatch.setattr(flink_contender, "built", _not_now)
    record = compare(WINDOW_ROWS[0], 1_000, runs=1, warm=0)
    assert record["agree"]
    assert record["skipped"]["rsp-js"] == "there is no Node 20.15 or newer with npm"


@pytest.mark.long
@pytest.mark.parametrize("row", [*ROWS[:9], *WINDOW_ROWS], ids=lambda each: each.name)
def test_flink_gives_the_same_answers(row: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    _check_answers(row, "flink", monkeypatch)


@pytest.mark.parametrize("name", ["two-steps", "three-steps", "absence", "mean", "waiting", "classes"])
def test_duckdb_gives_the_same_answers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("duckdb")
    monkeypatch.setattr(java_program.shutil, "which", lambda _name: None)
    try:
        record = compare(next(row for row in ROWS if row.name == name), 1_000, runs=1, warm=0)
    except Unavailable as reason:
        pytest.skip(str(reason))
    assert record["agree"]
    assert any(form.startswith("duckdb, ") for form in record["yardsticks"])
    assert "duckdb" not in record["skipped"]


def _not_now(_name: str) -> Program:
    raise Unavailable(LEFT_TO_LONG)


def _check_answers(row: Comparison, peer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")  # the better compiler does not pay
    try:
        if peer != "rsp-js":
            built("esper")
            built(peer)
        with place(warm=0) as here:
            trial = row.trial(here, EVENTS)
            found = {name: answers_of(contender) for name, contender in trial.contenders.items()}
    except Unavailable as reason:
        pytest.skip(str(reason))
    if peer in here.skipped:
        pytest.skip(here.skipped[peer])
    assert set(here.skipped.values()) <= {LEFT_TO_LONG}
    assert {name.partition(",")[0] for name in found} >= {ENGINE, peer}
    assert {(each.answers, each.checksum) for each in found.values()} == {
        (found[ENGINE].answers, found[ENGINE].checksum)
    }, found
    assert found[ENGINE].answers > 0


@pytest.mark.slow
def test_one_row_with_esper() -> None:
    try:
        built("esper")
    except Unavailable as reason:
        pytest.skip(str(reason))
    row = next(row for row in ROWS if row.name == "one-event")
    record = compare(row, 200, runs=1, warm=0)
    assert record["agree"]
    assert record["skipped"] == {}
    assert {"events_per_second", "ratio", "checksum", "p50_us"} <= set(record["yardsticks"]["esper, join"])


def test_the_table_without_other_engines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(java_program.shutil, "which", lambda _name: None)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    file = tmp_path / "records.ndjson"
    words = [
        "bench",
        "--peers",
        "two-steps",
        "absence",
        "--events",
        "200",
        "--runs",
        "2",
        "--output",
        str(file),
    ]
    assert main(words) == 0
    records = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(each["workload"], each["events"], each["runs"]) for each in records] == [
        ("two-steps", 200, 2), ("two-steps-consuming", 200, 2), ("absence", 200, 2),
    ]  # fmt: skip
    (other,) = {"matches", "columns"} - {records[0][ENGINE]["form"]}
    assert set(records[0]["yardsticks"]) == {"python", f"{ENGINE}, {other}", f"{ENGINE}, texts coded"}
    assert len(records[0]["yardsticks"]["python"]["ratios"]) == 2
    assert set(records[0]["skipped"]) == {"esper", "flink", "duckdb"}
    assert records[0]["skipped"]["duckdb"] == "the package duckdb is not installed"
    machine, _, titles, line, _, _, skipped, _, _, total, *_ = capsys.readouterr().out.splitlines()
    assert records[0]["machine"]["processor"] in machine
    assert titles.split() == ["row", "answers", "events/s", "peer,", "form", "events/s", "ratio"]
    assert line.startswith("two-steps ")
    assert "python" in line
    assert ": skipped: there is no " in skipped
    assert total == f"    checksum {records[0]['engine']['checksum']}"


def test_answers_that_differ(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java_program.shutil, "which", lambda _name: None)
    right = loops.absence

    def wrong(window: int, columns: loops.Columns) -> list[tuple[object, ...]]:
        first, *others = right(window, columns)
        return [("urn:bench:nobody", *first[1:]), *others]

    monkeypatch.setattr(loops, "absence", wrong)
    assert main(["bench", "--peers", "absence", "--quick"]) == 4
    assert "    THE ANSWERS DIFFER: engine " in capsys.readouterr().out


def test_maven_that_cannot_build(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    maven = tmp_path / "mvn"
    maven.write_text("#!/bin/sh\necho '[ERROR] offline'\nexit 1\n", encoding="utf-8")
    maven.chmod(0o755)
    java = tmp_path / "java"
    (java / "bin").mkdir(parents=True)
    (java / "bin" / "javac").touch()
    monkeypatch.setattr(java_program, "find_java", lambda: Java(java, 17))
    monkeypatch.setattr(java_program.shutil, "which", lambda _name: str(maven))
    monkeypatch.setenv("ETALIS_CACHE", str(tmp_path / "cache"))
    with pytest.raises(Unavailable, match=r"Maven cannot build esper: \[ERROR\] offline"):
        built("esper")
    assert list((tmp_path / "cache" / "peers").iterdir()) == []


def test_a_row_whose_data_is_not_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ETALIS_SHARED", str(tmp_path))
    assert main(["bench", "--peers", "classes", "--quick"]) == 0
    assert capsys.readouterr().out.startswith("classes              skipped: ")


def test_checksums_see_each_value() -> None:
    rows = [("urn:k1", 1, 0, 5), ("urn:k2", 2, 0, 7)]
    assert checksum(rows) == checksum(rows[::-1])
    assert len({checksum([("k", value, 0, 5)]) for value in (1, 2, 2.5, "1.0")}) == 4
    assert checksum([("k", 2, 0, 5)]) == checksum([("k", 2.0, 0, 5)])


def test_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--peers", "--list", "queries"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "queries-100",
        "queries-1000",
    ]
    assert main(["bench", "--peers", "two-step"]) == 2
    assert "did you mean two-steps?" in capsys.readouterr().err


def test_records_become_the_table_of_the_page() -> None:
    record = {
        "workload": "one-event",
        "purpose": "one event at a time",
        "events": 1000,
        "runs": 3,
        "machine": {"processor": "Abacus", "python": "3.11.7", "swipl": "9.2.9"},
        "engine": {"answers": 5, "events_per_second": 2_000, "p50_us": 10.0, "p99_us": 50.0},
        "yardsticks": {
            "esper, window": {"events_per_second": 8_000, "ratio": 0.25},
            "esper, join": {"events_per_second": 20_000, "ratio": 0.1, "p50_us": 1.5, "p99_us": 3.0},
        },
    }
    page = page_with_peers([record], f"before\n{BEGIN}\nold\n{END}\nafter\n")
    assert page.startswith("before\n")
    assert page.endswith(f"{END}\nafter\n")
    assert "old" not in page
    ours, theirs = "2,000; p50 10.0 us, p99 50.0 us", "20,000; p50 1.5 us, p99 3.0 us"
    assert f"(`one-event`) | 1,000 | 5 | {ours} | esper, join | {theirs} | 0.10 |\n" in page
    assert "window" not in page
    real = PAGE.read_text(encoding="utf-8")
    assert real.index(BEGIN) < real.index(END)
