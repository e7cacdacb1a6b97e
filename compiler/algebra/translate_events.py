"""Events in windows, the MATCH of RSEP-QL (Dell'Aglio et al., EKAW 2016, sections 4.2 and 4.3).

The right side of a combinator is found first, and the left side beside it: what it may bind, and before when
it must have ended, is known by then. So FIRST and LAST on the left choose for each solution of the right.
Events have their times in variables of their own, since intervals below a Snapshot are lives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.dialects import Selection
from etalis_py.compiler.algebra.operators import Comparison, Endpoint, Side
from etalis_py.compiler.algebra.stream_windows import CountExtent
from etalis_py.compiler.algebra.translate_expressions import ExpressionTranslator
from etalis_py.compiler.algebra.translate_triples import TripleTranslator
from etalis_py.compiler.algebra.windowed import StreamWindow
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax_walk import walk
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.spans import Span

__all__ = ["EventTranslator"]

_SIGNS = {"<": "<", "=<": "<=", "=": "="}
_MOST_CHOICES = 2
"""In a MATCH: each reads what it chooses from three times."""
_Word: TypeAlias = Literal["FIRST", "LAST"]


class WindowTranslator(Protocol):
    """What translates the triples of an event."""

    selection: Selection

    @property
    def triples(self) -> TripleTranslator:
        """What makes triple patterns, and variables."""

    def in_place(self, place: algebra.Place, group: syntax.Group) -> algebra.Pattern:
        """A group on what is there."""

    def place_in(self, window: StreamWindow, span: Span) -> algebra.Place:
        """What is in a window."""


@dataclass(frozen=True, slots=True)
class _Beside:
    """What an event is found beside, and a time before which it must have ended."""

    pattern: algebra.Pattern | None = None
    before: algebra.Variable | None = None

    @property
    def variables(self) -> tuple[algebra.Variable, ...]:
        return () if self.pattern is None else algebra.variables(self.pattern)


@dataclass(frozen=True, slots=True)
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
        self._choices = 0

    def match(self, match: syntax.MatchPattern) -> algebra.Pattern:
        """A solution for each event: what it binds, as often as there are intervals with it.

        Raises:
            CompileError: EP201, for what has no rules yet; EP217, an event or a window that is not declared.
        """
        self._choices = 0
        found, span = self._found(match.event, _Beside()), match.span
        shown = tuple(each for each in algebra.variables(found.pattern) if not each.is_hidden)
        timed = algebra.Project(found.pattern, (*shown, found.start, found.end), span=span)
        return algebra.Project(algebra.Distinct(timed, span=span), shown, span=span)

    def _found(self, event: syntax.EventExpression, beside: _Beside) -> _Event:
        match event:
            case syntax.EventName(name=name):
                hint = f"declare it before WHERE: EVENT ON :window {{ ... }} AS {name}"
                raise self._text.error("EP217", f"the event {name} is not declared", event.span, hint=hint)
            case syntax.EventPattern():
                return self._basic(event, beside)
            case syntax.ChosenEvent(word=word, event=inner):
                return self._chosen(self._found(inner, beside), beside.variables, word)
            case syntax.EventChain(operator="SEQ"):
                return self._sequence(event, beside)
            case syntax.EventChain():
                return self._together(event, beside)
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
        stream = self._windows.place_in(window, span).stream
        element, start, end = (hidden(span) for _ in range(3))
        place = algebra.Place(
            stream, element=element, extent=window.extent, began=start, ended=end, span=span
        )  # fmt: skip
        found = self._windows.in_place(place, event.group)
        if not _is_basic(found):
            hint = "an event is made of triples and filters; join the rest with MATCH"
            raise self._text.unsupported("this event", event.group.span, hint=hint)
        if beside.pattern is not None:
            found = algebra.Pair(operators.JOIN, beside.pattern, found, span=span)
        if beside.before is not None:
            found = algebra.Filter(algebra.Apply("<", (end, beside.before), span=span), found, span=span)
        return _Event(found, start, end)

    # ---- combinators ------------------------------------------------------------------------------------

    def _sequence(self, chain: syntax.EventChain, beside: _Beside) -> _Event:
        """Equation 7, or the one of the query's selection policy: 9, 10 or 11."""
        selection = self._windows.selection
        right = self._found(chain.right, beside)
        if selection == "naive":
            right = self._chosen(right, beside.variables, "LAST")
        following = _Beside(right.pattern, right.start)
        left = self._found(chain.left, following)
        pair = _Event(left.pattern, left.start, right.end)
        match selection:
            case "unrestricted":
                return pair
            case "naive":
                return _Event(self._chosen(left, following.variables, "LAST").pattern, left.start, right.end)
            case "chronological" | "recent":
                word: _Word = "FIRST" if selection == "chronological" else "LAST"
            case _:
                assert_never(selection)
        named = _names(chain.left) & _names(chain.right)
        shared = (each for each in algebra.variables(left.pattern) if each.name in named)
        keys = tuple(dict.fromkeys((*beside.variables, *shared)))
        chosen = self._chosen(_Event(left.pattern, right.start, right.end), keys, word)
        both = _Event(chosen.pattern, left.start, left.end)
        both = self._chosen(both, following.variables, word)
        return _Event(both.pattern, left.start, right.end)

    def _together(self, chain: syntax.EventChain, beside: _Beside) -> _Event:
        """Two events whose intervals lie as another combinator says."""
        span, hint = chain.span, "MATCH has SEQ, EQUALS, MEETS, OVERLAPS, STARTS, DURING and FINISHES"
        operator = None if chain.operator == "UNION" else operators.operator_of(chain.operator)
        if operator is None or operator.optional is not None or operator.first is None:
            raise self._text.unsupported(f"{chain.operator} in MATCH", span, hint=hint)
        right = self._found(chain.right, beside)
        left = self._found(chain.left, _Beside(right.pattern, beside.before))
        times = {
            Endpoint.START1: left.start, Endpoint.END1: left.end,
            Endpoint.START2: right.start, Endpoint.END2: right.end,
        }  # fmt: skip

        def compared(comparison: Comparison) -> algebra.Expression:
            ends = (times[comparison.first], times[comparison.second])
            return algebra.Apply(_SIGNS[comparison.order], ends, span=span)

        condition = algebra.conjoin([compared(each) for each in operator.relation])
        last = next(each for each in Side if operator.ends(each))
        pattern = algebra.Filter(condition, left.pattern, span=span)
        return _Event(pattern, times[operator.first.start], times[last.end])

    def _chosen(self, event: _Event, keys: tuple[algebra.Variable, ...], word: _Word) -> _Event:
        """Equations 5 and 6: for each value of ``keys`` what ends first or last, and of that starts so."""
        self._choices += 1
        span = event.pattern.span
        if self._choices > _MOST_CHOICES:
            hint = "FIRST and LAST choose once each, SEQ under naive, chronological and recent twice"
            raise self._text.unsupported(f"more than {_MOST_CHOICES} choices in a MATCH", span, hint=hint)
        found = event.pattern
        for time, within in ((event.end, keys), (event.start, (*keys, event.end))):
            most = self._windows.triples.hidden(span)
            function = "MIN" if word == "FIRST" else "MAX"
            aggregate = algebra.Aggregate(most, function, time, distinct=False, span=span)
            group = algebra.Group(event.pattern, within, (aggregate,), None, span=span)
            both = algebra.Pair(operators.JOIN, found, group, span=span)
            found = algebra.Filter(algebra.Apply("=", (time, most), span=span), both, span=span)
        kept = algebra.Project(found, algebra.variables(event.pattern), span=span)
        return _Event(kept, event.start, event.end)


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


def _names(event: syntax.EventExpression) -> frozenset[str]:
    return frozenset(each.name for each in walk(event) if isinstance(each, syntax.Variable))
