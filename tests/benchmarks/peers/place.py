"""Where a comparison works: a folder for files that programs read, and processes that end with it."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa

from tests.benchmarks.workload import Contender, Unavailable

__all__ = ["Forms", "Place", "Process", "pinned", "place"]


Forms: TypeAlias = Mapping[str, Contender]
"""Contenders by their names."""


class Process:
    """A program that answers each line of its input with a line of JSON."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self._log = log
        with log.open("wb") as errors:
            self._running = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
            )

    def ask(self, order: str) -> dict[str, Any]:
        """Give an order and wait for what comes of it.

        Raises:
            RuntimeError: the program ended instead; the message is what it wrote to standard error.
        """
        assert self._running.stdin is not None
        assert self._running.stdout is not None
        try:
            self._running.stdin.write(f"{order}\n")
            self._running.stdin.flush()
            line = self._running.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise RuntimeError(f"a peer ended: {self._log.read_text(errors='replace')[:2000]}")
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        """End the program."""
        self._running.kill()
        self._running.communicate()


class Place:
    """A folder and the processes of one comparison.

    ``warm`` says for how many seconds a JIT may warm up; ``skipped`` why a peer is not in it.
    """

    def __init__(self, folder: Path, stack: ExitStack, warm: float) -> None:
        self.folder = folder
        self.warm = warm
        self.skipped: dict[str, str] = {}
        self._stack = stack
        self._names = 0

    def if_available(self, peer: str, forms: Callable[[], Forms]) -> Forms:
        """The forms of a peer; none, with the reason noted, where it is not on this machine."""
        try:
            return forms()
        except Unavailable as reason:
            self.skipped[peer] = str(reason)
            return {}

    def start(self, command: Sequence[str]) -> Process:
        """A program that runs until the comparison ends."""
        process = Process(command, self.new_file("log"))
        self._stack.callback(process.close)
        return process

    def new_file(self, suffix: str) -> Path:
        """The path of a file that is not there yet."""
        self._names += 1
        return self.folder / f"{self._names}.{suffix}"

    def write_events(self, table: pa.Table) -> Path:
        """The events as lines of time, subject, predicate and object, plain, with tabs between them."""
        path = self.new_file("tsv")
        with path.open("w", encoding="utf-8") as out:
            for row in zip(
                *(table.column(name).to_pylist() for name in ("start", "s", "p", "o")), strict=True
            ):
                time, *terms = row
                out.write("\t".join((str(time), *map(plain, terms))) + "\n")
        return path


def plain(term: str) -> str:
    """An IRI or an integer in N-Triples syntax, without its syntax."""
    return term[1 : term.index(">" if term[0] == "<" else '"', 1)]


@contextmanager
def place(warm: float) -> Iterator[Place]:
    """A place that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        yield Place(Path(folder), stack, warm)


@contextmanager
def pinned() -> Iterator[int | None]:
    """This process, and those it starts, on one core; gives its number, None where the system cannot."""
    if not hasattr(os, "sched_setaffinity"):
        yield None
        return
    before = os.sched_getaffinity(0)
    core = max(before)
    os.sched_setaffinity(0, {core})
    try:
        yield core
    finally:
        os.sched_setaffinity(0, before)
