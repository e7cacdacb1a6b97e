"""The tree builder's part for expressions (grammar.lark, "Expressions")."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from types import MappingProxyType
from typing import Literal as OneOf
from typing import cast

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.escapes import unescape_string
from etalis_py.compiler.parse.tree_base import Children, Part, has, nodes, only, span_of
from etalis_py.compiler.spans import Span

__all__ = ["ExpressionBuilder"]

_SYNONYMS = MappingProxyType({"URI": "IRI", "ISURI": "ISIRI"})


class ExpressionBuilder:
    """Operators, built-in functions, EXISTS and aggregates."""

    def expression(self, children: Children) -> syntax.Or:
        """``a || b``."""
        return syntax.Or(_expressions(children), span=span_of(children))

    def conjunction(self, children: Children) -> syntax.And:
        """``a && b``."""
        return syntax.And(_expressions(children), span=span_of(children))

    def comparison(self, children: Children) -> syntax.Comparison:
        """``a < b``."""
        left, right = _expressions(children)
        operator = cast("syntax.ComparisonOperator", str(children[1]))
        return syntax.Comparison(operator, left, right, span=span_of(children))

    def membership(self, children: Children) -> syntax.Membership:
        """``a IN (b, c)`` or ``a NOT IN (b, c)``."""
        value, *choices = _expressions(children)
        return syntax.Membership(value, tuple(choices), has(children[:2], "NOT"), span=span_of(children))

    def addition(self, children: Children) -> syntax.Arithmetic:
        """``a + b`` or ``a - b``."""
        left, right = _expressions(children)
        operator = cast("syntax.ArithmeticOperator", str(children[1]))
        return syntax.Arithmetic(operator, left, right, span=span_of(children))

    multiplication = addition

    def signed_term(self, children: Children) -> Part:
        """``-1 * ?y`` after an expression: the number without its sign and what it is multiplied by.

        The value is the operator with its right side.
        """
        number = cast("syntax.Literal", children[0])
        digits = Span(number.span.start + 1, number.span.end)
        datatype = None if number.datatype is None else replace(number.datatype, span=digits)
        unsigned: syntax.Expression = syntax.Literal(number.lexical[1:], datatype, span=digits)
        steps = zip(children[1::2], _expressions(children[2::2]), strict=True)
        product = reduce(
            lambda left, step: syntax.Arithmetic(
                cast("syntax.ArithmeticOperator", str(step[0])),
                left,
                step[1],
                span=left.span.to(step[1].span),
            ),
            steps,
            unsigned,
        )
        return Part("signed_term", (number.lexical[0], product), span_of(children))

    def signed_addition(self, children: Children) -> syntax.Arithmetic:
        """``?x -1``, which is ``?x - 1``."""
        (left,) = _expressions(children)
        operator, right = cast("Part", children[1]).value
        return syntax.Arithmetic(operator, left, right, span=span_of(children))

    def unary(self, children: Children) -> syntax.Unary:
        """``!a``, ``-a`` or ``+a``."""
        operator = cast('OneOf["!", "-", "+"]', str(children[0]))
        return syntax.Unary(operator, _expressions(children)[0], span=span_of(children))

    def bracketted(self, children: Children) -> syntax.Expression:
        """``( a )``: the expression, with the span of the parentheses."""
        return replace(_expressions(children)[0], span=span_of(children))

    def built_in(self, children: Children) -> syntax.BuiltInCall:
        """``STRLEN(a)`` and the like."""
        name = str(children[0]).upper()
        return syntax.BuiltInCall(_SYNONYMS.get(name, name), _expressions(children), span=span_of(children))

    def function_call(self, children: Children) -> syntax.FunctionCall:
        """``xsd:integer(a)``."""
        function = cast("syntax.Iri", children[0])
        arguments = _expressions(children[1:])
        return syntax.FunctionCall(function, arguments, has(children, "DISTINCT"), span=span_of(children))

    def exists(self, children: Children) -> syntax.Exists:
        """``EXISTS {...}`` or ``NOT EXISTS {...}``."""
        group = cast("syntax.Group", children[-1])
        return syntax.Exists(group, has(children, "NOT"), span=span_of(children))

    def aggregate(self, children: Children) -> syntax.Aggregate:
        """``COUNT(*)``, ``GROUP_CONCAT(DISTINCT a ; SEPARATOR = ",")`` and the like."""
        argument = cast("syntax.Expression | None", only(children, syntax.Node))
        separator = unescape_string(str(children[-2])) if has(children, "SEPARATOR") else None
        return syntax.Aggregate(
            cast("syntax.AggregateName", str(children[0]).upper()),
            argument,
            has(children, "DISTINCT"),
            separator,
            span=span_of(children),
        )


def _expressions(children: Children) -> tuple[syntax.Expression, ...]:
    return cast("tuple[syntax.Expression, ...]", nodes(children, syntax.Node))
