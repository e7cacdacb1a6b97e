"""The passes over the algebra, in their order.

One pass is one file with one pure function from pattern to pattern; none of them changes the answers.
"""

from __future__ import annotations

from collections.abc import Callable

from etalis_py.compiler.algebra import Pattern
from etalis_py.compiler.passes.push_filters import push_filters
from etalis_py.compiler.passes.settle_conditions import settle_conditions

__all__ = ["PASSES", "run_passes"]

PASSES: tuple[Callable[[Pattern], Pattern], ...] = (settle_conditions, push_filters)


def run_passes(pattern: Pattern) -> Pattern:
    """``pattern`` after all passes."""
    for transform in PASSES:
        pattern = transform(pattern)
    return pattern
