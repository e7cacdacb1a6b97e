"""Events in windows, the MATCH of RSEP-QL (Dell'Aglio et al., EKAW 2016, sections 4.2 and 4.3).

The right side of a combinator is found first, and the left side beside it: what it may bind, and before when
it must have ended, is known by then. So FIRST and LAST on the left choose for each solution of the right.
Events have their times in variables of their own, since intervals below a Snapshot are lives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal, Protocol, TypeAlias

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.dialects import Selection
from etalis_py.compiler.algebra.operators import Endpoint, Operator, Side
from etalis_py.compiler.algebra.scope import certain_variables
from etalis_py.compiler.algebra.stream_windows import CountExtent
from etalis_py.compiler.algebra.tested import UNBOUND
from etalis_py.compiler.algebra.translate_expressions import ExpressionTranslator
from etalis_py.compiler.algebra.translate_triples import TripleTranslator
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax_walk import walk
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class

__all__ = ["EventTranslator"]

_SIGNS = {"<": "<", "=<": "<=", "=": "="}
_Word: TypeAlias = Literal["FIRST", "LAST"]


class WindowTranslator(Protocol):
    """What translates the triples of an event."""

    selection: Selection
    consumes: bool

    @property
    def triples(self) -> TripleTranslator:
        """What makes triple patterns, and variables."""

    def in_place(self, place: algebra.Place, group: syntax.Group) -> algebra.Pattern:
        """A group on what is there."""


@value_class
class _Beside:
    """What an event is found beside, and a time before which it must have ended.

    ``keys`` tell the solutions of ``pattern`` apart, by its variables: no event beside it binds one of them.
    ``fits`` says how its interval must lie, to be among those that FIRST and LAST choose from.
    """

    pattern: algebra.Pattern = algebra.Unit()
    before: algebra.Variable | None = None
    keys: Mapping[algebra.Variable, algebra.Variable] = field(default_factory=dict)
    fits: Callable[[_Event], algebra.Expression] | None = None


@value_class
class _Event:
    """Where an event is found, together with what it is beside, and its times there."""

    pattern: algebra.Pattern
    start: algebra.Variable
    end: algebra.Variable


class EventTranslator:
    """Translates the MATCH of one query."""

    def __init__(self, text: QueryText, expressions: ExpressionTranslator, windows: WindowTranslator) -> None:
        self._text = text
        self._expressions = expressions
        self._windows = windows
        self._matches = 0

    def match(self, match: syntax.MatchPattern) -> algebra.Pattern:
        """A solution for each event: what it binds, as often as there are intervals with it.

        Raises:
            CompileError: EP201, for what has no rules yet; EP217, an event or a window that is not declared.
        """
        self._matches += 1
        found, span = self._found(match.event, _Beside()), match.span
        for each in match.bindings:
            value = self._of_event(each.expression, found)
            variable = algebra.Variable(each.variable.name, span=each.variable.span)
            bound = algebra.Extend(found.pattern, variable, value, span=each.span)
            found = replace(found, pattern=bound)
        if match.conditions:
            found = self._tested(found, match.conditions, span)
        shown = tuple(each for each in algebra.variables(found.pattern) if not each.is_hidden)
        unused = self._unused(found.pattern, consumes=True)
        timed = algebra.Project(unused, (*shown, found.start, found.end), span=span)
        return algebra.Project(algebra.Distinct(timed, span=span), shown, span=span)

    def _found(self, event: syntax.EventExpression, beside: _Beside) -> _Event:
        match event:
            case syntax.EventName(name=name):
                hint = f"declare it before WHERE: EVENT ON :window {{ ... }} AS {name}"
                raise self._text.error("EP217", f"the event {name} is not declared", event.span, hint=hint)
            case syntax.EventPattern():
                return self._basic(event, beside)
            case syntax.ChosenEvent(word=word, event=inner):
                found = self._found(inner, beside)
                if beside.fits is not None:
                    fitting = algebra.Filter(beside.fits(found), found.pattern, span=event.span)
                    found = _Event(fitting, found.start, found.end)
                return self._chosen(found, beside.keys.values(), word)
            case syntax.FilteredEvent():
                return self._filtered(event, beside)
            case syntax.EventChain(operator="SEQ" | "OPTIONALSEQ"):
                return self._sequence(event, replace(beside, fits=None))
            case syntax.EventChain(operator="EQUALSOPTIONAL"):
                return self._equal_or_alone(event, replace(beside, fits=None))
            case syntax.EventChain(operator="UNION"):
                return self._either(event, beside)
            case syntax.EventChain():
                return self._together(event, replace(beside, fits=None))
            case _:
                assert_never(event)

    def _basic(self, event: syntax.EventPattern, beside: _Beside) -> _Event:
        """Equation 4: triples of one element of a window."""
        assert isinstance(event.stream, syntax.IriRef | syntax.PrefixedName), "the grammar has no variable"
        span, hidden = event.span, self._windows.triples.hidden
        window = self._expressions.window(event.stream)
        if isinstance(window.extent, CountExtent) and window.extent.triples:
            raise self._text.unsupported(
                "an event in a window of TRIPLES", span, hint="count elements: [ELEMENTS 5]"
            )
        stream = window.place(span).stream
        element, start, end = (hidden(span) for _ in range(3))
        place = algebra.Place(
            stream, element=element, extent=window.extent, began=start, ended=end, span=span
        )  # fmt: skip
        found = self._windows.in_place(place, event.group)
        if not _is_basic(found):
            hint = "an event is made of triples and filters; join the rest with MATCH"
            raise self._text.unsupported("this event", event.group.span, hint=hint)
        if not isinstance(beside.pattern, algebra.Unit):
            found = algebra.Pair(operators.JOIN, beside.pattern, found, span=span)
        if beside.before is not None:
            found = algebra.Filter(algebra.Apply("<", (end, beside.before), span=span), found, span=span)
        return _Event(found, start, end)

    def _filtered(self, filtered: syntax.FilteredEvent, beside: _Beside) -> _Event:
        """Those for which conditions on what they bind are true."""
        span = filtered.span
        asked = {each for condition in filtered.conditions for each in _names(condition)}
        if asked & {each.name for each in beside.keys}:
            own = certain_variables(self._found(filtered.event, _Beside()).pattern)
            if not asked <= {each.name for each in own}:
                hint = "write the FILTER behind what binds all of its variables"
                raise self._text.unsupported("a FILTER of events on what others bind", span, hint=hint)
        return self._tested(self._found(filtered.event, beside), filtered.conditions, span)

    def _tested(self, found: _Event, conditions: Iterable[syntax.Expression], span: Span) -> _Event:
        """Events for which conditions are true."""
        condition = algebra.conjoin([self._of_event(each, found) for each in conditions])
        return replace(found, pattern=algebra.Filter(condition, found.pattern, span=span))

    def _of_event(self, written: syntax.Expression, event: _Event) -> algebra.Expression:
        """An expression on what an event binds, and on its times."""
        expression = _with_times(self._expressions.translate(written), event)
        if algebra.uses_time(expression):
            hint = "write it beside MATCH, which has an instant"
            what = "EXISTS, or the time of a window, of an event in MATCH"
            raise self._text.unsupported(what, written.span, hint=hint)
        return expression

    # ---- combinators ------------------------------------------------------------------------------------

    def _sequence(self, chain: syntax.EventChain, beside: _Beside) -> _Event:
        """Equation 7, or the one of the query's selection policy: 9, 10 or 11.

        Of OPTIONALSEQ a right side that nothing is before is there, too, and is no other one's rival.
        """
        selection = self._windows.selection
        right = self._found(chain.right, beside)
        if selection == "naive":
            right = self._chosen(right, beside.keys.values(), "LAST")
        following = self._beside(right.pattern, right.start)
        left, is_optional = self._found(chain.left, following), chain.operator == "OPTIONALSEQ"
        if is_optional:
            left = self._or_alone(_Event(following.pattern, right.start, right.end), left)
        match selection:
            case "unrestricted":
                both = left
            case "naive":
                both = self._chosen(left, following.keys.values(), "LAST")
            case "chronological" | "recent":
                word: _Word = "FIRST" if selection == "chronological" else "LAST"
                named = _names(chain.left) & _names(chain.right)
                rivals = [key for each, key in following.keys.items() if each.name in named]
                pattern = self._told_apart(left, right, rivals) if is_optional else left.pattern
                keys = (*beside.keys.values(), *rivals)
                rights = self._chosen(_Event(pattern, right.start, right.end), keys, word)
                pairs = _Event(rights.pattern, left.start, left.end)
                both = self._chosen(pairs, following.keys.values(), word)
            case _:
                assert_never(selection)
        return _Event(both.pattern, left.start, right.end)

    def _equal_or_alone(self, chain: syntax.EventChain, beside: _Beside) -> _Event:
        """EQUALSOPTIONAL: what is optional is found beside the left side."""
        left = self._found(chain.left, beside)
        following = self._beside(left.pattern, beside.before)

        def equals(right: _Event) -> algebra.Expression:
            return _related(operators.EQUALS, left, right)

        right = self._found(chain.right, replace(following, fits=equals))
        equal = algebra.Filter(equals(right), right.pattern, span=chain.span)
        one = _Event(following.pattern, left.start, left.end)
        return self._or_alone(one, _Event(equal, right.start, right.end))

    def _or_alone(self, one: _Event, both: _Event) -> _Event:
        """``both``, where ``one`` is with another event, or it alone; the times are those of the other one.

        What may be unbound in ``one`` has keys: else it would be joined with what belongs to others.
        """
        span = one.pattern.span
        pattern: algebra.Pattern = algebra.Pair(
            operators.OPTIONAL, self._unused(one.pattern), self._unused(both.pattern), span=span
        )
        start, end = self._windows.triples.hidden(span), self._windows.triples.hidden(span)
        for time, ends in ((start, (both.start, one.start)), (end, (both.end, one.end))):
            pattern = algebra.Extend(pattern, time, algebra.Apply("COALESCE", ends, span=span), span=span)
        return _Event(pattern, start, end)

    def _told_apart(self, left: _Event, right: _Event, keys: list[algebra.Variable]) -> algebra.Pattern:
        """``left`` with further ``keys``: what ``right`` is alone has no rivals but what has its times."""
        span, pattern = left.pattern.span, left.pattern
        is_pair = algebra.Apply("<", (left.end, right.start), span=span)
        for time in (right.start, right.end):
            keys.append(self._windows.triples.hidden(span))
            value = algebra.Apply("IF", (is_pair, UNBOUND, time), span=span)
            pattern = algebra.Extend(pattern, keys[-1], value, span=span)
        return pattern

    def _together(self, chain: syntax.EventChain, beside: _Beside) -> _Event:
        """Two events whose intervals lie as another combinator says."""
        span = chain.span
        operator = operators.operator_of(chain.operator)
        right = self._found(chain.right, beside)

        def related(left: _Event) -> algebra.Expression:
            return _related(operator, left, right)

        left = self._found(chain.left, replace(self._beside(right.pattern, beside.before), fits=related))
        pattern: algebra.Pattern = algebra.Filter(related(left), left.pattern, span=span)
        last = next((each for each in Side if operator.ends(each)), None)
        if operator.first is not None and last is not None:
            times = _times(left, right)
            return _Event(pattern, times[operator.first.start], times[last.end])
        start, end = self._windows.triples.hidden(span), self._windows.triples.hidden(span)
        outermost = (("<", start, (left.start, right.start)), (">", end, (left.end, right.end)))
        for order, variable, ends in outermost:
            value = algebra.Apply("IF", (algebra.Apply(order, ends, span=span), *ends), span=span)
            pattern = algebra.Extend(pattern, variable, value, span=span)
        return _Event(pattern, start, end)

    def _either(self, chain: syntax.EventChain, beside: _Beside) -> _Event:
        """One event or another, with times of the same names."""
        span = chain.span
        start, end = self._windows.triples.hidden(span), self._windows.triples.hidden(span)

        def timed(event: syntax.EventExpression) -> algebra.Pattern:
            found = self._found(event, beside)
            started = algebra.Extend(found.pattern, start, found.start, span=span)
            return algebra.Extend(started, end, found.end, span=span)

        return _Event(algebra.Union(timed(chain.left), timed(chain.right), span=span), start, end)

    def _beside(self, pattern: algebra.Pattern, before: algebra.Variable | None) -> _Beside:
        """Beside ``pattern``: what may be unbound there is kept, as it is, in variables of its own."""
        certain, keys = certain_variables(pattern), {}
        for each in algebra.variables(pattern):
            keys[each] = each
            if each not in certain and not each.is_hidden:
                keys[each] = self._windows.triples.hidden(each.span)
                kept = algebra.Apply("COALESCE", (each, UNBOUND), span=each.span)
                pattern = algebra.Extend(pattern, keys[each], kept, span=each.span)
        return _Beside(pattern, before, keys)

    # ---- choices ----------------------------------------------------------------------------------------

    def _chosen(self, event: _Event, keys: Iterable[algebra.Variable], word: _Word) -> _Event:
        """Equations 5 and 6: for each value of ``keys`` what ends first or last, and of that starts so."""
        chosen = algebra.Chosen(
            self._unused(event.pattern), tuple(dict.fromkeys(keys)), event.start, event.end, word == "LAST",
            span=event.pattern.span,
        )  # fmt: skip
        return _Event(chosen, event.start, event.end)

    def _unused(self, pattern: algebra.Pattern, *, consumes: bool = False) -> algebra.Pattern:
        """``pattern`` without what was consumed before, where the query consumes events."""
        if not self._windows.consumes:
            return pattern
        triples = tuple(dict.fromkeys(_triples(pattern)))
        if not consumes and _is_unused(pattern, triples):
            return pattern
        return algebra.Unused(pattern, self._matches, triples, consumes, span=pattern.span)


def _with_times(expression: algebra.Expression, event: _Event) -> algebra.Expression:
    """``expression`` with the times of ``event``."""
    if not isinstance(expression, algebra.Apply):
        return expression
    match expression.function:
        case "GETSTARTTIME":
            return event.start
        case "GETENDTIME":
            return event.end
        case "GETDURATION":
            return replace(expression, function="length", arguments=(event.start, event.end))
        case _:
            return replace(
                expression, arguments=tuple(_with_times(each, event) for each in expression.arguments)
            )


def _times(left: _Event, right: _Event) -> dict[Endpoint, algebra.Variable]:
    return {
        Endpoint.START1: left.start, Endpoint.END1: left.end,
        Endpoint.START2: right.start, Endpoint.END2: right.end,
    }  # fmt: skip


def _related(operator: Operator, left: _Event, right: _Event) -> algebra.Expression:
    """Whether the intervals of two events lie as ``operator`` says."""
    times, span = _times(left, right), right.pattern.span
    compared = (
        algebra.Apply(_SIGNS[each.order], (times[each.first], times[each.second]), span=span)
        for each in operator.relation
    )
    return algebra.conjoin(list(compared))


def _triples(pattern: algebra.Pattern) -> Iterator[tuple[algebra.TermPattern, ...]]:
    """The triples of elements that a solution is made of, each behind its element."""
    if isinstance(pattern, algebra.TriplePattern):
        assert pattern.place is not None
        assert pattern.place.element is not None
        yield pattern.place.element, pattern.subject, pattern.predicate, pattern.object
    for each in algebra.children(pattern):
        yield from _triples(each)


def _is_unused(pattern: algebra.Pattern, triples: Sequence[tuple[algebra.TermPattern, ...]]) -> bool:
    """Whether none of the triples of a solution was consumed before, since that is asked below."""
    while isinstance(pattern, algebra.Chosen | algebra.Filter | algebra.Extend):
        pattern = pattern.pattern
    return isinstance(pattern, algebra.Unused) and set(pattern.triples) == set(triples)


def _is_basic(pattern: algebra.Pattern) -> bool:
    """Whether it is made of triple patterns and filters."""
    match pattern:
        case algebra.TriplePattern():
            return True
        case algebra.Filter(condition=condition, pattern=inner):
            return _is_basic(inner) and not algebra.uses_time(condition)
        case algebra.Pair(operator=operators.JOIN, left=left, right=right):
            return _is_basic(left) and _is_basic(right)
        case _:
            return False


def _names(node: syntax.EventExpression | syntax.Expression) -> frozenset[str]:
    return frozenset(each.name for each in walk(node) if isinstance(each, syntax.Variable))
