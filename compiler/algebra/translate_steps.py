"""Steps of a chain behind SEQ: NEXT, STRICT, NOT, AFTER, EVERY and REPEAT (docs/semantics.md#patterns).

Filters of the right group that speak of what stands to the left are conditions of the step: they choose.
What follows a REPEAT of all there are, or of the longest, is part of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Protocol, TypeAlias

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.aggregate_names import AggregateNames
from etalis_py.compiler.algebra.aggregates import AGGREGATES
from etalis_py.compiler.algebra.functions import TIME_FUNCTIONS
from etalis_py.compiler.algebra.scope import certain_variables
from etalis_py.compiler.algebra.translate_expressions import ExpressionTranslator
from etalis_py.compiler.algebra.translate_triples import TripleTranslator
from etalis_py.compiler.algebra.translate_windows import length_of
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class
from etalis_py.core.vocabulary import XSD_BOOLEAN

__all__ = ["ChainTranslator", "step_word"]


def step_word(step: syntax.Repeat | syntax.Negated | syntax.Timer) -> str:
    """How a query writes a step."""
    match step:
        case syntax.Repeat():
            return "REPEAT"
        case syntax.Negated():
            return "NOT"
        case syntax.Timer(word=word):
            return word
        case _:
            assert_never(step)


_Parts: TypeAlias = "tuple[algebra.Pattern, algebra.Expression | None]"


class GroupTranslator(Protocol):
    """What translates the groups of a chain, and the chain before a step."""

    @property
    def triples(self) -> TripleTranslator:
        """What makes triple patterns."""

    def chain(self, element: syntax.Combination | syntax.Step) -> algebra.Pattern:
        """A chain of steps."""

    def group(self, group: syntax.Group) -> algebra.Pattern:
        """A group with its filters."""

    def group_parts(self, group: syntax.Group) -> tuple[algebra.Pattern, algebra.Expression | None]:
        """A group and its filters, apart."""

    def filtered(self, pattern: algebra.Pattern, condition: algebra.Expression | None) -> algebra.Pattern:
        """``pattern`` with a filter."""

    def on_pairs(self, condition: algebra.Expression | None) -> algebra.Expression | None:
        """A condition on pairs."""

    def closed(self, pattern: algebra.Pattern, span: Span) -> algebra.Pattern:
        """``pattern`` with braces around it."""

    def extended_by(
        self, pattern: algebra.Pattern, variable: algebra.Variable, value: algebra.Expression, span: Span
    ) -> algebra.Pattern:
        """``pattern`` with a value in a new variable."""


@value_class
class _Scope:
    """What STRICT lets nothing lie between of, and how the query says it."""

    pattern: algebra.Pattern
    word: str
    condition: algebra.Expression | None = None


@value_class
class _Then:
    """What follows a repetition, how, and what must not lie between.

    ``parts`` makes its pattern, and what chooses it, for what can be seen of a run.
    """

    parts: Callable[[algebra.Pattern], _Parts]
    selection: syntax.Selection | None
    negated: syntax.Negated | None = None


@value_class
class _Iterated:
    """The group of a REPEAT, what chooses an iteration, and what is said of the iterations.

    ``measures`` are those that are calculated. Iterations agree in ``shared``.
    """

    group: algebra.Pattern
    condition: algebra.Expression | None
    running: tuple[algebra.Aggregate, ...]
    measured: tuple[algebra.Aggregate, ...]
    measures: list[tuple[algebra.Variable, algebra.Expression]]
    shared: tuple[algebra.Variable, ...]

    @property
    def of_the_first(self) -> algebra.Expression | None:
        """What chooses the first iteration, when there is none before."""
        if self.condition is None:
            return None
        nothing = algebra.Apply("COALESCE", (), span=self.condition.span)
        values = {each.variable: AGGREGATES[each.function].of_none or nothing for each in self.running}
        return algebra.with_values(self.condition, values)


class ChainTranslator:
    """Translates chains of SEQ; ``patterns`` translates the groups."""

    def __init__(self, text: QueryText, expressions: ExpressionTranslator, patterns: GroupTranslator) -> None:
        self._text = text
        self._expressions = expressions
        self._patterns = patterns

    def alone(self, step: syntax.Repeat | syntax.Negated | syntax.Timer) -> algebra.Pattern:
        """A step that follows nothing."""
        match step:
            case syntax.Timer():
                return self._ticks(step)
            case syntax.Repeat():
                return self._repeat(step, None, operators.SEQ, None, None, step.span)
            case syntax.Negated():
                raise AssertionError("chains.py sees to it that something follows")
            case _:
                assert_never(step)

    def in_sequence(self, element: syntax.Combination) -> algebra.Pattern:
        """``left SEQ right``, with a selection or without."""
        left, right, selection, span = element.left, element.right, element.selection, element.span
        match right:
            case syntax.Group():
                return self._to_group(left, right, selection, span)
            case syntax.Repeat():
                if _is_folded(_last(left)):
                    return self._repeated_after_all(left, right, selection, span)
                before = self._patterns.chain(left)
                scope = self._scope(selection, (before, self._iteration(right.group)))
                return self._repeat(right, before, _operator(selection), scope, None, span)
            case syntax.Timer(word="EVERY"):
                before, ticks = self._patterns.chain(left), self._ticks(right)
                scope = self._scope(selection, (before,))
                return self._pair(before, ticks, None, _operator(selection), scope, span)
            case syntax.Timer(period=period):
                length = length_of(period, self._text, "time")
                return algebra.Absence(self._patterns.chain(left), None, None, length, span=span)
            case syntax.Negated(group=group, length=duration, from_start=from_start):
                assert duration is not None
                before = self._patterns.chain(left)
                none, condition = self._step_parts(group, before)
                length = length_of(duration, self._text, "absence")
                return algebra.Absence(before, none, condition, length, from_start, span=span)
            case _:
                assert_never(right)

    # ---- a group ----------------------------------------------------------------------------------------

    def _to_group(
        self,
        left: syntax.Combination | syntax.Step,
        right: syntax.Group,
        selection: syntax.Selection | None,
        span: Span,
    ) -> algebra.Pattern:
        """What stands before the group decides: a NOT, a REPEAT that it belongs to, or any pattern."""
        last = _last(left)
        is_first = last is left
        if isinstance(last, syntax.Negated) and (is_first or last.length is None):
            if not is_first and _is_folded(_last(_before(left))):
                return self._after_all(_before(left), self._then(right, selection, last), span)
            before = None if is_first else self._patterns.chain(_before(left))
            return self._not_between(before, last, right, selection, span)
        if _is_folded(last):
            return self._after_all(left, self._then(right, selection, None), span)
        before = self._patterns.chain(left)
        after, condition = self._step_parts(right, before)
        return self._pair(
            before, after, condition, _operator(selection), self._scope(selection, (before, after)), span
        )

    def _then(
        self,
        group: syntax.Group,
        selection: syntax.Selection | None,
        negated: syntax.Negated | None,
    ) -> _Then:
        return _Then(lambda run: self._step_parts(group, run), selection, negated)

    def _repeated_after_all(
        self,
        left: syntax.Combination | syntax.Step,
        repeat: syntax.Repeat,
        selection: syntax.Selection | None,
        span: Span,
    ) -> algebra.Pattern:
        """By unrolling, the first iteration is what follows; the others go on from there."""
        self._check_after_all(repeat)
        found: list[_Iterated] = []

        def first(run: algebra.Pattern) -> _Parts:
            found.append(self._iterated(repeat, run))
            return found[0].group, found[0].of_the_first

        before = self._after_all(left, _Then(first, selection), span)
        iterated = found[0]
        begun = tuple(
            (each, self._patterns.triples.hidden(span))
            for each in algebra.variables(iterated.group)
            if each not in iterated.shared
        )
        for own, kept in begun:
            before = algebra.Extend(before, kept, own, span=span)
        hidden = {own for own, _ in begun}
        kept_columns = tuple(each for each in algebra.variables(before) if each not in hidden)
        before = algebra.Project(before, kept_columns, span=span)
        return self._repeat(repeat, before, operators.SEQ, None, None, span, iterated, begun)

    def _after_all(self, left: syntax.Combination | syntax.Step, then: _Then, span: Span) -> algebra.Pattern:
        """What follows a REPEAT of all there are, or of the longest."""
        repeat = _last(left)
        assert isinstance(repeat, syntax.Repeat)
        if not isinstance(left, syntax.Combination):
            return self._repeat(repeat, None, operators.SEQ, None, then, span)
        before = self._patterns.chain(left.left)
        scope = self._scope(left.selection, (before, self._iteration(repeat.group)))
        return self._repeat(repeat, before, _operator(left.selection), scope, then, span)

    def _pair(
        self,
        left: algebra.Pattern,
        right: algebra.Pattern,
        condition: algebra.Expression | None,
        operator: operators.Operator,
        scope: _Scope | None,
        span: Span,
    ) -> algebra.Pattern:
        """``left SEQ right``; of all pairs the condition is a filter, of the next ones it chooses."""
        if operator.next_only:
            return algebra.Pair(operator, left, right, condition, span=span)
        right, condition = self._timed(right, condition)
        pair: algebra.Pattern
        if scope is None:
            pair = algebra.Pair(operator, left, right, span=span)
        else:
            pair = algebra.Gap(left, scope.pattern, right, operator, word=scope.word, span=span)
        return pair if condition is None else algebra.Filter(condition, pair, span=condition.span)

    def _not_between(
        self,
        left: algebra.Pattern | None,
        negated: syntax.Negated,
        group: syntax.Group,
        selection: syntax.Selection | None,
        span: Span,
    ) -> algebra.Pattern:
        around = algebra.Unit(span=span) if left is None else left
        right, step = self._step_parts(group, around)
        absent = self._absent(negated, selection, (around, right), span)
        operator = _operator(selection)
        length = None if negated.length is None else length_of(negated.length, self._text, "absence")
        own_step = step if operator.next_only else None
        if not operator.next_only:
            right, step = self._timed(right, step)
        gap = algebra.Gap(
            left, absent.pattern, right, operator, own_step, absent.condition, length, absent.word, span=span
        )
        if step is None or operator.next_only:
            return gap
        return algebra.Filter(step, gap, span=step.span)

    def _step_parts(
        self, group: syntax.Group, before: algebra.Pattern
    ) -> tuple[algebra.Pattern, algebra.Expression | None]:
        """A group with the filters that speak of it alone, and the others: conditions of the step."""
        pattern, condition = self._patterns.group_parts(group)
        own, others = _split(condition, frozenset(algebra.variables(before)) - {*algebra.variables(pattern)})
        pattern = self._patterns.closed(self._patterns.filtered(pattern, own), group.span)
        return pattern, self._patterns.on_pairs(others)

    def _timed(
        self, right: algebra.Pattern, condition: algebra.Expression | None
    ) -> tuple[algebra.Pattern, algebra.Expression | None]:
        """A filter on pairs: time functions in it speak of the right side, which gets columns for them."""
        if condition is None:
            return right, None
        named: dict[str, algebra.Variable] = {}

        def of_right(expression: algebra.Expression) -> algebra.Expression:
            if not isinstance(expression, algebra.Apply):
                return expression
            if expression.function in TIME_FUNCTIONS:
                if expression.function not in named:
                    named[expression.function] = self._patterns.triples.hidden(expression.span)
                return named[expression.function]
            return replace(expression, arguments=tuple(map(of_right, expression.arguments)))

        condition = of_right(condition)
        for function, variable in named.items():
            right = algebra.Extend(right, variable, algebra.Apply(function, ()), span=variable.span)
        return right, condition

    # ---- time -------------------------------------------------------------------------------------------

    def _ticks(self, timer: syntax.Timer) -> algebra.Ticks:
        return algebra.Ticks(length_of(timer.period, self._text, "period"), span=timer.span)

    # ---- scopes -----------------------------------------------------------------------------------------

    def _scope(
        self, selection: syntax.Selection | None, around: tuple[algebra.Pattern, ...]
    ) -> _Scope | None:
        """What SEQ STRICT lets nothing lie between of."""
        if selection is None or selection.word == "NEXT":
            return None
        return self._scope_of(selection.per, selection.among, around, selection.span)

    def _scope_of(
        self,
        per: tuple[syntax.Variable, ...],
        among: syntax.Group | None,
        around: tuple[algebra.Pattern, ...],
        span: Span,
    ) -> _Scope:
        if among is not None:
            return _Scope(self._patterns.group(among), "STRICT AMONG")
        known = frozenset().union(*(frozenset(algebra.variables(each)) for each in around))
        hidden = self._patterns.triples.hidden
        found: list[algebra.Pattern] = []
        for each in per:
            subject = algebra.Variable(each.name, span=each.span)
            if subject not in known:
                hint = "PER names variables that the steps on both sides, or one of them, bind"
                raise self._text.error("EP215", f"nothing binds ?{each.name} of PER", each.span, hint=hint)
            found.append(self._patterns.triples.matched(subject, hidden(span), hidden(span), span))
        if not found:
            every = self._patterns.triples.matched(hidden(span), hidden(span), hidden(span), span)
            return _Scope(_given(every), "STRICT")
        pattern = found[0]
        for other in found[1:]:
            pattern = algebra.Union(pattern, other, span=span)
        names = " ".join(f"?{each.name}" for each in per)
        return _Scope(pattern, f"STRICT PER {names}")

    def _absent(
        self,
        negated: syntax.Negated,
        selection: syntax.Selection | None,
        around: tuple[algebra.Pattern, ...],
        span: Span,
    ) -> _Scope:
        """What may not lie between for NOT and, where it is said, for STRICT."""
        both = reduce(lambda one, other: algebra.Pair(operators.JOIN, one, other, span=span), around)
        none, condition = self._step_parts(negated.group, both)
        scope = self._scope(selection, around)
        if scope is None:
            return _Scope(none, "NOT", condition)
        strict = scope.pattern
        if condition is not None:  # it speaks of what NOT says alone
            mark = self._patterns.triples.hidden(span)
            strict = algebra.Extend(strict, mark, algebra.Constant((True, XSD_BOOLEAN)), span=span)
            condition = algebra.Apply("||", (algebra.Apply("BOUND", (mark,)), condition), span=condition.span)
        return _Scope(algebra.Union(none, strict, span=span), f"NOT and {scope.word}", condition)

    # ---- REPEAT -----------------------------------------------------------------------------------------

    def _repeat(
        self,
        repeat: syntax.Repeat,
        left: algebra.Pattern | None,
        operator: operators.Operator,
        first: _Scope | None,
        then: _Then | None,
        span: Span,
        iterated: _Iterated | None = None,
        begun: tuple[tuple[algebra.Variable, algebra.Variable], ...] | None = None,
    ) -> algebra.Pattern:
        before = algebra.Unit(span=span) if left is None else left
        iterated = iterated or self._iterated(repeat, before)
        group, measures, shared = iterated.group, iterated.measures, iterated.shared
        scope = None
        if repeat.mode == "STRICT":
            scope = self._scope_of(repeat.per, repeat.among, (group,), repeat.span)
        per = tuple(algebra.Variable(each.name, span=each.span) for each in repeat.per)
        bound = frozenset[algebra.Variable]() if left is None else certain_variables(left)
        self._check_bounds(repeat, left, [each for each in per if each not in bound])
        names = (*(each.variable for each in iterated.measured), *(variable for variable, _ in measures))
        seen = algebra.Table((*shared, *names), ())
        run = algebra.Pair(operators.JOIN, before, seen, span=span)
        after, step, last, chosen = None, None, None, None
        calculated, takes_next = measures, False
        if then is not None:
            after, step = self._timed(*then.parts(run))
            last = self._last_scope(then, run, after)
            takes_next = _operator(then.selection).next_only
            if takes_next or repeat.longest or last is not None:
                after, chosen, last, calculated = self._decided_by_run(after, last, measures)
        if step is not None and (takes_next or repeat.longest):
            chosen, step = _both(self._of_measures(step, calculated), chosen), None
        within, before_first, before_next = (
            None if each is None else each.pattern for each in (scope, first, last)
        )
        pattern: algebra.Pattern = algebra.Repeat(
            left, group, after, algebra.RepeatMode(repeat.mode), repeat.low, repeat.high, operator, shared,
            iterated.condition, iterated.running, iterated.measured, repeat.longest,
            within, before_first, before_next, None if last is None else last.condition,
            chosen, takes_next, per, begun, span=span,
        )  # fmt: skip
        for variable, value in calculated:
            pattern = self._patterns.extended_by(pattern, variable, value, variable.span)
        return pattern if step is None else algebra.Filter(step, pattern, span=step.span)

    def _iterated(self, repeat: syntax.Repeat, before: algebra.Pattern) -> _Iterated:
        """The group of a REPEAT and what is said of its iterations, where ``before`` is known of a run."""
        running = AggregateNames(self._expressions, self._patterns.triples.hidden)
        measured = AggregateNames(self._expressions, self._patterns.triples.hidden)
        group, condition = self._repeated_parts(repeat.group, before, running)
        measures: list[tuple[algebra.Variable, algebra.Expression]] = []
        again: list[algebra.Aggregate] = []
        for each in repeat.measures:
            variable = algebra.Variable(each.variable.name, span=each.variable.span)
            if isinstance(each.expression, syntax.Aggregate):
                value: algebra.Expression = measured.named(each.expression, variable)
                if value != variable:  # the same by another name
                    known = next(one for one in measured.aggregates if one.variable == value)
                    again.append(replace(known, variable=variable))
                    continue
            else:
                with self._expressions.aggregates(measured.named):
                    value = self._expressions.translate(each.expression)
            if value != variable:
                measures.append((variable, value))
        for variable, value in (*running.arguments, *measured.arguments):
            group = self._patterns.extended_by(group, variable, value, variable.span)
        agreed = {*algebra.variables(before), *(algebra.Variable(each.name) for each in repeat.per)}
        shared = tuple(each for each in algebra.variables(group) if each in agreed)
        said = (*measured.aggregates, *again)
        return _Iterated(group, condition, running.aggregates, said, measures, shared)

    def _of_measures(
        self, condition: algebra.Expression, measures: list[tuple[algebra.Variable, algebra.Expression]]
    ) -> algebra.Expression:
        """``condition`` with measures that are calculated in the place of their names."""
        values = dict(measures)
        for test in algebra.existence_tests(condition):
            if not values.keys().isdisjoint(algebra.expression_variables(test)):
                hint = "let MEASURES name the aggregate alone, and calculate in the FILTER"
                raise self._text.unsupported(
                    "EXISTS that speaks of a calculated measure", test.span, hint=hint
                )
        return algebra.with_values(condition, values)

    def _decided_by_run(
        self,
        after: algebra.Pattern,
        last: _Scope | None,
        measures: list[tuple[algebra.Variable, algebra.Expression]],
    ) -> tuple[
        algebra.Pattern,
        algebra.Expression | None,
        _Scope | None,
        list[tuple[algebra.Variable, algebra.Expression]],
    ]:
        """What follows and what must not lie before it, where they may ask for what is calculated of a run.

        With what must hold for that, and the measures as they are where what follows has their value.
        """
        chosen: algebra.Expression | None = None
        between: algebra.Expression | None = None
        calculated: list[tuple[algebra.Variable, algebra.Expression]] = []
        for variable, own_value in measures:
            after, agrees, value = self._met_as_hidden(after, variable, own_value)
            chosen = _both(chosen, agrees)
            calculated.append((variable, value))
            if last is not None:
                pattern, agrees, _ = self._met_as_hidden(last.pattern, variable, value)
                between, last = _both(between, agrees), replace(last, pattern=pattern)
        if last is not None:
            own = None if last.condition is None else self._of_measures(last.condition, calculated)
            last = replace(last, condition=_both(own, between))
        return after, chosen, last, calculated

    def _met_as_hidden(
        self, pattern: algebra.Pattern, variable: algebra.Variable, value: algebra.Expression
    ) -> tuple[algebra.Pattern, algebra.Expression | None, algebra.Expression]:
        """A pattern with another name for a variable that a run calculates, since the run decides by it.

        With it whether the two agree, and the value that both have: either may have none.
        """
        columns = algebra.variables(pattern)
        if variable not in columns:
            return pattern, None, value
        span = variable.span
        met = self._patterns.triples.hidden(span)
        renamed = algebra.Extend(pattern, met, variable, span=span)
        kept = tuple(met if each == variable else each for each in columns)
        same = algebra.Apply("SAMETERM", (met, value), span=span)
        yes = algebra.Constant((True, XSD_BOOLEAN), span=span)
        agrees = algebra.Apply("COALESCE", (same, yes), span=span)
        both = algebra.Apply("COALESCE", (value, met), span=span)
        return algebra.Project(renamed, kept, span=span), agrees, both

    def _last_scope(self, then: _Then, run: algebra.Pattern, after: algebra.Pattern) -> _Scope | None:
        """What may not lie between the last iteration and what follows."""
        if then.negated is None:
            return self._scope(then.selection, (run, after))
        return self._absent(then.negated, then.selection, (run, after), then.negated.span)

    def _iteration(self, group: syntax.Group) -> algebra.Pattern:
        """The group of a REPEAT, for what it binds."""
        running = AggregateNames(self._expressions, self._patterns.triples.hidden)
        return self._repeated_parts(group, algebra.Unit(), running)[0]

    def _repeated_parts(
        self, group: syntax.Group, before: algebra.Pattern, running: AggregateNames
    ) -> tuple[algebra.Pattern, algebra.Expression | None]:
        """The group of a REPEAT with its own filters; those that see other iterations choose."""
        with self._expressions.aggregates(running.named):
            pattern, condition = self._patterns.group_parts(group)
        known = frozenset((*algebra.variables(before), *(each.variable for each in running.aggregates)))
        own, others = _split(condition, known - frozenset(algebra.variables(pattern)))
        return self._patterns.filtered(pattern, own), self._patterns.on_pairs(others)

    def _check_bounds(
        self, repeat: syntax.Repeat, left: algebra.Pattern | None, own: list[algebra.Variable]
    ) -> None:
        if repeat.low > 0:
            return
        if left is None:
            hint = "write { ... } SEQ REPEAT 0 TO * { ... }, or begin at 1"
            raise self._text.error("EP216", "REPEAT 0 follows nothing", repeat.span, hint=hint)
        if own:
            hint = "with no iteration it has no value: begin at 1, or bind it to the left"
            message = f"PER ?{own[0].name} of REPEAT 0 may not be bound to the left"
            raise self._text.error("EP216", message, own[0].span, hint=hint)

    def _check_after_all(self, repeat: syntax.Repeat) -> None:
        """Of two repetitions that only what follows ends, braces say where the first one does."""
        hint = "braces say how: { .. SEQ REPEAT .. } SEQ REPEAT .., or .. SEQ { REPEAT PER ?x .. }"
        if _is_folded(repeat):
            mode = "STRICT LONGEST" if repeat.longest else "ALL"
            message = f"REPEAT {mode} cannot follow REPEAT of all there are or of the longest"
            raise self._text.error("EP118", message, repeat.span, hint=hint)
        if repeat.low == 0:
            message = "REPEAT 0 cannot follow REPEAT of all there are or of the longest"
            hint = "begin at 1: what follows ends the repetition before it"
            raise self._text.error("EP118", message, repeat.span, hint=hint)


def _split(
    condition: algebra.Expression | None, outside: frozenset[algebra.Variable]
) -> tuple[algebra.Expression | None, algebra.Expression | None]:
    """The filters of a group that speak of nothing outside it, and the others."""
    own: list[algebra.Expression] = []
    others: list[algebra.Expression] = []
    for part in () if condition is None else algebra.conjuncts(condition):
        (others if algebra.expression_variables(part) & outside else own).append(part)
    return (algebra.conjoin(own) if own else None), (algebra.conjoin(others) if others else None)


def _both(one: algebra.Expression | None, other: algebra.Expression | None) -> algebra.Expression | None:
    """That both hold, as far as there are any."""
    parts = [each for each in (one, other) if each is not None]
    return algebra.conjoin(parts) if parts else None


def _given(pattern: algebra.Pattern) -> algebra.Pattern:
    """``pattern``, of which what a CONSTRUCT makes does not count."""
    if isinstance(pattern, algebra.TriplePattern):
        return replace(pattern, given=True)
    return algebra.map_children(pattern, _given)


def _operator(selection: syntax.Selection | None) -> operators.Operator:
    return operators.SEQ_NEXT if selection is not None and selection.word == "NEXT" else operators.SEQ


def _last(chain: syntax.Combination | syntax.Step) -> syntax.Combination | syntax.Step:
    if isinstance(chain, syntax.Combination) and chain.operator == "SEQ":
        return chain.right
    return chain


def _is_folded(step: syntax.Combination | syntax.Step) -> bool:
    """Whether what follows belongs to it: which iterations there are depends on it."""
    return isinstance(step, syntax.Repeat) and (step.longest or step.mode == "ALL")


def _before(chain: syntax.Combination | syntax.Step) -> syntax.Combination | syntax.Step:
    assert isinstance(chain, syntax.Combination)
    return chain.left
