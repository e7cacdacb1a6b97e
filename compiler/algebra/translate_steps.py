"""Steps of a chain behind SEQ: NEXT, STRICT, NOT, AFTER, EVERY and REPEAT (docs/semantics.md#patterns).

Filters of the right group that speak of what stands to the left are conditions of the step: they choose.
What follows a REPEAT of all there are, or of the longest, is part of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.aggregate_names import AggregateNames
from etalis_py.compiler.algebra.scope import certain_variables
from etalis_py.compiler.algebra.translate_expressions import ExpressionTranslator
from etalis_py.compiler.algebra.translate_triples import TripleTranslator
from etalis_py.compiler.algebra.translate_windows import positive_length
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.spans import Span

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


@dataclass(frozen=True, slots=True)
class _Scope:
    """What STRICT lets nothing lie between of, and how the query says it."""

    pattern: algebra.Pattern
    elements: bool
    word: str


@dataclass(frozen=True, slots=True)
class _Then:
    """The group behind a repetition, how it follows, and what must not lie between."""

    group: syntax.Group
    selection: syntax.Selection | None
    negated: syntax.Negated | None = None


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
                self._refuse_after_all(left, right.span)
                before = self._patterns.chain(left)
                scope = self._scope(selection, (before, self._iteration(right.group)))
                return self._repeat(right, before, _operator(selection), scope, None, span)
            case syntax.Timer(word="EVERY"):
                before, ticks = self._patterns.chain(left), self._ticks(right)
                scope = self._scope(selection, (before,))
                return self._pair(before, ticks, None, _operator(selection), scope, span)
            case syntax.Timer(period=period):
                length = positive_length(period, self._text, "time")
                return algebra.Absence(self._patterns.chain(left), None, None, length, span=span)
            case syntax.Negated(group=group, length=duration, from_start=from_start):
                assert duration is not None
                before = self._patterns.chain(left)
                none, condition = self._step_parts(group, before)
                self._refuse_tests(condition)
                length = positive_length(duration, self._text, "absence")
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
                return self._after_all(_before(left), _Then(right, selection, last), span)
            before = None if is_first else self._patterns.chain(_before(left))
            return self._not_between(before, last, right, selection, span)
        if _is_folded(last):
            return self._after_all(left, _Then(right, selection), span)
        before = self._patterns.chain(left)
        after, condition = self._step_parts(right, before)
        return self._pair(
            before, after, condition, _operator(selection), self._scope(selection, (before, after)), span
        )

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
            self._refuse_tests(condition)
            return algebra.Pair(operator, left, right, condition, span=span)
        right, condition = self._timed(right, condition)
        pair: algebra.Pattern
        if scope is None:
            pair = algebra.Pair(operator, left, right, span=span)
        else:
            pair = algebra.Gap(
                left, scope.pattern, right, operator, elements=scope.elements, word=scope.word, span=span
            )
        return pair if condition is None else algebra.Filter(condition, pair, span=condition.span)

    def _not_between(
        self,
        left: algebra.Pattern | None,
        negated: syntax.Negated,
        group: syntax.Group,
        selection: syntax.Selection | None,
        span: Span,
    ) -> algebra.Pattern:
        self._refuse_strict(selection)
        around = algebra.Unit(span=span) if left is None else left
        right, step = self._step_parts(group, around)
        both = algebra.Pair(operators.JOIN, around, right, span=span)
        none, condition = self._step_parts(negated.group, both)
        self._refuse_tests(condition)
        operator = _operator(selection)
        length = None if negated.length is None else positive_length(negated.length, self._text, "absence")
        own_step = step if operator.next_only else None
        self._refuse_tests(own_step)
        if not operator.next_only:
            right, step = self._timed(right, step)
        gap = algebra.Gap(left, none, right, operator, own_step, condition, length, span=span)
        if step is None or operator.next_only:
            return gap
        return algebra.Filter(step, gap, span=step.span)

    def _refuse_strict(self, selection: syntax.Selection | None) -> None:
        if selection is not None and selection.word == "STRICT":
            hint = (
                "leave out NOT where nothing at all lies between; or name both: STRICT AMONG {..} UNION {..}"
            )
            raise self._text.unsupported("SEQ NOT {..} SEQ STRICT", selection.span, hint=hint)

    def _step_parts(
        self, group: syntax.Group, before: algebra.Pattern
    ) -> tuple[algebra.Pattern, algebra.Expression | None]:
        """A group with the filters that speak of it alone, and the others: conditions of the step."""
        known = frozenset(algebra.variables(before))
        pattern, condition = self._patterns.group_parts(group)
        inside = frozenset(algebra.variables(pattern))
        own: list[algebra.Expression] = []
        others: list[algebra.Expression] = []
        for part in () if condition is None else algebra.conjuncts(condition):
            seen = algebra.expression_variables(part) - inside
            (others if seen & known else own).append(part)
        pattern = self._patterns.filtered(pattern, algebra.conjoin(own) if own else None)
        return self._patterns.closed(pattern, group.span), self._step_condition(others)

    def _step_condition(self, parts: list[algebra.Expression]) -> algebra.Expression | None:
        return self._patterns.on_pairs(algebra.conjoin(parts) if parts else None)

    def _refuse_tests(self, condition: algebra.Expression | None) -> None:
        """Refuse EXISTS in a condition that is decided before the instant is complete."""
        for test in algebra.existence_tests(condition):
            hint = "let EXISTS speak of its own group alone, or put it behind the chain"
            what = "EXISTS beside variables of the steps before"
            raise self._text.unsupported(what, test.span, hint=hint)

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
            if expression.function in algebra.TIME_FUNCTIONS:
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
        return algebra.Ticks(positive_length(timer.period, self._text, "period"), span=timer.span)

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
            return _Scope(self._patterns.group(among), elements=False, word="STRICT AMONG")
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
            return _Scope(every, elements=True, word="STRICT")
        pattern = found[0]
        for other in found[1:]:
            pattern = algebra.Union(pattern, other, span=span)
        names = " ".join(f"?{each.name}" for each in per)
        return _Scope(pattern, elements=False, word=f"STRICT PER {names}")

    # ---- REPEAT -----------------------------------------------------------------------------------------

    def _repeat(
        self,
        repeat: syntax.Repeat,
        left: algebra.Pattern | None,
        operator: operators.Operator,
        first: _Scope | None,
        then: _Then | None,
        span: Span,
    ) -> algebra.Pattern:
        running = AggregateNames(self._expressions, self._patterns.triples.hidden)
        measured = AggregateNames(self._expressions, self._patterns.triples.hidden)
        before = algebra.Unit(span=span) if left is None else left
        group, condition = self._repeated_parts(repeat.group, running)
        measures: list[tuple[algebra.Variable, algebra.Expression]] = []
        for each in repeat.measures:
            variable = algebra.Variable(each.variable.name, span=each.variable.span)
            if isinstance(each.expression, syntax.Aggregate):
                value: algebra.Expression = measured.named(each.expression, variable)
            else:
                with self._expressions.aggregates(measured.named):
                    value = self._expressions.translate(each.expression)
            if value != variable:
                measures.append((variable, value))
        for variable, value in (*running.arguments, *measured.arguments):
            group = self._patterns.extended_by(group, variable, value, variable.span)
        known = frozenset(algebra.variables(before))
        per = tuple(algebra.Variable(each.name, span=each.span) for each in repeat.per)
        shared = tuple(each for each in algebra.variables(group) if each in known or each in per)
        scope = None
        if repeat.mode == "STRICT":
            scope = self._scope_of(repeat.per, repeat.among, (group,), repeat.span)
        bound = frozenset[algebra.Variable]() if left is None else certain_variables(left)
        self._check_bounds(repeat, left, [each for each in per if each not in bound])
        names = (*(each.variable for each in measured.aggregates), *(variable for variable, _ in measures))
        seen = algebra.Table((*shared, *names), ())
        run = algebra.Pair(operators.JOIN, before, seen, span=span)
        after, step, last, last_condition = None, None, None, None
        takes_next = False
        if then is not None:
            after, step = self._timed(*self._step_parts(then.group, run))
            last, last_condition = self._last_scope(then, run, after)
            takes_next = _operator(then.selection).next_only
            if last_condition is not None:
                last_condition = algebra.with_values(last_condition, dict(measures))
        chosen = None
        if step is not None and (takes_next or repeat.longest):
            self._refuse_tests(step)
            chosen, step = algebra.with_values(step, dict(measures)), None
        scopes = {"scope": scope, "first_scope": first, "last_scope": last}
        among = {name: None if each is None else each.pattern for name, each in scopes.items()}
        pattern: algebra.Pattern = algebra.Repeat(
            left, group, after, algebra.RepeatMode(repeat.mode), repeat.low, repeat.high, operator, shared,
            condition, running.aggregates, measured.aggregates, repeat.longest,
            among["scope"], among["first_scope"], among["last_scope"], last_condition,
            chosen, takes_next,
            frozenset(name for name, each in scopes.items() if each is not None and each.elements),
            per, span=span,
        )  # fmt: skip
        for variable, value in measures:
            pattern = self._patterns.extended_by(pattern, variable, value, variable.span)
        return pattern if step is None else algebra.Filter(step, pattern, span=step.span)

    def _last_scope(
        self, then: _Then, run: algebra.Pattern, after: algebra.Pattern
    ) -> tuple[_Scope | None, algebra.Expression | None]:
        """What may not lie between the last iteration and what follows, and which of it counts."""
        if then.negated is None:
            return self._scope(then.selection, (run, after)), None
        self._refuse_strict(then.selection)
        both = algebra.Pair(operators.JOIN, run, after, span=then.negated.span)
        none, condition = self._step_parts(then.negated.group, both)
        self._refuse_tests(condition)
        return _Scope(none, elements=False, word="NOT"), condition

    def _iteration(self, group: syntax.Group) -> algebra.Pattern:
        """The group of a REPEAT, for what it binds."""
        return self._repeated_parts(group, AggregateNames(self._expressions, self._patterns.triples.hidden))[
            0
        ]

    def _repeated_parts(
        self, group: syntax.Group, running: AggregateNames
    ) -> tuple[algebra.Pattern, algebra.Expression | None]:
        """The group of a REPEAT with its own filters; those that see other iterations choose."""
        with self._expressions.aggregates(running.named):
            pattern, condition = self._patterns.group_parts(group)
        inside = frozenset(algebra.variables(pattern))
        own: list[algebra.Expression] = []
        others: list[algebra.Expression] = []
        for part in () if condition is None else algebra.conjuncts(condition):
            (own if algebra.expression_variables(part) <= inside else others).append(part)
        pattern = self._patterns.filtered(pattern, algebra.conjoin(own) if own else None)
        condition = self._step_condition(others)
        self._refuse_tests(condition)
        return pattern, condition

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

    def _refuse_after_all(self, left: syntax.Combination | syntax.Step, span: Span) -> None:
        """By unrolling the first iteration of a REPEAT is what follows, and it is no group of its own."""
        last = _last(left)
        if isinstance(last, syntax.Negated) and isinstance(left, syntax.Combination) and last.length is None:
            last = _last(left.left)
        if isinstance(last, syntax.Repeat) and _is_folded(last):
            mode = "STRICT LONGEST" if last.longest else "ALL"
            hint = "write its first iteration as a group: SEQ { ... } SEQ REPEAT 0 TO * { ... }"
            raise self._text.error("EP118", f"REPEAT cannot follow REPEAT {mode}", span, hint=hint)


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
