"""Groups and their elements (SPARQL 1.1, section 18.2.2), with the combinators of EP-SPARQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.datasets import ActiveGraph, Dataset
from etalis_py.compiler.algebra.dialects import Selection
from etalis_py.compiler.algebra.elements import in_one_element
from etalis_py.compiler.algebra.functions import PROLOG_NAMESPACE
from etalis_py.compiler.algebra.newest_times import NewestTimes
from etalis_py.compiler.algebra.operators import Side
from etalis_py.compiler.algebra.policies import Policy, chooses
from etalis_py.compiler.algebra.scope import certain_variables
from etalis_py.compiler.algebra.solution_names import name_solutions
from etalis_py.compiler.algebra.translate_events import EventTranslator
from etalis_py.compiler.algebra.translate_expressions import SOLUTION, ExpressionTranslator
from etalis_py.compiler.algebra.translate_steps import ChainTranslator, step_word
from etalis_py.compiler.algebra.translate_triples import TripleTranslator
from etalis_py.compiler.algebra.translate_windows import length_of
from etalis_py.compiler.algebra.windowed import StreamWindow, Windowed
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax_walk import walk
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.spans import Span
from etalis_py.core.terms import encode_literal
from etalis_py.core.vocabulary import XSD_DURATION

__all__ = ["PatternTranslator"]


_JOINED = (
    syntax.TriplesBlock,
    syntax.InlineData,
    syntax.GraphPattern,
    syntax.StreamPattern,
    syntax.EventPattern,
    syntax.WindowPattern,
    syntax.MatchPattern,
    syntax.Group,
    syntax.Filter,
    syntax.Within,
)
"""Elements that may as well come before those before them: joins, and what holds of the whole group."""


class PatternTranslator:
    """Translates the groups of one query; ``select`` translates a sub-SELECT, and is set by its owner.

    ``closes``: under a policy, inner braces and sub-SELECTs are closed to filters from outside. Without
    ``has_graphs`` GRAPH asks for elements outside of STREAM, too. In a ``windowed`` query patterns outside of
    WINDOW are matched with the background, and what windows of the default graph hold.
    """

    def __init__(
        self,
        text: QueryText,
        expressions: ExpressionTranslator,
        dataset: Dataset,
        policy: Policy | None,
        *,
        has_graphs: bool,
        windowed: Windowed | None,
    ) -> None:
        self._text = text
        self._expressions = expressions
        self._dataset = dataset
        self.selection: Selection = "unrestricted" if windowed is None else windowed.selection
        self.consumes = windowed is not None and windowed.consumes
        self._graphs_are_elements = not has_graphs and windowed is None and dataset.named is None
        self._windowed = windowed
        self._triples = TripleTranslator(text, expressions)
        default = () if windowed is None else dict.fromkeys(windowed.default)
        self.triples.graph = ActiveGraph(
            sources=dataset.default, streams=dataset.streams, background_only=windowed is not None,
            windows=tuple(each.place(Span(0, 0)) for each in default),
        )  # fmt: skip
        self.closes = policy is not None
        self._chains = ChainTranslator(text, expressions, self)
        self._events = EventTranslator(text, expressions, self)
        expressions.group = self._looked_for
        self.times = NewestTimes(text, expressions, self._triples)
        expressions.newest_time = self.times.named
        self.select: Callable[[syntax.Select], algebra.Pattern] = self._no_select

    @property
    def triples(self) -> TripleTranslator:
        """What makes triple patterns."""
        return self._triples

    @property
    def is_windowed(self) -> bool:
        """Whether it is a query with windows on streams."""
        return self._windowed is not None

    @property
    def graph(self) -> ActiveGraph:
        """What patterns are matched with where the translation stands."""
        return self.triples.graph

    def anywhere(
        self,
        subject: algebra.TermPattern,
        predicate: algebra.TermPattern,
        target: algebra.TermPattern,
        span: Span,
    ) -> algebra.Pattern:
        """A triple of the default graph, or in any of the windows."""
        windows = () if self._windowed is None else self._windowed.windows
        places = tuple(each.place(span) for each in windows)
        with self._matching(replace(self.graph, windows=places)):
            return self.triples.matched(subject, predicate, target, span)

    # ---- groups -----------------------------------------------------------------------------------------

    def group(self, group: syntax.Group) -> algebra.Pattern:
        """The pattern of a group with its filters."""
        pattern, condition = self.group_parts(group)
        return self.filtered(pattern, condition)

    def braced(self, group: syntax.Group) -> algebra.Pattern:
        """A group within another; under a policy filters outside its braces do not choose in it."""
        return self.closed(self.group(group), group.span)

    def closed(self, pattern: algebra.Pattern, span: Span) -> algebra.Pattern:
        """``pattern`` with braces around it that keep out, under a policy, filters that would choose."""
        if not (self.closes and chooses(pattern)):
            return pattern
        return algebra.Project(pattern, algebra.variables(pattern), closed=True, span=span)

    def _looked_for(self, group: syntax.Group) -> algebra.Pattern:
        """What EXISTS and MINUS look for: all combinations count there."""
        closes, self.closes = self.closes, False
        try:
            return self.group(group)
        finally:
            self.closes = closes

    def filtered(self, pattern: algebra.Pattern, condition: algebra.Expression | None) -> algebra.Pattern:
        """``pattern`` with a filter on all of it."""
        if condition is None:
            return pattern
        pattern, condition = self.attached(pattern, condition)
        return algebra.Filter(condition, pattern, span=condition.span)

    def attached(
        self, pattern: algebra.Pattern, expression: algebra.Expression
    ) -> tuple[algebra.Pattern, algebra.Expression]:
        """An expression as it stands on the solutions of ``pattern``, and what it needs there."""
        pattern = self.times.looked_up(pattern, expression)
        return name_solutions(pattern, expression, self.triples.hidden)

    def group_parts(self, group: syntax.Group) -> tuple[algebra.Pattern, algebra.Expression | None]:
        """The pattern of a group and its own filter, apart: of an optional group the filter is the condition.

        The filter of a group inside the group is not a condition (SPARQL 1.1, section 18.2.2.6): it does not
        see the variables of the other side.
        """
        pattern = self._empty(group.span)
        conditions: list[algebra.Expression] = []
        for element in _goals_last(group.elements):
            if isinstance(element, syntax.Filter):
                conditions.append(self._expressions.translate(element.expression))
            elif isinstance(element, syntax.Within):
                conditions.append(self._within_length(element))
            else:
                pattern = self._element(pattern, element)
        return pattern, (algebra.conjoin(conditions) if conditions else None)

    def _within_length(self, element: syntax.Within) -> algebra.Expression:
        """``WITHIN length``: that the solution is no longer."""
        if self._windowed is not None:
            hint = "the RANGE of a window says how far it reaches"
            what = "WITHIN has no meaning over windows, whose solutions are of one instant"
            raise self._text.error("EP213", what, element.span, hint=hint)
        length = element.length
        length_of(length, self._text, "length")
        duration = algebra.Constant(encode_literal(length.lexical, XSD_DURATION, None), span=length.span)
        return algebra.Apply(
            "<=", (algebra.Apply("GETDURATION", (), span=element.span), duration), span=element.span
        )

    def _goal(self, element: syntax.GoalPattern) -> algebra.Pattern:
        """``prolog:name(..)``: a solution for each answer."""
        self._refuse_in_element("a Prolog goal", element.span)
        iri = self._expressions.iri(element.name)
        if not iri.startswith(PROLOG_NAMESPACE):
            hint = "a pattern calls Prolog predicates: prolog:name(?x, ?y)"
            raise self._text.error("EP202", f"<{iri}> is no Prolog predicate", element.name.span, hint=hint)
        name = iri.removeprefix(PROLOG_NAMESPACE)
        arguments = tuple(map(self._argument, element.arguments))
        return algebra.Lookup(None, name, arguments, span=element.span)

    def _argument(self, term: syntax.Term) -> algebra.TermPattern:
        assert not isinstance(term, syntax.BlankNode), "the grammar has none there"
        return variable_of(term) if isinstance(term, syntax.Variable) else self._expressions.constant(term)

    def _empty(self, span: Span) -> algebra.Pattern:
        """The group without elements: within GRAPH it holds where there is such a graph."""
        name = self.graph.name
        return algebra.Unit(span=span) if name is None else algebra.Lookup(name, span=span)

    def _element(  # noqa: C901 - one branch for each element
        self, before: algebra.Pattern, element: syntax.GroupElement
    ) -> algebra.Pattern:
        """``before`` extended by one element of its group."""
        match element:
            case syntax.TriplesBlock(subjects=subjects):
                return reduce(join, self.triples.patterns(subjects), before)
            case syntax.Bind(expression=expression, variable=variable):
                return self.extended(before, variable_of(variable), expression, element.span)
            case syntax.GoalPattern():
                return join(before, self._goal(element))
            case syntax.OptionalPattern(group=group):
                return self._optional(before, group, element.span)
            case (
                syntax.Group() | syntax.Combination() | syntax.Repeat() | syntax.Negated() | syntax.Timer()
            ):  # fmt: skip
                return join(before, self.chain(element))
            case syntax.Select():
                self._refuse_in_element("a sub-SELECT", element.span)
                return join(before, self.select(element))
            case syntax.InlineData():
                return join(before, self.table(element))
            case syntax.MinusPattern(group=group):
                self._refuse_in_element("MINUS", element.span)
                ignored = frozenset(self.graph.variables)
                return algebra.Minus(before, self._looked_for(group), ignored, span=element.span)
            case syntax.GraphPattern(name=name, group=group):
                return join(before, self._graph(name, group, element.span))
            case syntax.StreamPattern():
                return join(before, self._stream(element))
            case syntax.WindowPattern(name=name, group=group):
                return join(before, self._window(name, group, element.span))
            case syntax.MatchPattern():
                return join(before, self._events.match(element))
            case syntax.EventPattern(stream=stream, group=group):
                return join(before, self._event(stream, group, element.span))
            case syntax.ServicePattern():
                hint = "load the other endpoint's data as background, or send it as a stream"
                raise self._text.error(
                    "EP209", "SERVICE cannot ask another endpoint here", element.span, hint=hint
                )
            case syntax.Filter() | syntax.Within():
                raise AssertionError("filters belong to their group")
            case _:
                assert_never(element)

    def _optional(self, left: algebra.Pattern, group: syntax.Group, span: Span) -> algebra.Pair:
        right, condition = self.group_parts(group)
        return algebra.Pair(operators.OPTIONAL, left, right, self.on_pairs(condition), span=span)

    def on_pairs(self, condition: algebra.Expression | None) -> algebra.Expression | None:
        """A condition on pairs, which have no identity yet."""
        if condition is not None and SOLUTION in algebra.expression_variables(condition):
            raise self._text.unsupported("BNODE with a label in the FILTER of OPTIONAL", condition.span)
        return condition

    def chain(self, element: syntax.Combination | syntax.Step) -> algebra.Pattern:
        """A chain of steps, or one step that stands alone."""
        if isinstance(element, syntax.Group):
            return self.braced(element)
        if not isinstance(element, syntax.Combination):
            self._refuse_in_element(step_word(element), element.span)
            return self._chains.alone(element)
        left, right, span = element.left, element.right, element.span
        if element.operator == "UNION":
            return algebra.Union(self.chain(left), self.chain(right), span=span)
        self._refuse_in_element(element.operator, span)
        if element.operator == "SEQ":
            return self._chains.in_sequence(element)
        operator = operators.operator_of(element.operator)
        match operator.optional:
            case None:
                return algebra.Pair(operator, self.chain(left), self.chain(right), span=span)
            case Side.LEFT:
                optional, condition = self._chain_parts(left)
                kept = self.chain(right)
                return algebra.Pair(operator, optional, kept, self.on_pairs(condition), span=span)
            case Side.RIGHT:
                kept = self.chain(left)
                optional, condition = self._chain_parts(right)
                return algebra.Pair(operator, kept, optional, self.on_pairs(condition), span=span)
            case _:
                assert_never(operator.optional)

    def _chain_parts(
        self, element: syntax.Combination | syntax.Step
    ) -> tuple[algebra.Pattern, algebra.Expression | None]:
        if isinstance(element, syntax.Group):
            return self.group_parts(element)
        return self.chain(element), None

    # ---- other elements ---------------------------------------------------------------------------------

    def extended(
        self,
        pattern: algebra.Pattern,
        variable: algebra.Variable,
        expression: syntax.Expression,
        span: Span,
    ) -> algebra.Pattern:
        """``pattern`` with the value of an expression in a new variable."""
        return self.extended_by(pattern, variable, self._expressions.translate(expression), span)

    def extended_by(
        self, pattern: algebra.Pattern, variable: algebra.Variable, value: algebra.Expression, span: Span
    ) -> algebra.Pattern:
        """The same for an expression that is translated already."""
        pattern, value = self.attached(pattern, value)
        return algebra.Extend(pattern, variable, value, span=span)

    def table(self, data: syntax.InlineData) -> algebra.Table:
        """VALUES."""
        rows = (
            tuple(None if each is None else self._expressions.constant(each).value for each in row.values)
            for row in data.rows
        )
        return algebra.Table(tuple(map(variable_of, data.variables)), tuple(rows), span=data.span)

    # ---- GRAPH ------------------------------------------------------------------------------------------

    def _graph(self, name: syntax.Variable | syntax.Iri, group: syntax.Group, span: Span) -> algebra.Pattern:
        """SPARQL 1.1, section 18.6: the group on each graph, joined with the graph's name."""
        if self.graph.place is not None or self._graphs_are_elements:
            return self._named_element(name, group, span)
        if not isinstance(name, syntax.Variable):
            term = algebra.Constant(self._expressions.iri(name), span=name.span)
            if self._windowed is not None and term.value in self._windowed.named:
                hint = "write WINDOW in the place of GRAPH, or give the window another name than the graph"
                raise self._text.error("EP217", f"<{term.value}> is a window, and no graph", span, hint=hint)
            with self._matching(ActiveGraph(term)):
                inner = self.group(group)
            return join(self._named_graphs(term, span), inner)
        if not _mentions(group, name):
            own = variable_of(name)
            with self._matching(ActiveGraph(own)):
                inner = self.group(group)
            return join(self._named_graphs(own, span), inner)
        # Within the group the variable is any other: the graph is another one until both are joined.
        own = self.triples.hidden(name.span)
        with self._matching(ActiveGraph(own)):
            inner = self.group(group)
        names = algebra.Extend(self._named_graphs(own, span), variable_of(name), own, span=name.span)
        return algebra.Pair(operators.JOIN, inner, names, span=span)

    @contextmanager
    def _matching(self, graph: ActiveGraph) -> Iterator[None]:
        before, self.triples.graph = self.triples.graph, graph
        try:
            yield
        finally:
            self.triples.graph = before

    def _named_graphs(self, graph: algebra.TermPattern, span: Span) -> algebra.Pattern:
        """The graphs that GRAPH can mean: those of the background, or those of FROM NAMED."""
        named = self._dataset.named
        if named is None:
            return algebra.Lookup(graph, span=span)
        if isinstance(graph, algebra.Variable):
            return algebra.Table((graph,), tuple((each,) for each in named), span=span)
        return algebra.Table((), ((),) if graph.value in named else (), span=span)

    # ---- WINDOW, STREAM and EVENT -----------------------------------------------------------------------

    def _window(self, name: syntax.Variable | syntax.Iri, group: syntax.Group, span: Span) -> algebra.Pattern:
        """The group on what a window holds."""
        if self.graph.place is not None:
            hint = "close the braces of the first one before the second"
            raise self._text.error("EP213", "WINDOW cannot stand within another", span, hint=hint)
        if isinstance(name, syntax.IriRef | syntax.PrefixedName):
            return self._in_window(self._expressions.window(name), group, span)
        assert self._windowed is not None
        found = [
            join(
                algebra.Table((variable_of(name),), ((iri,),), span=name.span),
                self._in_window(each, group, span),
            )
            for iri, each in self._windowed.named.items()
        ]
        if not found:
            hint = "declare one: FROM NAMED WINDOW :w ON :stream [RANGE PT1H STEP PT10M]"
            raise self._text.error("EP217", "there is no window with a name", span, hint=hint)
        return reduce(lambda left, right: algebra.Union(left, right, span=span), found)

    def in_place(self, place: algebra.Place, group: syntax.Group) -> algebra.Pattern:
        """The group on what is there."""
        with self._matching(ActiveGraph(place=place)):
            return self.group(group)

    def _in_window(self, window: StreamWindow, group: syntax.Group, span: Span) -> algebra.Pattern:
        return self.in_place(window.place(span), group)

    def _stream(self, pattern: syntax.StreamPattern) -> algebra.Pattern:
        """The group on one stream; with a variable on each (docs/semantics.md#streams-and-elements)."""
        name, group, span = pattern.name, pattern.group, pattern.span
        window = None if self._windowed is None else self._windowed.inline.get(pattern)
        if window is None:
            self._refuse_without_window(pattern)
        if self.graph.place is not None:
            hint = "close the braces of the first one before the second"
            raise self._text.error("EP213", "STREAM cannot stand within STREAM or EVENT", span, hint=hint)
        if window is not None and window.stream is not None:
            return self._in_window(window, group, span)
        extent = None if window is None else window.extent
        term = self._within(name, group)
        place = algebra.Place(term, extent=extent, span=span)
        with self._matching(ActiveGraph(place=place)):
            inner = self.group(group)
        return self._called(self._all_placed(inner, place, "STREAM with a variable", span), name, term)

    def _event(
        self, stream: syntax.Variable | syntax.Iri | None, group: syntax.Group, span: Span
    ) -> algebra.Pattern:
        """The group on one element, of any stream or of the one that is said."""
        self._refuse_in_windows("EVENT", span)
        around = self.graph.place
        if self.graph.is_element or (around is not None and stream is not None):
            hint = "an EVENT within STREAM { } is of that stream; say EVENT { ... } there"
            message = "EVENT with a stream cannot stand in STREAM or EVENT"
            raise self._text.error("EP213", message, span, hint=hint)
        element = self.triples.hidden(span)
        if stream is None:
            term = None if around is None else around.stream
            return self._element_of(algebra.Place(term, None, element, span=span), group, "EVENT")
        term = self._within(stream, group)
        found = self._element_of(algebra.Place(term, None, element, span=span), group, "EVENT")
        return self._called(found, stream, term)

    def _named_element(
        self, name: syntax.Variable | syntax.Iri, group: syntax.Group, span: Span
    ) -> algebra.Pattern:
        """The group on one element that has that name, of the stream around it or of any."""
        if self.graph.is_element:
            hint = "close the braces of the first one before the second"
            raise self._text.error("EP213", "GRAPH cannot stand in an element", span, hint=hint)
        around, term = self.graph.place or algebra.Place(), self._within(name, group)
        if around.of_triples:
            hint = "count elements: [ELEMENTS 5]"
            raise self._text.unsupported("GRAPH in a window of TRIPLES", span, hint=hint)
        place = replace(around, name=term, element=self.triples.hidden(span), span=span)
        return self._called(self._element_of(place, group, "GRAPH over elements"), name, term)

    def _element_of(self, place: algebra.Place, group: syntax.Group, what: str) -> algebra.Pattern:
        assert place.element is not None
        with self._matching(ActiveGraph(place=place)):
            inner = self._all_placed(self.group(group), place, what, place.span)
        return inner if place.extent is not None else in_one_element(inner, place.element)

    def _all_placed(
        self, pattern: algebra.Pattern, place: algebra.Place, what: str, span: Span
    ) -> algebra.Pattern:
        """``pattern``, which says in each solution where it is from."""
        wanted = {each for each in place.terms if isinstance(each, algebra.Variable)}
        if not wanted <= certain_variables(pattern):
            hint = "put a triple beside OPTIONAL, and one into each side of a UNION"
            raise self._text.error("EP213", f"{what} needs a triple in every solution", span, hint=hint)
        return pattern

    def _refuse_without_window(self, pattern: syntax.StreamPattern) -> None:
        """A word is the name of a stream only where FROM STREAM has a window of it."""
        written = self._text.written(pattern.name.span)
        hint = f"give it one: STREAM {written} [RANGE 10s] {{ ... }}"
        if isinstance(pattern.name, syntax.Iri):
            hint += f", or FROM STREAM {written} [RANGE 10s STEP 5s]"
        self._refuse_in_windows("STREAM without a window", pattern.span, hint)
        if isinstance(pattern.name, syntax.IriRef) and not written.startswith("<"):
            hint = f"a stream is named by an IRI: STREAM <{written}> {{ ... }}"
            message = f"{written} is a word, and FROM STREAM declares no window of it"
            raise self._text.error("EP217", message, pattern.name.span, hint=hint)

    def _refuse_in_windows(
        self, what: str, span: Span, hint: str = "ask for its triples in WINDOW :name { ... }"
    ) -> None:
        """A windowed query sees streams through its windows only."""
        if self._windowed is not None:
            raise self._text.unsupported(f"{what} in a query with windows on streams", span, hint=hint)

    def _refuse_in_element(self, what: str, span: Span) -> None:
        if self.graph.is_element:
            hint = "all triples of an element have one interval: put it outside of the EVENT or GRAPH"
            raise self._text.error("EP213", f"{what} cannot stand in an element", span, hint=hint)

    def _within(self, name: syntax.Variable | syntax.Iri, group: syntax.Group) -> algebra.TermPattern:
        """What stands for the stream or the element within its braces.

        As in GRAPH, a variable that occurs there as well is any other until both are joined.
        """
        if not isinstance(name, syntax.Variable):
            return algebra.Constant(self._expressions.iri(name), span=name.span)
        return self.triples.hidden(name.span) if _mentions(group, name) else variable_of(name)

    def _called(
        self, pattern: algebra.Pattern, name: syntax.Variable | syntax.Iri, term: algebra.TermPattern
    ) -> algebra.Pattern:
        """``pattern``, which has the stream or the element in ``term``, joined with its name."""
        if not isinstance(name, syntax.Variable) or term == variable_of(name):
            return pattern
        own = variable_of(name)
        if own not in algebra.variables(pattern):
            return algebra.Extend(pattern, own, term, span=name.span)
        if own not in certain_variables(pattern):
            hint = "take another variable, and compare both after the braces"
            message = f"?{name.name} may have a value or not within the braces that it names"
            raise self._text.error("EP213", message, name.span, hint=hint)
        same = algebra.Apply("SAMETERM", (own, term), span=name.span)
        return algebra.Filter(same, pattern, span=name.span)

    def _no_select(self, _select: syntax.Select) -> algebra.Pattern:
        raise AssertionError("the translator of queries sets ``select``")


def _mentions(group: syntax.Group, variable: syntax.Variable) -> bool:
    return any(isinstance(each, syntax.Variable) and each.name == variable.name for each in walk(group))


def variable_of(variable: syntax.Variable) -> algebra.Variable:
    """The variable that a query names."""
    return algebra.Variable(variable.name, span=variable.span)


def join(left: algebra.Pattern, right: algebra.Pattern) -> algebra.Pattern:
    """A Join, where neither side is the empty group (SPARQL 1.1, section 18.2.2.8)."""
    if _adds_nothing(left, right):
        return right
    if _adds_nothing(right, left):
        return left
    return algebra.Pair(operators.JOIN, left, right, span=left.span.to(right.span))


def _adds_nothing(pattern: algebra.Pattern, beside: algebra.Pattern) -> bool:
    """Whether joining with ``pattern`` says no more: it is empty, or names a graph that a triple is in."""
    if isinstance(pattern, algebra.Lookup) and pattern.graph is not None:
        return _needs_graph(beside, pattern.graph)
    return isinstance(pattern, algebra.Unit)


def _needs_graph(pattern: algebra.Pattern, graph: algebra.TermPattern) -> bool:
    match pattern:
        case algebra.TriplePattern() | algebra.Lookup():
            return pattern.graph == graph
        case algebra.Pair(operator=operator):
            return any(_needs_graph(pattern.side(each), graph) for each in Side if operator.has(each))
        case algebra.Minus():
            return _needs_graph(pattern.left, graph)
        case algebra.Filter() | algebra.Extend():
            return _needs_graph(pattern.pattern, graph)
        case _:
            return False


def _goals_last(elements: Iterable[syntax.GroupElement]) -> Iterator[syntax.GroupElement]:
    """Goals behind what is joined with them, which has values for them; their order stays."""
    goals: list[syntax.GroupElement] = []
    for element in elements:
        if isinstance(element, syntax.GoalPattern):
            goals.append(element)
            continue
        if not isinstance(element, _JOINED):
            yield from goals
            goals = []
        yield element
    yield from goals
