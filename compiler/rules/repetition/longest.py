"""The longest runs, where nothing follows."""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.compiler.rules.prolog_terms import FAIL, TRUE, Atom, Number, Term, conjunction, struct, unify
from etalis_py.compiler.rules.repetition.breaking import Breaking
from etalis_py.compiler.rules.repetition.runs import ANY, BEGIN, LAST, NO, SHORTER, TRAIL, WHOSE, YES, Runs
from etalis_py.compiler.rules.rules import COUNT, END, Rule
from etalis_py.compiler.rules.writing import forget, insert, own_solution, settling

__all__ = ["Longest"]


class Longest:
    """Gives runs that nothing can make longer."""

    def __init__(self, runs: Runs, breaking: Breaking) -> None:
        self._runs, self._node, self._repeat, self._names = runs, runs.node, runs.repeat, runs.names
        self._breaking = breaking

    def _ends_here(self) -> Term:
        """No iteration was added to it."""
        return self._runs.there_is_no(self._runs.other(ANY, ANY, TRAIL))

    def rules(self) -> Iterator[Rule]:
        """Where nothing follows: runs that are broken, full, or that the end of the input breaks."""
        runs = self._runs
        node, high, breaking = self._node, self._repeat.high, self._breaking
        row, done = breaking.unbroken()
        given = own_solution(node, self._names, BEGIN)
        last = (runs.enough(), runs.is_maximal(), self._ends_here(), runs.measured(), given)
        not_full = TRUE if high is None else struct("<", COUNT, Number(high))
        yield settling(node, breaking.found_broken(row), not_full, forget(row), breaking.parted(), *last)
        ended = conjunction(struct("input_ends", Atom("any")), row, not_full)
        yield settling(node, ended, forget(row), breaking.parted(), *last)
        if high is None:
            return
        full, given_before = (
            runs.row(loose="", last=END, count=Number(high), trail=(WHOSE, TRAIL, SHORTER, each))
            for each in (NO, YES)
        )
        known = conjunction(unify(LAST, END), unify(COUNT, Number(high)))
        yield settling(
            node, full, forget(full), insert(given_before), known, runs.is_maximal(), runs.measured(), given
        )
        is_full = struct("=:=", COUNT, Number(high))
        yield settling(node, breaking.found_broken(done), is_full, forget(done), breaking.parted(), FAIL)
