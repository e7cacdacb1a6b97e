"""The windows of aggregates: which of a group pattern's solutions count at an instant, and when it is asked.

Times are microseconds; a solution counts by its end. A range is half-open at its old end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["PastWindow", "RangeWindow", "RowsWindow", "Window"]


@dataclass(frozen=True, slots=True)
class RangeWindow:
    """``now - width < end <= now``; with a ``step`` asked at its multiples, else when a solution arrives."""

    width: int
    step: int | None = None


@dataclass(frozen=True, slots=True)
class RowsWindow:
    """The ``count`` newest."""

    count: int


@dataclass(frozen=True, slots=True)
class PastWindow:
    """``now - begin < end <= now - until``."""

    begin: int
    until: int


Window: TypeAlias = RangeWindow | RowsWindow | PastWindow
