"""What a run of REPEAT keeps of the values of its iterations, and the aggregates that are made of it.

First and last values, sums, counts, least and greatest values are columns of their own. What else is
aggregated is a list of the values of iterations, the newest first, which longer runs share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Final

from typing_extensions import assert_never

from etalis_py.compiler.algebra.algebra import Aggregate, Repeat, Variable
from etalis_py.compiler.rules.aggregate_term import aggregate_term
from etalis_py.compiler.rules.prolog_terms import (
    EMPTY_LIST,
    UNBOUND,
    Atom,
    Compound,
    Number,
    Term,
    Var,
    conjunction,
    if_then_else,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import VariableNames
from etalis_py.core.vocabulary import XSD_INTEGER

__all__ = ["SUM_OF_NONE", "IterationValues", "Kept", "kept_for"]

_NEW: Final = "N"
_TAKEN, _NEW_TAKEN, _ANY = Var("Taken"), Var(f"Taken{_NEW}"), Var("_")
_NONE = Atom("none")
_ZERO: Final = struct("^^", Number(0), Atom(XSD_INTEGER))
SUM_OF_NONE: Final = struct("so_far", _ZERO, Number(0), EMPTY_LIST)
"""A sum as ``summed/3`` keeps it (``rules/operators/iterations.pl``)."""


class Kept(Enum):
    """A column of a run, for one variable; the value is the side that its Prolog variable is named by."""

    FIRST = "F"
    LAST = "P"
    SUM = "S"
    COUNT = "C"
    LEAST = "I"
    GREATEST = "A"
    SAMPLE = "E"


_KEPT_FOR: Final = {
    "FIRST": Kept.FIRST,
    "LAST": Kept.LAST,
    "SUM": Kept.SUM,
    "AVG": Kept.SUM,
    "COUNT": Kept.COUNT,
    "MIN": Kept.LEAST,
    "MAX": Kept.GREATEST,
    "SAMPLE": Kept.SAMPLE,
}
_OF_NONE: Final[dict[Kept, Term]] = {
    Kept.FIRST: UNBOUND,
    Kept.LAST: UNBOUND,
    Kept.SUM: SUM_OF_NONE,
    Kept.COUNT: Number(0),
    Kept.LEAST: _NONE,
    Kept.GREATEST: _NONE,
    Kept.SAMPLE: UNBOUND,
}


def kept_for(aggregate: Aggregate) -> Kept | None:
    """The column that an aggregate is read off; None: that takes a list, or for COUNT(*) nothing."""
    if aggregate.argument is None or (aggregate.distinct and aggregate.function in ("SUM", "AVG", "COUNT")):
        return None
    return _KEPT_FOR.get(aggregate.function)


def counted(count: Term) -> Term:
    """A count as a literal."""
    return struct("^^", count, Atom(XSD_INTEGER))


class IterationValues:
    """The columns of one repetition; ``group`` are those of an iteration."""

    def __init__(self, repeat: Repeat, group: Sequence[Variable], names: VariableNames) -> None:
        self._group = group
        self._names = names
        kept, listed = dict[tuple[Kept, Variable], None](), list[Aggregate]()
        for each in (*repeat.running, *repeat.measures):
            column = kept_for(each)
            if column is not None and each.argument is not None:
                kept[column, each.argument] = None
            elif each.argument is not None or each.distinct:
                listed.append(each)
        self._kept, self._listed = list(kept), listed
        arguments = (each.argument for each in listed)
        self._variables = list(dict.fromkeys(each for each in arguments if each is not None))

    # ---- columns ----------------------------------------------------------------------------------------

    def columns(self, side: str = "") -> tuple[Term, ...]:
        """Those of a run; on the side ``N`` those of the run with one more iteration."""
        kept = (self._column(*each, side) for each in self._kept)
        return (*kept, *([Var(f"{_TAKEN.name}{side}")] if self._listed else []))

    def _column(self, kept: Kept, variable: Variable, side: str = "") -> Var:
        return self._names(variable, f"{kept.value}{side}")

    def of_none(self) -> tuple[Term, ...]:
        """Those of a run without iterations."""
        return (*(_OF_NONE[kept] for kept, _ in self._kept), *([EMPTY_LIST] if self._listed else []))

    def of_any(self) -> tuple[Term, ...]:
        """Those of whatever run."""
        return tuple(_ANY for _ in self.of_none())

    def extended(self, count: Term) -> Term:
        """The new columns, where the run before had ``count`` iterations."""
        is_first = struct("=:=", count, Number(0))
        goals = list[Term]()
        for kept, variable in self._kept:
            old, new = self._column(kept, variable), self._column(kept, variable, _NEW)
            begun, later = self._with_one(kept, variable, old, new)
            goals.append(if_then_else(is_first, begun, later) if kept is Kept.FIRST else later)
        return conjunction(*goals, *self._newest(_TAKEN))

    def begun(self) -> Term:
        """The new columns of a run that begins with the iteration."""
        goals = list[Term]()
        for kept, variable in self._kept:
            new = self._column(kept, variable, _NEW)
            first, later = self._with_one(kept, variable, _OF_NONE[kept], new)
            goals.append(first if kept is Kept.FIRST else later)
        return conjunction(*goals, *self._newest(EMPTY_LIST))

    def _with_one(self, kept: Kept, variable: Variable, old: Term, new: Var) -> tuple[Term, Term]:
        """What makes ``new`` of ``old`` and the first iteration, or a later one."""
        value = self._names(variable)
        takes, stays = unify(new, value), unify(new, old)
        match kept:
            case Kept.FIRST:
                return takes, stays
            case Kept.LAST:
                return takes, takes
            case Kept.SUM:
                later = struct("summed", old, value, new)
            case Kept.COUNT:
                one_more = struct("is", new, struct("-", old, Number(-1)))
                later = if_then_else(struct("==", value, UNBOUND), stays, one_more)
            case Kept.LEAST:
                later = struct("lesser", old, value, new)
            case Kept.GREATEST:
                later = struct("greater", old, value, new)
            case Kept.SAMPLE:
                later = if_then_else(struct("==", old, UNBOUND), takes, stays)
            case _:
                assert_never(kept)
        return later, later

    def carried(self, now: str, had: str, later: str, then: str, same: Term) -> Term:
        """Makes the columns on the side ``now`` of those a run ``had``, and of what came between two others.

        Where these are the ``same`` nothing came. Of sums, counts and last values alone.
        """
        goals = list[Term]()
        for kept, variable in self._kept:
            new, before, after, start = (
                self._column(kept, variable, side) for side in (now, had, later, then)
            )
            if kept is Kept.SUM:
                goals.append(struct("carried", before, start, after, new))
            elif kept is Kept.COUNT:
                goals.append(struct("is", new, struct("-", before, struct("-", start, after))))
            else:
                goals.append(if_then_else(same, unify(new, before), unify(new, after)))
        return conjunction(*goals)

    def _newest(self, taken: Term) -> Iterator[Term]:
        if self._listed:
            yield unify(_NEW_TAKEN, Compound("[|]", (self._arguments(), taken)))

    def _arguments(self) -> Term:
        """What is kept of an iteration in the list."""
        arguments: list[Term] = [self._names(each) for each in self._variables]
        if any(each.argument is None for each in self._listed):
            shown = (each for each in self._group if not each.is_hidden)
            arguments.append(struct("solution", *map(self._names, shown)))
        return struct("args", *arguments)

    # ---- aggregates -------------------------------------------------------------------------------------

    def aggregated(self, aggregates: Sequence[Aggregate], count: Term | None, side: str = "") -> Term:
        """The values of aggregates over a run of ``count`` iterations; None: it has none yet.

        Values and columns have the names of a ``side``.
        """
        return conjunction(*(self._value(each, count, side) for each in aggregates))

    def _value(self, aggregate: Aggregate, count: Term | None, side: str) -> Term:
        value, kept = self._names(aggregate.variable, side), kept_for(aggregate)
        if aggregate in self._listed:
            taken = EMPTY_LIST if count is None else Var(f"{_TAKEN.name}{side}")
            return struct("iteration_value", self._described(aggregate), taken, value)
        if kept is None or aggregate.argument is None:
            return unify(value, counted(Number(0) if count is None else count))
        column = _OF_NONE[kept] if count is None else self._column(kept, aggregate.argument, side)
        match kept:
            case Kept.FIRST | Kept.LAST | Kept.SAMPLE:
                return unify(value, column)
            case Kept.COUNT:
                return unify(value, counted(column))
            case Kept.LEAST | Kept.GREATEST:
                if count is None:
                    return unify(value, UNBOUND)
                return if_then_else(struct("==", column, _NONE), unify(value, UNBOUND), unify(value, column))
            case Kept.SUM:
                if aggregate.function == "SUM":
                    return struct("sum_since", SUM_OF_NONE, column, value)
                return struct("average_since", SUM_OF_NONE, column, count or Number(0), value)
            case _:
                assert_never(kept)

    def _described(self, aggregate: Aggregate) -> Term:
        place = (
            len(self._variables) if aggregate.argument is None else self._variables.index(aggregate.argument)
        )
        return aggregate_term(aggregate, Number(place + 1))
