"""Runs that something has come after: STRICT ends with them, LONGEST gives them."""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.compiler.algebra.algebra import Variable
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    Compound,
    Number,
    Term,
    Var,
    conjunction,
    if_then_else,
    struct,
)
from etalis_py.compiler.rules.repetition.runs import ANY, LAST, NO, SHORTER, TRAIL, WHOSE, YES, Runs
from etalis_py.compiler.rules.rules import COUNT, START, Rule
from etalis_py.compiler.rules.writing import Waiting, forget, insert, insertion, own_solution, settling

__all__ = ["Breaking"]


class Breaking:
    """Notes what breaks runs, and which it broke."""

    def __init__(self, runs: Runs) -> None:
        self._runs, self._node, self._repeat, self._names = runs, runs.node, runs.repeat, runs.names

    def unbroken(self) -> tuple[Compound, Compound]:
        """A run that nothing has come after yet, and the same when something has."""
        no, yes = (self._runs.row(loose="", trail=(WHOSE, TRAIL, SHORTER, each)) for each in (NO, YES))
        return no, yes

    def found_broken(self, run: Compound) -> Term:
        """A run with something of this instant that began after its end."""
        after = struct("<", LAST, Var("StartZ"))
        return conjunction(self.breaking.kept, run, after, *self._agreeing())

    def parted(self) -> Term:
        """Put a broken run where those are."""
        row, broken = self.unbroken()
        if not self._runs.parts_broken:
            return insert(broken)
        apart = insert(Compound(self._runs.apart.name, row.arguments))
        if self._node.left is None:
            return apart
        return if_then_else(
            struct("=:=", COUNT, Number(0)), insert(broken), apart
        )  # a first one may still come

    def rules(self) -> Iterator[Rule]:
        """Runs that were broken at this instant, where others than the longest are asked for."""
        row, _ = self.unbroken()
        yield settling(self._node, self.found_broken(row), forget(row), self.parted(), FAIL)

    @property
    def breaking(self) -> Waiting:
        """What may break runs at this instant."""
        assert self._node.scope is not None
        return Waiting(self._node, (Var("StartZ"), *self._breaking_columns()), "breaking")

    def _breaking_columns(self) -> list[Term]:
        certain = self._node.scope.schema.certain if self._node.scope is not None else frozenset()
        sure = frozenset(self._runs.join) | self._runs.left.certain
        return [
            self._names(each, "" if each in sure & certain else "Z") for each in self._breaking_variables()
        ]

    def _breaking_variables(self) -> list[Variable]:
        assert self._node.scope is not None
        known = frozenset((*self._runs.left.columns, *self._repeat.shared))
        return [each for each in self._node.scope.schema.columns if each in known]

    def _agreeing(self) -> Iterator[Term]:
        for variable, column in zip(self._breaking_variables(), self._breaking_columns(), strict=True):
            if column != self._names(variable):
                yield struct("compatible", self._names(variable), column, ANY)

    def noted(self) -> Rule:
        """What came that may break runs."""
        node = self._node
        assert node.scope is not None
        kept = Waiting(node, (START, *map(self._names, self._breaking_variables())), "breaking")
        return insertion(node, own_solution(node.scope, self._names), kept.keep)
