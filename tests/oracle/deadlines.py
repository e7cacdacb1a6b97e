"""What did not happen by a deadline, and points in time: NOT .. FOR, AFTER, EVERY, on bags of solutions.

Times and lengths are microseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.oracle.following import Side
from tests.oracle.relations import before
from tests.oracle.solutions import Clock, Interval, Solution, joined

__all__ = ["absences", "each_multiple", "later"]


def absences(
    left: Iterable[Solution], none: Side, length: int, *, from_start: bool = False
) -> Iterator[Solution]:
    """A SEQ NOT N FOR d = { (μa, sa, due) : a ∈ ⟦A⟧, due ≥ e(a),
    no n ∈ ⟦N⟧ with n ~ a, a ≺ n, e(n) ≤ due, F(a, n) }

    due = e(a) + d, or s(a) + d with FROM START.
    """
    for one in left:
        if one.interval is None:
            continue
        start, end = one.interval
        due = (start if from_start else end) + length
        if due >= end and not any(_is_in_time(one, each, due, none) for each in none.settled):
            yield one.until(due)


def _is_in_time(one: Solution, each: Solution, due: int, none: Side) -> bool:
    return (
        joined(one, each) is not None
        and before(one, each)
        and each.interval is not None
        and each.interval[1] <= due
        and none.condition(one, each)
    )


def later(left: Iterable[Solution], length: int) -> Iterator[Solution]:
    """A SEQ AFTER d = A SEQ NOT {} FOR d with nothing to match"""
    return absences(left, Side((), ()), length)


def each_multiple(length: int, clock: Clock | None) -> list[Solution]:
    """EVERY d = { (∅, t, t) : t = k d }, of the instants that the clock goes through"""
    if clock is None:
        return []
    first, last = clock
    return [Solution({}, point(time)) for time in range(-(-first // length) * length, last + 1, length)]


def point(time: int) -> Interval:
    """A point in time as an interval."""
    return time, time
