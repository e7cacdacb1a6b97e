"""What stands before a repetition waits for iterations."""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.compiler.algebra.algebra import RepeatMode, Variable
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
    Compound,
    Number,
    Term,
    Var,
    conjunction,
    struct,
    unify,
)
from etalis_py.compiler.rules.repetition.runs import ANY, BEFORE, BEGIN, NO, SHORTER, TRAIL, WHOSE, Runs
from etalis_py.compiler.rules.rules import END, START, Rule
from etalis_py.compiler.rules.writing import insert, insertion, own_solution, settling, within

__all__ = ["Openings"]


class Openings:
    """Begins the runs of what stands before."""

    def __init__(self, runs: Runs) -> None:
        self._runs, self._node, self._repeat, self._names = runs, runs.node, runs.repeat, runs.names

    def rules(self) -> Iterator[Rule]:
        """What stands before waits for later iterations."""
        node = self._node
        if node.left is None or not node.left.eventful:
            return
        head = own_solution(node.left, self._names)
        if node.gives_left:
            yield insertion(node, head, self._runs.opened.keep)
        else:
            yield insertion(node, head, self._runs.whose, insert(self._begun()))

    def settled(self) -> Iterator[Rule]:
        """What stands before begins its runs when the instant is through, where it is given itself."""
        runs = self._runs
        if self._node.gives_left:
            holds_one = self._repeat.begun is not None
            begun = self._with_first() if holds_one else self._begun()
            made = self._first_of_left() if holds_one else runs.whose
            yield settling(self._node, runs.opened.kept, made, insert(begun), runs.as_grown(begun), FAIL)

    def _with_first(self) -> Compound:
        """A run whose first iteration ends what stands before."""
        return self._runs.row(
            loose="", last=END, count=Number(1), begin=START, before=END, new=True,
            trail=(WHOSE, TRAIL, SHORTER, NO),
        )  # fmt: skip

    def _first_of_left(self) -> Term:
        """The values of the first iteration, as what stands before has them."""
        runs = self._runs
        pairs = self._repeat.begun or ()
        values = (unify(self._names(own), self._names(kept)) for own, kept in pairs)
        seen = runs.traced_running()
        none_before = TRUE if seen == TRUE else runs.values.aggregated(self._repeat.running, None)
        return conjunction(*values, none_before, seen, runs.values.begun())

    def _begun(self) -> Compound:
        """The goal of what stands before: a run of no iteration, or what gets one for each value of PER."""
        runs = self._runs
        if runs.opens_later:
            whose = (WHOSE,) if runs.are_numbered else ()
            columns: tuple[Term, ...] = tuple(map(self._names, runs.left.columns))
            return Compound(runs.open.name, (END, START, *columns, *whose))
        loose = (self._names(each) for each in runs.loose)
        times = (END, START, END, Number(0))
        shared: tuple[Term, ...] = (*map(self._names, runs.join), *times, *loose)
        return Compound(runs.store.name, (*shared, *map(self._names, runs.outside), *runs.none_yet()))

    def new_values(self) -> Term:
        """What stands before gets a run for each value of PER."""
        runs = self._runs
        names, node = self._names, self._node
        columns = runs.sides.columns(runs.left.columns, "L")
        whose = (WHOSE,) if runs.are_numbered else ()
        found = struct(runs.open.name, BEFORE, BEGIN, *columns, *whose)
        shared = [names(each, self._side_of_new(each)) for each in runs.loose]
        row = struct(
            runs.store.name, *map(names, runs.join), BEFORE, BEGIN, BEFORE, Number(0), *shared,
            *map(names, runs.outside), *runs.none_yet(),
        )  # fmt: skip
        if runs.are_numbered and self._repeat.mode is RepeatMode.ALL:
            shared = [names(each) if each in runs.new else ANY for each in runs.loose]
        known = struct(
            runs.store.name, *map(names, runs.join), ANY, BEGIN, BEFORE, ANY, *shared,
            *map(names, runs.outside), *runs.known_values(),
        )  # fmt: skip
        agree = (
            struct(
                "compatible",
                names(each, "L"),
                names(each, "R"),
                names(each) if each in runs.maybe_new else ANY,
            )
            for each in runs.loose
            if each in runs.left
        )
        opened = conjunction(
            found,
            struct("<", BEFORE, START),
            within(node.window, BEGIN),
            *agree,
            struct("\\+", known),
        )
        made = struct("run", *row.arguments) if isinstance(row, Compound) else row
        listed = struct("findall", made, opened, Var("Opened"))
        return conjunction(listed, struct("member", made, Var("Opened")), insert(row), FAIL)

    def _side_of_new(self, variable: Variable) -> str:
        """What a run begins with: a value of PER, or what stands before has."""
        if variable in self._runs.maybe_new:
            return ""
        return "L" if variable in self._runs.left else "R"
