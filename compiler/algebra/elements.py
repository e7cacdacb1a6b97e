"""Patterns of one element: what is joined has one interval, so nothing waits longer than its instant."""

from __future__ import annotations

from dataclasses import replace

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.algebra import Pattern, Variable
from etalis_py.compiler.algebra.scope import certain_variables

__all__ = ["in_one_element"]

_OF_ONE_INTERVAL = {operators.JOIN: operators.EQUALS, operators.OPTIONAL: operators.EQUALSOPTIONAL}
"""What a Join and an OPTIONAL are, where both sides have the same interval."""


def in_one_element(pattern: Pattern, element: Variable) -> Pattern:
    """``pattern``, whose triples belong to ``element``: its pairs are looked for at one instant."""
    pattern = algebra.map_children(pattern, lambda each: in_one_element(each, element))
    if not isinstance(pattern, algebra.Pair) or pattern.operator not in _OF_ONE_INTERVAL:
        return pattern
    if not all(element in certain_variables(each) for each in (pattern.left, pattern.right)):
        return pattern
    return replace(pattern, operator=_OF_ONE_INTERVAL[pattern.operator])
