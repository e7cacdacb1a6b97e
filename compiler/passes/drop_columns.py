"""Leave out the variables that nothing above asks for, where a long chain of operators has gathered many.

    Project ?x (Join(... Join(?x :p ?y1, ?x :p ?y2) ..., ?x :p ?y999))

Each solution of each operator has a column for each variable so far: in a chain of a thousand patterns with a
variable of its own each, half a million columns. Does nothing for what is less than `MANY` columns wide.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Pattern, Variable, map_children

__all__ = ["MANY", "drop_columns"]

MANY: Final = 32
"""So many columns must be there in vain before a projection that leaves them out is worth its rule."""

_Above = algebra.Extend | algebra.Filter | algebra.Project
_Link = algebra.Pair | _Above


def drop_columns(pattern: Pattern) -> Pattern:
    """The pass, for queries without a policy (which tells solutions apart by all that they bind)."""
    return _dropped(pattern, frozenset(algebra.variables(pattern)))


def _dropped(pattern: Pattern, needed: frozenset[Variable]) -> Pattern:
    """``pattern`` where only ``needed`` of its variables are asked for."""
    above: list[tuple[_Link, frozenset[Variable]]] = []
    while isinstance(pattern, _Link):
        above.append((pattern, needed))
        needed = _needed_below(pattern, needed)
        pattern = pattern.pattern if isinstance(pattern, _Above) else pattern.left
    pattern = map_children(pattern, drop_columns)
    while above:
        link, needed = above.pop()
        pattern = _narrowed(pattern, _needed_below(link, needed))
        if isinstance(link, _Above):
            pattern = replace(link, pattern=pattern)
        else:
            beside = needed | frozenset(algebra.variables(link.left)) | _asked_of_pairs(link)
            right = _narrowed(_dropped(link.right, beside), beside)
            pattern = replace(link, left=pattern, right=right)
    return pattern


def _needed_below(link: _Link, needed: frozenset[Variable]) -> frozenset[Variable]:
    """What the first operand of ``link`` has to tell, where ``needed`` is asked of ``link``."""
    match link:
        case algebra.Project(variables=variables):
            return frozenset(variables)
        case algebra.Extend(expression=expression) | algebra.Filter(condition=expression):
            return needed | algebra.expression_variables(expression)
        case algebra.Pair():
            return needed | frozenset(algebra.variables(link.right)) | _asked_of_pairs(link)
        case _:
            assert_never(link)


def _asked_of_pairs(link: algebra.Pair) -> frozenset[Variable]:
    return frozenset() if link.condition is None else algebra.expression_variables(link.condition)


def _narrowed(pattern: Pattern, needed: frozenset[Variable]) -> Pattern:
    columns = algebra.variables(pattern)
    if len(columns) < MANY:
        return pattern
    live = tuple(each for each in columns if each in needed)
    return algebra.Project(pattern, live, span=pattern.span) if len(columns) - len(live) >= MANY else pattern
