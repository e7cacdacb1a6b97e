"""From a query to a LARS program (Figure 1 and Table 1 of the paper; Polleres, WWW 2007).

What a query joins is the body of one rule; what it unites, subtracts, or may lack, has predicates of its own.
A query with windows has answers at the time points of its evaluations: its atoms are in windows, or in the
background. Any other query has an answer at its end: each part has a start and an end, and rules compare
these. Answers are sets. Refuses what formulas over time points cannot say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.correlate import Outside, joined
from etalis_py.compiler.algebra.operators import Endpoint, Side
from etalis_py.compiler.algebra.scope import certain_variables
from etalis_py.compiler.algebra.translate import sought
from etalis_py.compiler.algebra.window import day_time_microseconds
from etalis_py.compiler.algebra.windowed import StreamWindow, Windowed
from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.lars.evaluations import evaluation_rules
from etalis_py.compiler.lars.program import (
    ANSWER,
    ANY_STREAM,
    ANY_TRIPLE,
    NEVER,
    NULL,
    STREAMED,
    TRIGGER,
    Assign,
    At,
    Atom,
    Bound,
    Formula,
    InWindow,
    Multiple,
    Not,
    Order,
    Program,
    Rule,
    Term,
    Test,
    Time,
)
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.plan.plan import StatePlan
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.spans import Span
from etalis_py.core.errors import CompileError
from etalis_py.core.value_class import value_class

__all__ = ["lars_program"]

_ENDPOINTS: Final = {Endpoint.START1: 0, Endpoint.END1: 1, Endpoint.START2: 2, Endpoint.END2: 3}


def lars_program(query: CompiledQuery) -> Program:
    """The program of a query.

    Raises:
        CompileError: EP221, formulas cannot say it.
    """
    text, meaning = query.text, query.meaning
    if isinstance(query.plan, StatePlan) or isinstance(meaning, algebra.DescribeQuery):
        raise _refused(text, "this form of query", query.syntax.form.span)
    if query.plan.policy is not None:
        raise _refused(text, "a selection policy", query.syntax.form.span)
    pattern, windowed = sought(query.syntax, text)
    if windowed is None:
        pattern = meaning.pattern
    rules = _Rules(text, windowed)
    rules.answer(pattern, asks=isinstance(query.syntax.form, syntax.Ask))
    if isinstance(meaning, algebra.ConstructQuery):
        rules.construct(meaning, algebra.variables(pattern))
    if windowed is None:
        return Program((), (), tuple(rules.rules))
    evaluations = evaluation_rules(windowed, rules.window)
    return Program(tuple(rules.windows), evaluations, tuple(rules.rules), windowed.to_stream)


def _refused(text: QueryText, what: str, span: Span) -> CompileError:
    hint = "joins, UNION, MINUS, OPTIONAL, EXISTS, FILTER and BIND have formulas: docs/windows.md#as-formulas"
    return text.error("EP221", f"LARS formulas cannot say {what}", span, hint=hint)


_Interval = tuple[Time, Time]


@value_class
class _Found:
    """The body of a pattern, and from when to when its solutions are; None where all are background alone.

    Not ``timed``: those of background alone start at `NEVER`.
    """

    body: tuple[Formula, ...]
    interval: _Interval | None = None
    timed: bool = False


@dataclass(slots=True)
class _Rules:
    text: QueryText
    windowed: Windowed | None
    rules: list[Rule] = field(default_factory=list)
    windows: list[StreamWindow] = field(default_factory=list)
    _answers: int = 1
    _times: int = 0
    _own: int = 0

    # ---- answers ----------------------------------------------------------------------------------------

    def answer(self, pattern: algebra.Pattern, *, asks: bool) -> None:
        """The rules of the answers; if it ``asks``, these are about no variable."""
        while isinstance(pattern, algebra.Distinct):
            pattern = pattern.pattern
        shown = algebra.variables(pattern)
        if isinstance(pattern, algebra.Project):
            pattern = pattern.pattern
        if asks:
            shown = ()
        if self.windowed is not None:
            body = (TRIGGER, *self.found(pattern).body)
            self.rules.append(Rule(Atom(ANSWER, _shown(shown, pattern)), body))
            return
        found = self._events(pattern)
        assert found.interval is not None
        start, end = found.interval
        self.rules.append(Rule(At(end, Atom(ANSWER, (*_shown(shown, pattern), start))), found.body))

    def construct(self, query: algebra.ConstructQuery, shown: Sequence[algebra.Variable]) -> None:
        """A rule for each triple of the template."""
        stream = () if query.stream is None else (algebra.Constant(query.stream),)
        for each in query.template:
            if any(isinstance(term, algebra.Variable) and term.is_hidden for term in each.terms):
                raise _refused(self.text, "a blank node that is new in each solution", each.span)
            if self.windowed is not None:
                self.rules.append(Rule(Atom(STREAMED, (*each.terms, *stream)), (Atom(ANSWER, tuple(shown)),)))
                continue
            start, end = self._interval()
            body = (At(end, Atom(ANSWER, (*shown, start))),)
            self.rules.append(
                Rule(At(end, Atom(STREAMED, (*each.terms, *(stream or (ANY_STREAM,)), start))), body)
            )

    # ---- patterns ---------------------------------------------------------------------------------------

    def found(self, pattern: algebra.Pattern) -> _Found:  # noqa: C901 - one branch for each node
        """The body of a pattern."""
        match pattern:
            case algebra.Unit():
                return _Found(())
            case algebra.TriplePattern():
                return self._triple(pattern)
            case algebra.Table():
                return self._table(pattern)
            case algebra.Lookup(predicate=name, terms=terms):
                return _Found((Atom("graph" if name is None else f"prolog:{name}", terms),))
            case algebra.Ticks(period=period):
                time = self._time("E")
                return _Found((Multiple(time, period),), (time, time), timed=True)
            case algebra.Pair():
                return self._pair(pattern)
            case algebra.Union():
                return self._union(pattern)
            case algebra.Minus():
                return self._minus(pattern)
            case algebra.Gap():
                return self._gap(pattern)
            case algebra.Absence():
                return self._absence(pattern)
            case algebra.Filter():
                return self._filter(pattern)
            case algebra.Extend(pattern=inner, variable=variable, expression=expression):
                below = self.found(inner)
                return replace(below, body=(*below.body, Assign(variable, self._plain(expression, inner))))
            case algebra.Distinct(pattern=algebra.Union() as union) if self._is_default_graph(union):
                return self._in_default_graph(union)
            case algebra.Project() | algebra.Distinct():
                return self._called(pattern, self.found(pattern.pattern))
            case algebra.Closure(zero=False, many=True):
                return self._walk(pattern)
            case algebra.Closure():
                raise _refused(self.text, "a path that may have no step", pattern.span)
            case algebra.Repeat() | algebra.Skip():
                raise _refused(
                    self.text, f"{type(pattern).__name__.upper()}, which goes by runs", pattern.span
                )
            case algebra.Group():
                raise _refused(self.text, "an aggregate", pattern.span)
            case algebra.OrderBy() | algebra.Slice():
                raise _refused(self.text, "ORDER BY, LIMIT or OFFSET: answers are sets", pattern.span)
            case algebra.Chosen() | algebra.Unused():
                raise _refused(self.text, "which events a MATCH chooses or consumes", pattern.span)
            case algebra.Snapshot() | algebra.Changes():
                raise AssertionError("patterns are looked at before it is said when they are evaluated")
            case _:
                assert_never(pattern)

    def _events(self, pattern: algebra.Pattern) -> _Found:
        """The body of a pattern, for the solutions that have an interval."""
        if isinstance(pattern, algebra.TriplePattern) and pattern.eventful:
            return self._triple(pattern, eventful=True)
        return self._timed(self.found(pattern), pattern.span)

    def _triple(self, triple: algebra.TriplePattern, *, eventful: bool = False) -> _Found:
        """A triple; of the background only where it need not be ``eventful``."""
        place = triple.place
        if place is not None and (place.name or place.element or place.times):
            raise _refused(self.text, "which element a triple is in, or when it came", triple.span)
        if place is not None and place.extent is not None:
            number = self.window(StreamWindow(_iri(place.stream), place.extent))
            return _Found((InWindow(number, Atom(STREAMED, (*triple.terms, place.stream or ANY_STREAM))),))
        if not triple.eventful:
            return _Found((self._still(triple),))
        start, end = self._interval()
        stream = (place.stream if place is not None else None) or self._any_stream()
        streamed = Atom(STREAMED, (*triple.terms, stream, start))
        if eventful or (place is not None and not place.background):
            return _Found((At(end, streamed),), (start, end), timed=True)
        # Matched by the background, too.
        called = Atom(self._next(), (*_variables(triple.terms), start, end))
        self.rules.append(Rule(called, (At(end, streamed),)))
        self.rules.append(Rule(_timeless(called), (self._still(triple),)))
        return _Found((called,), (start, end))

    def _is_default_graph(self, union: algebra.Union) -> bool:
        """Whether it is one triple, of the background or of what windows of the default graph hold."""
        ways = list(_ways(union))
        places = {each.place is None or each.place.extent is not None for each in ways if each is not None}
        return self.windowed is not None and places == {True} and None not in ways

    def _in_default_graph(self, union: algebra.Union) -> _Found:
        """A triple of the graph that all windows and the background make (strategy T1 of the paper)."""
        ways = [each for each in _ways(union) if each is not None]
        graph = "default"
        if not any(each.head == Atom(graph, ANY_TRIPLE) for each in self.rules):
            for each in ways:
                subject, predicate, target = ANY_TRIPLE
                any_triple = replace(each, subject=subject, predicate=predicate, object=target)
                self.rules.append(Rule(Atom(graph, ANY_TRIPLE), self._triple(any_triple).body))
        return _Found((Atom(graph, ways[0].terms),))

    def _still(self, triple: algebra.TriplePattern) -> Atom:
        """A triple of the background, of the named graph where it stands in one."""
        if triple.sources is not None and not triple.graph:
            if len(triple.sources) != 1:
                raise _refused(self.text, "several graphs of FROM as one", triple.span)
            return Atom("triple", (*triple.terms, algebra.Constant(triple.sources[0])))
        return Atom("triple", (*triple.terms, *(() if triple.graph is None else (triple.graph,))))

    def _table(self, table: algebra.Table) -> _Found:
        name = self._next()
        for row in table.rows:
            values = tuple(NULL if each is None else algebra.Constant(each) for each in row)
            self.rules.append(Rule(Atom(name, values), ()))
        return _Found((Atom(name, table.variables),))

    def _filter(self, pattern: algebra.Filter) -> _Found:
        below = self.found(pattern.pattern)
        body = list(below.body)
        for each in algebra.conjuncts(pattern.condition):
            denied = isinstance(each, algebra.Apply) and each.function == "!"
            test = each.arguments[0] if isinstance(each, algebra.Apply) and denied else each
            length = _longest(each)
            if isinstance(test, algebra.Exists):
                there = self._exists(test, pattern.pattern, below)
                body.append(Not(there) if denied else there)
            elif length is not None and self.windowed is None:
                below = self._timed(below, each.span)
                assert below.interval is not None
                start, end = below.interval
                body.append(Order(end, "=<", replace(start, later=start.later + length)))
            else:
                body.append(Test(self._plain(each, pattern.pattern)))
        return replace(below, body=tuple(body))

    def _exists(self, test: algebra.Exists, tested: algebra.Pattern, below: _Found) -> Atom:
        known, certain = algebra.variables(tested), certain_variables(tested)
        same = joined(test.pattern, Outside(frozenset(known), certain, at_instant=False))
        if same is None or same[1] is not None:
            what = "EXISTS with an expression on variables from outside"
            raise _refused(self.text, what, test.span)
        shared = self._shared(tested, test.pattern, test.span)
        found = self.found(test.pattern)
        return self._removed(shared, below, found, test.span)

    def _removed(self, shared: Sequence[algebra.Variable], kept: _Found, found: _Found, span: Span) -> Atom:
        """Whether there is a solution of ``found`` that agrees, and ends no later than one of ``kept``."""
        name = self._next()
        if found.interval is None or self.windowed is not None:
            self.rules.append(Rule(Atom(name, tuple(shared)), found.body))
            return Atom(name, tuple(shared))
        kept = self._timed(kept, span)
        assert kept.interval is not None
        ends = (Order(found.interval[1], "=<", kept.interval[1]),)
        head = Atom(name, (*shared, kept.interval[1]))
        self.rules.append(Rule(head, (*kept.body, *found.body, *ends)))
        return head

    def _minus(self, pattern: algebra.Minus) -> _Found:
        left = self.found(pattern.left)
        shared = [
            each for each in self._shared(pattern.left, pattern.right, pattern.span)
            if each not in pattern.ignored
        ]  # fmt: skip
        if not shared:
            return left
        there = self._removed(shared, left, self.found(pattern.right), pattern.span)
        return replace(left, body=(*left.body, Not(there)))

    def _union(self, pattern: algebra.Union) -> _Found:
        name, shown = self._next(), algebra.variables(pattern)
        sides = (pattern.left, pattern.right)
        founds = [self.found(each) for each in sides]
        if all(each.interval is None for each in founds):
            for side, found in zip(sides, founds, strict=True):
                self.rules.append(Rule(Atom(name, _shown(shown, side)), found.body))
            return _Found((Atom(name, shown),))
        for side, found in zip(sides, founds, strict=True):
            times = found.interval or NEVER
            self.rules.append(Rule(Atom(name, (*_shown(shown, side), *times)), found.body))
        start, end = self._interval()
        timed = all(each.timed for each in founds)
        return _Found((Atom(name, (*shown, start, end)),), (start, end), timed)

    def _walk(self, path: algebra.Closure) -> _Found:
        """A path of any length: by recursion."""
        if self.windowed is None and self.found(path.pattern).interval is not None:
            raise _refused(self.text, "a path through events", path.span)
        if path.graph is not None and isinstance(path.graph, algebra.Variable):
            raise _refused(self.text, "a path in any of the graphs", path.span)
        step, walk = self._next(), self._next()
        first, middle, last = path.first, algebra.Variable("_: middle"), path.last
        self.rules.append(Rule(Atom(step, (first, last)), self.found(path.pattern).body))
        self.rules.append(Rule(Atom(walk, (first, last)), (Atom(step, (first, last)),)))
        further = (Atom(walk, (first, middle)), Atom(step, (middle, last)))
        self.rules.append(Rule(Atom(walk, (first, last)), further))
        return _Found((Atom(walk, (path.subject, path.object)),))

    # ---- pairs ------------------------------------------------------------------------------------------

    def _pair(self, pair: algebra.Pair) -> _Found:
        operator = pair.operator
        self._shared(pair.left, pair.right, pair.span)
        of_side = self._events if operator.needs_times and operator.optional is None else self.found
        left, right = of_side(pair.left), of_side(pair.right)
        if operator.optional is not None:
            return self._optional(pair, left, right)
        both = self._both(operator, left, right, pair.span)
        if not operator.next_only:
            return both
        return self._next_of(pair, left, both)

    def _both(self, operator: operators.Operator, left: _Found, right: _Found, span: Span) -> _Found:
        """Pairs of two patterns, whose intervals lie as the operator says."""
        if operator.needs_times:
            left, right = (self._timed(each, span) for each in (left, right))
        body = (*left.body, *right.body)
        if left.interval is None or right.interval is None:
            known = left if right.interval is None else right
            return _Found(body, known.interval, known.timed)
        ends = (*left.interval, *right.interval)
        for each in operator.relation:
            order = Order(ends[_ENDPOINTS[each.first]], each.order, ends[_ENDPOINTS[each.second]])
            body = (*body, order)
        start, body = self._extreme(operator.begins, "min", 0, ends, body)
        end, body = self._extreme(operator.ends, "max", 1, ends, body)
        return _Found(body, (start, end), left.timed or right.timed)

    def _extreme(
        self,
        always: Callable[[Side], bool],
        word: Literal["min", "max"],
        place: int,
        ends: Sequence[Time],
        body: tuple[Formula, ...],
    ) -> tuple[Time, tuple[Formula, ...]]:
        """The start or the end of a pair."""
        for side, time in zip(Side, (ends[place], ends[2 + place]), strict=True):
            if always(side):
                return time, body
        time = self._time("B" if place == 0 else "E")
        return time, (*body, Bound(time, word, ends[place], ends[2 + place]))

    def _optional(self, pair: algebra.Pair, left: _Found, right: _Found) -> _Found:
        kept_side = pair.operator.kept
        assert kept_side is not None
        kept, kept_pattern = (left, pair.left) if kept_side is Side.LEFT else (right, pair.right)
        both = self._both(pair.operator, left, right, pair.span)
        if pair.condition is not None:
            both = replace(both, body=(*both.body, Test(self._plain(pair.condition, pair.left, pair.right))))
        own, there, name = algebra.variables(kept_pattern), self._next(), self._next()
        shown = algebra.variables(pair)
        times = kept.interval or ()
        partner = Atom(there, (*_shown(own, kept_pattern), *times))
        self.rules.append(Rule(partner, both.body))
        of_both = () if both.interval is None else both.interval
        self.rules.append(Rule(Atom(name, (*shown, *of_both)), both.body))
        alone = (*_shown(shown, kept_pattern), *(times or (NEVER if of_both else ())))
        self.rules.append(Rule(Atom(name, alone), (*kept.body, Not(partner))))
        if not of_both:
            return _Found((Atom(name, shown),))
        start, end = self._interval()
        return _Found((Atom(name, (*shown, start, end)),), (start, end), kept.timed)

    def _next_of(self, pair: algebra.Pair, left: _Found, both: _Found) -> _Found:
        """Only what ends first among what fits."""
        if pair.condition is not None:
            both = replace(both, body=(*both.body, Test(self._plain(pair.condition, pair.left, pair.right))))
        assert left.interval is not None
        assert both.interval is not None
        known, end = _shown(algebra.variables(pair.left), pair.left), both.interval[1]
        fits, earlier = self._next(), self._next()
        self.rules.append(Rule(Atom(fits, (*known, *left.interval, end)), both.body))
        around, first, later = self._interval(), self._time("E"), self._time("E")
        before = (Atom(fits, (*known, *around, first)), Atom(fits, (*known, *around, later)))
        head = Atom(earlier, (*known, *around, later))
        self.rules.append(Rule(head, (*before, Order(first, "<", later))))
        return replace(both, body=(*both.body, Not(Atom(earlier, (*known, *left.interval, end)))))

    # ---- what did not happen ----------------------------------------------------------------------------

    def _gap(self, gap: algebra.Gap) -> _Found:
        if gap.left is None:
            around = right = self._events(gap.right)
            since = None
        else:
            left, right = self._events(gap.left), self._events(gap.right)
            assert left.interval is not None
            around, since = self._both(gap.operator, left, right, gap.span), left.interval[1]
            if gap.operator.next_only:
                pair = algebra.Pair(gap.operator, gap.left, gap.right, gap.step, span=gap.span)
                around = self._next_of(pair, left, around)
            elif gap.step is not None:
                step = self._plain(gap.step, gap.left, gap.right)
                around = replace(around, body=(*around.body, Test(step)))
        assert right.interval is not None
        none = self._events(gap.none)
        assert none.interval is not None
        between: tuple[Formula, ...] = (Order(none.interval[1], "<", right.interval[0]),)
        if since is not None:
            between = (Order(since, "<", none.interval[0]), *between)
        elif gap.length is not None:
            ended = none.interval[1]
            latest = replace(ended, later=ended.later + gap.length)
            between = (*between, Order(right.interval[0], "=<", latest))
        around_variables = [each for part in gap.required for each in algebra.variables(part)]
        return self._without(around, around_variables, none, between, gap.condition, gap)

    def _absence(self, absence: algebra.Absence) -> _Found:
        left = self._events(absence.left)
        assert left.interval is not None
        start, end = left.interval
        begun = start if absence.from_start else end
        deadline = replace(begun, later=begun.later + absence.length)
        if absence.from_start:
            left = replace(left, body=(*left.body, Order(end, "=<", deadline)))
        found = replace(left, interval=(start, deadline))
        if absence.none is None:
            return found
        none = self._events(absence.none)
        assert none.interval is not None
        between = (Order(end, "<", none.interval[0]), Order(none.interval[1], "=<", deadline))
        known = list(algebra.variables(absence.left))
        return self._without(found, known, none, between, absence.condition, absence)

    def _without(
        self,
        around: _Found,
        variables: Sequence[algebra.Variable],
        none: _Found,
        between: tuple[Formula, ...],
        condition: algebra.Expression | None,
        pattern: algebra.Gap | algebra.Absence,
    ) -> _Found:
        """``around``, where ``none`` has no solution ``between``."""
        assert pattern.none is not None
        for each in pattern.required:
            self._shared(each, pattern.none, pattern.span)
        test = () if condition is None else (Test(self._plain(condition, *algebra.children(pattern))),)
        known = tuple(dict.fromkeys(variables))
        own = certain_variables(pattern)
        times = _times_of(around)
        head = Atom(self._next(), (*(each for each in known if each in own), *times))
        self.rules.append(Rule(head, (*around.body, *none.body, *between, *test)))
        return replace(around, body=(*around.body, Not(head)))

    # ---- helpers ----------------------------------------------------------------------------------------

    def _timed(self, found: _Found, span: Span) -> _Found:
        """Only the solutions that have an interval."""
        if found.interval is None:
            raise _refused(self.text, "when something is that only the background says", span)
        if found.timed:
            return found
        return _Found(
            (*found.body, Order(found.interval[0], "=<", found.interval[1])), found.interval, timed=True
        )

    def _called(self, pattern: algebra.Project | algebra.Distinct, inner: _Found) -> _Found:
        """A predicate of its own, for variables that are not seen from outside."""
        name, shown = self._next(), algebra.variables(pattern)
        times = inner.interval or ()
        self.rules.append(Rule(Atom(name, (*_shown(shown, pattern.pattern), *times)), inner.body))
        if inner.interval is None:
            return _Found((Atom(name, shown),))
        start, end = self._interval()
        return _Found((Atom(name, (*shown, start, end)),), (start, end), inner.timed)

    def _shared(self, left: algebra.Pattern, right: algebra.Pattern, span: Span) -> list[algebra.Variable]:
        """The variables in common, which must have values on both sides."""
        known = frozenset(algebra.variables(right))
        shared = [each for each in algebra.variables(left) if each in known]
        certain = certain_variables(left) & certain_variables(right)
        for each in shared:
            if each not in certain:
                raise _refused(self.text, f"that ?{each.name} agrees where it may have no value", span)
        return shared

    def _plain(self, expression: algebra.Expression, *seen: algebra.Pattern) -> algebra.Expression:
        """An expression on values alone, those of the patterns that it sees."""
        known = frozenset(each for pattern in seen for each in algebra.variables(pattern))
        for variable in algebra.expression_variables(expression) - known:
            raise _refused(
                self.text, f"?{variable.name}, which has no value in these braces", expression.span
            )
        if algebra.uses_time(expression):
            what = (
                "EXISTS within an expression"
                if algebra.existence_tests(expression)
                else "a function of times"
            )
            raise _refused(self.text, what, expression.span)
        return expression

    def window(self, window: StreamWindow) -> int:
        """The number of a window, from 1 on."""
        if window not in self.windows:
            self.windows.append(window)
        return self.windows.index(window) + 1

    def _next(self) -> str:
        self._answers += 1
        return f"ans{self._answers}"

    def _interval(self) -> _Interval:
        self._times += 1
        return Time(f"B{self._times}"), Time(f"E{self._times}")

    def _time(self, letter: str) -> Time:
        self._times += 1
        return Time(f"{letter}{self._times}")

    def _any_stream(self) -> algebra.Variable:
        self._own += 1
        return algebra.Variable(f"_: S{self._own}")


def _ways(pattern: algebra.Pattern) -> Iterator[algebra.TriplePattern | None]:
    """What is united; None for what is no triple."""
    if isinstance(pattern, algebra.Union):
        yield from _ways(pattern.left)
        yield from _ways(pattern.right)
    else:
        yield pattern if isinstance(pattern, algebra.TriplePattern) else None


def _timeless(atom: Atom) -> Atom:
    return replace(atom, arguments=(*atom.arguments[:-2], *NEVER))


def _times_of(found: _Found) -> tuple[Time, ...]:
    """The time points that a body names, each once."""
    named: dict[str, Time] = {}
    for each in found.body:
        if isinstance(each, At):
            terms: tuple[Term, ...] = (each.time, *each.atom.arguments)
        elif isinstance(each, Atom):
            terms = each.arguments
        elif isinstance(each, Multiple):
            terms = (each.time,)
        else:
            continue
        named |= {term.name: Time(term.name) for term in terms if isinstance(term, Time)}
    return tuple(named.values())


def _variables(terms: Sequence[algebra.TermPattern]) -> tuple[algebra.Variable, ...]:
    return tuple(dict.fromkeys(each for each in terms if isinstance(each, algebra.Variable)))


def _shown(variables: Sequence[algebra.Variable], pattern: algebra.Pattern) -> tuple[Term, ...]:
    """Variables of a head; null for what ``pattern`` does not have."""
    known = frozenset(algebra.variables(pattern))
    return tuple(each if each in known else NULL for each in variables)


def _iri(stream: algebra.TermPattern | None) -> str | None:
    return str(stream.value) if isinstance(stream, algebra.Constant) else None


def _longest(condition: algebra.Expression) -> int | None:
    """How long solutions may be, microseconds, where ``condition`` is what WITHIN says."""
    if not isinstance(condition, algebra.Apply) or condition.function != "<=":
        return None
    long, most = condition.arguments
    is_length = isinstance(long, algebra.Apply) and long.function == "GETDURATION"
    return day_time_microseconds(most) if is_length and isinstance(most, algebra.Constant) else None
