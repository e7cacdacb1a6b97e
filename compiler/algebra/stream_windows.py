"""Windows on streams: from when until when an element is in one (RSP-QL, RSEP-QL).

All times are microseconds, an element counts by its end (RSEP-QL, Definition 3; RSP-QL, Definition 4). The
instants at which it is in the window are an interval, its life, so no content is ever computed again; the
rules find it (``rules/snapshot.py``). What else a stage asks of a window is a function here, which has a case
for each kind.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple, TypeAlias

from typing_extensions import assert_never

from etalis_py.core.value_class import value_class

__all__ = [
    "FOREVER",
    "CountExtent",
    "Extent",
    "Grid",
    "Landmark",
    "PastExtent",
    "Report",
    "Schedule",
    "TimeExtent",
    "closings",
    "holds_arrivals",
    "keeps_elements",
    "reach",
    "takes_at_once",
]


@value_class
class TimeExtent:
    """``RANGE width STEP step STARTING AT origin``: at each closing instant what ended within ``width``.

    Without a ``step`` each instant closes one. Closing instants are ``origin + width + k * step`` for k >= 0,
    and with ``partial`` also those before it that are behind the origin; without an origin the multiples of
    the step. A window is ``(close - width, close]``, with ``closed_open`` ``[close - width, close)``.
    ``whole``: only what also started in it. ``moving``: it is looked at before it closes (on CHANGE and
    ARRIVAL); then the earliest one that is still open counts (SECRET's active window).
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


def closings(extent: Extent) -> Grid | None:
    """The closing instants of a window with steps of time; None where there are no such ones.

    >>> closings(TimeExtent(10, 4)), closings(TimeExtent(10, 4, origin=1))
    (Grid(period=4, first=None), Grid(period=4, first=11))
    """
    match extent:
        case TimeExtent(step=step, origin=origin) if step is not None:
            return Grid(step, None if origin is None else _first_closing(extent, origin, step))
        case PastExtent(step=step) if step is not None:
            return Grid(step)
        case TimeExtent() | PastExtent() | Landmark() | CountExtent():
            return None
        case _:
            assert_never(extent)


def _first_closing(extent: TimeExtent, origin: int, step: int) -> int:
    """The first closing instant of all."""
    closing = origin + extent.width
    return closing - (extent.width - 1) // step * step if extent.partial else closing


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


def holds_arrivals(extent: Extent) -> bool:
    """Whether the window surely holds an element of its stream when it comes."""
    match extent:
        case TimeExtent(width=width, step=step):
            is_open = step is None or (extent.moving and step <= width)
            return is_open and extent.origin is None and not (extent.whole or extent.closed_open)
        case Landmark(begin=begin):
            return begin is None
        case PastExtent(until=until):
            return until == 0 and extent.step is None
        case CountExtent(step=step):
            return step is None
        case _:
            assert_never(extent)


def takes_at_once(extent: Extent) -> bool:
    """Whether an element is in the window from the instant at which it ends, whenever that is."""
    return isinstance(extent, TimeExtent) and extent.step is None and not extent.closed_open


def keeps_elements(extent: Extent, schedule: Schedule) -> bool:
    """Whether elements stay in the window from one instant of ``schedule`` to the next."""
    own = closings(extent)
    step = min((each.period for each in schedule.grids), default=0) if own is None else own.period
    match extent:
        case TimeExtent(width=width):
            return step < width
        case PastExtent(begin=begin, until=until):
            return step < begin - until
        case Landmark() | CountExtent():
            return True
        case _:
            assert_never(extent)
