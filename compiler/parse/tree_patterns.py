"""The tree builder's part for graph patterns (grammar.lark, "Graph patterns")."""

from __future__ import annotations

from typing import Literal as OneOf
from typing import cast

from lark import Token

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.events_in_windows import read_as_match
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.syntax import Combination, Group, OptionalPattern
from etalis_py.compiler.parse.tree_base import Child, Children, Part, count_of, has, nodes, only, span_of

__all__ = ["PatternBuilder"]


class PatternBuilder:
    """Groups, their elements, and the chains of combinators in them."""

    def group(self, children: Children) -> Group:
        """``{ ... }``."""
        return Group(_elements(children[1:-1]), span=span_of(children))

    def where_clause(self, children: Children) -> Group:
        """``WHERE {..}``; with an implied group around ``WHERE {..} SEQ {..} FILTER(..)``."""
        written = children[1:] if isinstance(children[0], Token) else children
        if len(written) == 1 and isinstance(written[0], Group):
            return written[0]
        return Group(_elements(written), implied=True, span=span_of(written))

    def selection(self, children: Children) -> syntax.Selection:
        """``NEXT``, ``STRICT PER ?x``, ``STRICT AMONG {..}``."""
        word = cast('OneOf["NEXT", "STRICT"]', str(children[0]).upper())
        return syntax.Selection(word, _per(children), _among(children), span=span_of(children))

    def per(self, children: Children) -> Part:
        """``PER ?x ?y``."""
        return Part("per", nodes(children, syntax.Variable), span_of(children))

    def among(self, children: Children) -> Part:
        """``AMONG {..}``."""
        return Part("among", children[-1], span_of(children))

    def repeat(self, children: Children) -> syntax.Repeat:
        """``REPEAT 2 TO * STRICT LONGEST PER ?x {..} MEASURES (..)``."""
        parts = {child.kind: child.value for child in children if isinstance(child, Part)}
        low, high = parts.get("times", (1, None))
        mode, longest, among = parts.get("mode", ("ALL", False, None))
        group = cast("Group", only(children, Group))
        return syntax.Repeat(
            low, high, mode, longest, among, parts.get("per", ()), group, parts.get("measures", ()),
            span=span_of(children),
        )  # fmt: skip

    def times(self, children: Children) -> Part:
        """``3`` or ``2 TO 4`` or ``2 TO *``: the least and the greatest number; None is any."""
        low = count_of(children[0])
        high = None if has(children, "STAR") else count_of(children[-1])
        if high is not None and (high < low or high == 0):
            message = f"REPEAT cannot be {low} TO {high} times" if len(children) > 1 else "REPEAT 0 never is"
            hint = "write REPEAT 2 {...}, REPEAT 2 TO 5 {...} or REPEAT 2 TO * {...}"
            raise Fault("EP118", message, span_of(children), hint)
        return Part("times", (low, high), span_of(children))

    def mode(self, children: Children) -> Part:
        """``ALL``, ``NEXT``, ``ANY``, ``STRICT LONGEST AMONG {..}``."""
        word, longest = str(children[0]).upper(), has(children, "LONGEST")
        return Part("mode", (word, longest, _among(children)), span_of(children))

    def measures(self, children: Children) -> Part:
        """``MEASURES (COUNT(*) AS ?n, ..)``."""
        return Part("measures", nodes(children, syntax.ExpressionAs), span_of(children))

    def measure(self, children: Children) -> syntax.ExpressionAs:
        """``COUNT(*) AS ?n``."""
        expression, variable = nodes(children, syntax.Node)
        return syntax.ExpressionAs(
            cast("syntax.Expression", expression), cast("syntax.Variable", variable), span=span_of(children)
        )

    def negated(self, children: Children) -> syntax.Negated:
        """``NOT {..} FOR length FROM START``."""
        group, length = cast("Group", children[1]), only(children, syntax.Duration)
        return syntax.Negated(group, length, has(children, "START"), span=span_of(children))

    def timer(self, children: Children) -> syntax.Timer:
        """``EVERY period``, ``AFTER period``."""
        word = cast('OneOf["EVERY", "AFTER"]', str(children[0]).upper())
        return syntax.Timer(word, cast("syntax.Duration", children[1]), span=span_of(children))

    def within(self, children: Children) -> syntax.Within:
        """``WITHIN length``."""
        return syntax.Within(cast("syntax.Duration", children[1]), span=span_of(children))

    def goal(self, children: Children) -> syntax.GoalPattern:
        """``prolog:near(?a, ?b)`` as a pattern."""
        name, *arguments = nodes(children, syntax.Node)
        terms = cast("tuple[syntax.Term, ...]", tuple(arguments))
        return syntax.GoalPattern(cast("syntax.Iri", name), terms, span=span_of(children))

    def optional(self, children: Children) -> OptionalPattern:
        """``OPTIONAL {..}``."""
        return OptionalPattern(cast("Group", children[-1]), span=span_of(children))

    def minus(self, children: Children) -> syntax.MinusPattern:
        """``MINUS {..}``."""
        return syntax.MinusPattern(cast("Group", children[-1]), span=span_of(children))

    def graph(self, children: Children) -> syntax.GraphPattern:
        """``GRAPH name {..}``."""
        name = cast("syntax.Variable | syntax.Iri", children[-2])
        return syntax.GraphPattern(name, cast("Group", children[-1]), span=span_of(children))

    def stream(self, children: Children) -> syntax.StreamPattern:
        """``STREAM name {..}``, ``STREAM name [..] {..}``, ``STREAM [..] name {..}``."""
        parts = nodes(children[:-1], syntax.Node)
        name = next(
            each for each in parts if isinstance(each, syntax.Variable | syntax.IriRef | syntax.PrefixedName)
        )
        extent = next((each for each in parts if each is not name), None)
        return syntax.StreamPattern(
            name,
            cast("Group", children[-1]),
            cast("syntax.StreamExtent | None", extent),
            span=span_of(children),
        )

    def window_pattern(self, children: Children) -> syntax.WindowPattern | Group:
        """``WINDOW name {..}``."""
        name = cast("syntax.Variable | syntax.Iri", children[-2])
        window = syntax.WindowPattern(name, cast("Group", children[-1]), span=span_of(children))
        return read_as_match(window)

    def event(self, children: Children) -> syntax.EventPattern:
        """``EVENT {..}``, ``EVENT stream {..}``."""
        stream = None if isinstance(children[-2], Token) else children[-2]
        return syntax.EventPattern(
            cast("syntax.Variable | syntax.Iri | None", stream),
            cast("Group", children[-1]),
            span=span_of(children),
        )

    def match(self, children: Children) -> syntax.MatchPattern:
        """``MATCH {..}``."""
        bindings, filters = nodes(children, syntax.Bind), nodes(children, syntax.Filter)
        behind = (*bindings, *filters)
        event = _event([each for each in children if each not in behind])
        conditions = tuple(each.expression for each in filters)
        return syntax.MatchPattern(event, bindings, conditions, span=span_of(children))

    def event_chain(self, children: Children) -> syntax.EventChain:
        """``E1 SEQ E2``."""
        place = next(
            number for number, child in enumerate(children)
            if isinstance(child, Token) and child.type not in ("LBRACE", "RBRACE")
        )  # fmt: skip
        selection = only(children, syntax.Selection)
        if selection is not None:
            hint = "PRAGMA selection says which events are chosen"
            raise Fault("EP108", f"SEQ {selection.word} cannot stand in MATCH", selection.span, hint)
        operator, left, right = str(children[place]).upper(), children[:place], children[place + 1 :]
        return syntax.EventChain(operator, _event(left), _event(right), span=span_of(children))

    def filtered_event(self, children: Children) -> syntax.EventExpression:
        """``{ E1 SEQ E2 FILTER (...) }``."""
        filters = nodes(children, syntax.Filter)
        event = _event([each for each in children if each not in filters])
        conditions = tuple(each.expression for each in filters)
        return syntax.FilteredEvent(event, conditions, span=span_of(children))

    def event_name(self, children: Children) -> syntax.EventName:
        """``E1``."""
        return syntax.EventName(str(children[0]), span=span_of(children))

    def named_event(self, children: Children) -> syntax.EventPattern:
        """``EVENT window {..}`` within MATCH."""
        return self.event(children)

    def chosen_event(self, children: Children) -> syntax.ChosenEvent:
        """``FIRST E1``, ``LAST E1``."""
        word = cast('OneOf["FIRST", "LAST"]', str(children[0]).upper())
        return syntax.ChosenEvent(word, _event(children[1:]), span=span_of(children))

    def service(self, children: Children) -> syntax.ServicePattern:
        """``SERVICE SILENT endpoint {..}``."""
        endpoint = cast("syntax.Variable | syntax.Iri", children[-2])
        group, silent = cast("Group", children[-1]), has(children, "SILENT")
        return syntax.ServicePattern(endpoint, group, silent, span=span_of(children))

    def filter(self, children: Children) -> syntax.Filter:
        """``FILTER expression``."""
        return syntax.Filter(cast("syntax.Expression", children[-1]), span=span_of(children))

    def bind(self, children: Children) -> syntax.Bind:
        """``BIND(expression AS ?variable)``."""
        expression, variable = nodes(children, syntax.Node)
        return syntax.Bind(
            cast("syntax.Expression", expression), cast("syntax.Variable", variable), span=span_of(children)
        )

    def inline_data(self, children: Children) -> syntax.InlineData:
        """``VALUES (?x ?y) { (1 2) }``."""
        variables = nodes(children, syntax.Variable)
        return syntax.InlineData(variables, nodes(children, syntax.DataRow), span=span_of(children))

    def data_row(self, children: Children) -> syntax.DataRow:
        """``(1 UNDEF)``, or a value that stands alone where there is one variable."""
        values = tuple(
            None if isinstance(child, Part) else child for child in children if not _is_mark(child)
        )
        return syntax.DataRow(
            cast("tuple[syntax.IriRef | syntax.PrefixedName | syntax.Literal | None, ...]", values),
            span=span_of(children),
        )

    one_value = data_row

    def undef(self, children: Children) -> Part:
        """``UNDEF``."""
        return Part("undef", None, span_of(children))


def _event(children: Children) -> syntax.EventExpression:
    """The event among braces."""
    return cast("syntax.EventExpression", only(children, syntax.Node))


def _per(children: Children) -> tuple[syntax.Variable, ...]:
    found = (child.value for child in children if isinstance(child, Part) and child.kind == "per")
    return cast("tuple[syntax.Variable, ...]", next(found, ()))


def _among(children: Children) -> Group | None:
    found = (child.value for child in children if isinstance(child, Part) and child.kind == "among")
    return cast("Group | None", next(found, None))


def _is_mark(child: Child) -> bool:
    return isinstance(child, Token)


def _elements(children: Children) -> tuple[syntax.GroupElement, ...]:
    """The elements of a group: triples gathered into blocks, combinators applied to their neighbours."""
    elements: list[syntax.GroupElement] = []
    triples: list[syntax.SubjectTriples] = []
    operator: str | None = None
    selection: syntax.Selection | None = None
    for child in children:
        if isinstance(child, syntax.SubjectTriples):
            triples.append(child)
            continue
        if isinstance(child, Token):
            if child.type != "DOT":
                operator = child.upper()
            continue
        if isinstance(child, syntax.Selection):
            selection = child
            continue
        _close_block(triples, elements)
        element = cast("syntax.GroupElement", child)
        if operator is not None:
            left = _take_chain(elements)
            right = cast("syntax.Step", element)
            element = Combination(operator, left, right, selection, span=left.span.to(right.span))
            operator = selection = None
        elements.append(element)
    _close_block(triples, elements)
    return tuple(elements)


def _close_block(triples: list[syntax.SubjectTriples], elements: list[syntax.GroupElement]) -> None:
    """Triples that end here become one block of the group."""
    if triples:
        elements.append(syntax.TriplesBlock(tuple(triples), span=span_of(triples)))
        triples.clear()


def _take_chain(elements: list[syntax.GroupElement]) -> syntax.Step | Combination:
    """Take the left side of a combinator off the elements: a step or chain, with the OPTIONALs after it.

    The grammar sees to it that there is one.
    """
    optionals: list[OptionalPattern] = []
    while isinstance(last := elements.pop(), OptionalPattern):
        optionals.append(last)
    left = cast("syntax.Step | Combination", last)
    for optional in reversed(optionals):
        left = Combination("OPTIONAL", left, optional.group, span=left.span.to(optional.span))
    return left
