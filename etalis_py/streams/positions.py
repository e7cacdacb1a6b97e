"""How far streams were read, so that another process goes on there.

A position says how many rows of a stream were taken, and where its reader can begin again: at a mark, the end
of some line no later than the last row that was taken. The rows after the mark are read again and passed
over. A digest of the bytes before the mark, and one of the rows after it, tell whether the stream is still
what it was. Formats that are not read line by line have no marks: they are read again from their beginning.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from hashlib import blake2b
from itertools import repeat
from typing import Any

from etalis_py.core.errors import Place, UsageError
from etalis_py.core.value_class import value_class
from etalis_py.streams.batch import Batch

__all__ = ["Mark", "Marks", "Track"]


@value_class
class Mark:
    """A place between two rows: so many rows, lines and bytes are before it.

    Bytes are those of the text: unpacked, without a byte order mark. ``digest`` is of all of them.
    ``unfinished``: the line before it had no line end. ``header``: the names of the columns of a CSV file.
    """

    rows: int
    lines: int
    offset: int
    digest: str
    unfinished: bool = False
    header: tuple[str, ...] | None = None


class Marks:
    """The marks of one stream, which its reader adds, if it can; the first is before all rows.

    The reader begins at ``begin`` (None: at the beginning).
    """

    def __init__(self, begin: Mark | None) -> None:
        self.begin = begin
        self._found: deque[Mark] = deque() if begin is None else deque([begin])
        self._hash = blake2b(digest_size=16)
        self._offset = 0

    def pass_over(self, chunks: Iterator[bytes], source: str) -> Iterator[bytes]:
        """What of the bytes of the stream comes after the mark at which to begin.

        Raises:
            UsageError: EP579, the bytes before it are not what they were.
        """
        begin = self.begin
        if begin is None:
            yield from chunks
            return
        for chunk in chunks:
            wanted = begin.offset - self._offset
            self._add(chunk[:wanted])
            rest = chunk[wanted:]
            if rest:
                break
        else:
            rest = b""
        if self._offset < begin.offset:
            raise _changed(source, f"it has {self._offset:,} bytes, but {begin.offset:,} were read")
        if self._hash.hexdigest() != begin.digest:
            raise _changed(source, f"its first {begin.offset:,} bytes have changed")
        if begin.unfinished:
            rest = self._line_end(rest, chunks, source)
        if rest:
            yield rest
        yield from chunks

    def _line_end(self, rest: bytes, chunks: Iterator[bytes], source: str) -> bytes:
        """Pass over the end of a line that had none when it was read; what is left of ``rest``."""
        while rest in (b"", b"\r"):
            more = next(chunks, None)
            if more is None:
                break
            rest += more
        for end in (b"\n", b"\r\n"):
            if rest.startswith(end):
                self._add(end)
                return rest[len(end) :]
        if rest.strip(b"\r"):
            raise _changed(source, "its last line, which had no line end when it was read, has grown")
        return rest

    def begin_here(self, lines: int, text: str = "", header: Sequence[str] | None = None) -> int:
        """How many rows are before the reader.

        Where it starts again, ``text`` of so many lines is before all rows.
        """
        if self.begin is None:
            self.add(text, 0, lines, header=header)
        return self._found[0].rows

    def add(
        self,
        text: str,
        rows: int,
        lines: int,
        *,
        unfinished: bool = False,
        header: Sequence[str] | None = None,
    ) -> None:
        """After ``text``, which follows the last mark, so many rows and lines of the stream were read."""
        self._add(text.encode())
        names = None if header is None else tuple(header)
        mark = Mark(rows, lines, self._offset, self._hash.hexdigest(), unfinished, names)
        self._found.append(mark)

    def last(self, rows: int) -> Mark | None:
        """The last mark that has no more than so many rows before it, which never become fewer."""
        while len(self._found) > 1 and self._found[1].rows <= rows:
            self._found.popleft()
        return self._found[0] if self._found and self._found[0].rows <= rows else None

    def _add(self, data: bytes) -> None:
        self._hash.update(data)
        self._offset += len(data)


class Track:
    """Follows one stream, and gives its position; it continues from ``position`` (None: from the beginning).

    Rows are handed out by `hand_out`, and taken when `confirm` says so.
    """

    def __init__(self, position: dict[str, Any] | None = None) -> None:
        self.rows = 0
        self.newest: int | None = None
        mark = None
        if position is not None:
            self.rows, self.newest = position["rows"], position["newest"]
            if position["mark"] is not None:
                mark = Mark(**position["mark"])
        self.marks = Marks(mark)
        self._first = 0 if mark is None else mark.rows  # the number of the first row that is kept
        self._kept: list[Batch] = []  # the rows that were taken since the last mark
        self._hash = blake2b(digest_size=16)  # of those, where there is no mark
        self._handed: list[Batch] = []
        self._expected = None if position is None else position["digest"]

    def stream(self, batches: Iterator[Batch], source: str) -> Iterator[Batch]:
        """The batches that the reader gives, without the rows that were taken before.

        Raises:
            UsageError: EP579, the rows that were taken are not what they were.
        """
        missing = self.rows - self._first
        passed = blake2b(digest_size=16)
        for batch in batches:
            rest = batch
            if missing:
                part = batch.part(0, missing)
                passed.update(_row_bytes(part))
                self._keep(part)
                missing -= len(part)
                if not missing and passed.hexdigest() != self._expected:
                    raise _changed(source, f"its first {self.rows:,} rows have changed")
                rest = batch.part(len(part), len(batch))
            if len(rest):
                yield rest
        if missing:
            raise _changed(source, f"it has {self.rows - missing:,} rows, but {self.rows:,} were read")

    def hand_out(self, part: Batch) -> None:
        """These rows are on their way to the engine."""
        self._handed.append(part)

    def confirm(self) -> None:
        """What was handed out is in the engine."""
        for part in self._handed:
            if len(part):
                self.rows += len(part)
                newest = max(part.end)
                self.newest = newest if self.newest is None else max(self.newest, newest)
                self._keep(part)
        self._handed.clear()

    def _keep(self, part: Batch) -> None:
        """Keep rows up to the next mark; of a stream without marks, their digest."""
        mark = self.marks.last(self.rows)
        if mark is None:
            self._hash.update(_row_bytes(part))
            return
        self._kept.append(part)
        while self._kept and self._first + len(self._kept[0]) <= mark.rows:
            self._first += len(self._kept.pop(0))

    def position(self) -> dict[str, Any]:
        """How far rows were taken, as JSON has it."""
        mark = self.marks.last(self.rows)
        digest = self._hash
        if mark is not None:
            digest = blake2b(digest_size=16)
            number = self._first
            for part in self._kept:
                digest.update(_row_bytes(part.part(max(0, mark.rows - number), len(part))))
                number += len(part)
        return {
            "rows": self.rows,
            "newest": self.newest,
            "mark": None if mark is None else asdict(mark),
            "digest": digest.hexdigest(),
        }


def _row_bytes(batch: Batch) -> bytes:
    """What tells rows from others, however they are cut into batches."""
    streams, graphs = (repeat(None) if column is None else column for column in (batch.stream, batch.graph))
    rows = zip(batch.start, batch.end, batch.s, batch.p, batch.o, streams, graphs, strict=False)
    return "".join(map(repr, rows)).encode(errors="surrogatepass")


def _changed(source: str, what: str) -> UsageError:
    return UsageError(
        "EP579",
        f"the stream has changed since the run was saved: {what}",
        place=Place(source),
        hint="a stream may only grow at its end; restore it, or start again with an empty folder",
    )
