"""A GPM, or several that are joined by & or |, as one group of EP-SPARQL: what one step matches.

The pattern of a GPM is matched within one event of its stream: ``EVENT <stream> { .. }``. GRAPH asks the
background, and filters may speak of what stands before in the sequence, so both stand beside that. What a
filter of a joined GPM says of other GPMs goes around all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from typing_extensions import assert_never

from etalis_py.compiler.languages.spaseq.syntax import Gpm, Item
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.syntax import Expression, Group, GroupElement, Variable
from etalis_py.compiler.parse.syntax_walk import walk
from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class

__all__ = ["Gpms", "bound_in"]

_BESIDE = (syntax.GoalPattern, syntax.GraphPattern, syntax.Filter, syntax.Within)
"""Elements of a GPM that do not speak of one event alone."""
_BESIDE_GRAPH = (syntax.Bind, syntax.InlineData)
"""Those that may speak of what GRAPH has found before them."""
_NUMBER = syntax.IriRef("http://www.w3.org/2001/XMLSchema#integer", span=Span(0, 0))


@value_class
class _Parts:
    """The elements of a GPM, and the filters that speak of other GPMs."""

    elements: tuple[GroupElement, ...]
    outward: tuple[Expression, ...]


class Gpms:
    """The GPMs of a query by their names, and the streams they are defined on."""

    def __init__(self, gpms: Mapping[str, Gpm], streams: Mapping[str, syntax.Iri]) -> None:
        self._gpms = gpms
        self._streams = streams

    def group(self, item: Item) -> Group:
        """What an item of the sequence matches, whatever its operator."""
        gpms = [self._gpms[each.text] for each in item.names]
        match item.joined:
            case "&":
                return self._conjunction(gpms, item.span)
            case "|":
                return self._disjunction(gpms, item.span)
            case _:
                parts = self._parts(gpms[0])
                return Group((*parts.elements, *_filters(parts.outward)), span=gpms[0].group.span)

    def variables(self, item: Item) -> frozenset[str]:
        """The variables that an item binds."""
        return frozenset(name for each in item.names for name in bound_in(self._gpms[each.text].group))

    def mentioned(self, item: Item) -> frozenset[str]:
        """The variables that an item binds, or that its filters speak of."""
        return frozenset(
            node.name
            for each in item.names
            for node in walk(self._gpms[each.text].group)
            if isinstance(node, Variable)
        )

    def subjects(self, item: Item) -> frozenset[str]:
        """The variables that are the subject of a triple in each GPM of an item."""
        each = [frozenset(_subjects(self._gpms[name.text].group)) for name in item.names]
        return frozenset.intersection(*each)

    def _conjunction(self, gpms: Sequence[Gpm], span: Span) -> Group:
        """Definition 8: events of one time."""
        parts = [self._parts(each) for each in gpms]
        both: Group | syntax.Combination = _group(parts[0].elements, gpms[0])
        for gpm, each in zip(gpms[1:], parts[1:], strict=True):
            both = syntax.Combination("EQUALS", both, _group(each.elements, gpm), span=span)
        outward = [condition for each in parts for condition in each.outward]
        return Group((both, *_filters(outward)), span=span)

    def _disjunction(self, gpms: Sequence[Gpm], span: Span) -> Group:
        """Definition 9. Each branch is numbered if a filter that goes around all is of one alone."""
        parts = [self._parts(each) for each in gpms]
        numbered = any(each.outward for each in parts)
        branch = Variable(f"_:branch {span.start}", span=span)
        either: Group | syntax.Combination | None = None
        conditions: list[Expression] = []
        for number, (gpm, each) in enumerate(zip(gpms, parts, strict=True)):
            mark = syntax.Literal(str(number), _NUMBER, span=span)
            elements = (*each.elements, syntax.Bind(mark, branch, span=span)) if numbered else each.elements
            group = _group(elements, gpm)
            either = group if either is None else syntax.Combination("UNION", either, group, span=span)
            is_this = syntax.Comparison("=", branch, mark, span=span)
            operands = (is_this, *each.outward)
            conditions.append(syntax.And(operands, span=span) if each.outward else is_this)
        assert either is not None
        filters = _filters([syntax.Or(tuple(conditions), span=span)]) if numbered else ()
        return Group((either, *filters), span=span)

    def _parts(self, gpm: Gpm) -> _Parts:
        own = frozenset(bound_in(gpm.group))
        inside: list[GroupElement] = []
        beside: list[GroupElement] = []
        outward: list[Expression] = []
        for element in gpm.group.elements:
            if isinstance(element, syntax.Filter) and _speaks_of_others(element.expression, own):
                outward.append(element.expression)
            elif isinstance(element, _BESIDE) or (beside and isinstance(element, _BESIDE_GRAPH)):
                beside.append(element)
            else:
                inside.append(element)
        if not any(True for each in inside for _ in _triples(each)):
            hint = "a GPM is matched by an event: give it a triple pattern outside of GRAPH"
            raise Fault("EP121", f"GPM {gpm.name.text} has no pattern for events", gpm.group.span, hint)
        return _Parts((self._event(gpm, tuple(inside)), *beside), tuple(outward))

    def _event(self, gpm: Gpm, elements: tuple[GroupElement, ...]) -> GroupElement:
        """One event of any of the GPM's streams."""
        span = gpm.group.span
        group = Group(elements, span=span)
        events = [syntax.EventPattern(self._streams[each.text], group, span=span) for each in gpm.streams]
        if len(events) == 1:
            return events[0]
        either: Group | syntax.Combination = Group((events[0],), span=span)
        for each in events[1:]:
            either = syntax.Combination("UNION", either, Group((each,), span=span), span=span)
        return either


def _group(elements: tuple[GroupElement, ...], gpm: Gpm) -> Group:
    return Group(elements, span=gpm.group.span)


def _filters(conditions: Sequence[Expression]) -> tuple[syntax.Filter, ...]:
    return tuple(syntax.Filter(each, span=each.span) for each in conditions)


def _speaks_of_others(expression: Expression, own: frozenset[str]) -> bool:
    return any(isinstance(each, Variable) and each.name not in own for each in walk(expression))


def _triples(element: GroupElement) -> Iterator[syntax.TriplesBlock]:
    return (each for each in walk(element) if isinstance(each, syntax.TriplesBlock))


def _subjects(group: Group) -> Iterator[str]:
    for block in (each for each in group.elements if isinstance(each, syntax.TriplesBlock)):
        yield from (each.subject.name for each in block.subjects if isinstance(each.subject, Variable))


def bound_in(element: GroupElement) -> Iterator[str]:  # noqa: C901 - one branch for each element
    """The variables that an element of a group binds, or may bind."""
    match element:
        case syntax.TriplesBlock():
            yield from (each.name for each in walk(element) if isinstance(each, Variable))
        case syntax.Bind(variable=variable):
            yield variable.name
        case syntax.GoalPattern(arguments=arguments):
            yield from (each.name for each in arguments if isinstance(each, Variable))
        case syntax.InlineData(variables=variables):
            yield from (each.name for each in variables)
        case (
            syntax.GraphPattern(name=name, group=group)
            | syntax.StreamPattern(name=name, group=group)
            | syntax.WindowPattern(name=name, group=group)
            | syntax.EventPattern(stream=name, group=group)
            | syntax.ServicePattern(endpoint=name, group=group)
        ):
            yield from ([name.name] if isinstance(name, Variable) else [])
            yield from bound_in(group)
        case syntax.MatchPattern():
            yield from (each.name for each in walk(element) if isinstance(each, Variable))
        case syntax.OptionalPattern(group=group):
            yield from bound_in(group)
        case Group(elements=elements):
            yield from (name for each in elements for name in bound_in(each))
        case syntax.Combination(left=left, right=right):
            yield from (*bound_in(left), *bound_in(right))
        case syntax.Repeat(per=per, measures=measures):
            yield from (each.name for each in (*per, *(measure.variable for measure in measures)))
        case syntax.Select():
            yield from _columns(element)
        case (
            syntax.Filter() | syntax.Within() | syntax.MinusPattern() | syntax.Negated() | syntax.Timer()
        ):  # fmt: skip
            return
        case _:
            assert_never(element)


def _columns(select: syntax.Select) -> Iterator[str]:
    if select.projection is None:
        return bound_in(select.where)
    return (each.name if isinstance(each, Variable) else each.variable.name for each in select.projection)
