"""What stands around WHERE: groups and aggregates, the SELECT clause, order and slices.

SPARQL 1.1, sections 18.2.4 and 18.2.5; WINDOW stands after HAVING and says which solutions are aggregated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.aggregate_names import AggregateNames
from etalis_py.compiler.algebra.aggregate_windows import Window
from etalis_py.compiler.algebra.aggregates import AGGREGATES
from etalis_py.compiler.algebra.last_occurrence import is_known_later, with_last_occurrence
from etalis_py.compiler.algebra.translate_expressions import ExpressionTranslator
from etalis_py.compiler.algebra.translate_patterns import PatternTranslator, join, variable_of
from etalis_py.compiler.algebra.translate_windows import translate_window
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.aggregate_rules import is_grouped
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.spans import Span

__all__ = ["ModifierTranslator", "with_values_of_nothing"]

_Form: TypeAlias = syntax.Select | syntax.Construct | syntax.Ask | syntax.Describe
_Columns: TypeAlias = "list[tuple[algebra.Variable, algebra.Expression | None]]"
"""Variables with the expressions that give their values; None for a variable of the pattern."""


class ModifierTranslator:
    """Translates what stands around the groups of one query and of its sub-SELECTs."""

    def __init__(
        self, text: QueryText, expressions: ExpressionTranslator, patterns: PatternTranslator
    ) -> None:
        self._text = text
        self._expressions = expressions
        self._patterns = patterns
        patterns.select = self.sub_select

    def select(self, select: syntax.Select) -> algebra.Pattern:
        """The pattern of a SELECT query: the order of its rows counts."""
        return self._select(select, is_query=True)

    def sub_select(self, select: syntax.Select) -> algebra.Pattern:
        """The pattern of a sub-SELECT: a bag."""
        return self._select(select, is_query=False)

    def solutions(self, form: syntax.Construct | syntax.Ask | syntax.Describe) -> algebra.Pattern:
        """The pattern of a query without columns, after its modifiers."""
        where = self._empty(form) if form.where is None else self._patterns.group(form.where)
        pattern, _, order = self._grouped(form, self._with_aggregates(form, where))
        if form.modifiers.limit is None and form.modifiers.offset is None:
            return pattern  # an order changes nothing where no rows are shown
        return self._sliced(form, self._ordered(pattern, order))

    def _empty(self, form: _Form) -> algebra.Pattern:
        return algebra.Unit(span=form.span)

    # ---- SELECT -----------------------------------------------------------------------------------------

    def _select(self, select: syntax.Select, *, is_query: bool) -> algebra.Pattern:
        pattern = self._with_aggregates(select, self._patterns.group(select.where))
        pattern, columns, order = self._grouped(select, pattern)
        if select.projection is None:
            columns = [(each, None) for each in algebra.variables(pattern) if not each.is_hidden]
        for variable, value in columns:
            if value is not None:
                pattern = self._patterns.extended_by(pattern, variable, value, variable.span)
        shown = tuple(dict.fromkeys(variable for variable, _ in columns))
        if not is_query and select.modifiers.limit is None and select.modifiers.offset is None:
            order = None
        return self._shown(select, pattern, shown, order)

    def _shown(
        self,
        select: syntax.Select,
        pattern: algebra.Pattern,
        shown: tuple[algebra.Variable, ...],
        order: list[tuple[algebra.Expression, bool]] | None,
    ) -> algebra.Pattern:
        """Columns, DISTINCT and order. Where the order needs hidden columns, it comes before they go."""
        places = self._patterns.graph.variables
        if places:
            if order is not None:
                word = "GRAPH" if self._patterns.graph.place is None else "STREAM"
                what = f"LIMIT in a sub-SELECT within {word} with a variable"
                raise self._text.unsupported(what, select.modifiers.span)
            shown = tuple(dict.fromkeys((*shown, *places)))
        needed = {each for key, _ in order or () for each in algebra.expression_variables(key)}
        ordered_first = order is not None and not needed <= set(shown)
        if ordered_first:
            pattern = self._ordered(pattern, order)
        pattern = algebra.Project(pattern, shown, self._patterns.closes, span=select.span)
        if select.duplicates == "DISTINCT":
            pattern = algebra.Distinct(pattern, span=select.span)
        if order is not None and not ordered_first:
            ordered = self._ordered(pattern, order)
            hidden = algebra.variables(ordered) != shown
            pattern = algebra.Project(ordered, shown, span=select.span) if hidden else ordered
        return self._sliced(select, pattern)

    # ---- groups -----------------------------------------------------------------------------------------

    def _with_aggregates(self, form: _Form, pattern: algebra.Pattern) -> algebra.Pattern:
        """Each solution with the values of AGGREGATE: each is of those that agree in its keys."""
        found, conditions = pattern, []
        for each in form.modifiers.aggregates:
            if not self._patterns.is_windowed:
                hint = "count in a sub-SELECT: { SELECT ?x (COUNT(*) AS ?n) { ... } GROUP BY ?x }"
                raise self._text.unsupported("AGGREGATE without windows on streams", each.span, hint=hint)
            name, argument = each.aggregate.name, each.aggregate.argument
            counted = algebra.Aggregate(
                variable_of(each.variable), name,
                variable_of(argument) if isinstance(argument, syntax.Variable) else None,
                distinct=False, span=each.aggregate.span,
            )  # fmt: skip
            keys = dict.fromkeys((*map(variable_of, each.keys), *self._patterns.graph.variables))
            groups = algebra.Group(pattern, tuple(keys), (counted,), None, span=each.span)
            found = join(found, groups)
            conditions += [self._expressions.translate(test.expression) for test in each.conditions]
        return self._patterns.filtered(found, algebra.conjoin(conditions) if conditions else None)

    def _grouped(
        self, form: _Form, pattern: algebra.Pattern
    ) -> tuple[algebra.Pattern, _Columns, list[tuple[algebra.Expression, bool]] | None]:
        """The pattern after GROUP BY, HAVING and VALUES, a SELECT's columns, and the keys of its order."""
        modifiers = form.modifiers
        grouping = _Grouping(self._text, self._expressions, self._patterns) if is_grouped(form) else None
        with self._expressions.aggregates(None if grouping is None else grouping.named):
            columns = self._columns(form, grouping)
            named = _values(columns)
            having = [
                algebra.with_values(self._expressions.translate(each), named) for each in modifiers.having
            ]
            keys = [(self._expressions.translate(each.expression), each.descending)
                    for each in modifiers.order_by]  # fmt: skip
        if grouping is not None:
            window = None if modifiers.window is None else translate_window(modifiers.window, self._text)
            pattern = grouping.over(form, pattern, window)
        elif modifiers.window is not None:
            hint = (
                "WINDOW says which solutions GROUP BY and the aggregates see; use a FILTER to bound a pattern"
            )
            message = "a WINDOW without aggregates"
            raise self._text.error("EP210", message, modifiers.window.span, hint=hint)
        pattern = self._patterns.filtered(pattern, algebra.conjoin(having) if having else None)
        if modifiers.skip is not None:
            pattern = self._skipped(pattern, modifiers.skip)
        if form.values is not None:
            pattern = join(pattern, self._patterns.table(form.values))
        wanted = bool(modifiers.order_by) or modifiers.limit is not None or modifiers.offset is not None
        return pattern, columns, keys if wanted else None

    def _columns(self, form: _Form, grouping: _Grouping | None) -> _Columns:
        columns: _Columns = []
        for column in (form.projection or ()) if isinstance(form, syntax.Select) else ():
            if isinstance(column, syntax.ExpressionAs):
                variable = algebra.Variable(column.variable.name, span=column.span)
                if grouping is not None and isinstance(column.expression, syntax.Aggregate):
                    # HAVING comes before the names of SELECT.
                    wanted = None if form.modifiers.having else variable
                    named = grouping.named(column.expression, wanted)
                    columns.append((variable, None if named == variable else named))
                else:
                    columns.append((variable, self._expressions.translate(column.expression)))
            else:
                columns.append((variable_of(column), None))
        return columns

    def _skipped(self, pattern: algebra.Pattern, skip: syntax.Skip) -> algebra.Pattern:
        keys = tuple(map(variable_of, skip.per))
        for each in keys:
            if each not in algebra.variables(pattern):
                message = f"nothing binds ?{each.name} of PER"
                hint = "PER names variables of the answers"
                raise self._text.error("EP215", message, each.span, hint=hint)
        if skip.to_next or not is_known_later(pattern):
            return algebra.Skip(pattern, keys, skip.to_next, span=skip.span)
        ended = self._patterns.triples.hidden(skip.span)
        found = with_last_occurrence(pattern, ended, partial(self._patterns.triples.hidden, skip.span))
        if found is None:
            what = "SKIP PAST LAST where of several parts that are known late any may end last"
            hint = (
                "let one follow the other by SEQ, or use SKIP TO NEXT, which goes by when answers are given"
            )
            raise self._text.unsupported(what, skip.span, hint=hint)
        return algebra.Skip(found, keys, to_next=False, ended=ended, span=skip.span)

    # ---- order ------------------------------------------------------------------------------------------

    def _ordered(
        self, pattern: algebra.Pattern, order: list[tuple[algebra.Expression, bool]] | None
    ) -> algebra.Pattern:
        """The solutions of an instant in order; a key that is an expression becomes a hidden column."""
        if order is None:
            return pattern
        keys = []
        for expression, descending in order:
            if isinstance(expression, algebra.Variable) and expression in algebra.variables(pattern):
                variable = expression
            else:
                variable = self._patterns.triples.hidden(expression.span)
                pattern = self._patterns.extended_by(pattern, variable, expression, expression.span)
            keys.append(algebra.OrderKey(variable, descending, span=expression.span))
        return algebra.OrderBy(pattern, tuple(keys), span=pattern.span)

    def _sliced(self, form: _Form, pattern: algebra.Pattern) -> algebra.Pattern:
        limit, offset = form.modifiers.limit, form.modifiers.offset
        if limit is None and not offset:
            return pattern
        return algebra.Slice(pattern, offset or 0, limit, span=form.modifiers.span)


class _Grouping:
    """The keys and aggregates of one SELECT."""

    def __init__(
        self, text: QueryText, expressions: ExpressionTranslator, patterns: PatternTranslator
    ) -> None:
        self._text = text
        self._expressions = expressions
        self._patterns = patterns
        self._names = AggregateNames(expressions, patterns.triples.hidden)
        self.named = self._names.named

    def over(self, form: _Form, pattern: algebra.Pattern, window: Window | None) -> algebra.Pattern:
        """The groups of ``pattern``."""
        keys: list[algebra.Variable] = []
        for key in form.modifiers.group_by:
            if isinstance(key, syntax.Variable):
                keys.append(variable_of(key))
                continue
            if isinstance(key, syntax.ExpressionAs):
                variable, expression = variable_of(key.variable), key.expression
            else:
                variable, expression = self._patterns.triples.hidden(key.span), key
            pattern = self._patterns.extended(pattern, variable, expression, key.span)
            keys.append(variable)
        for variable, value in self._names.arguments:
            pattern = self._patterns.extended_by(pattern, variable, value, variable.span)
        aggregates = self._names.aggregates
        graph = self._patterns.graph
        if isinstance(graph.name, algebra.Variable) and not keys:
            return self._one_row_a_graph(pattern, graph.name, aggregates, window, form.span)
        keys += graph.variables
        return algebra.Group(pattern, tuple(dict.fromkeys(keys)), aggregates, window, span=form.span)

    def _one_row_a_graph(
        self,
        pattern: algebra.Pattern,
        graph: algebra.Variable,
        aggregates: tuple[algebra.Aggregate, ...],
        window: Window | None,
        span: Span,
    ) -> algebra.Pattern:
        """Without GROUP BY there is one group in each graph, also where the graph has no solution."""
        there = self._patterns.triples.hidden(span)
        found = [replace(each, variable=self._patterns.triples.hidden(span)) for each in aggregates]
        counted = (*found, algebra.Aggregate(there, "COUNT", None, distinct=False, span=span))
        groups = algebra.Group(pattern, (graph,), counted, window, span=span)
        rows: algebra.Pattern = algebra.Pair(
            operators.OPTIONAL, algebra.Lookup(graph, span=span), groups, span=span
        )
        return with_values_of_nothing(rows, aggregates, found, there)


def _values(columns: _Columns) -> dict[algebra.Variable, algebra.Expression]:
    """What the names of SELECT stand for; a later one may be made of those before it."""
    found: dict[algebra.Variable, algebra.Expression] = {}
    for variable, expression in columns:
        if expression is not None:
            found[variable] = algebra.with_values(expression, found)
    return found


def with_values_of_nothing(
    rows: algebra.Pattern,
    wanted: Sequence[algebra.Aggregate],
    found: Sequence[algebra.Aggregate],
    there: algebra.Variable,
) -> algebra.Pattern:
    """``rows`` with the aggregates ``wanted``: those ``found``, or of nothing where ``there`` is unbound."""
    for each, own in zip(wanted, found, strict=True):
        value: algebra.Expression = own.variable
        of_none = AGGREGATES[each.function].of_none
        if of_none is not None:
            test = algebra.Apply("BOUND", (there,), span=rows.span)
            value = algebra.Apply("IF", (test, value, of_none), span=rows.span)
        rows = algebra.Extend(rows, each.variable, value, span=rows.span)
    return rows
