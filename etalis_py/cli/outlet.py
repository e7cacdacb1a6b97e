"""Where answers go: standard output or a file, in whole lines whatever ends the run."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from etalis_py.cli.destination import Destination, open_destination
from etalis_py.cli.request import Request
from etalis_py.cli.standard_streams import ReaderGoneError
from etalis_py.core.errors import RunTimeError, UsageError
from etalis_py.core.formats import FORMATS, RESULT_FORMATS, by_suffix
from etalis_py.engine.answer_columns import Answers
from etalis_py.engine.matches import Match
from etalis_py.results import QueryHead, Writer, open_writer

if TYPE_CHECKING:
    from etalis_py.why import Why

__all__ = ["Outlet", "WholeLines", "open_outlet", "to_terminal"]

_SUFFIXES: Final = by_suffix(RESULT_FORMATS)


class WholeLines(io.RawIOBase):
    """Hands on what is written in pieces of whole lines, each small enough to be written at once.

    POSIX writes up to PIPE_BUF (4,096) bytes to a pipe as a whole or not at all, so even ``kill -9`` leaves a
    reader with whole lines; only a line that is longer itself can be cut. Of a file (``takes_back``) what a
    full disk took of a line is taken back.
    """

    limit = 4096

    def __init__(self, file: BinaryIO, line_end: bytes = b"\n", *, takes_back: bool = False) -> None:
        self._target = file
        self._line_end = line_end
        self._takes_back = takes_back

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        """Write all of ``data``, which is whole lines."""
        if not self._takes_back:
            return self._write(data)
        begin = self._target.tell()
        try:
            return self._write(data)
        except OSError:
            taken = self._target.tell() - begin
            with suppress(OSError):
                self._target.truncate(begin + self._end_of_lines(data, taken))
            raise

    def _end_of_lines(self, data: bytes, taken: int) -> int:
        """Where the last line ends that is within the first bytes; in CSV a quoted cell may have several."""
        end = taken
        while (end := data.rfind(self._line_end, 0, end)) >= 0:
            if self._line_end == b"\n" or data.count(b'"', 0, end) % 2 == 0:
                return end + len(self._line_end)
        return 0

    def _write(self, data: bytes) -> int:
        first, end = 0, len(data)
        while first < end:
            last = min(first + self.limit, end)
            if last < end:
                cut = data.rfind(self._line_end, first, last)
                if cut < 0:
                    cut = data.find(self._line_end, last - len(self._line_end) + 1)
                last = end if cut < 0 else cut + len(self._line_end)
            self._target.write(data[first:last])
            first = last
        return end


class Outlet:
    """Takes matches and writes them some at a time; ``flush`` writes those that wait.

    ``before_writing`` is called each time something is about to be written.
    """

    most_waiting = 1000

    def __init__(self, before_writing: Callable[[], None] = lambda: None) -> None:
        self.count = 0
        self._before_writing = before_writing
        self._waiting: list[Match] = []
        self._writer: Writer | None = None
        self._destination: Destination | None = None
        self._failed = False
        self._ends_whole = False

    def take(self, matches: Sequence[Match]) -> None:
        """Take matches."""
        self._waiting.extend(matches)
        if len(self._waiting) >= self.most_waiting:
            self.flush()

    def take_answers(self, answers: Answers) -> None:
        """Write answers in columns at once."""
        assert self._writer is not None, "answers come after the outlet was opened"
        self.flush()
        self._before_writing()
        self._do(self._writer.write_answers, answers)
        self.count += len(answers)

    def flush(self) -> None:
        """Write what waits.

        Raises:
            RunTimeError: EP304, it cannot be written.
        """
        matches, self._waiting = self._waiting, []
        if matches:
            assert self._writer is not None, "matches come after the outlet was opened"
            self._before_writing()
            self._do(self._writer.write_all, matches)
            self.count += len(matches)

    def written(self) -> dict[str, Any]:
        """How far answers were written, which is on the disk then; JSON."""
        assert self._writer is not None
        assert self._destination is not None
        self.flush()
        return {**self._destination.written(), "writer": self._writer.state()}

    @contextmanager
    def writing(self, writer: Writer, destination: Destination, *, ends_whole: bool) -> Iterator[None]:
        """Write with ``writer``; at the end, however it comes, the document is made whole.

        ``ends_whole``: the last line is whole even on a full disk.
        """
        self._writer, self._destination, self._ends_whole = writer, destination, ends_whole
        try:
            yield
        except BaseException:
            writer.is_whole = False
            raise
        finally:
            if not self._failed:
                self._end()

    def _end(self) -> None:
        assert self._writer is not None
        assert self._destination is not None
        self.flush()
        self._before_writing()
        self._do(self._writer.close)
        self._do(self._destination.complete)

    def _do(self, write: Callable[..., None], *arguments: object) -> None:
        """Write; after a failure nothing more is, which would hide that something is missing."""
        try:
            write(*arguments)
        except BrokenPipeError as error:
            self._failed = True
            raise ReaderGoneError from error
        except OSError as error:
            self._failed = True
            name = self._destination and self._destination.name
            where = f"in {name}" if name else "there"
            part = "" if self._ends_whole else ", the last one perhaps incomplete"
            raise RunTimeError(
                "EP304",
                f"answers cannot be written: {error.strerror or error}",
                hint=f"the answers before it are {where}{part}; choose another --output FILE",
            ) from error


@contextmanager
def open_outlet(
    outlet: Outlet,
    request: Request,
    heads: Sequence[QueryHead],
    why: Callable[[Match], Why] | None = None,
    kept: dict[str, Any] | None = None,
) -> Iterator[None]:
    """Let ``outlet`` write where and how the request says; with ``why`` also what answers are made of.

    With ``kept``, which `Outlet.written` gave, it goes on there.

    A file that is there keeps its contents until it is sure that results can be written to it.

    Raises:
        UsageError: EP507 the output cannot be opened; EP516, EP580, a run cannot be kept in it, or not go on;
            EP527, its suffix tells no format; and what the writers refuse (EP525 to EP528).
    """
    terminal = to_terminal(request)
    chosen = request.results or _default_format(request.output, terminal=terminal)
    if chosen == "parquet" and terminal:
        raise UsageError("EP507", "parquet cannot be shown on a terminal", hint="add --output FILE.parquet")
    if request.output is not None:
        _check_not_input(request.output, request)
    continues = request.state is not None and not request.final
    kind = FORMATS[chosen].result
    if continues and kind != "lines":
        *others, last = [name for name in RESULT_FORMATS if FORMATS[name].result == "lines"]
        hint = f"use {', '.join(others)} or {last}; or --final, which writes all at the end"
        raise UsageError("EP516", f"--state cannot continue results in the form {chosen}", hint=hint)
    with open_destination(request.output, document=kind == "document") as destination:
        file = destination.file
        takes_back = kind != "document" and destination.can_take_back
        lines = file if chosen == "parquet" else _whole_lines(file, chosen, takes_back=takes_back)
        writer: Writer
        if why is not None:
            from etalis_py.why.writers import why_writer

            names = frozenset(request.why or (each.name for each in heads))
            writer = why_writer(chosen, lines, why, names, [each.name for each in heads], request.pictures)
        else:
            writer = open_writer(
                chosen, lines, heads=heads, at_mode=request.options.at is not None,
                live=request.is_live, terminal=terminal,
            )  # fmt: skip
        if continues:
            destination.check_can_be_kept()
        if kept is not None and continues:
            writer.go_on_from(kept["writer"])
            destination.go_on_from(kept)
        else:
            destination.begin()
        with outlet.writing(writer, destination, ends_whole=takes_back):
            yield


def to_terminal(request: Request) -> bool:
    """Whether answers go to a terminal."""
    return request.output is None and sys.stdout is not None and sys.stdout.isatty()


def _whole_lines(file: BinaryIO, chosen: str, *, takes_back: bool) -> BinaryIO:
    line_end = b"\r\n" if chosen == "csv" else b"\n"
    return cast("BinaryIO", WholeLines(file, line_end, takes_back=takes_back))


def _default_format(output: str | None, *, terminal: bool) -> str:
    if output is None:
        return "table" if terminal else "ndjson"
    suffix = Path(output).suffix.lower()
    if suffix and suffix not in _SUFFIXES:
        hint = f"add --results with one of {', '.join(RESULT_FORMATS)}"
        if suffix == ".gz":
            hint = (
                "results are not compressed: leave out .gz, or leave out --output and write | gzip > FILE.gz"
            )
        raise UsageError(
            "EP527", f"{output}: the suffix {suffix!r} is not that of a result format", hint=hint
        )
    return _SUFFIXES[suffix].name if suffix else "ndjson"


def _files_read(request: Request) -> Iterator[str]:
    yield from (*request.queries, *request.paths, *request.options.background, *request.options.rules)
    for files in request.options.graphs.values():
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
                f"the results would overwrite {each}, which is an input",
                hint="choose another --output FILE",
            )
