"""An event rule as a CONSTRUCT query: its pattern in WHERE, its event in the template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, Literal

from etalis_py.compiler.languages.etalis.goals import Goals, seconds
from etalis_py.compiler.languages.etalis.names import Names, variable
from etalis_py.compiler.languages.etalis.terms import Atom, Compound, Number, Term, Variable, variables_in
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.syntax import Combination, Group, GroupElement
from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class

__all__ = ["EventRule", "Patterns"]

_SEQUENCES: Final = frozenset({"seq", "*"})
_PLAIN: Final = MappingProxyType(
    {"or": "UNION", "\\/": "UNION", "equals": "EQUALS", "par": "PAR", "#": "PAR"}
)
_BOUNDS: Final = MappingProxyType(
    {
        "during": (("start2", "<=", "start1"), ("end1", "<=", "end2")),
        "starts": (("start1", "=", "start2"),),
        "finishes": (("end1", "=", "end2"),),
        "meets": (("end1", "=", "start2"),),
    }
)
"""The relations of which ETALIS looks at fewer bounds, or lets them coincide: what it compares."""
_UNCHOSEN: Final = frozenset({"cnot", "fnot", "star_times", "aggregate", "forall_seq", "exceptionAlarm"})
"""What no policy chooses partners for (EP212)."""
_Aggregate = Literal["COUNT", "SUM", "AVG", "MIN", "MAX"]
_AGGREGATES: Final[Mapping[str, _Aggregate]] = MappingProxyType(
    {"count": "COUNT", "sum": "SUM", "avg": "AVG", "min": "MIN", "max": "MAX"}
)
_TIMES: Final = frozenset({"t1", "t2", "current_datime"})
_ARITHMETIC: Final = frozenset({"<", ">", "=<", ">=", "=:=", "=\\=", "is"})
_ACTIONS: Final = MappingProxyType(
    {
        "exceptionAlarmAbsoluteDatime": "write exceptionAlarm(event, Seconds) <- pattern",
        "trigger_action": "actions are callbacks: engine.register(text, on_match=function)",
        "not": "write a fnot b, or (a seq b) cnot c",
    }
)


@value_class
class EventRule:
    """A rule: the event that it makes, the pattern, its label, and how long it may last."""

    head: Term
    body: Term
    span: Span
    label: str | None = None
    window: Term | None = None

    @property
    def numbers(self) -> set[str]:
        """The variables that are compared or computed as numbers."""
        return set(_numbers(self.body))

    @property
    def is_chosen(self) -> bool:
        """Whether a policy can choose its partners."""
        return not any(name in _UNCHOSEN for term in (self.head, self.body) for name in _functors(term))


def _functors(term: Term) -> Iterator[str]:
    if isinstance(term, Compound):
        yield term.functor
        for each in term.arguments:
            yield from _functors(each)


def _numbers(term: Term) -> Iterator[str]:
    if isinstance(term, Compound):
        is_arithmetic = term.functor in _ARITHMETIC
        for each in term.arguments:
            yield from variables_in(each) if is_arithmetic else _numbers(each)


class Patterns:
    """Makes CONSTRUCT queries of the rules of a file; ``defined`` are the predicates of its static rules."""

    def __init__(self, names: Names, defined: frozenset[str]) -> None:
        self._names = names
        self._goals = Goals(names, defined)

    def construct(self, rule: EventRule) -> syntax.Construct:
        """The query that means the same.

        Raises:
            Fault: EP123 to EP126.
        """
        bound: set[str] = set()
        elements = self._elements(rule.body, bound)
        head = rule.head
        if isinstance(head, Compound) and head.functor == "exceptionAlarm" and len(head.arguments) == 2:
            head, length = head.arguments
            timer = syntax.Timer("AFTER", seconds(length), span=length.span)
            before = self._group(elements, rule.body.span)
            elements = [Combination("SEQ", before, timer, span=rule.body.span)]
        if rule.window is not None:
            elements.append(syntax.Within(seconds(rule.window), span=rule.window.span))
        template = self._template(head, bound)
        where = self._group(elements, rule.body.span)
        nothing = syntax.Modifiers(span=Span(rule.span.end, rule.span.end))
        return syntax.Construct(template, (), where, nothing, None, span=rule.span)

    def _template(self, head: Term, bound: set[str]) -> tuple[syntax.SubjectTriples, ...]:
        if isinstance(head, Compound) and head.functor in _ACTIONS:
            raise _no_counterpart(head)
        event = _event(head)
        for name in variables_in(event):
            if name not in bound:
                hint = "each variable of the event stands in the pattern; of what is repeated it is measured"
                raise Fault("EP123", f"nothing gives {name} of {_shown(event)} a value", event.span, hint)
        return self._names.triples(event, syntax.BlankNode(None, span=event.span))

    @staticmethod
    def _group(elements: list[GroupElement], span: Span) -> Group:
        if len(elements) == 1 and isinstance(elements[0], Group):
            return elements[0]
        return Group(tuple(elements), span=span)

    def _braced(self, term: Term, bound: set[str]) -> Group:
        return self._group(self._elements(term, bound), term.span)

    # ---- patterns --------------------------------------------------------------------------------------

    def _elements(self, term: Term, bound: set[str]) -> list[GroupElement]:  # noqa: C901 - a branch an operator
        """The elements of the group that ``term`` is; what it binds is added to ``bound``."""
        match term:
            case Compound(functor="where" | "check" | "timestamp", arguments=(pattern, goal)):
                elements = self._elements(pattern, bound)
                return [*elements, *self._goals.elements(goal, bound)]
            case Compound(functor="within", arguments=(pattern, length)):
                within = syntax.Within(seconds(length), span=length.span)
                return [*self._elements(pattern, bound), within]
            case Compound(functor=functor, arguments=(left, right)) if functor in _SEQUENCES:
                return self._sequence(left, right, term.span, bound)
            case Compound(functor="forall_seq", arguments=(left, right)):
                first = syntax.Selection("NEXT", span=term.span)
                one, other = self._braced(left, bound), self._braced(right, bound)
                return [Combination("SEQ", one, other, first, span=term.span)]
            case Compound(functor="cnot", arguments=(pattern, negated)):
                return self._without(pattern, negated, bound)
            case Compound(functor="fnot", arguments=(pattern, negated)):
                nothing = syntax.Negated(self._braced(negated, set()), span=negated.span)
                return [Combination("SEQ", nothing, self._braced(pattern, bound), span=term.span)]
            case Compound(functor="and" | "/\\", arguments=(left, right)):
                return [self._braced(left, bound), self._braced(right, bound)]
            case Compound(functor="or" | "\\/", arguments=(left, right)):
                return self._either(left, right, term.span, bound)
            case Compound(functor=functor, arguments=(left, right)) if functor in _PLAIN:
                one, other = self._braced(left, bound), self._braced(right, bound)
                return [Combination(_PLAIN[functor], one, other, span=term.span)]
            case Compound(functor=functor, arguments=(left, right)) if functor in _BOUNDS:
                return self._related(functor, left, right, term.span, bound)
            case Compound(functor="ntimes", arguments=(pattern, Number(text=text) as number)):
                return self._times(pattern, _count(text, number.span), bound)
            case Compound(functor="star_times", arguments=(_,)) | Compound(functor="aggregate"):
                hint = "write what it follows: a seq b star_times, a seq aggregate(count, b, N)"
                raise Fault("EP126", "what is repeated stands behind seq", term.span, hint)
            case Compound(functor="event_multiply", arguments=(pattern, goal)):
                return [*self._elements(pattern, bound), *self._goals.calls(goal, bound)]
            case Compound(functor=functor) if functor in _ACTIONS:
                raise _no_counterpart(term)
            case _:
                return [self._event(_event(term), bound)]

    def _event(self, event: Atom | Compound, bound: set[str]) -> syntax.TriplesBlock:
        node = syntax.Variable(f"_:event {event.span.start}", span=event.span)
        bound.update(variables_in(event))
        return syntax.TriplesBlock(self._names.triples(event, node), span=event.span)

    def _sequence(self, left: Term, right: Term, span: Span, bound: set[str]) -> list[GroupElement]:
        """``left seq right``, where right may be a goal, or what is repeated."""
        match right:
            case Compound(functor="prolog", arguments=(goal,)):
                elements = self._elements(left, bound)
                return [*elements, *self._goals.elements(goal, bound)]
            case Compound(functor="star_times", arguments=(repeated,)):
                before = self._braced(left, bound)
                return [Combination("SEQ", before, self._repeat(repeated, ()), span=span)]
            case Compound(functor="aggregate", arguments=(what, repeated, Variable(name=name) as result)):
                before = self._braced(left, bound)
                measure = syntax.ExpressionAs(_aggregate(what), variable(name, result.span), span=right.span)
                bound.add(name)
                return [Combination("SEQ", before, self._repeat(repeated, (measure,)), span=span)]
            case _:
                pass
        chain, conditions = self._chain(left, bound)
        after = self._braced(right, bound)
        return [Combination("SEQ", chain, after, span=span), *conditions]

    def _chain(self, left: Term, bound: set[str]) -> tuple[Group | Combination, list[GroupElement]]:
        """The left side of a sequence, and the conditions at its end, which go behind what follows.

        Conditions that ask for the times of the left side stay with it.
        """
        elements = self._elements(left, bound)
        is_sequence = isinstance(left, Compound) and left.functor in _SEQUENCES
        asks_for_times = not _TIMES.isdisjoint(_functors(left))
        if is_sequence and not asks_for_times:
            chain, *conditions = elements
            if isinstance(chain, Combination) and chain.operator == "SEQ":
                return chain, conditions
        return self._group(elements, left.span), []

    def _repeat(self, repeated: Term, measures: tuple[syntax.ExpressionAs, ...]) -> syntax.Repeat:
        group = self._braced(repeated, set())
        return syntax.Repeat(0, None, "ALL", False, None, (), group, measures, span=repeated.span)

    def _times(self, pattern: Term, count: int, bound: set[str]) -> list[GroupElement]:
        """One after the other, with the same values."""
        chain: Group | Combination = self._braced(pattern, bound)
        for place in range(1, count):
            again = self._braced(_moved(pattern, place), bound)
            chain = Combination("SEQ", chain, again, span=pattern.span)
        return [chain]

    def _without(self, pattern: Term, negated: Term, bound: set[str]) -> list[GroupElement]:
        """``(a seq b) cnot c``: none between each step and the next; of another pattern, none within it."""
        if not isinstance(pattern, Compound) or pattern.functor not in _SEQUENCES:
            return self._none_within(pattern, negated, bound)
        left, right = pattern.arguments
        if isinstance(left, Compound) and left.functor in _SEQUENCES:
            before = self._group(self._without(left, negated, bound), left.span)
        else:
            before = self._braced(left, bound)
        nothing = syntax.Negated(self._braced(_moved(negated, left.span.start), set()), span=negated.span)
        span = pattern.span
        chain = Combination("SEQ", before, nothing, span=span)
        return [Combination("SEQ", chain, self._braced(right, bound), span=span)]

    def _none_within(self, pattern: Term, negated: Term, bound: set[str]) -> list[GroupElement]:
        span = pattern.span.to(negated.span)
        around, within = self._timed(pattern, 1, span, bound), self._timed(negated, 2, span, set())
        begins = syntax.Comparison("<", _time("start1", span), _time("start2", span), span=span)
        ends = syntax.Comparison("<", _time("end2", span), _time("end1", span), span=span)
        condition = syntax.Filter(syntax.And((begins, ends), span=span), span=span)
        inside = Group((*within.elements, condition), span=negated.span)
        return [*around.elements, syntax.Filter(syntax.Exists(inside, True, span=span), span=span)]

    def _either(self, left: Term, right: Term, span: Span, bound: set[str]) -> list[GroupElement]:
        """What both bind has a value for sure."""
        ours, theirs = set(bound), set(bound)
        one, other = self._braced(left, ours), self._braced(right, theirs)
        bound.update(ours | theirs)
        return [Combination("UNION", one, other, span=span)]

    def _related(
        self, functor: str, left: Term, right: Term, span: Span, bound: set[str]
    ) -> list[GroupElement]:
        sides = (self._timed(left, 1, span, bound), self._timed(right, 2, span, bound))
        tests = []
        for one, operator, other in _BOUNDS[functor]:
            operands = (_time(one, span), _time(other, span))
            tests.append(syntax.Comparison(operator, *operands, span=span))  # type: ignore[arg-type]
        condition = tests[0] if len(tests) == 1 else syntax.And(tuple(tests), span=span)
        return [*sides, syntax.Filter(condition, span=span)]

    def _timed(self, term: Term, side: int, span: Span, bound: set[str]) -> Group:
        elements = self._elements(term, bound)
        for which, function in (("start", "GETSTARTTIME"), ("end", "GETENDTIME")):
            value = syntax.BuiltInCall(function, (), span=term.span)
            elements.append(syntax.Bind(value, _time(f"{which}{side}", span), span=term.span))
        return Group(tuple(elements), span=term.span)


def _time(name: str, span: Span) -> syntax.Variable:
    return syntax.Variable(f"_:{name} {span.start} {span.end}", span=span)


def _event(term: Term) -> Atom | Compound:
    if isinstance(term, Atom) or (isinstance(term, Compound) and term.functor.isidentifier()):
        return term
    hint = "an event is a name with arguments: price(Company, Value)"
    if isinstance(term, Compound) and term.functor == ",":
        hint = "events are joined by seq, and, or: a(X) and b(X)"
    raise Fault("EP126", "this is no event", term.span, hint)


def _no_counterpart(term: Compound) -> Fault:
    return Fault("EP126", f"{term.functor} has no counterpart", term.span, _ACTIONS[term.functor])


def _shown(event: Atom | Compound) -> str:
    return event.name if isinstance(event, Atom) else f"{event.functor}/{len(event.arguments)}"


def _aggregate(what: Term) -> syntax.Aggregate:
    match what:
        case Atom(name="count"):
            return syntax.Aggregate("COUNT", None, distinct=False, span=what.span)
        case Compound(functor=functor, arguments=(Variable(name=name) as over,)) if functor in _AGGREGATES:
            argument = variable(name, over.span)
            return syntax.Aggregate(_AGGREGATES[functor], argument, distinct=False, span=what.span)
        case _:
            hint = "write aggregate(count, b(X), N) or aggregate(sum(X), b(X), S); also min, max and avg"
            raise Fault("EP126", "no such aggregate", what.span, hint)


def _count(text: str, span: Span) -> int:
    if not text.isdigit() or not 0 < int(text) <= 100:
        raise Fault("EP126", "ntimes takes a number from 1 to 100", span, "write b(X) ntimes 3")
    return int(text)


def _moved(term: Term, by: int) -> Term:
    """The same, in which each ``_`` is another variable."""
    match term:
        case Compound(functor=functor, arguments=arguments):
            return Compound(functor, tuple(_moved(each, by) for each in arguments), span=term.span)
        case Variable(name="_"):
            return Variable(f"_again {by} {term.span.start}", span=term.span)
        case _:
            return term
