"""Writes the tables and the pictures of docs/evaluation.md from records of the paper's experiments.

Run: etalis bench paper --output FILE...; python -m tests.benchmarks.paper.figures FILE...
Of experiments that are in several files the last record counts. A table or a picture one of whose experiments
is in none of them stays as it is.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.paper.demos import LOCATIONS, VISITORS
from tests.benchmarks.paper.pictures import (
    Records,
    best,
    delay_ms,
    draw_demos,
    draw_reasoning,
    draw_stock,
    draw_windows,
    hierarchy_record,
)
from tests.benchmarks.paper.printed import ABOVE, MEMORY_KB, READINGS, TIME_WINDOWS, TIMES_MS, TRIPLES
from tests.benchmarks.paper.reasoning import HIERARCHIES
from tests.benchmarks.paper.stock import BACKGROUNDS, MANY, MINUTES, VARIANTS
from tests.benchmarks.paper.windows import COUNT_WINDOWS, WINDOW_CLAUSE
from tests.benchmarks.workload import ENGINE

__all__ = ["BLOCKS", "PAGE", "begin", "end", "page_with_experiments", "write_pictures"]

PAGE = Path(__file__).resolve().parents[3] / "docs" / "evaluation.md"


def page_with_experiments(records: Records, page: str) -> str:
    """The page with the tables that these records fill in place of those it has."""
    for name, lines in BLOCKS.items():
        try:
            text = "\n".join(lines(records))
        except KeyError:  # a record that is not there
            continue
        before, _, rest = page.partition(begin(name))
        _, _, after = rest.partition(end(name))
        page = f"{before}{begin(name)}\n\n{text}\n\n{end(name)}{after}"
    return page


def write_pictures(records: Records, folder: Path) -> list[Path]:
    """Draw the pictures whose records are there; returns their paths."""
    written = []
    for name, draw in PICTURES.items():
        path = folder / f"evaluation-{name}.png"
        try:
            draw(records, path)
        except KeyError:  # a record that is not there
            continue
        written.append(path)
    return written


def begin(name: str) -> str:
    """What stands before a table."""
    return f"<!-- {name}: tests/benchmarks/paper/figures.py writes this -->"


def end(name: str) -> str:
    """What stands behind a table."""
    return f"<!-- end of {name} -->"


def _machine(records: Records) -> Iterator[str]:
    record = records[f"paper-time-{TIME_WINDOWS[0]}s"]
    machine = record["machine"]
    yield f"{machine['processor']}, one core, Python {machine['python']}, SWI-Prolog {machine['swipl']};"
    yield f"medians of {record['runs']} run{'s' * (record['runs'] > 1)}."


def _time_windows(records: Records) -> Iterator[str]:
    yield "| window | prices in it | queries (5) and (6), events/s | one query with `WINDOW` | Esper 9 |"
    yield "|---|---:|---:|---:|---:|"
    for seconds in TIME_WINDOWS:
        record = records[f"paper-time-{seconds}s"]
        speeds = (_speed(record, name) for name in (ENGINE, WINDOW_CLAUSE, "esper"))
        yield _row(f"{seconds} s", f"{record['details']['prices_in_window']:,}", *speeds)


def _count_windows(records: Records) -> Iterator[str]:
    yield "| matches in the window | engine, events/s | Esper 9 | ratio |"
    yield "|---:|---:|---:|---:|"
    for size in COUNT_WINDOWS:
        record = records[f"paper-sum-{size}"]
        yield _row(f"{size:,}", _speed(record, ENGINE), _speed(record, "esper"), _ratio(record, "esper"))


def _reasoning(records: Records) -> Iterator[str]:
    yield (
        "| classes | depth | triples | engine, ms | of one triple, us | Esper 9 with a hash set, ms "
        "| Python with one, ms |"
    )
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    growing = [hierarchy_record(records, classes) for classes in HIERARCHIES[:-1]]
    for record in (*growing, *(records[f"paper-reasoning-{triples}"] for triples in TRIPLES)):
        details = record["details"]
        yield _row(
            f"{details['classes']:,}",
            str(details["depth"]),
            f"{record['events']:,}",
            _delay(record, ENGINE),
            f"{1e6 / record[ENGINE]['events_per_second']:.1f}",
            _delay(record, "esper"),
            _delay(record, "python"),
        )


def _deliveries(records: Records) -> Iterator[str]:
    yield (
        "| visitors | locations | new routes | events | engine, ms | printed, ms | of one new route, ms "
        "| memory, kB | printed, kB |"
    )
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for visitors in VISITORS:
        for locations in LOCATIONS:
            record = records[f"paper-delivery-{visitors}-{locations}"]
            own = record[ENGINE]
            yield _row(
                str(visitors),
                str(locations),
                f"{own['answers']:,}",
                f"{record['events']:,}",
                _delay(record, ENGINE),
                f"{TIMES_MS[visitors][locations]:,}",
                f"{own['mean_ms']:.1f}" if "mean_ms" in own else "",
                f"{1_000 * own['memory_mb']:,.0f}",
                f"{MEMORY_KB[visitors][locations]:,}",
            )


def _tsunami(records: Records) -> Iterator[str]:
    record = records["paper-tsunami"]
    details, own = record["details"], record[ENGINE]
    yield "| | readings | beyond 30 mm | largest difference | readings/s |"
    yield "|---|---:|---:|---:|---:|"
    yield _row(
        "here, simulated",
        f"{record['events']:,}",
        f"{details['above']:,}",
        f"{details['largest_mm']:.0f} mm",
        f"{own['events_per_second']:,}",
    )
    yield _row("printed", f"{READINGS:,}", f"{ABOVE:,}", "", "")


def _speed(record: Mapping[str, Any], name: str) -> str:
    part = best(record, name)
    return "-" if part is None else f"{part['events_per_second']:,}"


def _delay(record: Mapping[str, Any], name: str) -> str:
    delay = delay_ms(record, name)
    return "-" if delay is None else f"{delay:,.1f}" if delay < 100 else f"{delay:,.0f}"


def _ratio(record: Mapping[str, Any], name: str) -> str:
    part = best(record, name)
    return "-" if part is None else f"{part['ratio']:.2f}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _stock(records: Records) -> Iterator[str]:
    yield "| window | strict, events/s | next | `+` | answers an event | every pair | answers an event |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for minutes in MINUTES:
        cells = []
        for variant in VARIANTS:
            record = records[f"paper-stock-{variant}-{minutes}"]
            cells.append(_speed(record, ENGINE))
            if variant in MANY:
                cells.append(f"{record[ENGINE]['answers'] / record['events']:.1f}")
        yield _row(f"{minutes} min", *cells)


def _stock_known(records: Records) -> Iterator[str]:
    yield "| triples of background | events/s |"
    yield "|---:|---:|"
    for known in BACKGROUNDS:
        yield _row(f"{known:,}", _speed(records[f"paper-stock-known-{known}"], ENGINE))


BLOCKS: Mapping[str, Callable[[Records], Iterator[str]]] = {
    "machine": _machine,
    "time windows": _time_windows,
    "count windows": _count_windows,
    "reasoning": _reasoning,
    "deliveries": _deliveries,
    "tsunami": _tsunami,
    "stock": _stock,
    "stock with background": _stock_known,
}
"""The tables of the page, by the names that stand around them."""

PICTURES: Mapping[str, Callable[[Records, Path], None]] = {
    "windows": draw_windows,
    "reasoning": draw_reasoning,
    "demos": draw_demos,
    "stock": draw_stock,
}


def read_records(names: Iterable[str]) -> Records:
    """The records of these files by the names of their experiments."""
    lines = (line for name in names for line in Path(name).read_text(encoding="utf-8").splitlines())
    return {record["workload"]: record for record in map(json.loads, lines)}


def main() -> None:
    records = read_records(sys.argv[1:])
    text = page_with_experiments(records, PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(text, encoding="utf-8")
    write_pictures(records, PAGE.parent)


if __name__ == "__main__":
    main()
