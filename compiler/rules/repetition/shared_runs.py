"""The rules of REPEAT ALL where one update serves all open runs.

It does where an iteration is chosen without a look at the run, and what is measured of a run is the
difference of two totals. For each key there is one total, of all iterations since something began to wait;
earlier totals are kept, since what follows asks for that at its start. A goal has the total that was there
when it came.

An iteration that lasts may begin before a goal and end after it: it is none of that goal's run. Then the goal
carries what it had before, and has the total with that iteration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from etalis_py.compiler.algebra.algebra import Aggregate, RepeatMode, expression_variables
from etalis_py.compiler.plan.plan import RepeatPlan
from etalis_py.compiler.rules.iteration_values import Kept, kept_for
from etalis_py.compiler.rules.prolog_terms import (
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
    struct,
    unify,
)
from etalis_py.compiler.rules.repetition.following import Following
from etalis_py.compiler.rules.repetition.iterations import iteration_condition, ordered_columns
from etalis_py.compiler.rules.repetition.runs import Runs
from etalis_py.compiler.rules.repetition.scopes import Scopes
from etalis_py.compiler.rules.rules import (
    COUNT,
    END,
    OPEN,
    START,
    Rule,
    RuleKind,
    RuleSet,
    Store,
    VariableNames,
)
from etalis_py.compiler.rules.writing import (
    forget,
    insert,
    insertion,
    newest,
    own_solution,
    rule,
    settling,
    solution,
)

__all__ = ["SharedRunRules", "are_shared"]

_BEGIN, _BEFORE, _ANY, _ASKED = Var("Start1"), Var("End1"), Var("_"), Var("Before")
_SINCE, _UNTIL, _CHANGED = Var("Since"), Var("Until"), Var("Changed")
_NONE, _THEN, _NOW, _NEXT = Number(0), Var("CountT"), Var("CountU"), Var("CountN")
_HAD, _HAS = Var("CountB"), Var("CountH")
_NEVER: Final = 1 << 62
_TOLD_APART: Final = (Kept.SUM, Kept.COUNT, Kept.LAST)


def are_shared(node: RepeatPlan) -> bool:
    """Whether one update serves all runs of a key."""
    repeat, left, group = node.repeat, node.left, node.group
    if node.tests:
        return False
    if left is None or node.then is None or repeat.mode is not RepeatMode.ALL or repeat.running:
        return False
    if node.first_scope is not None or node.last_scope is not None or repeat.then_next:
        return False
    certain = left.schema.certain & group.schema.certain
    shared = frozenset(repeat.shared) & frozenset(group.schema.columns)
    seen = frozenset() if repeat.condition is None else expression_variables(repeat.condition)
    return (
        left.eventful
        and group.eventful
        and shared <= certain
        and seen <= frozenset(group.schema.columns)
        and all(kept_for(each) in _TOLD_APART or _counts_all(each) for each in repeat.measures)
    )


def _counts_all(aggregate: Aggregate) -> bool:
    return aggregate.function == "COUNT" and aggregate.argument is None and not aggregate.distinct


def _carried_count(now: Term, had: Term, later: Term, then: Term) -> Term:
    """``now`` is what a goal had, and what came between two totals."""
    return struct("is", now, struct("-", had, struct("-", then, later)))


class SharedRunRules:
    """Generates the rules of one such repetition."""

    def __init__(self, node: RepeatPlan, names: VariableNames) -> None:
        self._node, self._names = node, names
        self._runs = runs = Runs(node, names)
        self._values, self._join, self._outside = runs.values, runs.join, runs.outside
        kept, columns = len(self._values.columns()), len(runs.left.columns)
        self._total = replace(
            Store.within(node.window, f"{node.name}_total", len(self._join) + 2 + kept), shown=()
        )
        times = (_ANY, _ANY, _ANY, OPEN)
        known = (*map(names, self._outside), *times, *(_ANY for _ in range(2 * kept)))
        self._goals = replace(
            Store.within(node.window, runs.store.name, columns + 6 + 2 * kept),
            shown=(*map(names, self._join), END, START, *known),
        )

    def rule_set(self) -> RuleSet:
        """What waits for the end of the instant, what is made of it then, and what follows."""
        node = self._node
        if not node.eventful or node.left is None or node.then is None:
            return RuleSet()
        rules = (
            insertion(node, solution(node.group, self._runs.columns_of_group("R")), self._runs.groups.keep),
            insertion(node, own_solution(node.left, self._names), self._runs.opened.keep),
            self._total_asked(),
            self._counted(),
            self._begun_with_total(),
            self._runs.opened.forgotten,
            *Following(self._runs, Scopes(self._runs), self._states()).rules(node.then),
        )
        return RuleSet(rules, (self._goals, self._total, self._runs.groups.store, self._runs.opened.store))

    # ---- totals -----------------------------------------------------------------------------------------

    def _total_row(self, since: Term, count: Term, kept: tuple[Term, ...]) -> Compound:
        return Compound(self._total.name, (*map(self._names, self._join), since, count, *kept))

    def _total_before(self, time: Term, since: Term, count: Term, side: str) -> Term:
        keys = map(self._names, self._join)
        return struct(f"{self._total.name}_before", *keys, time, since, count, *self._values.columns(side))

    def _total_asked(self) -> Rule:
        """The total as it was before a time: the newest that was made before."""
        return rule(
            RuleKind.CHECKING,
            self._node,
            self._total_before(_ASKED, _SINCE, COUNT, ""),
            newest(self._total_row(_SINCE, COUNT, self._values.columns())),
            struct("<", _SINCE, _ASKED),
            Atom("!"),
        )

    def _counted(self) -> Rule:
        """Each iteration of the instant, in order, adds to the total of its key, if something waits."""
        iteration = struct("row", START, *ordered_columns(self._runs))
        old, new = self._values.columns(), self._values.columns("N")
        return settling(
            self._node,
            struct("findall", iteration, self._runs.groups.kept, Var("Rows")),
            self._runs.groups.store.emptied,
            struct("iterations_in_order", Var("Rows"), Var("Ordered")),
            struct("member", iteration, Var("Ordered")),
            iteration_condition(self._runs),
            self._total_before(Number(_NEVER), _CHANGED, COUNT, ""),
            struct("is", _NEXT, struct("-", COUNT, Number(-1))),
            self._values.extended(COUNT),
            if_then_else(struct("<", _CHANGED, END), TRUE, forget(self._total_row(_CHANGED, COUNT, old))),
            insert(self._total_row(END, _NEXT, new)),
            *self._left_out(),
            FAIL,
        )

    def _left_out(self) -> Iterator[Term]:
        """It is none of the runs of goals that it began too early for."""
        before, after = self._values.columns("B"), self._values.columns("H")
        old = self._goal(_HAD, before, _THEN, self._values.columns("T"), _SINCE, Number(_NEVER))
        closed = self._goal(_HAD, before, _THEN, self._values.columns("T"), _SINCE, END)
        yield either(conjunction(struct("=:=", START, END), unify(_BEFORE, END)), struct("<", START, END))
        yield old
        yield struct("=<", START, _BEFORE)
        yield _carried_count(_HAS, _HAD, COUNT, _THEN)
        yield self._values.carried("H", "B", "", "T", struct("=:=", COUNT, _THEN))
        yield forget(old)
        yield if_then_else(struct("<", _SINCE, END), insert(closed), TRUE)
        yield insert(self._goal(_HAS, after, _NEXT, self._values.columns("N"), END, Number(_NEVER)))

    # ---- goals ------------------------------------------------------------------------------------------

    def _goal(
        self,
        had: Term,
        before: tuple[Term, ...],
        then: Term,
        total: tuple[Term, ...],
        since: Term,
        until: Term,
        end: Term = _BEFORE,
        start: Term = _BEGIN,
    ) -> Compound:
        """What waits: what it had ``before``, and the total that more is counted from; from ``since`` on."""
        shared, outside = map(self._names, self._join), map(self._names, self._outside)
        times = (had, then, since, until)
        return Compound(self._goals.name, (*shared, end, start, *outside, *times, *before, *total))

    def _begun_with_total(self) -> Rule:
        """A goal; the total of its key is kept as long as the goal is."""
        kept, none = self._values.columns(), self._values.of_none()
        known = self._total_before(Number(_NEVER), _CHANGED, COUNT, "")
        row = self._total_row(_CHANGED, COUNT, kept)
        again = TRUE if self._node.window is None else conjunction(forget(row), insert(row))
        first = conjunction(
            unify(COUNT, _NONE),
            *(unify(column, value) for column, value in zip(kept, none, strict=True)),
            insert(self._total_row(END, COUNT, kept)),
        )
        goal = self._goal(_NONE, none, COUNT, kept, END, Number(_NEVER), END, START)
        return settling(
            self._node,
            self._runs.opened.kept,
            if_then_else(known, again, first),
            insert(goal),
            FAIL,
        )

    def _states(self) -> Term:
        """A goal and its run as they were when what follows began."""
        values = self._values
        goal = self._goal(_HAD, values.columns("B"), _THEN, values.columns("T"), _SINCE, _UNTIL)
        return conjunction(
            goal,
            struct("<", _SINCE, START),
            struct("=<", START, _UNTIL),
            self._total_before(START, _ANY, _NOW, "U"),
            _carried_count(COUNT, _HAD, _NOW, _THEN),
            values.carried("", "B", "U", "T", struct("=:=", _NOW, _THEN)),
        )
