"""Put paths that may have no step behind the patterns that they are joined with.

    Join(Join(A, x p* y), B(x))    becomes    Join(Join(A, B(x)), x p* y)

A walk of no steps leads from each term to itself; which terms, is for the other patterns of the join to say.
Joins may change places: a pair's interval goes from the first start to the last end, whichever comes first.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import TypeGuard

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Pattern, map_children
from etalis_py.compiler.algebra.operators import JOIN
from etalis_py.compiler.algebra.scope import is_open

__all__ = ["late_paths"]


def late_paths(pattern: Pattern) -> Pattern:
    """The pass; applies everywhere in ``pattern``."""
    if not _is_join(pattern) or not is_open(pattern):
        return map_children(pattern, late_paths)
    operands = list(_operands(pattern))
    ordered = _in_order(operands)
    if ordered == operands:
        return _below_chain(pattern)
    return reduce(
        lambda left, right: algebra.Pair(JOIN, left, right, span=left.span.to(right.span)),
        map(late_paths, ordered),
    )


def _is_join(pattern: Pattern) -> TypeGuard[algebra.Pair]:
    return isinstance(pattern, algebra.Pair) and pattern.operator is JOIN


def _below_chain(pattern: Pattern) -> Pattern:
    """The pass below the joins of a chain that is in order."""
    if _is_join(pattern):
        return map_children(pattern, _below_chain)
    return late_paths(pattern)


def _operands(pattern: Pattern) -> Iterator[Pattern]:
    todo = [pattern]
    while todo:
        each = todo.pop()
        if _is_join(each):
            todo += (each.right, each.left)
        else:
            yield each


def _in_order(operands: list[Pattern]) -> list[Pattern]:
    """Those that need nothing first; then always one that has a variable in common with those before."""
    ordered = [each for each in operands if not is_open(each)]
    waiting = [each for each in operands if is_open(each)]
    known = {variable for each in ordered for variable in algebra.variables(each)}
    while waiting:
        following = next((each for each in waiting if known & set(algebra.variables(each))), waiting[0])
        waiting.remove(following)
        ordered.append(following)
        known |= set(algebra.variables(following))
    return ordered
