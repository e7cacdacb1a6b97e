"""What a run of REPEAT keeps of the values of its iterations, and the aggregates that are made of it.

First and last values are columns of their own. What else is aggregated is a list of the values of iterations,
the newest first, which longer runs share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from etalis_py.compiler.algebra.algebra import Aggregate, Repeat, Variable
from etalis_py.compiler.rules.prolog_terms import (
    EMPTY_LIST,
    UNBOUND,
    Atom,
    Compound,
    Number,
    Term,
    Text,
    Var,
    conjunction,
    if_then_else,
    list_term,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import VariableNames
from etalis_py.core.vocabulary import XSD_INTEGER

__all__ = ["IterationValues"]

_TAKEN, _NEW_TAKEN, _ANY = Var("Taken"), Var("TakenN"), Var("_")


class IterationValues:
    """The columns of one repetition; ``group`` are those of an iteration."""

    def __init__(self, repeat: Repeat, group: Sequence[Variable], names: VariableNames) -> None:
        self._group = group
        self._names = names
        firsts, lasts, listed = dict[Variable, None](), dict[Variable, None](), list[Aggregate]()
        for each in (*repeat.running, *repeat.measures):
            if each.function in ("FIRST", "LAST"):
                assert each.argument is not None
                (firsts if each.function == "FIRST" else lasts)[each.argument] = None
            elif each.argument is not None or each.distinct:
                listed.append(each)
        self._firsts, self._lasts, self._listed = list(firsts), list(lasts), listed
        arguments = (each.argument for each in listed)
        self._variables = list(dict.fromkeys(each for each in arguments if each is not None))

    # ---- columns ----------------------------------------------------------------------------------------

    def columns(self, *, new: bool = False) -> tuple[Term, ...]:
        """Those of a run; ``new``: of the one with one more iteration."""
        names, letter = self._names, "N" if new else ""
        return (
            *(names(each, f"F{letter}") for each in self._firsts),
            *(names(each, f"P{letter}") for each in self._lasts),
            *([_NEW_TAKEN if new else _TAKEN] if self._listed else []),
        )

    def of_none(self) -> tuple[Term, ...]:
        """Those of a run without iterations."""
        unbound = (UNBOUND for _ in (*self._firsts, *self._lasts))
        return (*unbound, *([EMPTY_LIST] if self._listed else []))

    def of_any(self) -> tuple[Term, ...]:
        """Those of whatever run."""
        return tuple(_ANY for _ in self.of_none())

    def extended(self, count: Term) -> Term:
        """The new columns, where the run before had ``count`` iterations."""
        names, is_first = self._names, struct("=:=", count, Number(0))
        return conjunction(
            *(
                if_then_else(
                    is_first,
                    unify(names(each, "FN"), names(each)),
                    unify(names(each, "FN"), names(each, "F")),
                )
                for each in self._firsts
            ),
            *self._newest(_TAKEN),
        )

    def begun(self) -> Term:
        """The new columns of a run that begins with the iteration."""
        firsts = (unify(self._names(each, "FN"), self._names(each)) for each in self._firsts)
        return conjunction(*firsts, *self._newest(EMPTY_LIST))

    def _newest(self, taken: Term) -> Iterator[Term]:
        yield from (unify(self._names(each, "PN"), self._names(each)) for each in self._lasts)
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

    def aggregated(self, aggregates: Sequence[Aggregate], count: Term | None) -> Term:
        """The values of aggregates over a run of ``count`` iterations; None: it has none yet."""
        listed = [each for each in aggregates if each in self._listed]
        goals = [self._single(each, count) for each in aggregates if each not in listed]
        if listed:
            values = struct("values", *(self._names(each.variable) for each in listed))
            terms = list_term(tuple(map(self._described, listed)))
            taken = EMPTY_LIST if count is None else _TAKEN
            goals.append(struct("iteration_values", terms, taken, values))
        return conjunction(*goals)

    def _single(self, aggregate: Aggregate, count: Term | None) -> Term:
        """COUNT(*), FIRST or LAST."""
        variable = self._names(aggregate.variable)
        if aggregate.argument is None:
            return unify(variable, struct("^^", Number(0) if count is None else count, Atom(XSD_INTEGER)))
        if count is None:
            return unify(variable, UNBOUND)
        letter = "F" if aggregate.function == "FIRST" else "P"
        return unify(variable, self._names(aggregate.argument, letter))

    def _described(self, aggregate: Aggregate) -> Term:
        function: Term = Atom(aggregate.function.lower())
        if aggregate.function == "GROUP_CONCAT":
            function = struct("group_concat", Text(aggregate.separator))
        place = (
            len(self._variables) if aggregate.argument is None else self._variables.index(aggregate.argument)
        )
        return struct("agg", function, Atom("true" if aggregate.distinct else "false"), Number(place + 1))
