"""The tables of docs/performance.md come from records."""

from __future__ import annotations

from typing import Any

from tests.benchmarks.figures import BEGIN, END, PAGE, page_with

RECORD: dict[str, Any] = {
    "workload": "one-key",
    "events": 1000,
    "runs": 3,
    "machine": {"processor": "Abacus", "cores": 1, "python": "3.11.7", "swipl": "9.2.9"},
    "engine": {"events_per_second": 20_000, "inferences_per_event": 70.4},
    "yardsticks": {"kernel": {"events_per_second": 40_000, "ratio": 0.5}},
}


def test_a_record_becomes_a_row() -> None:
    page = page_with([RECORD | {"events": 5}, RECORD], f"before\n{BEGIN}\nold\n{END}\nafter\n")
    assert page.startswith("before\n")
    assert page.endswith(f"{END}\nafter\n")
    assert "old" not in page
    assert "Abacus, 1 cores" in page
    assert page.count("| `one-key` | 1,000 | 20,000 | 70 | kernel, 40,000/s | 0.50 |") == 1


def test_other_rows_stay() -> None:
    page = page_with([RECORD, RECORD | {"workload": "filter"}], f"{BEGIN}\n{END}\n")
    new = page_with([RECORD | {"events": 5}], page)
    assert new == page.replace("| `one-key` | 1,000 |", "| `one-key` | 5 |")


def test_the_page_has_a_place_for_them() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page.index(BEGIN) < page.index(END)
