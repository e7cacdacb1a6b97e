"""``etalis bench paper``: experiments run, all contenders agree, records become tables and pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from etalis_py.cli import main
from tests.benchmarks.measure import measure
from tests.benchmarks.paper import figures
from tests.benchmarks.paper.experiments import EXPERIMENTS
from tests.benchmarks.paper.figures import BLOCKS, PAGE, page_with_experiments, read_records, write_pictures
from tests.benchmarks.paper.stock import MINUTES, VARIANTS, stock
from tests.benchmarks.peers import java_program
from tests.benchmarks.peers.comparison import Comparison, compare
from tests.benchmarks.peers.java_program import built
from tests.benchmarks.workload import ENGINE, Unavailable

COMPARED = [each for each in EXPERIMENTS if isinstance(each, Comparison)]
ONCE = ("paper-time-1s", "paper-sum-50", "paper-reasoning-5000", "paper-hierarchy-100")


@pytest.mark.parametrize("name", ONCE)
def test_all_ways_of_the_engine_agree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java_program.shutil, "which", lambda _name: None)
    record = _compared(name, 60)
    assert record["agree"]
    assert record[ENGINE]["answers"] > 0
    assert set(record["skipped"]) == {"esper"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [*ONCE[:2], *(pytest.param(each, marks=pytest.mark.long) for each in ONCE[2:])]
)
def test_esper_agrees(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")  # the better compiler does not pay
    try:
        built("esper")
    except Unavailable as reason:
        pytest.skip(str(reason))
    record = _compared(name, 400)
    assert record["agree"]
    assert any(form.startswith("esper, ") for form in record["yardsticks"])


def _compared(name: str, events: int) -> dict[str, object]:
    try:
        return compare(next(each for each in COMPARED if each.name == name), events, runs=1, warm=0)
    except Unavailable as reason:
        pytest.skip(str(reason))


def test_a_window_has_the_prices_of_its_seconds() -> None:
    """A price every tenth of a second: the average of 1 s is that of ten prices."""
    from tests.benchmarks.paper.windows import over_time
    from tests.benchmarks.peers.place import place

    with place(warm=0) as here, over_time(1, here, 40).contenders[ENGINE].ready(True) as run:
        rows = run().rows
    assert rows is not None
    assert [average for _, average, _, end in rows if end == 3_000_000] == [25.5]  # of 21 to 30


def test_demos() -> None:
    by_name = {each.name: each for each in EXPERIMENTS if not isinstance(each, Comparison)}
    record = measure(by_name["paper-delivery-10-5"], 2, 1)
    assert record["events"] > record["engine"]["answers"] > 0
    assert record["engine"]["memory_mb"] > 1
    record = measure(by_name["paper-tsunami"], 60, 1)
    assert record["engine"]["answers"] > record["details"]["judged"] > 30
    assert 0 < record["details"]["above"] < 10
    assert sum(number for _, number in record["details"]["histogram_mm"]) == record["details"]["judged"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_stock_market(variant: str) -> None:
    """The window is long enough for all of so few events, and the background adds names alone."""
    found = []
    for minutes, known in ((10, 0), (60, 0), (60, 800)):
        with stock(variant, minutes, known, 3_000).contenders[ENGINE].ready(True) as run:
            rows = run().rows
        assert rows
        found.append(rows)
    assert found[0] == found[1]
    by_name = [each for each in EXPERIMENTS if each.name.startswith(f"paper-stock-{variant}-")]
    assert len(by_name) == len(MINUTES)


def test_the_list_and_the_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--list", "paper"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names == [each.name for each in EXPERIMENTS]
    assert main(["bench", "--list"]) == 0
    assert "paper-tsunami" not in capsys.readouterr().out


def test_two_kinds_of_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java_program.shutil, "which", lambda _name: None)
    assert main(["bench", "paper-sum-50", "paper-sum-100", "paper-delivery-1-5", "--quick"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith(("row ", "workload "))] == [
        "row",
        "workload",
    ]


def test_records_become_tables_and_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "records.ndjson"
    file.write_text("".join(f"{json.dumps(_record(each.name))}\n" for each in EXPERIMENTS), encoding="utf-8")
    records = read_records([str(file)])
    real = PAGE.read_text(encoding="utf-8")
    page = page_with_experiments(records, real)
    assert page_with_experiments(records, page) == page
    for name in BLOCKS:
        assert page.count(figures.begin(name)) == page.count(figures.end(name)) == 1, name
    assert "Abacus, one core, Python 3.11.7" in page
    assert "| 10 s | 100 | 1,000 | 4,000 | 20,000 |\n" in page
    assert "| 5,000 | 1,000 | 20,000 | 0.05 |\n" in page
    assert "| 40,080 | 8 | 20,000 | 20,000 | 1000.0 | 1,000 | 10,000 |\n" in page
    assert "| 10 | 20 | 7 | 20,000 | 20,000 | 1,295 | 1.5 | 14,500 | 1,503 |\n" in page
    assert "| here, simulated | 20,000 | 5 | 80 mm | 1,000 |\n" in page
    written = write_pictures(records, tmp_path)
    assert [path.name for path in written] == [f"evaluation-{name}.png" for name in figures.PICTURES]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written)


def test_tables_and_pictures_without_esper(tmp_path: Path) -> None:
    records = {each.name: _record(each.name) for each in EXPERIMENTS}
    for record in records.values():
        record["yardsticks"] = {}
    page = page_with_experiments(records, PAGE.read_text(encoding="utf-8"))
    assert "| 10 s | 100 | 1,000 | - | - |\n" in page
    assert "| 5,000 | 1,000 | - | - |\n" in page
    assert len(write_pictures(records, tmp_path)) == len(figures.PICTURES)


def test_what_was_not_measured_stays(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page_with_experiments({}, page) == page
    assert write_pictures({}, tmp_path) == []
    some = page_with_experiments({"paper-tsunami": _record("paper-tsunami")}, page)
    assert "| here, simulated | 20,000 |" in some
    assert "Abacus" not in some


def _record(name: str) -> dict[str, object]:
    others = {"esper, join": (20_000, 0.05), "esper, pattern": (10_000, 0.1), "engine, WINDOW": (4_000, 0.25)}
    others["python"] = (2_000, 0.5)
    size = int(name.rpartition("-")[2]) if name.startswith("paper-hierarchy-") else 40_080
    return {
        "workload": name,
        "events": 20_000,
        "runs": 3,
        "machine": {"processor": "Abacus", "python": "3.11.7", "swipl": "9.2.9"},
        "details": {
            "prices_in_window": 100, "classes": size, "depth": 8, "above": 5, "largest_mm": 80.0,
            "histogram_mm": [[-80, 1], [-5, 100], [0, 120], [30, 4]],
        },
        "engine": {"answers": 7, "events_per_second": 1_000, "memory_mb": 14.5, "mean_ms": 1.5},
        "yardsticks": {
            form: {"events_per_second": speed, "ratio": ratio} for form, (speed, ratio) in others.items()
        },
    }  # fmt: skip
