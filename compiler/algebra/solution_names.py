"""A column that tells solutions apart, where an expression needs one.

``BNODE(label)`` gives one blank node for a label within a solution, and another one in each other solution
(SPARQL 1.1, section 17.4.2.9). So a pattern gets a column with a blank node of its own for each solution.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Expression, Pattern, Variable
from etalis_py.compiler.algebra.translate_expressions import SOLUTION
from etalis_py.compiler.spans import Span

__all__ = ["name_solutions"]


def name_solutions(
    pattern: Pattern, expression: Expression, fresh: Callable[[Span], Variable]
) -> tuple[Pattern, Expression]:
    """``pattern`` with such a column, if ``expression`` needs it, and the expression that uses it."""
    if SOLUTION not in algebra.expression_variables(expression):
        return pattern, expression
    column = _column(pattern)
    if column is None:
        column = fresh(expression.span)
        value = algebra.Apply("BNODE", (), span=expression.span)
        pattern = algebra.Extend(pattern, column, value, span=expression.span)
    return pattern, _with_column(expression, column)


def _column(pattern: Pattern) -> Variable | None:
    """The column of an expression that stood on the same solutions before."""
    kept = algebra.variables(pattern)
    while isinstance(pattern, algebra.Extend | algebra.Filter | algebra.Project):
        if isinstance(pattern, algebra.Extend) and _is_column(pattern):
            return pattern.variable if pattern.variable in kept else None
        pattern = pattern.pattern
    return None


def _is_column(pattern: algebra.Extend) -> bool:
    return pattern.variable.is_hidden and pattern.expression == algebra.Apply("BNODE", ())


def _with_column(expression: Expression, column: Variable) -> Expression:
    match expression:
        case algebra.Variable():
            return column if expression == SOLUTION else expression
        case algebra.Apply(arguments=arguments):
            return replace(expression, arguments=tuple(_with_column(each, column) for each in arguments))
        case algebra.Constant() | algebra.Exists():
            return expression
        case _:
            assert_never(expression)
