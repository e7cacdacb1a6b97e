"""Where answers go: standard output or a file, in whole lines whatever ends the run."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from etalis_py.cli.request import Request
from etalis_py.errors import RunTimeError, UsageError
from etalis_py.matches import Match
from etalis_py.results import QueryHead, Writer, open_writer

if TYPE_CHECKING:
    from etalis_py.why import Why

__all__ = ["Outlet", "WholeLines", "open_outlet", "to_terminal"]

_SUFFIXES: Final = {
    ".ndjson": "ndjson", ".jsonl": "ndjson", ".json": "json", ".srj": "json", ".csv": "csv", ".tsv": "tsv",
    ".parquet": "parquet", ".nq": "nquads", ".txt": "table",
}  # fmt: skip


class WholeLines(io.RawIOBase):
    """Hands on what is written in pieces of whole lines, each small enough to be written at once.

    POSIX writes up to PIPE_BUF (4,096) bytes to a pipe as a whole or not at all, so even ``kill -9`` leaves a
    reader with whole lines; only a line that is longer itself can be cut.
    """

    limit = 4096

    def __init__(self, file: BinaryIO, line_end: bytes = b"\n") -> None:
        self._target = file
        self._line_end = line_end

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        """Write all of ``data``."""
        first, end = 0, len(data)
        while first < end:
            last = min(first + self.limit, end)
            if last < end:
                cut = data.rfind(self._line_end, first, last)
                if cut < 0:
                    cut = data.find(self._line_end, last - len(self._line_end) + 1)
                last = end if cut < 0 else cut + len(self._line_end)
            self._target.write(data[first:last])
            self._target.flush()
            first = last
        return end


class Outlet:
    """Takes matches one by one and writes them some at a time; ``flush`` writes those that wait.

    ``before_writing`` is called each time something is about to be written.
    """

    most_waiting = 1000

    def __init__(self, before_writing: Callable[[], None] = lambda: None) -> None:
        self.count = 0
        self._before_writing = before_writing
        self._waiting: list[Match] = []
        self._writer: Writer | None = None

    def take(self, match: Match) -> None:
        """Take one match."""
        self._waiting.append(match)
        if len(self._waiting) >= self.most_waiting:
            self.flush()

    def flush(self) -> None:
        """Write what waits.

        Raises:
            RunTimeError: EP304, it cannot be written.
        """
        matches, self._waiting = self._waiting, []
        if matches:
            assert self._writer is not None, "matches come after the outlet was opened"
            self._before_writing()
            _guarded(self._writer.write_all, matches)
            self.count += len(matches)

    @contextmanager
    def writing(self, writer: Writer) -> Iterator[None]:
        """Write with ``writer``; at the end, however it comes, the document is made whole."""
        self._writer = writer
        try:
            yield
        except BrokenPipeError:
            raise
        except BaseException:
            self._end()
            raise
        else:
            self._end()

    def _end(self) -> None:
        assert self._writer is not None
        self.flush()
        self._before_writing()
        _guarded(self._writer.close)


def _guarded(write: Callable[..., None], *arguments: object) -> None:
    try:
        write(*arguments)
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise RunTimeError(
            "EP304",
            f"answers cannot be written: {reason}",
            hint="the answers before it are there, the last perhaps in part; choose another --output FILE",
        ) from error


@contextmanager
def open_outlet(
    outlet: Outlet, request: Request, heads: Sequence[QueryHead], why: Callable[[Match], Why] | None = None
) -> Iterator[None]:
    """Let ``outlet`` write where and how the request says; with ``why`` also what answers are made of.

    A file that is there keeps its contents until it is sure that results can be written to it.

    Raises:
        UsageError: EP507 the output cannot be opened, and what the writers refuse (EP525 to EP528).
    """
    terminal = to_terminal(request)
    chosen = request.results or _default_format(request.output, terminal=terminal)
    if chosen == "parquet" and terminal:
        raise UsageError("EP507", "parquet cannot be shown on a terminal", hint="add --output FILE.parquet")
    with _opened(request) as file:
        lines = file if chosen == "parquet" else _whole_lines(file, chosen)
        writer: Writer
        if why is not None:
            from etalis_py.why.writers import why_writer

            names = frozenset(request.why or (each.name for each in heads))
            writer = why_writer(chosen, lines, why, names, [each.name for each in heads], request.pictures)
        else:
            writer = open_writer(
                chosen, lines, heads=heads, at_mode=request.at is not None,
                live="-" in request.streams, terminal=terminal,
            )  # fmt: skip
        if request.output is not None and stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.truncate(0)
        with outlet.writing(writer):
            yield


def to_terminal(request: Request) -> bool:
    """Whether answers go to a terminal."""
    return request.output is None and sys.stdout is not None and sys.stdout.isatty()


def _whole_lines(file: BinaryIO, chosen: str) -> BinaryIO:
    return cast("BinaryIO", WholeLines(file, b"\r\n" if chosen == "csv" else b"\n"))


def _default_format(output: str | None, *, terminal: bool) -> str:
    if output is None:
        return "table" if terminal else "ndjson"
    return _SUFFIXES.get(Path(output).suffix.lower(), "ndjson")


@contextmanager
def _opened(request: Request) -> Iterator[BinaryIO]:
    if request.output is None:
        if sys.stdout is None:
            raise UsageError("EP507", "standard output is closed", hint="add --output FILE")
        yield sys.stdout.buffer
        return
    path = request.output
    _check_not_input(path, request)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            "EP507", f"the results cannot be written to {path}: {reason}", hint="choose another --output FILE"
        ) from error
    with os.fdopen(descriptor, "wb") as file:
        yield file


def _files_read(request: Request) -> Iterator[str]:
    yield from (*request.queries, *request.streams, *request.background, *request.rules)
    for files in request.graphs.values():
        yield from files


def _check_not_input(path: str, request: Request) -> None:
    """Refuse to write over a file that is read."""
    for each in _files_read(request):
        try:
            same = Path(path).samefile(each)
        except OSError:
            continue
        if same and each != "-":
            raise UsageError(
                "EP507",
                f"the results would be written over {each}, which is read",
                hint="choose another --output FILE",
            )
