"""When the rows of a SELECT with groups are given, and which solutions they are made of.

Without WINDOW: at each instant at which a solution ends, from all that end no later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from etalis_py.compiler.parse import syntax
from etalis_py.core.terms import encode_literal
from etalis_py.core.vocabulary import XSD_DURATION
from tests.oracle.solutions import Dataset, Interval, Solution

__all__ = ["Newer", "evaluations", "length_of"]

_NEEDED = {"OPTIONAL": ("left",), "EQUALSOPTIONAL": ("left",), "OPTIONALSEQ": ("right",)}
"""The sides whose events are needed; of UNION either, of other operators both."""

Newer = Callable[[Solution], Any]
"""The key that sorts solutions from the oldest to the newest."""


def evaluations(
    window: syntax.Window | None,
    where: syntax.Group | None,
    found: Sequence[Solution],
    data: Dataset,
    newer: Newer,
) -> Iterator[tuple[Interval | None, list[Solution]]]:
    """The interval of the rows, and the solutions that they are made of."""
    timeless = [each for each in found if each.interval is None]
    never = data.at is None and (data.clock is None or not _may_happen(where, data.of_elements))
    if timeless or never:  # what no event can match is known from the beginning, also where it is nothing
        yield None, timeless
    ended = [(each.interval[1], each) for each in found if each.interval is not None]
    for now in _instants(window, where, [end for end, _ in ended], data):
        past = [(end, each) for end, each in ended if end <= now]
        yield (now, now), [*timeless, *_inside(window, now, past, newer)]


def _instants(
    window: syntax.Window | None, where: syntax.Group | None, ends: Sequence[int], data: Dataset
) -> Sequence[int]:
    if data.at is not None:
        return [data.at]
    if not isinstance(window, syntax.RangeWindow) or window.step is None:
        return sorted(set(ends))
    if data.clock is None or not _may_happen(where, data.of_elements):
        return []
    (first, last), step = data.clock, length_of(window.step)
    return range(-(-first // step) * step, last + 1, step)


def _may_happen(element: syntax.GroupElement | None, of_elements: bool) -> bool:
    """Whether an event can have a part in a pattern; what cannot happen is not asked for at any STEP."""

    def may(part: syntax.GroupElement | None) -> bool:
        return _may_happen(part, of_elements)

    match element:
        case syntax.TriplesBlock() | syntax.EventPattern():
            return True
        case syntax.GraphPattern():
            return of_elements
        case syntax.StreamPattern(group=group):
            return _may_happen(group, of_elements=True)
        case syntax.Group(elements=elements):
            pairs = [
                each
                for each in elements
                if isinstance(each, syntax.Combination) and each.operator not in ("UNION", *_NEEDED)
            ]
            return any(map(may, elements)) and all(map(may, pairs))
        case syntax.Select(where=where):
            return may(where)
        case syntax.Combination(operator="UNION", left=left, right=right):
            return may(left) or may(right)
        case syntax.Combination(operator=operator):
            sides = _NEEDED.get(operator, ("left", "right"))
            return all(may(getattr(element, side)) for side in sides)
        case _:
            return False


def _inside(
    window: syntax.Window | None, now: int, past: Sequence[tuple[int, Solution]], newer: Newer
) -> list[Solution]:
    match window:
        case None:
            return [each for _, each in past]
        case syntax.RangeWindow(width=width):
            return [each for end, each in past if now - length_of(width) < end]
        case syntax.PastWindow(begin=begin, end=until):
            return [each for end, each in past if now - length_of(begin) < end <= now - length_of(until)]
        case syntax.RowsWindow(count=count):
            return sorted((each for _, each in past), key=newer)[-count:]


def length_of(duration: syntax.Duration | None) -> int:
    """Microseconds."""
    if duration is None:
        return 0
    value = encode_literal(duration.lexical, XSD_DURATION)[0]
    assert isinstance(value, tuple)
    assert value[0] == 0
    return value[1]
