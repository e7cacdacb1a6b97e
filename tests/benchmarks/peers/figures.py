"""Writes the table of peers in docs/performance.md from records of their comparison.

Run: etalis bench --peers --output FILE...; python -m tests.benchmarks.peers.figures FILE...
Of rows that are in several files the last record counts; those that are in none stay. Of each peer the
fastest form is shown; of the engine, too, and beside it how fast it is if texts come in coded.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.figures import PAGE, rows_by_name
from tests.benchmarks.peers.comparison import CODED
from tests.benchmarks.peers.rows import ROWS
from tests.benchmarks.workload import ENGINE

__all__ = ["page_with_peers"]

BEGIN, END = "<!-- figures: tests/benchmarks/peers/figures.py writes this -->", "<!-- end of peers -->"
HEAD = """\
| job | events | answers | engine, events/s | peer, its best form | events/s | ratio |
|---|---:|---:|---:|---|---:|---:|"""


def page_with_peers(records: Iterable[Mapping[str, Any]], page: str) -> str:
    """The page with the figures of these records in place of those it has."""
    known = {record["workload"]: record for record in records}
    before, _, rest = page.partition(BEGIN)
    old, _, after = rest.partition(END)
    rows = rows_by_name(old)
    about = old.partition(HEAD)[0].strip() if rows.keys() - known.keys() else _about(list(known.values()))
    rows |= {name: list(_rows(record)) for name, record in known.items()}
    table = "".join(line for row in ROWS for line in rows.get(row.name, ()))
    return f"{before}{BEGIN}\n\n{about}\n\n{HEAD}\n{table}\n{END}{after}"


def _about(records: list[Mapping[str, Any]]) -> str:
    """Where and how they were measured."""
    machine = records[0]["machine"]
    runs = " or ".join(str(number) for number in sorted({record["runs"] for record in records}))
    return (
        f"{machine['processor']}, one core, Python {machine['python']}, SWI-Prolog {machine['swipl']}; "
        f"medians of {runs} runs."
    )


def _rows(record: Mapping[str, Any]) -> Iterator[str]:
    engine = record[ENGINE]
    first = [
        f"{record['purpose']} (`{record['workload']}`)",
        f"{record['events']:,}",
        f"{engine['answers']:,}",
        f"{_speed(engine)} ({engine['form']})" if "form" in engine else _speed(engine),
    ]
    best: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for name, part in sorted(record.get("yardsticks", {}).items(), key=lambda each: each[1]["ratio"]):
        if name == CODED:
            best[name] = name, part
        elif not name.startswith(f"{ENGINE}, "):
            best.setdefault(name.partition(",")[0], (name, part))
    for name, part in best.values():
        ratio = f"{part['ratio']:.2f}"
        yield f"| {' | '.join([*first, name, _speed(part), ratio])} |\n"
        first = [""] * 4


def _speed(part: Mapping[str, Any]) -> str:
    """Events a second, and where it was measured how long one takes."""
    if "p50_us" not in part:
        return f"{part['events_per_second']:,}"
    return f"{part['events_per_second']:,}; p50 {part['p50_us']:,.1f} us, p99 {part['p99_us']:,.1f} us"


def main() -> None:
    lines = (line for name in sys.argv[1:] for line in Path(name).read_text(encoding="utf-8").splitlines())
    text = page_with_peers(map(json.loads, lines), PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
