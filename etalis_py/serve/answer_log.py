"""The answers of one engine, numbered, in one order: the newest are kept for whoever reads them.

All readers read the same log, each at its own pace, so that none costs memory. One that is so slow that
some are gone is told how many it has missed.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from sys import intern
from typing import BinaryIO, Final

from etalis_py.serve.numbered_files import NumberedFiles

__all__ = ["AnswerLog", "Numbered", "Read"]

_SEGMENT: Final = 16 << 20
"""Bytes of a file, about."""
_BESIDE: Final = 140
"""Bytes of memory that an answer takes beside its line."""
_SCANNED: Final = 20_000
"""Answers that are looked at in one read."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """An answer: its number, the name of its query, and its line of NDJSON without the end of the line."""

    number: int
    query: str
    line: bytes


@dataclass(frozen=True)
class Read:
    """What was read: some answers, the number up to which was looked, and how many were gone already.

    What it is as text is made once for all who get it.
    """

    answers: Sequence[Numbered]
    upto: int
    lost: int

    @cached_property
    def events(self) -> bytes:
        """Server-Sent Events (WHATWG HTML, section 9.2): the id is the number, at which a client goes on."""
        pieces = [b"event: lost\ndata: %d\n\n" % self.lost] if self.lost else []
        pieces += [b"id: %d\ndata: %s\n\n" % (each.number, each.line) for each in self.answers]
        return b"".join(pieces) or b": nothing new\n\n"

    @cached_property
    def messages(self) -> Sequence[str]:
        """JSON: each answer with its number before its other members."""
        lost = [json.dumps({"lost": self.lost})] if self.lost else []
        return [*lost, *(f'{{"number": {each.number}, {each.line[1:].decode()}' for each in self.answers)]


class AnswerLog:
    """Keeps the newest answers, in ``most_bytes`` of memory; in a ``folder`` the same in files, too.

    One thread adds, others read. `woken` is called after answers were added.
    """

    def __init__(self, most_bytes: int, folder: Path | None = None) -> None:
        self._most = most_bytes
        self._files = None if folder is None else NumberedFiles(folder, "answers", 12, ".ndjson")
        """Each has the number of its first answer."""
        self._lock = threading.Lock()
        self._kept: list[Numbered] = []
        self._bytes = 0
        self._file: BinaryIO | None = None
        self._size = 0
        self.woken: Callable[[], object] = lambda: None
        self.last = 0
        """The number of the newest answer; 0 before the first."""

    def load(self, last: int) -> None:
        """Take the answers up to number ``last`` from the folder; those after it are given again."""
        assert self._files is not None
        for first in self._files.numbers():
            path = self._files.path(first)
            if first > last:
                path.unlink()
                continue
            whole = path.read_bytes()
            lines = whole.split(b"\n")[:-1][: last - first + 1]
            os.truncate(path, sum(map(len, lines)) + len(lines))
            names = (intern(json.loads(line)["query"]) for line in lines)
            self._keep(
                [Numbered(first + place, *each) for place, each in enumerate(zip(names, lines, strict=True))]
            )
        self.last = last

    def add(self, answers: Sequence[tuple[str, bytes]]) -> None:
        """Add answers: the name of the query and the line of each."""
        if not answers:
            return
        first = self.last + 1
        new = [Numbered(number, *each) for number, each in enumerate(answers, first)]
        if self._files is not None:
            self._write(self._files, first, [each.line for each in new])
        self._keep(new)
        self.woken()

    def _keep(self, new: Sequence[Numbered]) -> None:
        with self._lock:
            self._kept += new
            self.last = new[-1].number if new else self.last
            self._bytes += sum(map(_bytes_of, new))
            if self._bytes > self._most:
                gone = 0
                while self._bytes > self._most * 3 // 4 and gone < len(self._kept) - 1:
                    self._bytes -= _bytes_of(self._kept[gone])
                    gone += 1
                del self._kept[:gone]

    def read(self, after: int, queries: Collection[str] = (), most: int = 1000) -> Read:
        """Answers after a number, of some queries or (none named) of all, at most ``most``."""
        with self._lock:
            kept = self._kept
            first = kept[0].number if kept else self.last + 1
            lost = max(0, first - after - 1)
            place = max(0, after + 1 - first)
            looked = kept[place : place + (_SCANNED if queries else most)]
        found: list[Numbered] = []
        upto = max(after, first - 1)
        for each in looked:
            if len(found) == most:
                break
            upto = each.number
            if not queries or each.query in queries:
                found.append(each)
        return Read(found, upto, lost)

    # ---- on the disk ------------------------------------------------------------------------------------

    def _write(self, files: NumberedFiles, first: int, lines: Sequence[bytes]) -> None:
        if self._file is None or self._size > _SEGMENT:
            self.close()
            self._file = files.path(first).open("ab")
            self._size = 0
            self._forget(files)
        data = b"\n".join(lines) + b"\n"
        self._file.write(data)
        self._file.flush()
        self._size += len(data)

    def _forget(self, files: NumberedFiles) -> None:
        """Remove files all of whose answers are gone from memory too."""
        kept = self._kept[0].number if self._kept else self.last + 1
        for first, following in pairwise(files.numbers()):
            if following <= kept:
                files.path(first).unlink()

    def sync(self) -> None:
        """Bring what was written to the disk."""
        if self._file is not None:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self.sync()
            self._file.close()
            self._file = None


def _bytes_of(answer: Numbered) -> int:
    return len(answer.line) + _BESIDE
