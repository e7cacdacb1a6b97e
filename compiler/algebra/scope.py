"""Which variables a pattern binds in every solution, and where an expression keeps its value.

Both passes and the plan ask these questions of the algebra.
"""

from __future__ import annotations

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.algebra import Expression, Pattern, Variable
from etalis_py.compiler.algebra.operators import Side
from etalis_py.compiler.algebra.pattern_facts import pattern_fact

__all__ = ["certain_variables", "end_variables", "is_drawn", "is_open", "keeps_value"]


@pattern_fact
def certain_variables(  # noqa: C901 - one branch for each node
    pattern: Pattern,
) -> frozenset[Variable]:
    """The variables that are bound in every solution of ``pattern``."""
    match pattern:
        case algebra.Unit() | algebra.Ticks():
            return frozenset()
        case algebra.Table(variables=columns, rows=rows):
            return frozenset(
                each for place, each in enumerate(columns) if all(row[place] is not None for row in rows)
            )
        case algebra.TriplePattern() | algebra.GraphNames() | algebra.Closure():
            return frozenset(algebra.variables(pattern))
        case algebra.Pair(operator=operator):
            sides = (certain_variables(pattern.side(each)) for each in Side if operator.has(each))
            return frozenset[Variable]().union(*sides)
        case algebra.Union():
            return certain_variables(pattern.left) & certain_variables(pattern.right)
        case algebra.Minus():
            return certain_variables(pattern.left)
        case (
            algebra.Filter() | algebra.Extend() | algebra.Distinct() | algebra.OrderBy() | algebra.Slice()
            | algebra.Skip() | algebra.Snapshot() | algebra.Changes()
        ):  # fmt: skip
            return certain_variables(pattern.pattern)
        case algebra.Gap(left=left, right=right):
            return certain_variables(right) | (frozenset() if left is None else certain_variables(left))
        case algebra.Absence(left=left):
            return certain_variables(left)
        case algebra.Repeat():
            counts = (each.variable for each in pattern.measures if each.function == "COUNT")
            shared = (
                certain_variables(pattern.group) & frozenset(pattern.shared) if pattern.low else frozenset()
            )
            around = (each for each in (pattern.left, pattern.then) if each is not None)
            return shared.union(counts, *map(certain_variables, around))
        case algebra.Group():
            counts = (each.variable for each in pattern.aggregates if each.function == "COUNT")
            return (certain_variables(pattern.pattern) & frozenset(pattern.keys)) | frozenset(counts)
        case algebra.Project():
            return certain_variables(pattern.pattern) & frozenset(pattern.variables)
        case _:
            assert_never(pattern)


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
        case (
            algebra.Unit()
            | algebra.Table()
            | algebra.GraphNames()
            | algebra.TriplePattern()
            | algebra.Ticks()
            | algebra.Pair()
            | algebra.Gap()
            | algebra.Absence()
            | algebra.Repeat()
            | algebra.Union()
            | algebra.Closure()
            | algebra.Group()
            | algebra.OrderBy()
            | algebra.Slice()
            | algebra.Snapshot()
            | algebra.Changes()
        ):
            return frozenset()
        case _:
            assert_never(pattern)


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
        case (
            algebra.Unit()
            | algebra.Table()
            | algebra.GraphNames()
            | algebra.TriplePattern()
            | algebra.Ticks()
            | algebra.Pair()
            | algebra.Gap()
            | algebra.Absence()
            | algebra.Repeat()
            | algebra.Minus()
            | algebra.Group()
            | algebra.OrderBy()
            | algebra.Slice()
            | algebra.Skip()
            | algebra.Project()
            | algebra.Distinct()
            | algebra.Snapshot()
            | algebra.Changes()
        ):
            return False
        case _:
            assert_never(pattern)


def keeps_value(expression: Expression, inside: Pattern, beside: Pattern) -> bool:
    """Whether ``expression`` has the same value on ``inside`` as after joining it with ``beside``.

    A variable keeps its value if it is certain inside, or if only the inside knows it. Time functions
    never do: they speak of the interval of the group they stand in; nor does what is new at each call.
    """
    if algebra.uses_time(expression) or _is_volatile(expression):
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
    return bool(names & {"RAND", "UUID", "STRUUID", "BNODE"}) and "NOW" not in names


def _functions(expression: Expression) -> frozenset[str]:
    if not isinstance(expression, algebra.Apply):
        return frozenset()
    return frozenset({expression.function}).union(*map(_functions, expression.arguments))


def _is_volatile(expression: Expression) -> bool:
    return isinstance(expression, algebra.Apply) and (
        expression.function in ("RAND", "UUID", "STRUUID", "BNODE", "NOW")
        or any(map(_is_volatile, expression.arguments))
    )
