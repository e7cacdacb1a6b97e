"""The windows of aggregates: which of a group pattern's solutions count at an instant, and when it is asked.

Times are microseconds; a solution counts by its end. A range is half-open at its old end.
"""

from __future__ import annotations

from typing import TypeAlias

from etalis_py.core.value_class import value_class

__all__ = ["PastWindow", "RangeWindow", "RowsWindow", "Window"]


@value_class
class RangeWindow:
    """``now - width < end <= now``; with a ``step`` asked at its multiples, else when a solution arrives."""

    width: int
    step: int | None = None


@value_class
class RowsWindow:
    """The ``count`` newest."""

    count: int


@value_class
class PastWindow:
    """``now - begin < end <= now - until``."""

    begin: int
    until: int


Window: TypeAlias = RangeWindow | RowsWindow | PastWindow
