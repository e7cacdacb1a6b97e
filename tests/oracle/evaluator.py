"""What a group means: docs/semantics.md#matches, read aloud, over a finite stream.

Every operator looks at all pairs of solutions of its sides. No order of arrival, no goals, no windows, no
algebra: the query is read as it is written, and nothing is shared with the engine but the parser and the
encoding of terms.

The one thing that needs care is what later input could take away, where other queries add to the stream:
whether an OPTIONAL has a partner, what MINUS subtracts, what EXISTS finds and what is grouped or cut is asked
of ``settled``, a data set of its own. ``program.py`` makes both the same in the end.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import TypeVar

from typing_extensions import Self, assert_never

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.names import Names
from etalis_py.compiler.parse.syntax import Expression, Group
from etalis_py.compiler.parse.syntax_walk import walk
from etalis_py.core.terms import Encoded
from tests.oracle import relations
from tests.oracle.events import EventMapping, Mappings
from tests.oracle.expressions import Scope, constant, holds, value_or_none
from tests.oracle.paths import Facts, TooMuchError, connected
from tests.oracle.places import (
    Element,
    elements,
    named_elements,
    within_element,
    within_stream,
    within_window,
)
from tests.oracle.solutions import Dataset, Placed, Solution, joined
from tests.oracle.triples import Term, Unknown, WrittenTriple, matched, written_triples
from tests.oracle.windows import length_of

__all__ = ["Evaluator", "Solutions", "TooMuchError", "pairs"]

MOST_SOLUTIONS = 1000

Solutions = list[Solution]
Chain = syntax.Combination | syntax.Step
Related = Callable[[Solution, Solution], bool]
_Part = TypeVar("_Part", bound=syntax.Node)
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class Evaluator(ABC):
    """One query over one data set.

    ``substituted`` are the values that stand in the place of variables within an EXISTS (SPARQL 1.1, section
    18.6): of all that is read here, those variables are none. ``handed`` are the values that a group will be
    joined with: paths of length zero start and end there.
    """

    names: Names
    data: Dataset
    settled: Dataset
    substituted: Mapping[str, Encoded] = field(default_factory=dict)
    handed: Mapping[str, Encoded] = field(default_factory=dict)

    @property
    def later(self) -> Self:
        """The same over all that there is in the end."""
        return replace(self, data=self.settled)

    # ---- Groups --------------------------------------------------------------------------------------

    def group(self, group: Group) -> Solutions:
        """The solutions of a group: a bag in no particular order."""
        found, conditions = self.parts(group)
        return [each for each in found if all(holds(every, self.scope(each)) for every in conditions)]

    def parts(self, group: Group) -> tuple[Solutions, list[Expression]]:
        """What a group finds, and its own filters, which apply to all of it wherever they stand."""
        found = [Solution({}, self.data.always)]
        for element in group.elements:
            if not isinstance(element, syntax.Filter | syntax.Within):
                found = _few(self._extended(found, element))
        lengths = [each.length for each in group.elements if isinstance(each, syntax.Within)]
        found = [each for each in found if all(_is_within(each, length) for length in lengths)]
        return found, [each.expression for each in group.elements if isinstance(each, syntax.Filter)]

    def _extended(self, before: Solutions, element: syntax.GroupElement) -> Iterable[Solution]:
        """What stands before an element of the same group, with the element."""
        match element:
            case syntax.TriplesBlock(subjects=subjects):
                return self._block(before, written_triples(subjects, self.names))
            case syntax.Bind(expression=expression, variable=variable):
                bound = [
                    each.extended(variable.name, value_or_none(expression, self.scope(each)))
                    for each in before
                ]
                return self._agreeing(bound)
            case syntax.GoalPattern():
                return pairs(before, self._agreeing(self._goal(element)), relations.any_time)
            case syntax.InlineData():
                return pairs(before, self._agreeing(self.table(element)), relations.any_time)
            case syntax.OptionalPattern(group=group):
                return self._optional(before, group, _not_later)
            case syntax.MinusPattern(group=group):
                taken = self.later.for_each(before, Evaluator.group, group)
                return [one for one, found in taken if not any(_subtracts(other, one) for other in found)]
            case (
                syntax.GraphPattern()
                | syntax.StreamPattern()
                | syntax.WindowPattern()
                | syntax.EventPattern()
            ):
                return pairs(before, self._elsewhere(element), relations.any_time)
            case syntax.MatchPattern():
                return pairs(before, self._agreeing(self._match(element)), relations.any_time)
            case syntax.Group():
                beside = self.for_each(before, Evaluator.group, element)
                return [both for one, found in beside for both in pairs([one], found, relations.any_time)]
            case syntax.Combination() | syntax.Repeat() | syntax.Timer():
                return pairs(before, self.combination(element), relations.any_time)
            case syntax.Select():
                rows = replace(self, handed={}).select(element)
                return pairs(before, self._agreeing(rows), relations.any_time)
            case _:
                raise NotImplementedError(type(element).__name__)

    def _elsewhere(
        self,
        element: syntax.GraphPattern | syntax.StreamPattern | syntax.WindowPattern | syntax.EventPattern,
    ) -> Iterator[Solution]:
        """A group that is not about all there is."""
        match element:
            case syntax.GraphPattern(name=name, group=group):
                return self._graph(name, group)
            case syntax.StreamPattern(group=group) if element in self.data.inline:
                placed = self.data.inline[element]
                return iter(self._restricted(partial(within_window, placed=placed)).group(group))
            case syntax.StreamPattern(name=name, group=group):
                return self._stream(name, group)
            case syntax.WindowPattern(name=name, group=group):
                return self._window(name, group)
            case syntax.EventPattern(stream=stream, group=group):
                return self._event(stream, group)
            case _:
                assert_never(element)

    def combination(self, element: Chain) -> Solutions:
        """What a chain of combinators finds."""
        if isinstance(element, Group):
            return self.group(element)
        if not isinstance(element, syntax.Combination) or element.operator == "SEQ":
            return _few(self.sequence(element))
        left, right = element.left, element.right
        match element.operator:
            case "UNION":
                found: Iterable[Solution] = [*self.combination(left), *self.combination(right)]
            case "OPTIONAL":
                found = self._optional(self.combination(left), right, _not_later)
            case "EQUALSOPTIONAL":
                found = self._optional(self.combination(left), right, relations.equals)
            case "OPTIONALSEQ":
                found = self._optional(self.combination(right), left, relations.after)
            case operator:
                related = relations.RELATIONS[operator]
                found = pairs(self.combination(left), self.combination(right), related)
        return _few(found)

    @abstractmethod
    def sequence(self, element: Chain) -> Iterable[Solution]:
        """What a chain finds that ends with a SEQ, and what a repetition or a timer finds by itself."""

    def _optional(self, kept: Solutions, optional: Chain, related: Related) -> Iterator[Solution]:
        """Each related pair with the optional group's filters true; ``kept`` alone where there is none."""

        def partners(one: Solution, others: tuple[Solutions, list[Expression]]) -> Iterator[Solution]:
            for other in others[0]:
                both = joined(one, other)
                if both is None or not related(one, other):
                    continue
                scope = replace(self.scope(both), interval=other.interval)
                if all(holds(every, scope) for every in others[1]):
                    yield both

        def side(where: Evaluator, part: Chain) -> tuple[Solutions, list[Expression]]:
            return where.parts(part) if isinstance(part, Group) else (where.combination(part), [])

        now = self.for_each(kept, side, optional)
        in_the_end = self.later.for_each(kept, side, optional)
        for (one, found), (_, settled) in zip(now, in_the_end, strict=True):
            yield from partners(one, found)
            if next(partners(one, settled), None) is None:
                yield one

    def for_each(
        self, before: Solutions, find: Callable[[Evaluator, _Part], _Found], part: _Part
    ) -> list[tuple[Solution, _Found]]:
        """What a part of a query finds next to each solution: the same, but for paths of length zero."""
        if any(isinstance(each, syntax.RepeatedPath) and each.times != "+" for each in walk(part)):
            return [(one, find(replace(self, handed={**self.handed, **one.mapping}), part)) for one in before]
        found = find(self, part)
        return [(one, found) for one in before]

    @abstractmethod
    def select(self, select: syntax.Select) -> Solutions:
        """The rows of a sub-SELECT."""

    # ---- Triples -------------------------------------------------------------------------------------

    def _block(self, before: Solutions, triples: list[WrittenTriple]) -> Solutions:
        """The join of all triples; paths last, when it is known what they are joined with."""
        facts = self.data.facts
        for written in sorted(triples, key=lambda each: isinstance(each[1], syntax.Path)):
            subject, target = self._term(written[0]), self._term(written[2])
            verb = written[1] if isinstance(written[1], syntax.Path) else self._term(written[1])
            if isinstance(verb, syntax.Path):
                before = _few(self._along(before, (subject, target), verb, facts))
            else:
                found = [
                    each
                    for triple, interval in facts
                    for each in matched((subject, verb, target), triple, interval)
                ]
                before = _few(pairs(before, found, relations.any_time))
        return before

    def _along(
        self, before: Solutions, ends: tuple[Term, Term], path: syntax.Path, facts: Facts
    ) -> Iterator[Solution]:
        relation = connected(path, facts, self.names, self.data.always)
        edges = [each for x, y, interval in relation.edges for each in matched(ends, (x, y), interval)]
        yield from pairs(before, edges, relations.any_time)
        for one in before if relation.zero else ():
            near = {**self.handed, **one.mapping}
            bound = [near.get(each.name) if isinstance(each, Unknown) else each for each in ends]
            known = [each for each in bound if each is not None]
            nodes = {known[0]} if known else self._nodes()
            if self.data.at is not None and all(isinstance(each, Unknown) for each in ends):
                nodes &= self._nodes()  # SPARQL 1.1, section 18.4: terms of the graph, or of the query
            for node in nodes:
                staying = list(matched(ends, (node, node), self.data.always))
                yield from [*pairs([one], staying, relations.any_time)] * relation.zero

    def _term(self, term: Term) -> Term:
        """The term itself, or what is substituted for it."""
        return self.substituted.get(term.name, term) if isinstance(term, Unknown) else term

    def _agreeing(self, found: Iterable[Solution]) -> Solutions:
        """Of what has values of its own: what agrees with the substituted ones, which are no variables."""
        return [
            each.restricted(name for name in each.mapping if name not in self.substituted)
            for each in found
            if all(self.substituted.get(name, value) == value for name, value in each.mapping.items())
        ]

    def _nodes(self) -> set[Encoded]:
        """Each node of the background's own triples; for plain SPARQL, each node."""
        now = [triple for triple, _ in self.data.stream] if self.data.at is not None else []
        stated = self.data.background if self.data.stated is None else self.data.stated
        return {node for s, _, o in (*stated, *now) for node in (s, o)}

    def _graph(self, name: syntax.Variable | syntax.Iri, group: Group) -> Iterator[Solution]:
        """The group over a named graph, whose triples hold always; for a variable, over each of them."""
        term = self._name(name)
        if self.data.of_elements:
            for element in named_elements(self.data) | named_elements(self.settled):
                yield from self._in_element(term, element.graph, element, group)
        for graph, triples in self.data.named.items():
            only = replace(self.data, stream=frozenset(), background=triples, clock=None, stated=None)
            there = replace(self, data=only, settled=only)
            for here in matched([term], [graph], self.data.always):
                yield from pairs([here], there.group(group), relations.any_time)

    def _name(self, name: syntax.Variable | syntax.Iri) -> Term:
        if isinstance(name, syntax.Variable):
            return self._term(Unknown(name.name))
        return constant(name, self.names)

    # ---- Streams and elements ------------------------------------------------------------------------

    def _stream(self, name: syntax.Variable | syntax.Iri, group: Group) -> Iterator[Solution]:
        """The group over one stream; for a variable, over each that there is."""
        term = self._name(name)
        known = {each.stream for each in self.data.placed | self.settled.placed}
        for stream in known if isinstance(term, Unknown) else [term]:
            for here in matched([term], [stream], self.data.always):
                inside = self._restricted(partial(within_stream, stream=stream))
                yield from pairs([here], inside.group(group), relations.any_time)

    def _window(self, name: syntax.Variable | syntax.Iri, group: Group) -> Iterator[Solution]:
        """The group over what a window on a stream holds; for a variable, over each window."""
        term = self._name(name)
        for window, placed in self.data.windows.items():
            for here in matched([term], [window], self.data.always):
                inside = self._restricted(partial(within_window, placed=placed))
                yield from pairs([here], inside.group(group), relations.any_time)

    def _event(self, name: syntax.Variable | syntax.Iri | None, group: Group) -> Iterator[Solution]:
        """The group over each element; with a name, over those of a stream."""
        for element in elements(self.data.placed | self.settled.placed):
            term = element.stream if name is None else self._name(name)
            yield from self._in_element(term, element.stream, element, group)

    def _match(self, match: syntax.MatchPattern) -> list[Solution]:
        """A solution for each mapping and interval."""
        basic = partial(self._basic_event, match)
        events = {
            bound
            for each in Mappings(basic, self._event_holds, self.data.selection).of(match.event)
            for bound in (self._event_bound(each, match.bindings),)
            if all(self._event_holds(condition, bound) for condition in match.conditions)
        }
        if self.data.consumption is not None:
            self.data.consumption.use(match, events)
        found = {(each.values, each.interval) for each in events}
        return [Solution(dict(values), self.data.always) for values, _ in found]

    def _event_holds(self, condition: Expression, event: EventMapping) -> bool:
        return holds(condition, self.scope(Solution(dict(event.values), event.interval)))

    def _event_bound(self, event: EventMapping, bindings: Iterable[syntax.Bind]) -> EventMapping:
        """With the values of BIND, one after the other."""
        for each in bindings:
            value = value_or_none(each.expression, self.scope(Solution(dict(event.values), event.interval)))
            if value is not None:
                event = replace(event, values=event.values | {(each.variable.name, value)})
        return event

    def _basic_event(self, match: syntax.MatchPattern, event: syntax.EventPattern) -> Iterator[EventMapping]:
        """What each element of a window has of an event."""
        assert event.stream is not None
        assert not isinstance(event.stream, syntax.Variable)
        held = self.data.windows[self.names.resolve(event.stream)]
        if self.data.consumption is not None:
            held = self.data.consumption.left_of(match, held)
        inside = self._restricted(partial(within_window, placed=held))
        for element in elements(inside.data.placed):
            within = inside._restricted(partial(within_element, element=element))
            for each in within.group(event.group):
                used = within._made_of(event.group, each)
                yield EventMapping(frozenset(each.mapping.items()), element.interval, used)

    def _made_of(self, group: Group, solution: Solution) -> frozenset[Placed]:
        """The triples of the element by which a group of triples and filters has a solution."""
        written = [
            each
            for block in group.elements
            if isinstance(block, syntax.TriplesBlock)
            for each in written_triples(block.subjects, self.names)
        ]
        ways: list[tuple[Mapping[str, Encoded], frozenset[Placed]]] = [(solution.mapping, frozenset())]
        for triple in written:
            ways = [
                ({**mapping, **found.mapping}, made | {placed})
                for mapping, made in ways
                for placed in self.data.placed
                for found in matched(triple, placed.triple, None)  # type: ignore[arg-type]
                if all(mapping.get(name, value) == value for name, value in found.mapping.items())
            ]
        return frozenset().union(*(made for _, made in ways))

    def _in_element(self, term: Term, value: Encoded, element: Element, group: Group) -> Iterator[Solution]:
        """The group over an element, whose interval its solutions have, where ``term`` can be ``value``."""
        for here in matched([term], [value], self.data.always or element.interval):
            inside = self._restricted(partial(within_element, element=element))
            yield from pairs([here], inside.group(group), relations.any_time)

    def _restricted(self, view: Callable[[Dataset], Dataset]) -> Self:
        return replace(self, data=view(self.data), settled=view(self.settled))

    # ---- Tables and expressions ----------------------------------------------------------------------

    def _goal(self, element: syntax.GoalPattern) -> Iterator[Solution]:
        """The answers of a Prolog predicate, which hold always."""
        for answer in self.data.goals[self.names.resolve(element.name)]:
            mapping: dict[str, Encoded] = {}
            for term, value in zip(element.arguments, answer, strict=True):
                if isinstance(term, syntax.Variable):
                    known = mapping.setdefault(term.name, value)
                else:
                    assert not isinstance(term, syntax.BlankNode)
                    known = constant(term, self.names)
                if known != value:
                    break
            else:
                yield Solution(mapping, self.data.always)

    def table(self, data: syntax.InlineData) -> Solutions:
        """The rows of VALUES, which hold always."""
        found = []
        for row in data.rows:
            cells = zip(data.variables, row.values, strict=True)
            mapping = {
                variable.name: constant(value, self.names) for variable, value in cells if value is not None
            }
            found.append(Solution(mapping, self.data.always))
        return found

    # ---- Expressions ---------------------------------------------------------------------------------

    def scope(self, solution: Solution) -> Scope:
        """What the expressions of a solution's own group see."""
        mapping = {**self.substituted, **solution.mapping}
        tested = Solution(mapping, solution.interval)
        return Scope(mapping, solution.interval, self.names, tested, self._exists)

    def _exists(self, group: Group, tested: Solution) -> bool:
        """Whether the group has a solution, for what is bound in the one tested, that ends no later."""
        found = replace(self.later, substituted=tested.mapping, handed={}).group(group)
        return any(_not_later(tested, each) for each in found)


def pairs(left: Solutions, right: Iterable[Solution], related: Related) -> Iterator[Solution]:
    """The joins of all compatible and related pairs."""
    others = list(right)
    for one in left:
        for other in others:
            both = joined(one, other)
            if both is not None and related(one, other):
                yield both


def _few(found: Iterable[Solution]) -> Solutions:
    some = list(islice(found, MOST_SOLUTIONS + 1))
    if len(some) > MOST_SOLUTIONS:
        raise TooMuchError
    return some


def _is_within(solution: Solution, length: syntax.Duration) -> bool:
    """WITHIN d: getDURATION() <= d."""
    interval = solution.interval
    return interval is not None and interval[1] - interval[0] <= length_of(length)


def _subtracts(other: Solution, one: Solution) -> bool:
    """MINUS: compatible, with a variable in common, and no later."""
    shared = any(name in one.mapping for name in other.mapping)
    return shared and joined(one, other) is not None and _not_later(one, other)


def _not_later(one: Solution, other: Solution) -> bool:
    """``other`` ends when ``one`` does, or before; a timeless one ended before everything."""
    if other.interval is None:
        return True
    return one.interval is not None and other.interval[1] <= one.interval[1]
