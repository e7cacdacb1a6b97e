"""Points: what is kept of solutions that only decide whether there was one.

Of solutions that no test tells apart one point is enough: of those that must have ended before something the
earliest end, of those that must be younger than something the latest start. Which one it is, is read off
the condition; where it says too much, each different interval is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import Enum

from typing_extensions import assert_never

from etalis_py.compiler.algebra.algebra import (
    Apply,
    Constant,
    Exists,
    Expression,
    Variable,
    conjuncts,
    expression_variables,
    uses_time,
)
from etalis_py.compiler.plan.age import Age
from etalis_py.compiler.rules.prolog_terms import TRUE, Term, Var, conjunction, if_then_else, struct
from etalis_py.compiler.rules.rules import END, START, Store
from etalis_py.compiler.rules.writing import forget, insert
from etalis_py.core.value_class import value_class

__all__ = ["Moment", "Points", "deciding_moment", "needed_columns"]

_KEPT, _ANY = Var("Kept"), Var("_")


class Moment(Enum):
    """The times of a point."""

    NONE = "none"
    EARLIEST_START = "the earliest start"
    LATEST_START = "the latest start"
    EARLIEST_END = "the earliest end"
    LATEST_END = "the latest end"
    ALL = "each end and start"


def deciding_moment(condition: Expression | None) -> Moment:
    """The times that decide, together with the variables of ``condition``, whether it can be true."""
    parts = () if condition is None else conjuncts(condition)
    moments = {_moment_of(part) for part in parts if uses_time(part)}
    if len(moments) > 1:
        return Moment.ALL
    return next(iter(moments), Moment.NONE)


def _moment_of(part: Expression) -> Moment:
    match part:
        case Apply(function=">" | ">=", arguments=(Apply(function=time), other)) if not uses_time(other):
            latest = True
        case Apply(function="<" | "<=", arguments=(other, Apply(function=time))) if not uses_time(other):
            latest = True
        case Apply(function="<" | "<=", arguments=(Apply(function=time), other)) if not uses_time(other):
            latest = False
        case Apply(function=">" | ">=", arguments=(other, Apply(function=time))) if not uses_time(other):
            latest = False
        case Variable() | Constant() | Apply() | Exists():
            return Moment.ALL
        case _:
            assert_never(part)
    match time:
        case "GETSTARTTIME":
            return Moment.LATEST_START if latest else Moment.EARLIEST_START
        case "GETENDTIME":
            return Moment.LATEST_END if latest else Moment.EARLIEST_END
        case _:
            return Moment.ALL


def needed_columns(
    columns: Collection[Variable], common: Sequence[Variable], condition: Expression | None
) -> tuple[Variable, ...]:
    """Of the ``columns`` of what is kept: those in ``common`` with the other side, those of the condition."""
    spoken_of = frozenset() if condition is None else expression_variables(condition)
    return (*common, *(each for each in columns if each in spoken_of and each not in common))


@value_class
class Points:
    """The points of one side of an operator: the values of ``columns``, then the times that ``moment`` says.

    With ``age`` they are kept in a window store, so long as they can decide anything.
    """

    name: str
    columns: tuple[Variable, ...]
    moment: Moment
    age: Age | None = None
    trace: Variable | None = None
    """Of a traced test: what the solution that left the point is made of, the last of its values."""

    @property
    def store(self) -> Store:
        """Where the points are kept."""
        arity = len(self.columns) + len(self._times(START, END)) + (self.trace is not None)
        return Store.within(None if self.age is None else self.age.width, self.name, arity)

    def point(self, values: Callable[[Variable], Term], start: Term, end: Term) -> Term:
        """A point as it is stored."""
        trace = () if self.trace is None else (values(self.trace),)
        return struct(self.name, *map(values, self.columns), *self._times(start, end), *trace)

    def _like(self, values: Callable[[Variable], Term], start: Term, end: Term) -> Term:
        """A point with the same values, whatever it is made of."""
        return self.point(lambda each: _ANY if each == self.trace else values(each), start, end)

    def _times(self, start: Term, end: Term) -> tuple[Term, ...]:
        match self.moment:
            case Moment.NONE:
                return ()
            case Moment.EARLIEST_START | Moment.LATEST_START:
                return (start,)
            case Moment.EARLIEST_END | Moment.LATEST_END:
                return (end,)
            case Moment.ALL:
                return (end, start)

    def interval(self, start: Term, end: Term) -> tuple[Term | None, Term | None]:
        """Start and end of a point, None for what is not kept."""
        times = self._times(start, end)
        return (start if start in times else None, end if end in times else None)

    def added(self, values: Callable[[Variable], Term]) -> Term:
        """Keep the point of the solution at ``Start``, ``End``, unless one that decides as much is there."""
        new = insert(self.point(values, START, END))
        match self.moment:
            case Moment.NONE | Moment.ALL:
                return if_then_else(self._like(values, START, END), TRUE, new)
            case Moment.EARLIEST_END:  # solutions come in the order of their ends
                return if_then_else(self._like(values, _ANY, _ANY), TRUE, new)
            case _:
                pass
        start_decides = self.moment is not Moment.LATEST_END
        at_least = "=<" if self.moment is Moment.EARLIEST_START else ">="
        enough = struct(at_least, _KEPT, START if start_decides else END)
        old = self._like(values, _KEPT, _KEPT)
        replaced = conjunction(forget(old), new)
        return if_then_else(old, if_then_else(enough, TRUE, replaced), new)
