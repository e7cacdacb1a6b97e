"""The passes over the algebra, in their order.

One pass is one file with one pure function from pattern to pattern; none of them changes the answers.
``associate`` needs the rates of events, and comes after these if they are known.
"""

from __future__ import annotations

from collections.abc import Callable

from etalis_py.compiler.algebra.algebra import Pattern
from etalis_py.compiler.passes.anti_joins import anti_joins
from etalis_py.compiler.passes.late_paths import late_paths
from etalis_py.compiler.passes.push_filters import push_filters
from etalis_py.compiler.passes.settle_conditions import settle_conditions

__all__ = ["PASSES", "Pass", "run_passes"]

Pass = Callable[[Pattern], Pattern]
PASSES: tuple[Pass, ...] = (settle_conditions, late_paths, push_filters, anti_joins)


def run_passes(pattern: Pattern, passes: tuple[Pass, ...] = PASSES) -> Pattern:
    """``pattern`` after each of ``passes``."""
    for transform in passes:
        pattern = transform(pattern)
    return pattern
