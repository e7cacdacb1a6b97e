"""When a query with windows has answers: rules for ``trigger`` (section 4.1 of the paper, and REPORT)."""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import assert_never

from etalis_py.compiler.algebra.algebra import Constant
from etalis_py.compiler.algebra.stream_windows import Extent, Landmark, PastExtent, Report
from etalis_py.compiler.algebra.windowed import StreamWindow, Windowed
from etalis_py.compiler.lars.program import (
    ANY_STREAM,
    ANY_TRIPLE,
    NOW,
    STREAMED,
    TRIGGER,
    Atom,
    Before,
    Formula,
    InWindow,
    Multiple,
    Not,
    Rule,
    Time,
)

__all__ = ["evaluation_rules"]


def evaluation_rules(windowed: Windowed, number: Callable[[StreamWindow], int]) -> tuple[Rule, ...]:
    """The rules, those of ``trigger`` first; ``number`` gives the number that a window has in the program."""
    schedule = windowed.schedule
    windows = [(number(each), each) for each in windowed.windows]
    streams = tuple(dict.fromkeys(each.stream for each in windowed.windows))
    held = (Atom("full"),) if windowed.nonempty else ()

    def of_stream(stream: str | None, extent: Extent) -> InWindow:
        return InWindow(number(StreamWindow(stream, extent)), _streamed(stream))

    match schedule.report:
        case Report.CLOSE:
            begun = Atom("begun")
            found = [Rule(TRIGGER, (Multiple(NOW, *each), begun, *held)) for each in schedule.grids]
            found += [Rule(begun, (of_stream(each, Landmark()),)) for each in streams]
        case Report.ARRIVAL:
            found = [Rule(TRIGGER, (of_stream(each, PastExtent(1, 0)), *held)) for each in streams]
        case Report.CHANGE:
            found = [rule for place, each in windows for rule in _changed(place, each, held)]
        case _:
            assert_never(schedule.report)
    found += [
        Rule(each, (InWindow(place, _streamed(window.stream)),)) for each in held for place, window in windows
    ]
    return tuple(found)


def _changed(number: int, window: StreamWindow, held: tuple[Formula, ...]) -> tuple[Rule, Rule]:
    """Something is in a window that was not a time point before, or is no more."""
    there = InWindow(number, _streamed(window.stream), Time("E"))
    return (
        Rule(TRIGGER, (there, Not(Before(there)), *held)),
        Rule(TRIGGER, (Before(there), Not(there), *held)),
    )


def _streamed(stream: str | None) -> Atom:
    """Anything of a stream."""
    return Atom(STREAMED, (*ANY_TRIPLE, ANY_STREAM if stream is None else Constant(stream)))
