"""Windowed queries: which patterns are joined by lives, and what is done with what lives at an instant.

Of a block of patterns whose solutions have lives (``lives.py``) a Snapshot gives, at each instant of the
schedule, what lives then. What stands above is about one instant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.aggregate_windows import RangeWindow
from etalis_py.compiler.algebra.changes import HELD, as_changes, in_no_order, kept_by_changes, unused_in
from etalis_py.compiler.algebra.correlate import Outside, joined
from etalis_py.compiler.algebra.lives import block_of, of_background, of_windows
from etalis_py.compiler.algebra.newest_elements import ANYTHING, NewestElements, counts_steps, equal_to
from etalis_py.compiler.algebra.operators import JOIN
from etalis_py.compiler.algebra.scope import certain_variables, differs_in_time
from etalis_py.compiler.algebra.stream_windows import Report, Schedule
from etalis_py.compiler.algebra.tested import NotBesideError, beside, keys_of, values_of, with_keys
from etalis_py.compiler.algebra.translate_modifiers import with_values_of_nothing
from etalis_py.compiler.algebra.windowed import StreamWindow, Windowed
from etalis_py.compiler.algebra.windows_read import reads_window
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.spans import Span
from etalis_py.core.errors import CompileError
from etalis_py.core.terms import encode_literal
from etalis_py.core.vocabulary import XSD_DURATION

__all__ = ["at_instants"]

_OF_EVENTS: Final = (algebra.Gap, algebra.Absence, algebra.Repeat, algebra.Skip, algebra.Ticks)
_NO_TIME: Final = algebra.Constant(encode_literal("PT0S", XSD_DURATION, None))
_MATCH: Final = "events in windows stand in MATCH: MATCH { EVENT :w { ... } SEQ EVENT :w { ... } }"
_YET: Final = "docs/language.md, Windows on streams, says what can stand over them"


def at_instants(
    pattern: algebra.Pattern,
    windowed: Windowed,
    text: QueryText,
    *,
    asks: bool = False,
    traced: bool = False,
) -> algebra.Pattern:
    """``pattern``, whose solutions are those of the instants at which the query is evaluated.

    If it ``asks``, there is one at each, which says whether there is a solution. Of ISTREAM and DSTREAM those
    that are new, or gone. ``traced``: solutions must tell what they are made of (`as_changes`).

    Raises:
        CompileError: EP201, for what has no rules yet.
    """
    snapshots = _Snapshots(windowed, text, traced=traced)
    found = snapshots.answer(pattern) if asks else snapshots.of(pattern)
    schedule, to_stream = windowed.schedule, windowed.to_stream
    unordered = None if to_stream == "RSTREAM" else in_no_order(found)
    told = None if unordered is None else as_changes(unordered[0], traced=traced)
    if unordered is not None and told is not None:
        keys = unordered[1]
        given = _changes(told, windowed, snapshots)
        if not windowed.nonempty and _asks_for_all(told, schedule):
            given = snapshots.evaluated(given)
        return algebra.OrderBy(given, keys, span=pattern.span) if keys else given
    if not traced:
        found = kept_by_changes(found, schedule)
    if schedule.report is not Report.CLOSE:
        found = snapshots.evaluated(found)
    return found if to_stream == "RSTREAM" else _changes(found, windowed, snapshots)


def _asks_for_all(told: algebra.Pattern, schedule: Schedule) -> bool:
    """Whether it counts that the query is evaluated where only what it does not look for comes or goes.

    What was consumed at an evaluation is gone at the next one, whatever that is for.
    """
    if schedule.report is Report.CHANGE:
        return any(True for _ in unused_in(told))
    return schedule.report is Report.ARRIVAL


def _changes(found: algebra.Pattern, windowed: Windowed, snapshots: _Snapshots) -> algebra.Pattern:
    """What is new or gone; with NONEMPTY only the instants count at which some window holds an element."""
    span, to_stream = found.span, windowed.to_stream
    if not windowed.nonempty:
        return algebra.Changes(found, to_stream, windowed.schedule, span=span)
    held = algebra.Variable("_: held", span=span)
    sign = algebra.Extend(snapshots.some_evaluation(span), held, algebra.Constant(HELD), span=span)
    both = algebra.Union(found, sign, span=span)
    changes = algebra.Changes(both, to_stream, windowed.schedule, held, span=span)
    no_sign = algebra.Apply("!", (algebra.Apply("BOUND", (held,), span=span),), span=span)
    return algebra.Project(algebra.Filter(no_sign, changes, span=span), _visible(found), span=span)


def _visible(found: algebra.Pattern) -> tuple[algebra.Variable, ...]:
    return tuple(each for each in algebra.variables(found) if each != algebra.CHANGE)


class _Snapshots:
    def __init__(self, windowed: Windowed, text: QueryText, *, traced: bool) -> None:
        self._schedule = windowed.schedule
        self._newest = NewestElements(windowed.schedule)
        self._windows = windowed.windows
        self._nonempty = windowed.nonempty
        self._text = text
        self._traced = traced
        self._groups = 0

    def every_evaluation(self, span: Span) -> algebra.Pattern:
        """A solution without bindings at each instant at which the query is evaluated."""
        if self._schedule.report is Report.CHANGE:
            return self._where_some(self._newest.coming, span, always=True)
        elements = self._elements(self._windows, span, held=True)
        return algebra.Snapshot(elements, self._schedule, always=True, span=span)

    def evaluated(self, found: algebra.Pattern) -> algebra.Pattern:
        """``found`` at the instants that the elements there are say."""
        return algebra.Pair(operators.EQUALS, self.every_evaluation(found.span), found, span=found.span)

    def some_evaluation(self, span: Span) -> algebra.Pattern:
        """The same where some window holds an element."""
        held = self._where_some(self._newest.there, span)
        if self._schedule.report is Report.CLOSE:
            return held
        return algebra.Pair(operators.EQUALS, self.every_evaluation(span), held, span=span)

    def _evaluations(self, span: Span) -> algebra.Pattern:
        """The same where it may give something: with NONEMPTY only while some window holds an element."""
        if not self._nonempty:
            return self.every_evaluation(span)
        return self._where_some(self._newest.there, span)

    def _where_some(
        self, newest: Callable[[algebra.Place], algebra.Pattern], span: Span, *, always: bool = False
    ) -> algebra.Pattern:
        """The same where some window holds an element, or for ``always`` where what it holds changes.

        That says ``newest`` of windows of elements with steps, which an element alone does not tell.
        """
        others = [each for each in self._windows if not counts_steps(each.extent)]
        found: list[algebra.Pattern] = [
            algebra.Project(newest(each.place(span)), (), span=span)
            for each in self._windows
            if each not in others
        ]
        if others:
            elements = self._elements(others, span, held=False)
            found.append(algebra.Snapshot(elements, self._schedule, always=always, span=span))
        if len(found) == len(others) == 1:
            return found[0]
        return algebra.Distinct(algebra.united(found, span), span=span)

    def _elements(self, windows: Sequence[StreamWindow], span: Span, *, held: bool) -> algebra.Pattern:
        """The elements of some windows."""
        places = (replace(each.place(span), begins_at_once=held) for each in windows)
        triples = [algebra.TriplePattern(*ANYTHING, place=each, span=span) for each in places]
        return algebra.Project(algebra.united(triples, span), (), span=span)

    def of(self, pattern: algebra.Pattern) -> algebra.Pattern:  # noqa: C901 - one branch for each node
        """``pattern`` at the instants of the schedule."""
        if _stands_still(pattern):
            still = self._still(pattern)
            if isinstance(still, algebra.Unit):
                return self._evaluations(pattern.span)
            return algebra.Pair(JOIN, self._evaluations(pattern.span), still, span=pattern.span)
        block = block_of(pattern, traced=self._traced)
        if block is not None:
            return self._living(pattern, block)
        match pattern:
            case algebra.Filter(condition=condition, pattern=inner):
                below, condition = self._tested(inner, self.of(inner), condition)
                found = algebra.Filter(condition, below, span=pattern.span)
                return _without_keys(found, pattern)
            case algebra.Extend(expression=expression, pattern=inner):
                below, expression = self._tested(inner, self.of(inner), expression)
                bound = algebra.Extend(below, pattern.variable, expression, span=pattern.span)
                return _without_keys(bound, pattern)
            case algebra.Project() | algebra.Distinct() | algebra.OrderBy() | algebra.Slice():
                return replace(pattern, pattern=self.of(pattern.pattern))
            case algebra.Chosen() | algebra.Unused():
                return replace(pattern, pattern=self.of(pattern.pattern))
            case algebra.Union():
                return replace(pattern, left=self.of(pattern.left), right=self.of(pattern.right))
            case algebra.Pair(operator=operators.JOIN):
                return self._join(pattern)
            case algebra.Pair(operator=operators.OPTIONAL):
                return self._optional(pattern)
            case algebra.Minus(left=left, right=right):
                return replace(pattern, left=self.of(left), right=self._beside(right))
            case algebra.TriplePattern():
                return self._newest.triple(pattern)
            case algebra.Closure(zero=False):
                return self._walked(pattern)
            case algebra.Closure():
                return self._walked_or_staying(pattern)
            case algebra.Group(keys=keys, window=None):
                grouped = replace(pattern, pattern=self.of(pattern.pattern), window=RangeWindow(1))
                return grouped if keys else self._one_row(grouped)
            case _:
                raise self._refused(pattern)

    def _living(self, pattern: algebra.Pattern, block: algebra.Pattern) -> algebra.Pattern:
        """What lives of a block, and what it has from background alone, each solution once."""
        lived = algebra.Snapshot(block, self._schedule, span=pattern.span)
        still = of_background(pattern)
        if still is None:
            return lived
        there = algebra.Pair(JOIN, self._evaluations(pattern.span), still, span=pattern.span)
        return algebra.Distinct(algebra.Union(lived, there, span=pattern.span), span=pattern.span)

    def answer(self, pattern: algebra.Pattern) -> algebra.Pattern:
        """Whether there is a solution: true or false at each evaluation."""
        span, there = pattern.span, algebra.Variable("_: there", span=pattern.span)
        one = algebra.Distinct(algebra.Project(self.of(pattern), (), span=span), span=span)
        marked = algebra.Extend(one, there, algebra.Constant(HELD, span=span), span=span)
        each = algebra.Pair(operators.EQUALSOPTIONAL, self._evaluations(span), marked, span=span)
        boolean = algebra.Variable("boolean", span=span)
        told = algebra.Extend(each, boolean, algebra.Apply("BOUND", (there,), span=span), span=span)
        return algebra.Project(told, (boolean,), span=span)

    def _one_row(self, group: algebra.Group) -> algebra.Pattern:
        """Without GROUP BY there is a row also where there is no solution."""
        self._groups += 1
        span, hidden = group.span, f"_: group {self._groups}"
        there = algebra.Variable(hidden, span=span)
        found = [replace(each, variable=_hidden(hidden, each.variable)) for each in group.aggregates]
        counted = (*found, algebra.Aggregate(there, "COUNT", None, distinct=False, span=span))
        groups = replace(group, aggregates=counted)
        rows = algebra.Pair(operators.EQUALSOPTIONAL, self._evaluations(span), groups, span=span)
        return with_values_of_nothing(rows, group.aggregates, found, there)

    def _join(self, pattern: algebra.Pair) -> algebra.Pattern:
        """Solutions of one instant; what background alone gives joins them all."""
        left, right = pattern.left, pattern.right
        if _stands_still(left):
            return replace(pattern, left=self._still(left), right=self.of(right))
        if _stands_still(right):
            return replace(pattern, left=self.of(left), right=self._still(right))
        return replace(pattern, operator=operators.EQUALS, left=self.of(left), right=self.of(right))

    def _walked(self, path: algebra.Closure) -> algebra.Pattern:
        """A path of any length, walked anew among the steps of each instant."""
        steps = replace(path, pattern=self.of(path.pattern))
        instant = algebra.Apply(
            "<=", (algebra.Apply("GETDURATION", (), span=path.span), _NO_TIME), span=path.span
        )
        return algebra.Filter(instant, steps, span=path.span)

    def _walked_or_staying(self, path: algebra.Closure) -> algebra.Pattern:
        """``P*`` and ``P?``: what walks along steps, and each node as it is (SPARQL 1.1, section 18.4)."""
        span, ends = path.span, (path.subject, path.object)
        if path.many:
            walked = self._walked(replace(path, zero=False))
        else:
            walked = equal_to(self.of(path.pattern), ends, (path.first, path.last), span)
        staying = self._staying(path)
        if staying is not None:
            walked = algebra.Union(walked, staying, span=span)
        shown = tuple(dict.fromkeys(each for each in ends if isinstance(each, algebra.Variable)))
        return algebra.Distinct(algebra.Project(walked, shown, span=span), span=span)

    def _staying(self, path: algebra.Closure) -> algebra.Pattern | None:
        """Walks of no step: from each node of the graph, or the term that the query has at an end."""
        span, ends = path.span, (path.subject, path.object)
        known = [each for each in ends if isinstance(each, algebra.Constant)]
        if len(known) == 2:
            return self._evaluations(span) if path.subject == path.object else None
        node = algebra.Variable("_: node", span=span)
        if known:
            there: algebra.Pattern = algebra.Extend(self._evaluations(span), node, known[0], span=span)
            return equal_to(there, ends, (node, node), span)
        triple = _any_step(path.pattern)
        if triple is None:
            hint = "let it stand in WINDOW :name { ... }, or write + instead of *"
            what = "a path of no step in one element"
            raise self._text.unsupported(what, span, hint=hint)
        any_subject, any_predicate, any_object = ANYTHING
        sides = ((node, any_predicate, any_object), (any_subject, any_predicate, node))
        heard = of_windows(triple)
        nodes: list[algebra.Pattern] = [
            algebra.Project(self.of(_with_terms(heard, each)), (node,), span=span) for each in sides
        ]
        steps = of_background(path.pattern)
        if steps is not None:
            nodes.append(self.of(replace(path, pattern=steps, subject=node, object=node, many=False)))
        return equal_to(algebra.united(nodes, span), ends, (node, node), span)

    def _optional(self, pattern: algebra.Pair) -> algebra.Pattern:
        """A solution beside those of its instant, or alone."""
        asked = self._testing_right(pattern)
        left = self.of(asked.left)
        if _stands_still(asked.right) and not (asked.condition and differs_in_time(asked.condition)):
            operator, right = operators.OPTIONAL, self._still(asked.right)
        else:
            operator, right = operators.EQUALSOPTIONAL, self.of(asked.right)
        return _without_keys(replace(asked, operator=operator, left=left, right=right), pattern)

    def _testing_right(self, pattern: algebra.Pair) -> algebra.Pair:
        """``pattern``, whose EXISTS filter its right side, beside what they speak of on the left."""
        if pattern.condition is None:
            return pattern
        parts = [(each, algebra.existence_tests(each)) for each in algebra.conjuncts(pattern.condition)]
        tests, others = [each for each, found in parts if found], [each for each, found in parts if not found]
        if not tests:
            return pattern
        left, right, test = pattern.left, pattern.right, algebra.conjoin(tests)
        known = frozenset(algebra.variables(left))
        if not (known & algebra.expression_variables(test)) <= certain_variables(right):
            asked = algebra.expression_variables(test) | frozenset(algebra.variables(right))
            keys = keys_of(left, asked)
            left, right = with_keys(left, keys), self._evaluated_beside(left, keys, right)
        right = algebra.Filter(test, right, span=right.span)
        condition = algebra.conjoin(others) if others else None
        return replace(pattern, left=left, right=right, condition=condition)

    def _beside(self, pattern: algebra.Pattern) -> algebra.Pattern:
        """What is looked for beside solutions of an instant: at that instant, or in the background."""
        return self._still(pattern) if _stands_still(pattern) else self.of(pattern)

    def _tested(
        self, tested: algebra.Pattern, below: algebra.Pattern, expression: algebra.Expression
    ) -> tuple[algebra.Pattern, algebra.Expression]:
        """``below``, which is ``tested`` at an instant, and an expression on it whose EXISTS look at that."""
        if isinstance(expression, algebra.Exists):
            pattern = self._beside(expression.pattern)
            if reads_window(pattern) and not _is_joined(pattern, below):
                keys = keys_of(below, algebra.mentioned_variables(expression.pattern))
                found = self._evaluated_beside(tested, keys, expression.pattern)
                below = with_keys(below, keys)
                pattern = self.of(algebra.Project(found, tuple(keys.values()), span=found.span))
                assert _is_joined(pattern, below)
            return below, replace(expression, pattern=pattern)
        if isinstance(expression, algebra.Apply):
            arguments = []
            for each in expression.arguments:
                below, argument = self._tested(tested, below, each)
                arguments.append(argument)
            expression = replace(expression, arguments=tuple(arguments))
        return below, expression

    def _evaluated_beside(
        self,
        tested: algebra.Pattern,
        keys: Mapping[algebra.Variable, algebra.Variable],
        group: algebra.Pattern,
    ) -> algebra.Pattern:
        """``group`` for each of the values that solutions of ``tested`` have."""
        try:
            return beside(values_of(tested, keys), group)
        except NotBesideError:
            hint = "let each of its filters, BINDs and OPTIONALs speak of variables that it binds itself"
            what = "EXISTS over windows with an expression on variables from outside"
            raise self._text.unsupported(what, group.span, hint=hint) from None

    def _still(self, pattern: algebra.Pattern) -> algebra.Pattern:
        """``pattern``, which is of background alone."""
        if isinstance(pattern, algebra.Pair) and pattern.operator not in (JOIN, operators.OPTIONAL):
            raise self._refused(pattern)
        if isinstance(pattern, _OF_EVENTS):
            raise self._refused(pattern)
        for each in algebra.children(pattern):
            self._still(each)
        return pattern

    def _refused(self, pattern: algebra.Pattern) -> CompileError:
        name = pattern.operator.word if isinstance(pattern, algebra.Pair) else type(pattern).__name__.upper()
        what = {"GROUP": "an aggregate", "CLOSURE": "a path with ?, * or +"}.get(name, name)
        is_sequence = isinstance(pattern, algebra.Pair) and name not in ("OPTIONAL", "MINUS", "EXISTS")
        return self._text.unsupported(
            f"{what} over windows on streams", pattern.span, hint=_MATCH if is_sequence else _YET
        )


def _is_joined(pattern: algebra.Pattern, below: algebra.Pattern) -> bool:
    """Whether EXISTS of ``pattern`` is a join of it with the solutions of ``below``."""
    outside = Outside(frozenset(algebra.variables(below)), certain_variables(below), at_instant=False)
    return joined(pattern, outside) is not None


def _without_keys(found: algebra.Pattern, pattern: algebra.Pattern) -> algebra.Pattern:
    """``found`` with the variables of ``pattern`` only."""
    shown = algebra.variables(pattern)
    if set(algebra.variables(found)) == set(shown):
        return found
    return algebra.Project(found, shown, span=pattern.span)


def _stands_still(pattern: algebra.Pattern) -> bool:
    """Whether ``pattern`` is of background alone, also in its EXISTS, without aggregates and times."""
    expressions = [each for each, _ in pattern.expressions]
    if isinstance(pattern, algebra.Group) or reads_window(pattern) or any(map(differs_in_time, expressions)):
        return False
    tests = [test.pattern for each in expressions for test in algebra.existence_tests(each)]
    return all(map(_stands_still, (*tests, *algebra.children(pattern))))


def _any_step(pattern: algebra.Pattern) -> algebra.Pattern | None:
    """A triple of the window, or the default graph, that steps are in; None where that is one element."""
    if isinstance(pattern, algebra.TriplePattern):
        place = pattern.place
        apart = (
            place is not None and place.extent is not None and place.element is None and place.name is None
        )
        return pattern if apart else None
    if isinstance(pattern, algebra.Distinct) and isinstance(pattern.pattern, algebra.Union):
        return pattern
    found = map(_any_step, algebra.children(pattern))
    return next((each for each in found if each is not None), None)


def _with_terms(triple: algebra.Pattern, terms: tuple[algebra.TermPattern, ...]) -> algebra.Pattern:
    """``triple``, also where it is one of several graphs, with other terms."""
    if isinstance(triple, algebra.TriplePattern):
        subject, predicate, target = terms
        return replace(triple, subject=subject, predicate=predicate, object=target)
    return algebra.map_children(triple, lambda each: _with_terms(each, terms))


def _hidden(prefix: str, variable: algebra.Variable) -> algebra.Variable:
    return algebra.Variable(f"{prefix} {variable.name}", span=variable.span)
