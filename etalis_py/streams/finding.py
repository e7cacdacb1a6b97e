"""Which files a name of a stream stands for: a folder or a pattern has several."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from etalis_py.core.errors import DataError, Place
from etalis_py.core.formats import MAPPED_FORMATS, TIMED_FORMATS, by_suffix
from etalis_py.streams.lines import without_packing
from etalis_py.streams.stream_file import StreamFile

__all__ = ["found_files"]


def found_files(files: Iterable[StreamFile]) -> list[StreamFile]:
    """The files: for each folder the stream files in it, for each pattern (``*``, ``?``, ``[``) what matches.

    They are in the order of their names. Names that begin with ``.`` or ``_`` are not looked at in a folder.

    Raises:
        DataError: EP401, a folder without stream files, or a pattern that matches none.
    """
    return [found for file in files for found in _found(file)]


def _found(file: StreamFile) -> Iterator[StreamFile]:
    path = Path(file.path)
    if path.is_dir():
        suffixes = by_suffix(MAPPED_FORMATS if file.mapping is not None else TIMED_FORMATS)
        names = sorted(
            str(each)
            for each in path.iterdir()
            if each.name[0] not in "._"
            and each.is_file()
            and Path(without_packing(each.name)).suffix.lower() in suffixes
        )
        if not names:
            raise _nothing(file, f"the folder has no file with {', '.join(suffixes)}")
    elif not file.is_live and glob.has_magic(file.path) and not path.exists():
        names = sorted(glob.glob(file.path))  # noqa: PTH207 - of absolute and relative patterns alike
        if not names:
            raise _nothing(file, "no file matches the pattern")
    else:
        names = [file.path]
    yield from (replace(file, path=name) for name in names)


def _nothing(file: StreamFile, reason: str) -> DataError:
    hint = "check the path; it is relative to the current folder"
    return DataError("EP401", f"the stream cannot be read: {reason}", place=Place(file.path), hint=hint)
