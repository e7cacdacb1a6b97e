"""Which variables a pattern binds in every solution, and where an expression keeps its value.

Both passes and the plan ask these questions of the algebra.
"""

from __future__ import annotations

from typing import Final

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.algebra import Expression, Pattern, Variable
from etalis_py.compiler.algebra.functions import TIME_FUNCTIONS
from etalis_py.compiler.algebra.pattern_facts import pattern_fact

__all__ = ["certain_variables", "differs_in_time", "end_variables", "is_drawn", "is_open", "keeps_value"]

_DRAWN: Final = frozenset({"RAND", "UUID", "STRUUID", "BNODE"})
"""Functions that have another value at each call."""


@pattern_fact
def certain_variables(
    pattern: Pattern,
) -> frozenset[Variable]:
    """The variables that are bound in every solution of ``pattern``."""
    match pattern:
        case algebra.Table(variables=columns, rows=rows):
            return frozenset(
                each for place, each in enumerate(columns) if all(row[place] is not None for row in rows)
            )
        case algebra.TriplePattern() | algebra.Lookup() | algebra.Closure():
            return frozenset(algebra.variables(pattern))
        case algebra.Union():
            return certain_variables(pattern.left) & certain_variables(pattern.right)
        case algebra.Repeat():
            counts = (each.variable for each in pattern.measures if each.function == "COUNT")
            shared = (
                certain_variables(pattern.group) & frozenset(pattern.shared) if pattern.low else frozenset()
            )
            return shared.union(counts, *map(certain_variables, pattern.required))
        case algebra.Group():
            counts = (each.variable for each in pattern.aggregates if each.function == "COUNT")
            sure = (*pattern.keys, algebra.CHANGE)
            return (certain_variables(pattern.pattern) & frozenset(sure)) | frozenset(counts)
        case algebra.Extend(variable=variable, expression=expression):
            certain = certain_variables(pattern.pattern)
            return certain | {variable} if _has_value(expression, certain) else certain
        case algebra.Snapshot(changes=True):
            return certain_variables(pattern.pattern) | {algebra.CHANGE}
        case algebra.Changes():
            return certain_variables(pattern.pattern) - {algebra.CHANGE}
        case algebra.Project():
            return certain_variables(pattern.pattern) & frozenset(pattern.variables)
        case _:
            return frozenset[Variable]().union(*map(certain_variables, pattern.required))


def _has_value(expression: Expression, certain: frozenset[Variable]) -> bool:
    """Whether it is a term or a certain variable, or else becomes one."""
    if isinstance(expression, algebra.Apply) and expression.function == "COALESCE":
        return any(_has_value(each, certain) for each in expression.arguments)
    return isinstance(expression, algebra.Constant) or expression in certain


@pattern_fact
def end_variables(pattern: Pattern) -> frozenset[Variable]:
    """The variables that hold the end of the solution itself, by ``BIND(getENDTIME() AS ?now)``."""
    match pattern:
        case algebra.Extend(variable=variable, expression=algebra.Apply(function="GETENDTIME")):
            return end_variables(pattern.pattern) | {variable}
        case algebra.Filter() | algebra.Extend() | algebra.Distinct() | algebra.Skip():
            return end_variables(pattern.pattern)
        case algebra.Minus():
            return end_variables(pattern.left)
        case algebra.Project(variables=variables):
            return end_variables(pattern.pattern) & frozenset(variables)
        case _:
            return frozenset()


@pattern_fact
def is_open(pattern: Pattern) -> bool:
    """Whether there are timeless solutions for whatever terms others ask for: a path may have no step."""
    match pattern:
        case algebra.Closure(zero=zero, pattern=step):
            return zero or is_open(step)
        case algebra.Union() | algebra.Pair(operator=operators.JOIN):
            return is_open(pattern.left) or is_open(pattern.right)
        case algebra.Filter() | algebra.Extend():
            return is_open(pattern.pattern)
        case _:
            return False


def keeps_value(expression: Expression, inside: Pattern, beside: Pattern) -> bool:
    """Whether ``expression`` has the same value on ``inside`` as after joining it with ``beside``.

    A variable keeps its value if it is certain inside, or if only the inside knows it. Time functions
    never do: they speak of the interval of the group they stand in; nor does what is new at each call.
    """
    if algebra.uses_time(expression) or differs_in_time(expression):
        return False
    known, certain = algebra.variables(inside), certain_variables(inside)
    others = algebra.variables(beside)
    return all(
        variable in certain or (variable in known and variable not in others)
        for variable in algebra.expression_variables(expression)
    )


def is_drawn(expression: Expression) -> bool:
    """Whether the value is another one each time that it is asked for, and does not go with the time."""
    names = _functions(expression)
    return bool(names & _DRAWN) and "NOW" not in names


def differs_in_time(expression: Expression) -> bool:
    """Whether the value may be another one at another instant, whatever an EXISTS in it finds then."""
    return bool(_functions(expression) & (_DRAWN | TIME_FUNCTIONS | {"NOW"}))


def _functions(expression: Expression) -> frozenset[str]:
    if not isinstance(expression, algebra.Apply):
        return frozenset()
    return frozenset({expression.function}).union(*map(_functions, expression.arguments))
