"""Files of a folder that differ in a number, such as ``journal-00000007``."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["NumberedFiles"]


class NumberedFiles:
    """Those called ``name-NUMBER`` and a suffix; numbers have so many ``digits``, or more."""

    def __init__(self, folder: Path, name: str, digits: int, suffix: str = "") -> None:
        self._folder = folder
        self._name = name
        self._digits = digits
        self._suffix = suffix
        self._match = re.compile(rf"{re.escape(name)}-(\d+){re.escape(suffix)}").fullmatch

    def numbers(self) -> list[int]:
        """Those of the files that are there, the smallest first."""
        found = (self._match(path.name) for path in self._folder.iterdir())
        return sorted(int(match[1]) for match in found if match)

    def path(self, number: int) -> Path:
        """Where the file with a number is, or would be."""
        return self._folder / f"{self._name}-{number:0{self._digits}d}{self._suffix}"
