"""Load: clients read answers as Server-Sent Events while events come in batches. What does it cost?

Run: python -m tests.serve.soak [--minutes M] [--clients N] [--rate N] [--batch N]
     [--no-state] [--strict]

Each client has to get each answer once and in order, and resident memory may not grow by more than 5 % after
the first tenth; with ``--strict``, for a quiet machine, events have to be taken at the rate, and p99 has to
be under 50 ms. What the server is told to keep is full before that: the goals of two seconds, and the answers
of a twentieth of the time. Exit code 0, or 1 with what was wrong.

``--compare``: what HTTP costs beside the bare engine.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import httpx

from tests.benchmarks.machine import growth_percent, machine, resident_bytes
from tests.patience import PATIENCE
from tests.serve.servers import NDJSON, RISE, Running, query_file, serving

__all__ = ["LoadReport", "body", "load", "processor_seconds"]

PROJECT = Path(__file__).resolve().parents[2]
QUERY = f'{RISE} FILTER (getDURATION() < "PT0.1S"^^xsd:duration)'
"""Without the bound each pair would be kept for ever. A microsecond of an event is one event."""
ANSWERED = 2000
"""Each so many events have a pair that gives an answer."""
NEW = 50
"""Each so many events have a name of their own."""
BEFORE = 100_000
"""Answers before anybody reads: what an engine keeps of names in answers is full by then."""
MOST_GROWTH = 5.0
"""Percent."""
MOST_P99_MS = 50.0
LEAST_OF_RATE = 0.98
LEAST_KEPT = 32 << 10
"""Bytes."""
ANSWER = 300
"""Bytes of memory that an answer takes, about."""


@dataclass(slots=True)
class LoadReport:
    """``answers``: those of each client; ``samples``: seconds and resident bytes.

    Latencies are from before a request until a client has the answer.
    """

    events: int = 0
    seconds: float = 0.0
    answers: int = 0
    p50_ms: float = 0.0
    p99_ms: float = 0.0
    cores: float = 0.0
    samples: list[tuple[float, int]] = field(default_factory=list)
    fault: str = ""


def load(
    *,
    events: int | None = None,
    seconds: float = 0.0,
    clients: int,
    rate: float,
    batch: int,
    state: bool = True,
    kept: int | None = None,
    before: int = 0,
) -> LoadReport:
    """Send so many events, or for so long, at ``rate`` a second (0: as fast as it goes).

    ``kept``: bytes of memory that the server has for answers. ``before``: so many answers are found before
    anybody reads, so that what the engine keeps of their names is full.
    """
    report = LoadReport()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = ["--state", folder / "state"] if state else []
        words += [] if kept is None else ["--limit", f"kept={kept}"]
        with serving(query_file(folder, QUERY), *words) as running:
            _answer(running, before, batch)
            with _readers(running, clients, before) as readers:
                _feed(running, report, None if events is None else events // batch, seconds, rate, batch)
                assert readers.stdout is not None
                told: dict[str, Any] = json.loads(readers.stdout.readline())
                assert running.end() == 0
    for attribute, value in told.items():
        setattr(report, attribute, value)
    if not report.fault and report.answers != -(-report.events // ANSWERED):
        report.fault = f"{report.answers} answers of {report.events} events"
    return report


def _answer(running: Running, count: int, batch: int) -> None:
    """So many answers, to pairs of events before those of the load."""
    first = -1 - 2 * count
    pairs = (
        row(first + 2 * number, f"before{number}", "low")
        + row(first + 2 * number + 1, f"before{number}", "high")
        for number in range(count)
    )
    while some := "".join(islice(pairs, batch // 2)):
        running.post("/events", some, headers=NDJSON)


class _readers:  # noqa: N801 - used as a function
    """A process of clients that read what comes ``after`` an answer; all are there when it is entered."""

    def __init__(self, running: Running, clients: int, after: int) -> None:
        words = [running.address, str(clients), str(after)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.serve.soak_readers", *words],
            cwd=PROJECT,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> subprocess.Popen[str]:
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "reading\n"
        return self._process

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait(PATIENCE)


def _feed(
    running: Running, report: LoadReport, batches: int | None, seconds: float, rate: float, batch: int
) -> None:
    """The last body closes the instant of the last answer, and ends the readers."""
    pid = running.process.pid
    began, before = time.monotonic(), processor_seconds(pid)
    with httpx.Client(base_url=running.address, timeout=PATIENCE, trust_env=False) as client:
        number = 0
        while time.monotonic() - began < seconds if batches is None else number < batches:
            reply = client.post("/events", content=body(number, batch), headers=NDJSON)
            if reply.json() != {"taken": batch}:
                report.fault = reply.text
                break
            number += 1
            now = time.monotonic() - began
            if not report.samples or now - report.samples[-1][0] >= max(0.1, now / 500):
                report.samples.append((round(now, 2), resident_bytes(pid)))
            if rate:
                time.sleep(max(0.0, number * batch / rate - now))
        report.events = number * batch
        report.seconds = time.monotonic() - began
        report.cores = (processor_seconds(pid) - before) / report.seconds
        last = (
            row(report.events + 1, "end", "low")
            + row(report.events + 2, "end", "high")
            + row(report.events + 3)
        )
        client.post("/events", content=last.encode(), headers=NDJSON)


def body(number: int, batch: int) -> bytes:
    """The events of a batch; the subject of each pair has the pair's number, and when it was made."""
    first = number * batch
    pairs = {each for each in range(first, first + batch) if each % ANSWERED == 0}
    now = time.monotonic_ns() // 1000
    names = {each: f"{each // ANSWERED}:{now}" for each in pairs}
    return "".join(
        row(each, names[each], "low")
        if each in pairs
        else row(each, names[each - 1], "high")
        if each - 1 in pairs
        else row(each)
        for each in range(first, first + batch)
    ).encode()


def row(time_: int, who: str = "", what: str = "mid") -> str:
    """An event as NDJSON; so many have a name that is new that all that is kept of names is soon full."""
    who = who or str(time_ if time_ % NEW == 0 else time_ % 1000)
    return f'{{"start": {time_}, "s": "<urn:n:{who}>", "p": "<urn:is>", "o": "\\"{what}\\""}}\n'


def processor_seconds(pid: int) -> float:
    """What a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def too_slow(report: LoadReport, rate: float) -> str:
    """What was too slow; an empty text where nothing was."""
    taken = report.events / report.seconds
    if taken < LEAST_OF_RATE * rate:
        return f"{taken:,.0f} events/s of {rate:,.0f} were taken"
    return f"p99 is {report.p99_ms:.1f} ms" if report.p99_ms >= MOST_P99_MS else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the load; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--rate", type=float, default=50_000.0)
    parser.add_argument("--batch", type=int, default=500)
    parser.add_argument("--no-state", dest="state", action="store_false")
    parser.add_argument("--strict", action="store_true")
    given = parser.parse_args(arguments)
    report = load(
        seconds=60 * given.minutes,
        clients=given.clients,
        rate=given.rate,
        batch=given.batch,
        state=given.state,
        kept=max(LEAST_KEPT, round(60 * given.minutes * given.rate / ANSWERED / 20) * ANSWER),
        before=BEFORE,
    )
    growth = growth_percent(report.samples)
    if not report.fault and growth > MOST_GROWTH:
        report.fault = f"memory grows by {growth:.1f} %"
    if given.strict and not report.fault:
        report.fault = too_slow(report, given.rate)
    print(
        f"{report.events / report.seconds:,.0f} events/s for {report.seconds:.0f} s, {given.clients} clients "
        f"with {report.answers:,} answers each: p50 {report.p50_ms:.1f} ms, p99 {report.p99_ms:.1f} ms; "
        f"{report.cores:.2f} cores, {report.samples[-1][1] >> 20} MiB, {growth:+.1f} %"
    )
    print(json.dumps(machine()))
    print(report.fault or "all is well")
    return 1 if report.fault else 0


if __name__ == "__main__":
    sys.exit(main())
