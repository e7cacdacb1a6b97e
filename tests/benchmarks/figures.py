"""Writes the tables of docs/performance.md from records of the suite.

Run: etalis bench --output FILE...; python -m tests.benchmarks.figures FILE...
Of workloads that are in several files the last record counts; those that are in none keep their rows.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.suite import WORKLOADS

__all__ = ["page_with", "rows_by_name"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "performance.md"
BEGIN, END = "<!-- figures: tests/benchmarks/figures.py writes this -->", "<!-- end of figures -->"
HEAD = """\
| workload | events | events/s | steps | beside | ratio |
|---|---:|---:|---:|---|---:|"""


def page_with(records: Iterable[Mapping[str, Any]], page: str) -> str:
    """The page with the figures of these records in place of those it has."""
    known = {record["workload"]: record for record in records}
    before, _, rest = page.partition(BEGIN)
    old, _, after = rest.partition(END)
    rows = rows_by_name(old)
    about = old.partition(HEAD)[0].strip() if rows.keys() - known.keys() else _about(list(known.values()))
    rows |= {name: list(_rows(record)) for name, record in known.items()}
    table = "".join(row for each in WORKLOADS for row in rows.get(each.name, ()))
    return f"{before}{BEGIN}\n\n{about}\n\n{HEAD}\n{table}\n{END}{after}"


def rows_by_name(table: str) -> dict[str, list[str]]:
    """The lines of a table by the name that stands in quotes in the first line of each."""
    rows: dict[str, list[str]] = {}
    own: list[str] = []
    for line in table.splitlines(keepends=True):
        named = re.match(r"\| [^|]*`([^`|]+)`", line)
        if named is not None:
            own = rows[named[1]] = []
        if line.startswith("|"):
            own.append(line)
    return rows


def _about(records: list[Mapping[str, Any]]) -> str:
    """Where and how they were measured."""
    machine = records[0]["machine"]
    runs = sorted({record["runs"] for record in records})
    return (
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, SWI-Prolog "
        f"{machine['swipl']}; medians of {_listed(runs)} runs."
    )


def _listed(numbers: list[int]) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} or {last}" if first else last


def _rows(record: Mapping[str, Any]) -> Iterable[str]:
    engine = record["engine"]
    first = [
        f"`{record['workload']}`",
        f"{record['events']:,}",
        f"{engine['events_per_second']:,}",
        f"{engine['inferences_per_event']:,.0f}" if engine["inferences_per_event"] >= 1 else "",
    ]
    yardsticks: Mapping[str, Any] = record.get("yardsticks", {})
    if not yardsticks:
        yield _row([*first, "", ""])
    for name, part in yardsticks.items():
        yield _row([*first, f"{name}, {part['events_per_second']:,}/s", f"{part['ratio']:.2f}"])
        first = [""] * 4
    for name, part in {"engine": engine, **yardsticks}.items():
        for key, unit in (
            ("start_seconds", "s to the end"),
            ("load_seconds", "s"),
            ("bytes_per_triple", "bytes a triple"),
            ("growth_percent", "% more memory at most, after a tenth"),
        ):
            if key in part:
                yield _row(["", "", "", "", f"{name}: {part[key]:,} {unit}", ""])


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def main() -> None:
    lines = (line for name in sys.argv[1:] for line in Path(name).read_text(encoding="utf-8").splitlines())
    text = page_with(map(json.loads, lines), PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
