"""Kills processes of a Spark application with SIGKILL: the driver, or one of its Python workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Literal

PROJECT = Path(__file__).resolve().parents[3]
Victim = Literal["driver", "worker"]


class KilledStream:
    """The stream of `driver.py` in ``folder``: started, killed, and started again, until it is through."""

    def __init__(self, folder: Path, program: str) -> None:
        self._folder = folder
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None
        self.killed: list[Victim] = []

    def run(self, victims: list[tuple[int, Victim]], choice: Random, seconds: float) -> None:
        """Kill each victim once so many micro-batches are committed, at a random moment of the next one."""
        until = time.monotonic() + seconds
        try:
            for committed, victim in victims:
                self._wait_for(committed, until)
                time.sleep(choice.random() * 0.5)  # the moment is to be a random one
                while not (self._folder / "done").exists():
                    if self._kill(victim, choice):
                        self.killed.append(victim)
                        break
                    self._keep_alive(until)
            while not (self._folder / "done").exists():
                self._keep_alive(until)
        finally:
            self._end()

    @property
    def committed(self) -> int:
        """How many micro-batches are through."""
        commits = self._folder / "check" / "commits"
        return max((int(each.name) + 1 for each in commits.glob("[0-9]*")), default=0)

    def _wait_for(self, count: int, until: float) -> None:
        while self.committed < count and not (self._folder / "done").exists():
            self._keep_alive(until)

    def _keep_alive(self, until: float) -> None:
        if time.monotonic() > until:
            raise TimeoutError(f"{self.committed} micro-batches in time:\n{self._log[-3000:]}")
        if self._process is None:
            self._start()
        elif self._process.poll() is not None and not (self._folder / "done").exists():
            raise RuntimeError(f"the driver ended by itself:\n{self._log[-3000:]}")
        time.sleep(0.05)

    def _start(self) -> None:
        names = ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET")
        environment = {name: value for name, value in os.environ.items() if name not in names}
        environment["PYSPARK_SUBMIT_ARGS"] = (
            "--master local[2,4] --driver-memory 700m --conf spark.sql.shuffle.partitions=2 pyspark-shell"
        )
        command = [sys.executable, "-m", "tests.spark.streaming.driver", str(self._folder), self._program]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd=PROJECT, env=environment, stdout=log, stderr=log, start_new_session=True
            )

    @property
    def _log(self) -> str:
        return (self._folder / "log").read_text(errors="replace")

    def _kill(self, victim: Victim, choice: Random) -> bool:
        """Whether there was one to be killed."""
        if self._process is None:
            return False
        if victim == "driver":
            self._end()
            return True
        below = list(_below(self._process.pid))
        workers = [pid for pid, name in below if "pyspark.daemon" in name and _has_parent(pid, below)]
        if workers:
            with suppress(ProcessLookupError):
                os.kill(choice.choice(workers), signal.SIGKILL)
                return True
        return False

    def _end(self) -> None:
        """End the driver and all it started."""
        if self._process is None:
            return
        for pid in [self._process.pid, *(pid for pid, _ in _below(self._process.pid))]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        self._process = None


def _has_parent(pid: int, processes: list[tuple[int, str]]) -> bool:
    """Whether this is a worker and not the daemon that makes them."""
    parent = _parent(pid)
    return any(each == parent and "pyspark.daemon" in name for each, name in processes)


def _parent(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return None


def _below(pid: int) -> Iterator[tuple[int, str]]:
    """The processes that a process started, and those that they did, with their command lines."""
    children: dict[int | None, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        children.setdefault(_parent(int(folder.name)), []).append(int(folder.name))
    waiting = [pid]
    while waiting:
        for child in children.get(waiting.pop(), []):
            waiting.append(child)
            with suppress(OSError):
                yield child, Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()
