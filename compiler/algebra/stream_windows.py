"""Windows on streams: from when until when an element is in one (RSP-QL, RSEP-QL).

All times are microseconds, an element counts by its end. `holds` is the definition (RSEP-QL, Definition 3;
RSP-QL, Definition 4), `life` what follows from it: the instants at which an element is in the window are an
interval, so no content is ever computed again. Does not say at which instants a query is evaluated.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, NamedTuple, TypeAlias

from typing_extensions import assert_never

from etalis_py.core.value_class import value_class

__all__ = [
    "FOREVER",
    "CountExtent",
    "Extent",
    "Grid",
    "Landmark",
    "Life",
    "PastExtent",
    "RelationToStream",
    "Report",
    "Schedule",
    "TimeExtent",
    "closings",
    "first_closing",
    "holds",
    "last_closing",
    "life",
    "reach",
]

Life: TypeAlias = tuple[int, "int | None"]
"""The first instant, and the first one after; None: for ever."""


RelationToStream: TypeAlias = Literal["RSTREAM", "ISTREAM", "DSTREAM"]
"""Of the rows of an evaluation all, those that are new, or those that are gone."""


@value_class
class TimeExtent:
    """``RANGE width STEP step STARTING AT origin``: at each closing instant what ended within ``width``.

    Without a ``step`` each instant closes one. Closing instants are ``origin + width + k * step`` for k >= 0,
    and with ``partial`` also those before it that are behind the origin; without an origin the multiples of
    the step. A window is ``(close - width, close]``, with ``closed_open`` ``[close - width, close)``.
    ``whole``: only what also started in it. ``moving``: it is looked at before it closes (`holds`).
    """

    width: int
    step: int | None = None
    origin: int | None = None
    partial: bool = False
    closed_open: bool = False
    whole: bool = False
    moving: bool = False


@value_class
class Landmark:
    """Everything that ended at ``begin`` or later; everything where it is None (``RANGE UNBOUNDED``)."""

    begin: int | None = None


@value_class
class PastExtent:
    """``NOW-begin TO NOW-until``: ``now - begin < end <= now - until``; ``NOW`` begins a microsecond ago.

    With a ``step`` now is the last of its multiples.
    """

    begin: int
    until: int
    step: int | None = None


@value_class
class CountExtent:
    """The ``count`` elements, or triples, that ended last.

    With a ``step`` those that did when so many more had come, the last time. ``beyond``: these are more than
    a window holds, which does not change by each of them.
    """

    count: int
    triples: bool = False
    step: int | None = None
    beyond: bool = False


FOREVER: Final = 1 << 60
"""The end of a life without one, where it has to be a number: microseconds, some 36,000 years from 1970."""

Extent: TypeAlias = TimeExtent | Landmark | PastExtent | CountExtent


class Grid(NamedTuple):
    """Instants ``period`` microseconds apart, from ``first`` on; the multiples of it where that is None."""

    period: int
    first: int | None = None


class Report(Enum):
    """When a query is evaluated (SECRET)."""

    CLOSE = "at the instants of a grid"
    CHANGE = "whenever what a window holds changes"
    ARRIVAL = "whenever an element comes"


@value_class
class Schedule:
    """The instants at which a query is evaluated: of CLOSE those of any of its grids.

    When the input has ended, these go on until nothing is in a window; ``lasts``: there are windows that are
    never empty again, so there is just one more. ``query`` tells whose elements decide, where these do.
    """

    grids: tuple[Grid, ...]
    lasts: bool = False
    report: Report = Report.CLOSE
    query: int = 0


def closings(extent: TimeExtent | PastExtent) -> Grid | None:
    """The closing instants of a window with steps; None without them, where each instant closes one.

    >>> closings(TimeExtent(10, 4)), closings(TimeExtent(10, 4, origin=1))
    (Grid(period=4, first=None), Grid(period=4, first=11))
    """
    if extent.step is None:
        return None
    if isinstance(extent, PastExtent) or extent.origin is None:
        return Grid(extent.step)
    return Grid(extent.step, _first(extent))


def first_closing(extent: TimeExtent, time: int) -> int:
    """The first closing instant at ``time`` or later.

    >>> first_closing(TimeExtent(10, 4), 9), first_closing(TimeExtent(10, 4, origin=1), 0)
    (12, 11)
    """
    if extent.step is None:
        return time if extent.origin is None else max(time, _first(extent))
    base = 0 if extent.origin is None else extent.origin + extent.width
    closing = base - (base - time) // extent.step * extent.step
    return closing if extent.origin is None else max(closing, _first(extent))


def last_closing(extent: TimeExtent, time: int) -> int | None:
    """The last closing instant at ``time`` or earlier; None where there is none.

    >>> last_closing(TimeExtent(10, 4), 9), last_closing(TimeExtent(10, 4, origin=1), 10)
    (8, None)
    """
    if extent.step is None:
        closing = time
    else:
        base = 0 if extent.origin is None else extent.origin + extent.width
        closing = base + (time - base) // extent.step * extent.step
    return None if extent.origin is not None and closing < _first(extent) else closing


def _first(extent: TimeExtent) -> int:
    """The first closing instant of all."""
    assert extent.origin is not None
    if extent.step is None:
        return extent.origin
    closing = extent.origin + extent.width
    return closing - (extent.width - 1) // extent.step * extent.step if extent.partial else closing


def holds(
    extent: TimeExtent | Landmark | PastExtent, now: int, start: int, end: int, *, moving: bool
) -> bool:
    """Whether an element of this interval is in the window at ``now``: the definition.

    ``moving``: a window with steps is looked at before it closes (reports on CHANGE and ARRIVAL). Then what
    counts is the earliest one that is still open (SECRET's active window).
    """
    match extent:
        case Landmark(begin=begin):
            return end <= now and (begin is None or begin <= end)
        case PastExtent(begin=first, until=until, step=step):
            now -= now % (step or 1)
            return now - first < end <= now - until
        case TimeExtent():
            return _is_within(extent, now, start, end, moving=moving)
        case _:
            assert_never(extent)


def _is_within(extent: TimeExtent, now: int, start: int, end: int, *, moving: bool) -> bool:
    late = int(extent.closed_open)
    if extent.origin is not None and end < extent.origin + 1 - late:
        return False
    if moving and extent.step is not None:
        close: int | None = first_closing(extent, now + late)
        newest = now
    else:
        close = last_closing(extent, now)
        newest = now if close is None else close - late
    if close is None:
        return False
    oldest = close - extent.width + 1 - late
    return oldest <= (start if extent.whole else end) and end <= newest


def life(extent: TimeExtent | Landmark | PastExtent, start: int, end: int, *, moving: bool) -> Life | None:
    """From when until when an element of this interval is in the window; None where it never is.

    >>> life(TimeExtent(10, 4), 5, 5, moving=False)
    (8, 16)
    """
    match extent:
        case Landmark(begin=begin):
            return None if begin is not None and end < begin else (end, None)
        case PastExtent(begin=first, until=until, step=step):
            came, gone = (time + -time % (step or 1) for time in (end + until, end + first))
            return (came, gone) if came < gone else None
        case TimeExtent():
            return _time_life(extent, start, end, moving=moving)
        case _:
            assert_never(extent)


def _time_life(extent: TimeExtent, start: int, end: int, *, moving: bool) -> Life | None:
    late = int(extent.closed_open)
    if extent.origin is not None and end < extent.origin + 1 - late:
        return None
    gone = (start if extent.whole else end) + extent.width + late
    """The first instant whose window would begin too late."""
    if moving and extent.step is not None:
        last = last_closing(extent, gone - 1)
        if last is None:
            return None
        came, until = end, last + 1 - late
    else:
        came, until = first_closing(extent, end + late), first_closing(extent, gone)
    return (came, until) if came < until else None


def reach(extent: Extent) -> int | None:
    """How long after its end an element may still be in the window; None: for ever."""
    match extent:
        case TimeExtent(width=width, step=step):
            return width + (step or 0) + 1
        case PastExtent(begin=begin, step=step):
            return begin + (step or 0)
        case Landmark() | CountExtent():
            return None
        case _:
            assert_never(extent)
