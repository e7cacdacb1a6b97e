"""Which windows on streams a pattern reads."""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.stream_windows import Extent, reach

__all__ = ["extents_read", "reach_of_windows", "reads_window"]


def reach_of_windows(pattern: algebra.Pattern) -> int | None:
    """How long after its end an occurrence may be in a window that ``pattern`` reads; None: for ever."""
    reaches = [reach(each) for each in extents_read(pattern)]
    known = [each for each in reaches if each is not None]
    return max(known, default=0) if len(known) == len(reaches) else None


def reads_window(pattern: algebra.Pattern) -> bool:
    """Whether ``pattern`` has a triple pattern on a window."""
    return any(True for _ in extents_read(pattern))


def extents_read(pattern: algebra.Pattern) -> Iterator[Extent]:
    """What the windows hold that ``pattern`` reads, but for those of EXISTS."""
    todo = [pattern]
    while todo:
        current = todo.pop()
        place = current.place if isinstance(current, algebra.TriplePattern) else None
        if place is not None and place.extent is not None:
            yield place.extent
        todo += algebra.children(current)
