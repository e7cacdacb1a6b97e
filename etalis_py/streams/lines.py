"""Bytes from a file, a pipe or a ``.gz`` as text cut at line ends; never waits for more than is there."""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Final

from etalis_py.core.errors import DataError, Place
from etalis_py.core.value_class import value_class
from etalis_py.streams.positions import Marks
from etalis_py.streams.problems import OnBad, refuse

__all__ = ["PACKED", "Text", "read_bytes", "read_text", "without_packing"]

CHUNK: Final = 1 << 20
_BOM: Final = b"\xef\xbb\xbf"
PACKED: Final = (".gz", ".zst")
"""Suffixes of files that are unpacked while they are read."""


@value_class
class Text:
    """Whole lines of a source; only the last one of a source may lack its line end.

    ``line`` is the number of the first line, from 1.
    """

    text: str
    line: int

    @property
    def unfinished(self) -> bool:
        """Whether the source stopped within the last line, which may be all there is of it."""
        return not self.text.endswith("\n")


def read_bytes(
    path: str, opened: int | bytes | None = None, on_read: Callable[[int], None] | None = None
) -> Iterator[bytes]:
    """The bytes of a file in chunks; from a pipe, whatever has come, as soon as it has.

    ``path`` names the source in messages, and is opened unless there is an ``opened`` file, or its bytes.
    ``on_read`` is called with the size of each chunk, in bytes of the file; not for a packed one.
    Raises DataError (EP401 unreadable).
    """
    try:
        if isinstance(opened, bytes):
            yield opened
        elif opened is not None:
            yield from _read_descriptor(opened, on_read)
        elif path.endswith(".gz"):
            with gzip.open(path) as unpacked:
                yield from _read_packed(unpacked.read1)
        elif path.endswith(".zst"):
            with _open_zst(path) as stream:
                yield from _read_packed(stream.read)
        else:
            descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            try:
                yield from _read_descriptor(descriptor, on_read)
            finally:
                os.close(descriptor)
    except (OSError, EOFError, zlib.error) as error:
        raise unreadable(path, error) from error


def _read_descriptor(descriptor: int, on_read: Callable[[int], None] | None) -> Iterator[bytes]:
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        raise IsADirectoryError(None, "is a directory")
    while chunk := os.read(descriptor, CHUNK):
        if on_read is not None:
            on_read(len(chunk))
        yield chunk


def _open_zst(path: str) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.OSFile(os.fsencode(path)), "zstd")


def _read_packed(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Chunks of about `CHUNK` bytes; all that comes before damage is given, then its error."""
    pieces: list[bytes] = []
    size = 0
    try:
        while piece := read(CHUNK):
            pieces.append(piece)
            size += len(piece)
            if size >= CHUNK:
                yield b"".join(pieces)
                pieces, size = [], 0
    except (OSError, EOFError, zlib.error):
        yield b"".join(pieces)
        raise
    yield b"".join(pieces)


def without_packing(name: str) -> str:
    """The name of a file without the suffix by which it is packed."""
    return next((name.removesuffix(suffix) for suffix in PACKED if name.endswith(suffix)), name)


def unreadable(path: str, error: Exception) -> DataError:
    """The EP401 for a source that cannot be read, with what the system says."""
    if isinstance(error, FileNotFoundError):
        reason, hint = "there is no such file", "check the path; it is relative to the current folder"
    elif isinstance(error, PermissionError):
        reason, hint = "there is no permission to read it", "check the permissions of the file"
    elif isinstance(error, IsADirectoryError):
        reason, hint = "it is a folder", "name the files in it"
    elif path.endswith(PACKED):
        suffix = path[path.rindex(".") :]
        reason, hint = f"the {suffix} cannot be unpacked: {error}", "check that the file was copied whole"
    else:
        reason, hint = str(error), "check that the file can be opened with other programs"
    return DataError("EP401", f"the stream cannot be read: {reason}", place=Place(source=path), hint=hint)


def read_text(
    path: str,
    opened: int | bytes | None = None,
    on_read: Callable[[int], None] | None = None,
    marks: Marks | None = None,
    on_bad: OnBad | None = None,
) -> Iterator[Text]:
    """Text in whole lines, as it comes. A byte order mark at the beginning is left out.

    ``marks`` may tell where to begin. A line that is not UTF-8 goes to ``on_bad``, and an empty one stands
    for it. The other arguments are those of `read_bytes`.

    Raises DataError: EP401 unreadable; EP403 not UTF-8, after the lines before the bad one were given.
    """
    rest: list[bytes] = []  # the beginning of a line, in pieces, so that a long line costs no copying
    line = 1
    chunks = _without_mark(read_bytes(path, opened, on_read))
    if marks is not None and marks.begin is not None:
        line += marks.begin.lines
        chunks = marks.pass_over(chunks, path)
    for chunk in chunks:
        cut = chunk.rfind(b"\n") + 1
        if cut == 0:
            rest.append(chunk)
            continue
        rest.append(chunk[:cut])
        whole = b"".join(rest)
        rest = [chunk[cut:]] if cut < len(chunk) else []
        yield from _decode(whole, line, path, on_bad)
        line += whole.count(b"\n")
    if last := b"".join(rest):
        yield from _decode(last, line, path, on_bad)


def _without_mark(chunks: Iterator[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        yield chunk.removeprefix(_BOM)
        break
    yield from chunks


def _decode(whole: bytes, line: int, path: str, on_bad: OnBad | None) -> Iterator[Text]:
    try:
        text = whole.decode()
    except UnicodeDecodeError:
        yield from _decode_lines(whole.split(b"\n"), line, path, on_bad)
    else:
        yield Text(text, line)


def _decode_lines(lines: list[bytes], line: int, path: str, on_bad: OnBad | None) -> Iterator[Text]:
    """The same, line by line; those before the first that is not UTF-8 come before its error."""
    for index, each in enumerate(lines):
        try:
            each.decode()
        except UnicodeDecodeError as problem:
            if on_bad is None and index:
                yield Text(b"\n".join((*lines[:index], b"")).decode(), line)
            wrong = DataError(
                "EP403",
                f"byte 0x{each[problem.start]:02X} is not UTF-8 text",
                place=Place(source=path, line=line + index, column=problem.start + 1),
                hint="stream files are UTF-8; convert with: iconv -f LATIN1 -t UTF-8",
            )
            wrong.__cause__ = problem
            refuse(on_bad, wrong, each.decode(errors="backslashreplace"))
            lines[index] = b""
    yield Text(b"\n".join(lines).decode(), line)
