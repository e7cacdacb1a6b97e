"""Chains with SEQ NEXT, STRICT or NOT, REPEAT or a timer: which bags their formulas are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import starmap
from typing import NamedTuple

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax import Combination, Expression, Group, Negated, Repeat, Selection, Timer
from etalis_py.core.terms import Encoded
from tests.oracle.columns import in_scope
from tests.oracle.deadlines import absences, each_multiple, later
from tests.oracle.evaluator import Chain, Evaluator, Solutions
from tests.oracle.expressions import Scope, holds, value_or_none
from tests.oracle.following import (
    Follows,
    Side,
    any_after,
    next_after,
    nothing_before,
    pairs_of,
    strictly_after,
    without,
)
from tests.oracle.iterations import counted, is_step_condition, over
from tests.oracle.places import given_elements
from tests.oracle.repeats import Fits, Repeated, Repetition, Run, Then, Times
from tests.oracle.solutions import Solution, joined
from tests.oracle.windows import length_of

__all__ = ["StepEvaluator"]


class Lead(NamedTuple):
    """What stands before a step: its left side, what must not lie between, and which of SEQ's kinds it is."""

    left: Chain | None = None
    none: Group | None = None
    selection: Selection | None = None


@dataclass(frozen=True, slots=True)
class StepEvaluator(Evaluator):
    """Chains whose steps are more than groups."""

    def sequence(self, element: Chain) -> Iterable[Solution]:
        """What a chain finds that ends with a SEQ, and what a repetition or a timer finds by itself."""
        lead, step = _last_step(element)
        match step:
            case Timer(word="EVERY", period=period):
                every = each_multiple(length_of(period), self.data.clock)
                return every if lead.left is None else self._pairs(lead, Side(every, every))
            case Timer(period=period):
                assert lead.left is not None
                return later(self.combination(lead.left), length_of(period))
            case Negated(group=group, length=length):
                assert lead.left is not None
                assert length is not None
                left, none = self.combination(lead.left), self._seeing(group)
                return absences(left, none, length_of(length), from_start=step.from_start)
            case Repeat():
                return self._repeated(lead, step)
            case Group():
                return self._after(lead, step)
            case _:
                raise NotImplementedError(type(step).__name__)

    def _after(self, lead: Lead, right: Group) -> Iterable[Solution]:
        """A group behind a SEQ."""
        match lead:
            case Lead(left=Negated(group=group, length=length)):
                limit = None if length is None else length_of(length)
                return nothing_before(self._seeing(group), limit, self.group(right))
            case Lead(left=None):
                return self.group(right)
        if _is_whole(lead.left):
            return filter(None, starmap(joined, self._whole(lead, self._seeing(right))))
        return self._pairs(lead, self._seeing(right))

    def _pairs(self, lead: Lead, right: Side) -> Iterable[Solution]:
        assert lead.left is not None
        return pairs_of(self.combination(lead.left), right, self._follows(lead))

    # ---- Sides ---------------------------------------------------------------------------------------

    def _seeing(self, group: Group) -> Side:
        """A group with its step conditions, which see the variables of what stands before."""
        filters = _step_filters(group)

        def condition(one: Solution, other: Solution) -> bool:
            both = joined(one, other)
            assert both is not None
            scope = replace(self.scope(both), interval=other.interval)
            return all(holds(each, scope) for each in filters)

        return Side(self._own(group), self.later._own(group), condition)

    def _own(self, group: Group) -> Solutions:
        """The group without its step conditions."""
        filters = _step_filters(group)
        kept = [each for each in group.elements if getattr(each, "expression", None) not in filters]
        return self.group(replace(group, elements=tuple(kept)))

    def _follows(self, lead: Lead) -> Follows:
        """Which of what comes after counts."""
        match lead.selection:
            case None:
                follows = any_after
            case Selection(word="NEXT"):
                follows = next_after
            case Selection(per=per, among=among):
                follows = strictly_after(self._scope_of(per, among))
        return follows if lead.none is None else without(self._seeing(lead.none), follows)

    def _scope_of(self, per: Sequence[syntax.Variable], among: Group | None) -> Side:
        """AMONG {P}: ⟦P⟧; PER ?x: occurrences with subject μ(?x); else all elements of the streams."""
        if among is not None:
            found = self.later.group(among)
            return Side(found, found)
        if not per:
            found = [Solution({}, interval) for interval in given_elements(self.settled)]
            return Side(found, found)
        found = [
            Solution({each.name: subject}, interval)
            for (subject, _, _), interval in self.settled.stream
            for each in per
        ]
        return Side(found, found)

    # ---- REPEAT --------------------------------------------------------------------------------------

    def _repeated(self, lead: Lead, repeat: Repeat) -> Iterator[Solution]:
        repetition = self._repetition(lead, repeat)
        if lead.left is not None and _is_whole(lead.left):  # the first iteration is what follows it
            first = replace(repetition.repeated.side, condition=repetition.fits_first)
            for one, other in self._whole(lead, first):
                yield from repetition.each_run_from(one, other)
            return
        for before in self._first(lead):
            if repeat.mode == "ALL":
                yield from repetition.each_growth(before)
            elif repeat.longest:
                yield from repetition.longest(before)
            else:
                yield from repetition.each_run(before)

    def _whole(self, lead: Lead, following: Side) -> Iterator[tuple[Solution, Solution]]:
        """A repetition of all there are, or of the longest, with each solution that follows it."""
        assert lead.left is not None
        before, repeat = _last_step(lead.left)
        assert isinstance(repeat, Repeat)
        repetition, then = self._repetition(before, repeat), self._then(lead, following)
        for first in self._first(before):
            found = repetition.all_before if repeat.mode == "ALL" else repetition.longest_before
            yield from found(first, then)

    def _first(self, lead: Lead) -> Sequence[Solution | None]:
        return [None] if lead.left is None else self._timed(lead.left)

    def _timed(self, left: Chain) -> Solutions:
        """What of the left side has a time: nothing comes after what holds always."""
        return [each for each in self.combination(left) if each.interval is not None]

    def _repetition(self, lead: Lead, repeat: Repeat) -> Repetition:
        per = [each.name for each in repeat.per]
        shared = [*([] if lead.left is None else in_scope(lead.left)), *per]
        scope = self._scope_of(repeat.per, repeat.among) if repeat.mode == "STRICT" else None
        match repeat.mode:
            case "NEXT":
                step = next_after
            case "STRICT":
                assert scope is not None
                step = strictly_after(scope)
            case _:
                step = any_after
        side = Side(self._own(repeat.group), self.later._own(repeat.group))
        repeated = Repeated(side, shared, self._fits(repeat.group))
        times = Times(repeat.low, repeat.high)
        last_instant = 0 if self.data.clock is None else self.data.clock[1]
        return Repetition(
            repeated,
            per,
            times,
            self._follows(lead),
            step,
            scope,
            last_instant,
            partial(self._measured, repeat),
        )

    def _fits(self, group: Group) -> Fits:
        filters = _step_filters(group)

        def fits(run: Run, each: Solution) -> bool:
            both = joined(run.solution, each)
            if both is None:
                return False
            scope = replace(self._scope_of_run(run, both), interval=each.interval)
            return all(holds(every, scope) for every in filters)

        return fits

    def _then(self, lead: Lead, side: Side) -> Then:
        is_next = lead.selection is not None and lead.selection.word == "NEXT"
        follows = self._follows(lead)
        between = self._follows(lead._replace(selection=None)) if is_next else follows
        return Then(side, follows, is_next, between)

    # ---- Measures ------------------------------------------------------------------------------------

    def _measured(self, repeat: Repeat, run: Run) -> Solution:
        """What is seen of a run outside."""
        solution = run.solution
        for each in repeat.measures:
            scope = self._scope_of_run(run, solution)
            solution = solution.extended(each.variable.name, value_or_none(each.expression, scope))
        return solution

    def _scope_of_run(self, run: Run, solution: Solution) -> Scope:
        """The variables of a solution, and what PREV and aggregates say of the iterations of a run."""
        before = {} if run.first is None else run.first.mapping
        seen = [Solution({**before, **each.mapping}, each.interval) for each in run.iterations]

        def aggregate(each: syntax.Aggregate) -> Encoded:
            if each.argument is None:
                return counted(run.iterations, distinct=each.distinct)
            return over(each, [self._value(each.argument, one) for one in seen])

        return replace(self.scope(solution), aggregate=aggregate, iterations=seen)

    def _value(self, expression: Expression, solution: Solution) -> Encoded | None:
        return value_or_none(expression, self.scope(solution))


def _last_step(element: Chain) -> tuple[Lead, Chain]:
    """The last step of a chain of SEQ, and what stands before it."""
    match element:
        case Combination(
            operator="SEQ",
            left=Combination(operator="SEQ", left=left, right=Negated(group=none, length=None)),
        ):
            return Lead(left, none, element.selection), element.right
        case Combination(operator="SEQ", left=left):
            return Lead(left, None, element.selection), element.right
        case _:
            return Lead(), element


def _is_whole(chain: Chain) -> bool:
    """Whether the chain ends with a repetition that only what follows brings to an end."""
    _, step = _last_step(chain)
    return isinstance(step, Repeat) and (step.mode == "ALL" or step.longest)


def _step_filters(group: Group) -> list[Expression]:
    filters = (each.expression for each in group.elements if isinstance(each, syntax.Filter))
    return [each for each in filters if is_step_condition(each, group)]
