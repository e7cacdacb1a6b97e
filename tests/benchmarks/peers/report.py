"""The table of a comparison with peers: a line for each form of each peer, the fastest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.benchmarks.workload import ENGINE

__all__ = ["peers_head", "peers_lines", "skipped_line"]

_LINE = "{:<20} {:>9} {:>11}  {:<18} {:>11}  {:>6}"


def peers_head(record: Mapping[str, Any]) -> Iterator[str]:
    """What stands above the lines: the machine of a record."""
    machine = record["machine"]
    core = "no core of its own" if record["core"] is None else f"all on core {record['core']}"
    yield f"{machine['processor']}, {core}, Python {machine['python']}, SWI-Prolog {machine['swipl']}"
    yield ""
    yield _LINE.format("row", "answers", "events/s", "peer, form", "events/s", "ratio")


def peers_lines(record: Mapping[str, Any]) -> Iterator[str]:
    """The lines of one record."""
    engine, peers = record[ENGINE], record.get("yardsticks", {})
    first = (record["workload"], f"{engine['answers']:,}", f"{engine['events_per_second']:,}")
    for name, part in sorted(peers.items(), key=lambda each: each[1]["ratio"]):
        yield _LINE.format(*first, name, f"{part['events_per_second']:,}", f"{part['ratio']:.2f}")
        first = ("",) * 3
    if not peers:
        yield _LINE.format(*first, "", "", "").rstrip()
    for name, part in {ENGINE: engine, **peers}.items():
        if "p50_us" in part:
            yield f"    {name}: p50 {part['p50_us']:,.1f} us, p99 {part['p99_us']:,.1f} us"
    for name, reason in record["skipped"].items():
        yield f"    {name}: skipped: {reason}"
    if record["agree"]:
        yield f"    checksum {engine['checksum']}"
    else:
        found = {ENGINE: engine, **peers}
        parts = (f"{name} {part['answers']:,} ({part['checksum']})" for name, part in found.items())
        yield f"    THE ANSWERS DIFFER: {', '.join(parts)}"


def skipped_line(row: str, reason: object) -> str:
    """The line of a row that cannot be had on this machine."""
    return f"{row:<20} skipped: {reason}"
