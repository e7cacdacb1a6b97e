"""What follows a repetition asks for its runs as they were when that began."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count

from etalis_py.compiler.algebra.algebra import Variable, expression_variables
from etalis_py.compiler.plan.plan import PlanNode
from etalis_py.compiler.rules.exists import expressions_with
from etalis_py.compiler.rules.expression_goals import Scope
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
    Atom,
    Compound,
    Term,
    Var,
    conjunction,
    if_then_else,
    struct,
)
from etalis_py.compiler.rules.repetition.runs import ANY, BEGIN, LAST, OTHER, TRAIL, UNTIL, WHOSE, Runs
from etalis_py.compiler.rules.repetition.scopes import Scopes
from etalis_py.compiler.rules.rules import END, START, Rule, RuleKind, Store
from etalis_py.compiler.rules.writing import (
    Sides,
    Waiting,
    forget,
    insert,
    rule,
    solution,
    within,
)

__all__ = ["Following"]

_GIVEN = Var("Given")
_OTHER_LAST, _OTHER_COUNT = Var("OtherLast"), Var("OtherCount")


class Following:
    """Gives runs with what follows them."""

    def __init__(self, runs: Runs, scopes: Scopes, states: Term) -> None:
        self._runs, self._node, self._repeat, self._names = runs, runs.node, runs.repeat, runs.names
        self._scopes, self._states = scopes, states

    def rules(self, then: PlanNode) -> Iterator[Rule]:
        """What follows looks for runs as they were when it began."""
        runs = self._runs
        loose = self._met_loosely(then)
        met = Sides(self._names, loose)
        columns, values = met.columns(then.schema.columns, "T"), met.columns(self._node.schema.columns, "W")
        sides, numbers = dict.fromkeys(loose, "W"), count(1)
        yield rule(
            RuleKind.CHECKING,
            self._node,
            solution(then, columns),
            self._states,
            runs.enough(),
            within(self._node.window, BEGIN),
            runs.measured(),
            *met.agree("", "T", "W"),
            self._judged(sides, numbers),
            self._next_taken(),
            self._nothing_after(LAST, sides),
            self._is_longest_before(then, numbers) if self._repeat.longest else TRUE,
            solution(self._node, values, BEGIN),
        )
        if self.goes_with_next:
            row = runs.row(loose="")
            yield self.chosen.settled(row, forget(row), FAIL)
            past = struct(runs.past.name, *row.arguments, UNTIL)
            yield self.chosen.settled(past, forget(past), FAIL)
            yield self.chosen.forgotten

    def _met_loosely(self, then: PlanNode) -> list[Variable]:
        """Variables of runs and of what follows, one of which may be unbound."""
        runs = self._runs
        sure = runs.left.certain | frozenset(runs.join)
        common = [each for each in then.schema.columns if each in runs.known]
        return [each for each in common if each not in sure & then.schema.certain]

    def _judged(self, sides: Mapping[Variable, str], numbers: Iterator[int]) -> Term:
        """What chooses what follows."""
        runs = self._runs
        condition, then = self._repeat.then_condition, self._node.then
        if condition is None or then is None:
            return TRUE
        values = {
            each: self._names(each, sides.get(each, "")) for each in (*runs.known, *then.schema.columns)
        }
        counts = (each.variable for each in self._repeat.measures if each.function == "COUNT")
        certain = runs.left.certain.union(runs.join, counts, then.schema.certain)
        scope = Scope(values, certain, (START, END), END)
        tests = self._node.then_tests
        return expressions_with(scope, tests, self._names, numbers).condition(condition)

    def _nothing_after(self, last: Term, sides: Mapping[Variable, str]) -> Term:
        """Nothing lies between the last iteration and what follows."""
        absent = self._scopes.after_last
        return TRUE if absent is None else absent.not_between(last, START, sides)

    @property
    def goes_with_next(self) -> bool:
        """Whether a run goes with the first that fits: not where others would take its place."""
        return self._repeat.then_next and not self._repeat.longest and not self._runs.opens_later

    @property
    def chosen(self) -> Waiting:
        """Runs of ALL that have what they waited for, when the instant is through."""
        return Waiting(self._node, (WHOSE,), "chosen")

    def _next_taken(self) -> Term:
        """A run takes the first that fits."""
        if not self._repeat.then_next:
            return TRUE
        if self.goes_with_next:
            return self.chosen.keep
        now = self._had(TRAIL, END)
        return conjunction(self._had_none(TRAIL), if_then_else(now, TRUE, insert(now)))

    def _had(self, trail: Term, end: Term) -> Compound:
        whose = Atom("none") if self._node.left is None else WHOSE
        own = (trail,) if self._repeat.longest else map(self._names, self._runs.maybe_new)
        return Compound(self.given.name, (*map(self._names, self._runs.join), whose, *own, end))

    def _had_none(self, trail: Term) -> Term:
        """It has taken none at an earlier instant."""
        return struct("\\+", conjunction(self._had(trail, _GIVEN), struct("<", _GIVEN, END)))

    @property
    def given(self) -> Store:
        """Which runs that stay have taken what follows, and when."""
        own = 1 if self._repeat.longest else len(self._runs.maybe_new)
        name = f"{self._node.name}_given"
        return replace(Store.within(self._node.window, name, len(self._runs.join) + own + 2), shown=())

    def _is_longest_before(self, then: PlanNode, numbers: Iterator[int]) -> Term:
        """No longer run of the same beginning had ended before what follows and makes a match with it."""
        runs = self._runs
        repeat = self._repeat
        longer = [
            runs.other(_OTHER_LAST, OTHER, ANY, _OTHER_COUNT, runs.values.columns("O")),
            struct("<", _OTHER_LAST, START),
            struct("longer", OTHER, TRAIL, Atom("true")),
        ]
        measured = [each for each in repeat.measures if each.variable in self._deciding(then)]
        sides = {each.variable: "O" for each in measured}
        loose = self._met_loosely(then)
        longer.append(runs.values.aggregated(measured, _OTHER_COUNT, "O"))
        longer += Sides(self._names, (each for each in loose if each in sides)).agree("O", "T", "Q")
        sides |= {each: "Q" if each in sides else "W" for each in loose}
        longer.append(self._judged(sides, numbers) if measured else TRUE)
        longer.append(self._had_none(OTHER) if repeat.then_next else TRUE)
        longer.append(self._nothing_after(_OTHER_LAST, sides))
        return conjunction(runs.is_maximal(), struct("\\+", conjunction(*longer)))

    def _deciding(self, then: PlanNode) -> frozenset[Variable]:
        """What decides whether a run and what follows make a match."""
        conditions = (self._repeat.then_condition, self._repeat.last_condition)
        seen = (expression_variables(each) for each in conditions if each is not None)
        return frozenset(then.schema.columns).union(*seen)
