"""How an iteration goes on with the runs that were there, or begins one."""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.compiler.algebra.algebra import RepeatMode
from etalis_py.compiler.rules.exists import expressions_with
from etalis_py.compiler.rules.expression_goals import Scope
from etalis_py.compiler.rules.prolog_terms import (
    EMPTY_LIST,
    FAIL,
    TRUE,
    Atom,
    Compound,
    Number,
    Term,
    Var,
    conjunction,
    either,
    if_then_else,
    list_term,
    struct,
    unify,
)
from etalis_py.compiler.rules.repetition.openings import Openings
from etalis_py.compiler.rules.repetition.runs import (
    ANY,
    BEFORE,
    BEGIN,
    BROKEN,
    LAST,
    NO,
    RANK,
    TRAIL,
    WHOSE,
    YES,
    Runs,
)
from etalis_py.compiler.rules.repetition.scopes import Scopes
from etalis_py.compiler.rules.rules import COUNT, END, START, Rule
from etalis_py.compiler.rules.writing import Waiting, forget, insert, settling, within

__all__ = ["Iterations", "iteration_condition", "ordered_columns"]

_ROWS, _ORDERED = Var("Rows"), Var("Ordered")
_NEXT, _ITERATION = Var("Next"), Var("Iteration")


def ordered_columns(runs: Runs) -> tuple[Term, ...]:
    """The columns of an iteration in the order of the names, by which iterations of an instant are sorted."""
    columns = sorted(runs.node.group.schema.columns, key=lambda each: (each.is_hidden, each.name))
    return runs.sides.columns(columns, "R")


def iteration_condition(runs: Runs, *, first: bool = False) -> Term:
    """What chooses the iterations sees the run so far."""
    repeat, group = runs.repeat, runs.node.group.schema
    if repeat.condition is None:
        return TRUE
    values = {each: runs.names(each) for each in (*runs.left.columns, *group.columns)}
    values |= {each.variable: runs.names(each.variable) for each in repeat.running}
    counts = frozenset(each.variable for each in repeat.running if each.function == "COUNT")
    scope = Scope(values, runs.left.certain | group.certain | counts, (START, END), END)
    test = expressions_with(scope, runs.node.tests, runs.names).condition(repeat.condition)
    aggregated = runs.values.aggregated(repeat.running, None if first else COUNT)
    return conjunction(aggregated, test, runs.traced_running())


class Iterations:
    """Makes runs of the iterations of an instant."""

    def __init__(self, runs: Runs, openings: Openings, scopes: Scopes) -> None:
        self._runs, self._node, self._repeat, self._names = runs, runs.node, runs.repeat, runs.names
        self._openings = openings
        self._scopes = scopes

    def extended(self) -> Rule:
        """Each iteration of the instant, in order, with each run that it fits."""
        iteration = struct("row", START, *ordered_columns(self._runs))
        return settling(
            self._node,
            struct("findall", iteration, self._runs.groups.kept, _ROWS),
            self._runs.groups.store.emptied,
            struct("iterations_in_order", _ROWS, _ORDERED),
            struct("member", iteration, _ORDERED),
            self._numbered,
            either(*self._ways()),
            FAIL,
        )

    @property
    def _numbered(self) -> Term:
        if not self._runs.are_numbered:
            return TRUE
        return conjunction(struct("next_rank", RANK), unify(_ITERATION, struct("i", END, RANK)))

    def _ways(self) -> Iterator[Term]:
        """What an iteration may do."""
        if self._runs.opens_later:
            yield self._openings.new_values()
        yield conjunction(self._may_go_on(), self._fits(), self._new_run())
        if self._node.left is None:
            yield self._first()

    def _may_go_on(self) -> Term:
        """A point goes on with nothing that something has come after; what lasts may have begun before."""
        runs = self._runs
        node, run = self._node, runs.row()
        if not runs.breaks:
            return run
        scope = node.scope.schema.columns if node.scope is not None else ()
        may_be_between = TRUE if set(scope) & set(runs.own) else struct("<", START, END)
        if runs.parts_broken:
            return either(run, conjunction(may_be_between, Compound(runs.apart.name, run.arguments)))
        if may_be_between == TRUE:
            return run
        unbroken: Term = unify(BROKEN, NO)
        if node.left is not None:  # the first iteration follows in another way
            unbroken = either(unbroken, conjunction(unify(BROKEN, YES), unify(COUNT, Number(0))))
        return conjunction(either(conjunction(struct("=:=", START, END), unbroken), may_be_between), run)

    def _fits(self) -> Term:
        """How an iteration must lie, agree with a run, and what it must make true."""
        repeat, node = self._repeat, self._node
        after = struct("<", BEFORE if repeat.mode is RepeatMode.ALL else LAST, START)
        few: Term = TRUE
        if repeat.high is not None and repeat.mode is not RepeatMode.ALL:
            few = struct("<", COUNT, Number(repeat.high))
        agree = self._runs.sides.agree("L", "R")
        return conjunction(
            after,
            few,
            within(node.window, BEGIN),
            *agree,
            self._nothing_between(),
            iteration_condition(self._runs),
        )

    def _nothing_between(self) -> Term:
        later, first = (
            TRUE if each is None else each.not_between(LAST, START)
            for each in (self._scopes.between, self._scopes.before_first)
        )
        if self._node.left is None or later == first:
            return later
        return if_then_else(struct("=:=", COUNT, Number(0)), first, later)

    def _new_run(self) -> Term:
        """The run with one more iteration, in the place of the one before, or beside it."""
        runs = self._runs
        repeat = self._repeat
        iterations = Compound("[|]", (_ITERATION, EMPTY_LIST if runs.is_greedy else TRAIL))
        trail = (WHOSE, iterations, TRAIL, NO)
        new = runs.row(loose="", last=END, count=_NEXT, new=True, trail=trail)
        changed = conjunction(
            struct("is", _NEXT, struct("-", COUNT, Number(-1))), runs.values.extended(COUNT)
        )
        if repeat.mode is RepeatMode.ALL:
            old = runs.row()
            past = insert(struct(runs.past.name, *old.arguments, END))
            past = if_then_else(struct("<", LAST, END), past, TRUE) if runs.keeps_past else TRUE
            again = Compound(runs.grown.store.name, old.arguments)
            once = if_then_else(forget(again), TRUE, TRUE) if runs.gives_grown else TRUE
            return conjunction(changed, forget(old), past, once, insert(new), runs.as_grown(new))
        limited = struct("limited_runs", Atom(runs.store.name)) if repeat.mode is RepeatMode.ANY else TRUE
        return conjunction(self._take(), limited, changed, insert(new), runs.as_grown(new))

    def _take(self) -> Term:
        """A run that takes the next one has it when the instant is through."""
        if not self._runs.takes:
            return TRUE
        is_first = struct("=:=", COUNT, Number(0))
        takes_first, takes_later = self._repeat.operator.next_only, self._repeat.mode is RepeatMode.NEXT
        keep = insert(self._runs.taken.kept)
        if self.takes_opened:
            return if_then_else(is_first, insert(self.followed.kept), keep if takes_later else TRUE)
        if takes_first and takes_later:
            return keep
        return if_then_else(is_first, keep if takes_first else TRUE, keep if takes_later else TRUE)

    @property
    def takes_opened(self) -> bool:
        """Whether the next one, of whatever values of PER, is the first iteration."""
        return (
            self._runs.opens_later
            and self._repeat.operator.next_only
            and self._repeat.mode is not RepeatMode.ALL
        )

    @property
    def followed(self) -> Waiting:
        """What stands before, when its first iteration has come."""
        runs = self._runs
        columns = runs.sides.columns(runs.left.columns, "L")
        whose = (WHOSE,) if runs.are_numbered else ()
        return Waiting(self._node, (BEFORE, BEGIN, *columns, *whose), "followed")

    def _first(self) -> Term:
        """Where nothing stands before, each iteration that fits as a first one begins a run."""
        runs = self._runs
        names = self._names
        agree = (unify(names(each), names(each, "R")) for each in runs.loose)
        whose = Atom("none") if self._repeat.longest else _ITERATION
        new = runs.row(
            loose="", last=END, count=Number(1), begin=START, before=END, new=True,
            trail=(whose, list_term((_ITERATION,)), EMPTY_LIST, NO),
        )  # fmt: skip
        alone = self._begins_alone()
        return conjunction(
            *agree,
            alone,
            iteration_condition(runs, first=True),
            runs.values.begun(),
            insert(new),
            runs.as_grown(new),
        )

    def _begins_alone(self) -> Term:
        """Of LONGEST: what was just now the last of another run would be the end of that for ever."""
        if not self._runs.looks_at_last:
            return TRUE
        just = self._runs.other(END, Compound("[|]", (_ITERATION, ANY)), ANY)
        return struct("\\+", just)

    def taken_away(self) -> Iterator[Rule]:
        """Runs, and what stands before, that took the next one are gone when the instant is through."""
        runs = self._runs
        if runs.takes:
            yield runs.taken.settled(forget(runs.row()), FAIL)
            yield runs.taken.forgotten
        if self.takes_opened:
            none = runs.row(count=Number(0))
            yield self.followed.settled(forget(Compound(runs.open.name, self.followed.columns)), FAIL)
            yield self.followed.settled(none, forget(none), FAIL)
            yield self.followed.forgotten
