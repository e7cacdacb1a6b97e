"""Which elements a window holds: the definition (RSEP-QL, Definition 3; RSP-QL, Definition 4).

Of an element counts its end. All times are microseconds.
"""

from __future__ import annotations

from typing_extensions import assert_never

from etalis_py.compiler.algebra.stream_windows import Landmark, PastExtent, TimeExtent

__all__ = ["holds"]


def holds(extent: TimeExtent | Landmark | PastExtent, now: int, start: int, end: int) -> bool:
    """Whether an element of this interval is in the window at ``now``."""
    match extent:
        case Landmark(begin=begin):
            return end <= now and (begin is None or begin <= end)
        case PastExtent(begin=first, until=until, step=step):
            now -= now % (step or 1)
            return now - first < end <= now - until
        case TimeExtent():
            return _is_within(extent, now, start, end)
        case _:
            assert_never(extent)


def _is_within(extent: TimeExtent, now: int, start: int, end: int) -> bool:
    late = int(extent.closed_open)
    if extent.origin is not None and end < extent.origin + 1 - late:
        return False
    if extent.moving and extent.step is not None:  # the earliest window that is still open
        close: int | None = _first_closing(extent, extent.step, now + late)
        newest = now
    else:
        close = _last_closing(extent, now)
        newest = now if close is None else close - late
    if close is None:
        return False
    oldest = close - extent.width + 1 - late
    return oldest <= (start if extent.whole else end) and end <= newest


def _first_closing(extent: TimeExtent, step: int, time: int) -> int:
    """The first closing instant at ``time`` or later."""
    base = 0 if extent.origin is None else extent.origin + extent.width
    closing = base - (base - time) // step * step
    return closing if extent.origin is None else max(closing, _first(extent, extent.origin))


def _last_closing(extent: TimeExtent, time: int) -> int | None:
    """The last closing instant at ``time`` or earlier; None where there is none."""
    closing = time
    if extent.step is not None:
        base = 0 if extent.origin is None else extent.origin + extent.width
        closing = base + (time - base) // extent.step * extent.step
    return None if extent.origin is not None and closing < _first(extent, extent.origin) else closing


def _first(extent: TimeExtent, origin: int) -> int:
    """The first closing instant of all."""
    if extent.step is None:
        return origin
    closing = origin + extent.width
    return closing - (extent.width - 1) // extent.step * extent.step if extent.partial else closing
