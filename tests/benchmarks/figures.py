"""Writes the tables of docs/performance.md from records of the suite.

Run: etalis bench --output FILE...; python -m tests.benchmarks.figures FILE...
Of workloads that are in several files the last record counts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.suite import WORKLOADS

__all__ = ["page_with"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "performance.md"
BEGIN, END = "<!-- figures: tests/benchmarks/figures.py writes this -->", "<!-- end of figures -->"
HEAD = """\
| workload | events | events/s | steps | beside | ratio |
|---|---:|---:|---:|---|---:|"""


def page_with(records: Iterable[Mapping[str, Any]], page: str) -> str:
    """The page with the figures of these records in place of those it has."""
    known = {record["workload"]: record for record in records}
    order = [each.name for each in WORKLOADS if each.name in known]
    chosen = [known[name] for name in order]
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{''.join(_figures(chosen))}\n{END}{after}"


def _figures(records: list[Mapping[str, Any]]) -> Iterable[str]:
    machine = records[0]["machine"]
    runs = sorted({record["runs"] for record in records})
    yield (
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, SWI-Prolog "
        f"{machine['swipl']}; medians of {_listed(runs)} runs.\n\n{HEAD}\n"
    )
    for record in records:
        yield from _rows(record)


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
