"""From the syntax tree to the algebra (SPARQL 1.1, section 18.2, and the EP-SPARQL operators).

What parses but cannot be run is refused here, at its place, with EP201; nothing is ignored.
"""

from __future__ import annotations

from functools import reduce

from typing_extensions import assert_never

from etalis_py.compiler import algebra, syntax
from etalis_py.compiler.names import Names
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.translate_expressions import ExpressionTranslator
from etalis_py.compiler.translate_triples import TripleTranslator

__all__ = ["translate"]


def translate(query: syntax.Query, query_text: QueryText) -> algebra.Query:
    """The algebra of one query.

    Raises:
        CompileError: EP201 for what cannot be run, EP202 and EP203 for functions that do not fit.
        QuerySyntaxError: a prefix that is not declared.
    """
    return _Translator(query, query_text).query(query.form)


class _Translator:
    def __init__(self, query: syntax.Query, query_text: QueryText) -> None:
        names = Names(query.prologue, text=query_text.text, source=query_text.source)
        self._text = query_text
        self._check_pragmas(query.prologue)
        self._expressions = ExpressionTranslator(query_text, names)
        self._triples = TripleTranslator(query_text, self._expressions)

    def _check_pragmas(self, prologue: syntax.Prologue) -> None:
        for declaration in prologue.declarations:
            if not isinstance(declaration, syntax.Pragma):
                continue
            if declaration.name != "policy":
                hint = "the one PRAGMA is policy, as in: PRAGMA policy unrestricted"
                message = f"there is no PRAGMA {declaration.name}"
                raise self._text.error("EP204", message, declaration.span, hint=hint)
            if declaration.value != "unrestricted":
                message = f"the policy {declaration.value!r} cannot be run by this version"
                raise self._text.error("EP204", message, declaration.span, hint="the policy is unrestricted")

    def query(self, form: syntax.QueryForm) -> algebra.Query:
        match form:
            case syntax.Select():
                pattern = self._select(form)
                return algebra.SelectQuery(pattern, algebra.variables(pattern), span=form.span)
            case syntax.Construct():
                self._refuse_modifiers(form)
                pattern = self._group(form.where)
                template = self._triples.template(form.template)
                return algebra.ConstructQuery(pattern, template, span=form.span)
            case syntax.Ask():
                raise self._text.unsupported("ASK", form.span)
            case syntax.Describe():
                raise self._text.unsupported("DESCRIBE", form.span)
            case _:
                assert_never(form)

    def _refuse_modifiers(self, form: syntax.Select | syntax.Construct) -> None:
        if form.datasets:
            raise self._text.unsupported("FROM", form.datasets[0].span)
        if form.values is not None:
            raise self._text.unsupported("VALUES", form.values.span)
        modifiers = form.modifiers
        for clause, parts in (
            ("GROUP BY", modifiers.group_by),
            ("HAVING", modifiers.having),
            ("ORDER BY", modifiers.order_by),
        ):
            if parts:
                raise self._text.unsupported(clause, parts[0].span)
        if modifiers.window is not None:
            raise self._text.unsupported("WINDOW", modifiers.window.span)
        for clause, number in (("LIMIT", modifiers.limit), ("OFFSET", modifiers.offset)):
            if number is not None:
                raise self._text.unsupported(clause, modifiers.span)

    def _select(self, select: syntax.Select) -> algebra.Pattern:
        self._refuse_modifiers(select)
        pattern = self._group(select.where)
        columns = []
        if select.projection is None:
            columns = [each for each in algebra.variables(pattern) if not each.is_hidden]
        else:
            for column in select.projection:
                if isinstance(column, syntax.ExpressionAs):
                    variable = self._variable(column.variable)
                    value = self._expressions.translate(column.expression)
                    pattern = algebra.Extend(pattern, variable, value, span=column.span)
                    columns.append(variable)
                else:
                    columns.append(self._variable(column))
        pattern = algebra.Project(pattern, tuple(dict.fromkeys(columns)), span=select.span)
        return algebra.Distinct(pattern, span=select.span) if select.duplicates == "DISTINCT" else pattern

    def _variable(self, variable: syntax.Variable) -> algebra.Variable:
        return algebra.Variable(variable.name, span=variable.span)

    def _group(self, group: syntax.Group) -> algebra.Pattern:
        pattern, condition = self._group_parts(group)
        if condition is None:
            return pattern
        return algebra.Filter(condition, pattern, span=condition.span)

    def _group_parts(self, group: syntax.Group) -> tuple[algebra.Pattern, algebra.Expression | None]:
        """The pattern of a group and its own filter, apart: of an optional group the filter is the condition.

        The filter of a group inside the group is no condition (SPARQL 1.1, section 18.2.2.6): it does not
        see the variables of the other side.
        """
        pattern: algebra.Pattern = algebra.Unit(span=group.span)
        conditions: list[algebra.Expression] = []
        for element in group.elements:
            if isinstance(element, syntax.Filter):
                conditions.append(self._expressions.translate(element.expression))
            else:
                pattern = self._element(pattern, element)
        return pattern, (algebra.conjoin(conditions) if conditions else None)

    def _element(self, before: algebra.Pattern, element: syntax.GroupElement) -> algebra.Pattern:
        """``before`` extended by one element of its group."""
        match element:
            case syntax.TriplesBlock(subjects=subjects):
                return reduce(_join, self._triples.patterns(subjects), before)
            case syntax.Bind(expression=expression, variable=variable):
                value = self._expressions.translate(expression)
                return algebra.Extend(before, self._variable(variable), value, span=element.span)
            case syntax.OptionalPattern(group=group):
                optional, condition = self._group_parts(group)
                return algebra.Optional(before, optional, condition, span=element.span)
            case syntax.Group():
                return _join(before, self._group(element))
            case syntax.Combination():
                return _join(before, self._combination(element))
            case syntax.Select():
                return _join(before, self._select(element))
            case syntax.InlineData():
                raise self._text.unsupported("VALUES", element.span)
            case syntax.MinusPattern():
                raise self._text.unsupported("MINUS", element.span)
            case syntax.GraphPattern():
                raise self._text.unsupported("GRAPH", element.span)
            case syntax.ServicePattern():
                hint = "load the other endpoint's data as background, or send it as a stream"
                raise self._text.unsupported("SERVICE", element.span, hint=hint)
            case syntax.Filter():
                raise AssertionError("filters belong to their group")
            case _:
                assert_never(element)

    def _combination(self, element: syntax.Combination | syntax.Group) -> algebra.Pattern:
        if isinstance(element, syntax.Group):
            return self._group(element)
        left, span = element.left, element.span
        match element.operator:
            case syntax.Combinator.SEQ:
                return algebra.SeqJoin(self._combination(left), self._group(element.right), span=span)
            case syntax.Combinator.EQUALS:
                return algebra.EqualsJoin(self._combination(left), self._group(element.right), span=span)
            case syntax.Combinator.UNION:
                return algebra.Union(self._combination(left), self._group(element.right), span=span)
            case syntax.Combinator.OPTIONAL:
                right, condition = self._group_parts(element.right)
                return algebra.Optional(self._combination(left), right, condition, span=span)
            case syntax.Combinator.EQUALSOPTIONAL:
                right, condition = self._group_parts(element.right)
                return algebra.EqualsOptional(self._combination(left), right, condition, span=span)
            case syntax.Combinator.OPTIONALSEQ:
                optional, condition = self._combination(left), None
                if isinstance(left, syntax.Group):
                    optional, condition = self._group_parts(left)
                return algebra.OptionalSeq(optional, self._group(element.right), condition, span=span)
            case _:
                assert_never(element.operator)


def _join(left: algebra.Pattern, right: algebra.Pattern) -> algebra.Pattern:
    """A Join, where neither side is the empty group (SPARQL 1.1, section 18.2.2.8)."""
    if isinstance(left, algebra.Unit):
        return right
    if isinstance(right, algebra.Unit):
        return left
    return algebra.Join(left, right, span=left.span.to(right.span))
