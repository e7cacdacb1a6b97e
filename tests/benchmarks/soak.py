"""Soak: `etalis run` reads a pipe for a long time, and what feeds it is killed again and again.

Run: python -m tests.benchmarks.soak [--minutes M | --events N] [--seed S] [--output FILE]
Each answer is compared with one that is computed by hand, and resident memory may not grow by more than 5 %
after the first tenth. Exit code 0, or 1 with what was wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from etalis_py.core.times import format_time
from tests.benchmarks.machine import growth_percent, machine, resident_bytes
from tests.benchmarks.soak_feeder import progress_of
from tests.benchmarks.soak_stream import BLOCK, PAIRS, SUMS, Answer, expected

__all__ = ["SoakReport", "soak"]

PROJECT = Path(__file__).resolve().parents[2]
MOST_GROWTH = 5.0
"""Percent."""


@dataclass(slots=True)
class SoakReport:
    """What came of it: ``samples`` are seconds, events, resident bytes; ``fault`` is empty if all is well."""

    events: int = 0
    kills: int = 0
    seconds: float = 0.0
    answers: dict[str, int] = field(default_factory=dict)
    samples: list[tuple[float, int, int]] = field(default_factory=list)
    fault: str = ""

    @property
    def growth_percent(self) -> float:
        """How much more memory there was at most after the first tenth of the events than at its end."""
        return growth_percent([(events, memory) for _, events, memory in self.samples])


def soak(
    *,
    events: int | None = None,
    seconds: float | None = None,
    pauses: tuple[float, float] = (0.5, 20.0),
    seed: int = 1,
) -> SoakReport:
    """Feed so many events, or for so long; each feeder lives between the two ``pauses``, in seconds."""
    report = SoakReport()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "progress").touch()
        for query, text in (("pairs", PAIRS), ("sums", SUMS)):
            (folder / f"{query}.rq").write_text(text, encoding="utf-8")
        words = [
            "run",
            "pairs.rq",
            "sums.rq",
            "--stream",
            "-",
            "--stream-format",
            "ndjson",
            "--results",
            "ndjson",
        ]
        command = [sys.executable, "-m", "etalis_py", *words, "--on-late", "drop", "--quiet"]
        reading, writing = os.pipe()
        began = time.monotonic()
        with subprocess.Popen(
            command, cwd=folder, stdin=reading, stdout=subprocess.PIPE, text=True, env=_environment()
        ) as engine:
            os.close(reading)
            blocks = None if events is None else -(-events // BLOCK)
            feeding = _Feeding(folder / "progress", writing, blocks, seconds, pauses, random.Random(seed))
            killer = threading.Thread(target=feeding.run, args=(engine.pid, report), daemon=True)
            killer.start()
            assert engine.stdout is not None
            rest = _compare(engine.stdout, report)
            feeding.give_up()
            killer.join()
        report.seconds = time.monotonic() - began
    for query, wanted in rest.items():
        missing = next(wanted)
        if not report.fault and missing.event < report.events:
            report.fault = f"{query} lacks {missing}"
        if not report.fault and engine.returncode:
            report.fault = f"etalis run ends with {engine.returncode}"
    return report


@dataclass(slots=True)
class _Feeding:
    """Starts feeders and kills them; the last one is let live to its end."""

    progress: Path
    pipe: int
    blocks: int | None
    seconds: float | None
    pauses: tuple[float, float]
    chance: random.Random
    over: threading.Event = field(default_factory=threading.Event)

    def give_up(self) -> None:
        self.over.set()

    def run(self, engine: int, report: SoakReport) -> None:
        """Feed to the end. Takes a sample of the engine's memory ten times a second at most."""
        began = time.monotonic()
        last = self.blocks
        while True:
            feeder = self._start(last)
            until = time.monotonic() + self.chance.uniform(*self.pauses)
            while feeder.poll() is None and time.monotonic() < until and not self.over.is_set():
                self._sample(engine, began, report)
                time.sleep(0.1)
            if feeder.poll() is None:
                feeder.send_signal(signal.SIGKILL)
                report.kills += 1
            code = feeder.wait()
            if self.over.is_set() or code == 0:
                break
            if code != -signal.SIGKILL:
                report.fault = report.fault or f"the feeder ends with {code}"
                break
            if last is None and self.seconds is not None and time.monotonic() - began > self.seconds:
                last = progress_of(self.progress) + 1
        report.events = progress_of(self.progress) * BLOCK
        os.close(self.pipe)

    def _start(self, last: int | None) -> subprocess.Popen[bytes]:
        words = [str(self.progress), *([] if last is None else [str(last)])]
        command = [sys.executable, "-m", "tests.benchmarks.soak_feeder", *words]
        return subprocess.Popen(command, cwd=PROJECT, stdout=self.pipe, env=_environment())

    def _sample(self, engine: int, began: float, report: SoakReport) -> None:
        now = time.monotonic() - began
        if report.samples and now - report.samples[-1][0] < now / 500:
            return
        try:
            memory = resident_bytes(engine)
        except (OSError, IndexError):
            return
        report.samples.append((round(now, 2), progress_of(self.progress) * BLOCK, memory))


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(PROJECT)}


def _compare(lines: Iterable[str], report: SoakReport) -> dict[str, Iterator[Answer]]:
    """Read all answers and set ``report.fault`` at the first that is not what it should be.

    Gives what is expected after those that came.
    """
    wanted = {"pairs": expected("pairs"), "sums": expected("sums")}
    names = {"pairs": ("x", "a", "b"), "sums": ("sum",)}
    report.answers = dict.fromkeys(wanted, 0)
    for text in lines:
        row = json.loads(text)
        query = row["query"]
        should = next(wanted[query])
        values = tuple(row["bindings"][name]["value"] for name in names[query])
        times = (format_time(should.start), format_time(should.end))
        if values != should.values or (row["start"], row["end"]) != times:
            report.fault = f"{query} gives {text.strip()} instead of {should}"
            break
        report.answers[query] += 1
    return wanted


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--minutes", type=float, default=30.0)
    arguments.add_argument("--events", type=int, help="feed so many, however long it takes")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--output", type=Path, help="a JSON record with the samples of memory")
    given = arguments.parse_args()
    seconds = None if given.events else given.minutes * 60
    report = soak(events=given.events, seconds=seconds, seed=given.seed)
    if given.output:
        record = {"machine": machine(), "growth_percent": report.growth_percent, **asdict(report)}
        given.output.write_text(json.dumps(record) + "\n", encoding="utf-8")
    if not report.fault and report.growth_percent > MOST_GROWTH:
        report.fault = f"memory grows by more than {MOST_GROWTH:.0f} %"
    told = ", ".join(f"{number:,} {query}" for query, number in report.answers.items())
    memory = f"{report.samples[-1][2] / 2**20:,.0f} MiB" if report.samples else "no sample"
    print(f"{report.events:,} events in {report.seconds:,.0f} s, {report.kills:,} kills, {told}")
    print(f"memory {memory}, at most {report.growth_percent:+.1f} % after the first tenth")
    if report.fault:
        sys.exit(report.fault)


if __name__ == "__main__":
    main()
