"""A pattern with its inputs replaced: the traversal that all passes share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Pattern

__all__ = ["map_inputs"]


def map_inputs(pattern: Pattern, transform: Callable[[Pattern], Pattern]) -> Pattern:
    """``pattern`` with ``transform`` applied to the patterns directly below it."""
    match pattern:
        case algebra.Unit() | algebra.Table() | algebra.GraphNames() | algebra.TriplePattern():
            return pattern
        case (
            algebra.Filter()
            | algebra.Extend()
            | algebra.Closure()
            | algebra.Group()
            | algebra.OrderBy()
            | algebra.Slice()
            | algebra.Project()
            | algebra.Distinct()
        ):
            return replace(pattern, pattern=transform(pattern.pattern))
        case _:
            return replace(pattern, left=transform(pattern.left), right=transform(pattern.right))
