"""The side channel: records of sources that are no events, each with what is wrong."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Final

from etalis_py.core.errors import EtalisError

__all__ = ["Refused"]

_log = logging.getLogger(__name__)
_MOST: Final = 64 << 10
"""Bytes of a record that are written."""


class Refused:
    """Adds them to a file as lines of JSON; without one they are told in the log, and counted."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.count = 0

    def add(self, source: str, error: EtalisError, record: bytes) -> None:
        """Note one."""
        self.count += 1
        if self._path is None:
            _log.warning("source %s: %s", source, error)
            return
        text = record[:_MOST].decode(errors="backslashreplace")
        line = json.dumps({"source": source, "error": str(error), "record": text}, ensure_ascii=False)
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")
        except OSError as problem:
            _log.error("%s: %s; %s", self._path, problem.strerror, line)
