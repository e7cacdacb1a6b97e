"""A file on this machine, and its name in the archive."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

__all__ = ["Entry", "files_below"]


@dataclass(frozen=True, slots=True)
class Entry:
    """``name`` is relative to the root of the archive. Links are followed: the archive has files only."""

    source: Path
    name: PurePosixPath


def files_below(folder: Path, name: PurePosixPath, leave_out: Collection[str] = ()) -> Iterator[Entry]:
    """All files of a folder; ``leave_out`` are names of files and folders, at any depth.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as made:
    ...     _ = Path(made, "a.py").write_text(""), Path(made, "b.pyi").write_text("")
    ...     [str(each.name) for each in files_below(Path(made), PurePosixPath("lib"), {"b.pyi"})]
    ['lib/a.py']
    """
    for place, folders, files in os.walk(folder, followlinks=True):
        folders[:] = sorted(each for each in folders if each not in leave_out)
        inside = name / PurePosixPath(Path(place).relative_to(folder).as_posix())
        for file in sorted(files):
            source = Path(place, file)
            if file not in leave_out and source.is_file():
                yield Entry(source, inside / file)
