"""Expressions: from the syntax tree to the algebra.

Names are resolved and literals take their one form. A function with another IRI than the known ones may be
the user's: see ``lint/functions.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final, TypeAlias

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.functions import (
    FUNCTIONS,
    PROLOG_NAMESPACE,
    TIME_FUNCTIONS,
    TIMESTAMP,
    WINDOW_FUNCTIONS,
)
from etalis_py.compiler.algebra.stream_windows import Grid, TimeExtent, closings
from etalis_py.compiler.algebra.windowed import StreamWindow
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.names import Names
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.spans import Span
from etalis_py.core.terms import encode_literal
from etalis_py.core.vocabulary import XSD_INTEGER

__all__ = ["SOLUTION", "AggregateNamer", "ExpressionTranslator"]

SOLUTION = algebra.Variable("_: solution")
"""Stands for the solution in ``BNODE(label)`` until ``solution_names.py`` puts a column in its place."""

AggregateNamer: TypeAlias = Callable[[syntax.Aggregate], algebra.Variable]
"""Gives the variable that holds the value of an aggregate."""

_Operator: TypeAlias = (
    syntax.Or | syntax.And | syntax.Comparison | syntax.Arithmetic | syntax.Unary | syntax.Membership
)
_NO_WINDOWS: Final[Mapping[str, StreamWindow]] = MappingProxyType({})
_FORMS = frozenset({"BOUND", "IF", "COALESCE", "SAMETERM"})
"""Built-ins that are not plain functions: they look at errors or at terms, not at values."""


class ExpressionTranslator:
    """Translates the expressions of one query.

    ``group`` translates the group of an EXISTS, and ``newest_time`` tells when a triple came last; the
    translator of patterns sets them. ``windows`` are those on
    streams that the query declares.
    """

    def __init__(
        self, query_text: QueryText, names: Names, windows: Mapping[str, StreamWindow] = _NO_WINDOWS
    ) -> None:
        self._text = query_text
        self._names = names
        self._windows = windows
        self._aggregate: AggregateNamer | None = None
        self.group: Callable[[syntax.Group], algebra.Pattern] = self._no_group
        self.newest_time: Callable[[syntax.FunctionCall], algebra.Variable] = _some_time

    @contextmanager
    def aggregates(self, namer: AggregateNamer | None) -> Iterator[None]:
        """Within the context ``namer`` says what stands for an aggregate."""
        before, self._aggregate = self._aggregate, namer
        try:
            yield
        finally:
            self._aggregate = before

    def iri(self, name: syntax.Iri) -> str:
        """The absolute IRI that a name means.

        Raises:
            QuerySyntaxError: EP106, the prefix is not declared.
        """
        return self._names.resolve(name)

    def constant(self, term: syntax.IriRef | syntax.PrefixedName | syntax.Literal) -> algebra.Constant:
        """An IRI or a literal as it stands in a pattern or an expression."""
        if isinstance(term, syntax.Literal):
            datatype = None if term.datatype is None else self._names.resolve(term.datatype)
            value = encode_literal(term.lexical, datatype, term.language)
            return algebra.Constant(value, span=term.span)
        return algebra.Constant(self._names.resolve(term), span=term.span)

    def translate(self, expression: syntax.Expression) -> algebra.Expression:
        """The algebra of ``expression``.

        Raises:
            CompileError: EP202 for what cannot be a function, EP203 for a wrong number of arguments.
        """
        span = expression.span
        match expression:
            case syntax.Variable(name=name):
                return algebra.Variable(name, span=span)
            case syntax.IriRef() | syntax.PrefixedName() | syntax.Literal():
                return self.constant(expression)
            case syntax.BuiltInCall():
                return self._built_in(expression)
            case syntax.FunctionCall():
                return self._function(expression)
            case syntax.Exists(group=group, negated=negated):
                with self.aggregates(None):
                    test = algebra.Exists(self.group(group), span=span)
                return algebra.Apply("!", (test,), span=span) if negated else test
            case syntax.Aggregate():
                assert self._aggregate is not None, "restrictions.py refuses aggregates elsewhere"
                return self._aggregate(expression)
            case (
                syntax.Or()
                | syntax.And()
                | syntax.Comparison()
                | syntax.Membership()
                | syntax.Arithmetic()
                | syntax.Unary()
            ):
                return self._operator(expression)
            case _:
                assert_never(expression)

    def _operator(self, expression: _Operator) -> algebra.Expression:
        span = expression.span
        match expression:
            case syntax.Or(operands=operands):
                return self._apply("||", operands, span)
            case syntax.And(operands=operands):
                return self._apply("&&", operands, span)
            case syntax.Comparison(operator=operator, left=left, right=right):
                return self._apply(operator, (left, right), span)
            case syntax.Arithmetic(operator=operator, left=left, right=right):
                return self._apply(operator, (left, right), span)
            case syntax.Unary(operator=operator, operand=operand):
                return self._apply({"!": "!", "-": "negate", "+": "plus"}[operator], (operand,), span)
            case syntax.Membership(value=value, choices=choices, negated=negated):
                test = self._apply("in", (value, *choices), span)
                return algebra.Apply("!", (test,), span=span) if negated else test
            case _:
                assert_never(expression)

    def _apply(self, name: str, arguments: tuple[syntax.Expression, ...], span: Span) -> algebra.Apply:
        return algebra.Apply(name, tuple(self.translate(each) for each in arguments), span=span)

    def _built_in(self, call: syntax.BuiltInCall) -> algebra.Expression:
        if call.name == "IRI":
            base = algebra.Constant(self._names.base or "", span=call.span)
            return algebra.Apply("IRI", (base, self.translate(call.arguments[0])), span=call.span)
        if call.name == "BNODE" and call.arguments:
            label = self.translate(call.arguments[0])
            return algebra.Apply("BNODE", (SOLUTION, label), span=call.span)
        if call.name == "PREV":
            return self._previous(call)
        if call.name in WINDOW_FUNCTIONS:
            return self._of_window(call)
        if call.name not in FUNCTIONS and call.name not in _FORMS and call.name not in TIME_FUNCTIONS:
            raise self._text.unsupported(f"the function {call.name}", call.span)
        return self._apply(call.name, call.arguments, call.span)

    def window(self, name: syntax.Iri) -> StreamWindow:
        """The window on a stream that has a name.

        Raises:
            CompileError: EP217, the query declares none.
        """
        iri = self._names.resolve(name)
        if iri not in self._windows:
            hint = "declare it: FROM NAMED WINDOW name ON stream [RANGE PT1H STEP PT10M]"
            if self._windows:
                hint = f"the query declares {', '.join(f'<{each}>' for each in self._windows)}; or {hint}"
            raise self._text.error("EP217", f"the window <{iri}> is not declared", name.span, hint=hint)
        return self._windows[iri]

    def _of_window(self, call: syntax.BuiltInCall) -> algebra.Expression:
        """When a window begins or ends at an instant, as arithmetic of that instant."""
        (name,) = call.arguments
        if not isinstance(name, syntax.IriRef | syntax.PrefixedName):
            hint = "name a window that the query declares"
            raise self._text.error("EP217", f"{call.name} is of a window", call.span, hint=hint)
        extent = self.window(name).extent
        if not isinstance(extent, TimeExtent) or extent.moving:
            what = f"{call.name} of a window that is not [RANGE ...], or is looked at before it closes,"
            raise self._text.unsupported(what, call.span)
        period, first = closings(extent) or Grid(1, extent.origin)
        numbers = [extent.width, period, *([] if first is None else [first])]
        constants = (algebra.Constant((each, XSD_INTEGER), span=call.span) for each in numbers)
        return algebra.Apply(call.name, (self.constant(name), *constants), span=call.span)

    def _previous(self, call: syntax.BuiltInCall) -> algebra.Expression:
        """PREV(?v): the last value of the iterations before; PREV(?v, d): d where there is none."""
        assert self._aggregate is not None, "restrictions.py refuses PREV elsewhere"
        variable, *default = call.arguments
        value = self._aggregate(syntax.Aggregate("LAST", variable, distinct=False, span=call.span))
        if not default:
            return value
        return algebra.Apply("COALESCE", (value, self.translate(default[0])), span=call.span)

    def _function(self, call: syntax.FunctionCall) -> algebra.Expression:
        iri = self._names.resolve(call.function)
        if iri.startswith(PROLOG_NAMESPACE) and not call.distinct:
            return self._apply(iri, call.arguments, call.span)
        if ":" not in iri or (call.distinct and iri not in FUNCTIONS):
            what = "is not an aggregate: leave DISTINCT out" if ":" in iri else "is not an absolute IRI"
            hint = "casts are xsd:integer(...) and the like; a Prolog predicate is prolog:name(...)"
            raise self._text.error("EP202", f"the function <{iri}> {what}", call.span, hint=hint)
        if iri == TIMESTAMP:
            return self.newest_time(call)
        if iri not in FUNCTIONS:
            return self._apply(iri, call.arguments, call.span)
        if call.distinct or len(call.arguments) != FUNCTIONS[iri].least:
            raise self._text.error("EP203", f"<{iri}> takes one argument, without DISTINCT", call.span)
        return self._apply(iri, call.arguments, call.span)

    def _no_group(self, _group: syntax.Group) -> algebra.Pattern:
        raise AssertionError("the translator of patterns sets ``group``")


def _some_time(call: syntax.FunctionCall) -> algebra.Variable:
    """What stands for a time where nobody looks for it."""
    return algebra.Variable("_: time", span=call.span)
