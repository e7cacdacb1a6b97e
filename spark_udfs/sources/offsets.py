"""Offsets of a folder that is read as a stream: which files were read, in a form that Spark can keep.

Spark writes the offset of each micro-batch into its checkpoint as JSON. A folder has no order in which files
are sure to come (one that was written first may be moved in last), so an offset holds all the files that were
read: ten bytes each, eight for the path and two for the day on which it was read, in base64. Beside that it
names the files of its own micro-batch, with their sizes, so that one that is run again reads the same.

A file that is gone from the folder is remembered for a week more, for one that comes back within it was away
by accident: a folder that could not be listed whole, a file that was put back. So an offset does not grow for
ever where read files are moved away, and one of 10,000 files takes 135 KB.
"""

from __future__ import annotations

import struct
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from etalis_py.core.errors import DataError
from etalis_py.spark_udfs.sources.listing import StreamFile

__all__ = ["FolderOffset", "wrong_offset"]

VERSION: Final = 1
_ENTRY: Final = struct.Struct(">8sH")
_REMEMBERED: Final = 7


@dataclass(frozen=True, slots=True)
class FolderOffset:
    """``read``: the day (from 1970) on which each file was read, by its key; ``new``: those read last."""

    read: Mapping[bytes, int]
    new: tuple[StreamFile, ...] = ()

    @classmethod
    def from_json(cls, offset: Mapping[str, Any]) -> FolderOffset:
        """Read an offset.

        Raises:
            DataError: EP605, it is of another kind or version.
        """
        if offset.get("version") != VERSION or "read" not in offset:
            raise wrong_offset(offset)
        new = tuple(StreamFile(path, size, 0) for path, size in offset["new"])
        return cls(dict(_ENTRY.iter_unpack(b64decode(offset["read"]))), new)

    def to_json(self) -> dict[str, Any]:
        """What Spark is to keep."""
        packed = b"".join(_ENTRY.pack(key, day) for key, day in sorted(self.read.items()))
        new = [[file.path, file.size] for file in self.new]
        return {"version": VERSION, "read": b64encode(packed).decode(), "new": new}

    def unread(self, files: Iterable[StreamFile]) -> list[StreamFile]:
        """Those of the files that were not read, in their order."""
        return [file for file in files if file.key not in self.read]

    def after(self, new: Iterable[StreamFile], there: Iterable[StreamFile], today: int) -> FolderOffset:
        """The offset once ``new`` files are read, when ``there`` are these in the folder."""
        present = {file.key for file in there}
        kept = {key: day for key, day in self.read.items() if key in present or day + _REMEMBERED >= today}
        files = tuple(replace(file, modified=0) for file in new)
        return FolderOffset(kept | {file.key: today for file in files}, files)


def wrong_offset(offset: Mapping[str, Any]) -> DataError:
    """EP605 for an offset that is of no use here."""
    return DataError(
        "EP605",
        f"the checkpoint has an offset of another kind or version: {', '.join(map(str, offset)) or 'empty'}",
        hint="use the options and the version of etalis_py that it was made with, or start with a "
        "new checkpoint",
    )
