"""The table of a run of the suite: a line for each yardstick of each workload."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

__all__ = ["table_head", "table_lines"]

_IN_TABLE = {
    *("events", "answers", "events_per_second", "seconds", "seconds_by_the_clock", "inferences_per_event"),
    *("microseconds_more", "ratio", "ratios"),
}
_LINE = "{:<44} {:>9} {:>11} {:>8}  {:>6}  {:<24} {:>11} {:>8}"


def table_head(machine: Mapping[str, Any]) -> Iterator[str]:
    """What stands above the lines."""
    yield (
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, "
        f"SWI-Prolog {machine['swipl']}"
    )
    yield ""
    yield _LINE.format("workload", "answers", "events/s", "steps", "ratio", "beside", "events/s", "us more")


def table_lines(record: Mapping[str, Any]) -> Iterable[str]:
    """The lines of one record.

    ``steps`` are Prolog inferences an event; ``us more`` is what an event takes more.
    """
    engine = record["engine"]
    first = (
        record["workload"],
        f"{engine['answers']:,}",
        f"{engine['events_per_second']:,}",
        f"{engine['inferences_per_event']:,.1f}",
    )
    yardsticks: Mapping[str, Any] = record.get("yardsticks", {})
    if not yardsticks:
        yield _LINE.format(*first, *("",) * 4).rstrip()
    for name, part in yardsticks.items():
        speed, more = f"{part['events_per_second']:,}", f"{part['microseconds_more']:+,.1f}"
        yield _LINE.format(*first, f"{part['ratio']:.2f}", name, speed, more)
        first = ("",) * 4
    for name, part in {"engine": engine, **yardsticks}.items():
        extra = [f"{key.replace('_', ' ')} {value:,}" for key, value in part.items() if key not in _IN_TABLE]
        if extra:
            yield f"    {name}: {', '.join(extra)}"
    if not record["agree"]:
        found = {"engine": engine, **yardsticks}
        told = ", ".join(f"{name} {part['answers']:,}" for name, part in found.items())
        yield f"    THE ANSWERS DIFFER: {told}"
