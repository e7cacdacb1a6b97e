"""Bad records put aside: one file of JSON lines for each stream file that has some, with the reason of each.

A record has the keys ``file``, ``line`` and ``row`` (null where they are not known), ``code``, ``reason``,
``hint`` and ``record``, its text: null where the whole file, or all of it from that line or row on, was left
unread. The name of the file is made from that of the stream file, and it is replaced as a whole. So a task
that runs again, or twice at once, leaves each record once, and no reader sees half of them.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from etalis_py.core.errors import DataError, Place, RunTimeError
from etalis_py.spark_udfs.sources.listing import StreamFile

__all__ = ["Aside", "write_whole"]


@dataclass(slots=True)
class Aside:
    """The bad records of one stream file, on their way to a folder."""

    folder: str
    file: StreamFile
    _lines: list[str] = field(default_factory=list)
    _written: int = 0

    def put(self, error: DataError, record: str | None) -> None:
        """Keep a record with its error; nothing is written yet."""
        place = error.place or Place()
        told = {
            "file": self.file.path,
            "line": place.line,
            "row": place.row,
            "code": error.code,
            "reason": error.message,
            "hint": error.hint,
            "record": record,
        }
        self._lines.append(json.dumps(told, ensure_ascii=False) + "\n")

    def write(self) -> None:
        """Write what was put aside, if there is more than was written before.

        Raises:
            RunTimeError: EP608, it cannot be written.
        """
        if len(self._lines) == self._written:
            return
        name = f"{Path(self.file.path).stem}-{self.file.key.hex()}.ndjson"
        try:
            write_whole(Path(self.folder), name, "".join(self._lines).encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise RunTimeError(
                "EP608",
                f"bad records cannot be put aside in {self.folder}: {error.strerror}",
                hint="name another folder with .option('badRecordsPath', FOLDER)",
            ) from error
        self._written = len(self._lines)


def write_whole(folder: Path, name: str, data: bytes) -> None:
    """Write a file so that it is there as a whole or not at all, also after a failure of the machine.

    Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    begun = folder / f".{name}.{uuid4().hex}"
    try:
        with begun.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        begun.replace(folder / name)
    except BaseException:
        begun.unlink(missing_ok=True)
        raise
