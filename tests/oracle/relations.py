"""How the intervals of two solutions lie, for each operator: the formulas of docs/semantics.md.

Shares nothing with the table of the compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from tests.oracle.solutions import Solution

__all__ = ["RELATIONS", "Relation", "after", "any_time", "equals"]

Relation: TypeAlias = Callable[[Solution, Solution], bool]


def _of_times(test: Callable[[int, int, int, int], bool]) -> Relation:
    """Both have an interval, and start and end of the one and of the other pass the test."""

    def related(one: Solution, other: Solution) -> bool:
        return (
            one.interval is not None and other.interval is not None and test(*one.interval, *other.interval)
        )

    return related


def any_time(_one: Solution, _other: Solution) -> bool:
    """Whatever the intervals are."""
    return True


before = _of_times(lambda _s1, e1, s2, _e2: e1 < s2)
after = _of_times(lambda s1, _e1, _s2, e2: e2 < s1)
equals = _of_times(lambda s1, e1, s2, e2: s1 == s2 and e1 == e2)

RELATIONS: Mapping[str, Relation] = MappingProxyType(
    {
        "SEQ": before,
        "EQUALS": equals,
        "MEETS": _of_times(lambda s1, e1, s2, e2: s1 < s2 and e1 == s2 and e1 < e2),
        "OVERLAPS": _of_times(lambda s1, e1, s2, e2: s1 < s2 < e1 < e2),
        "STARTS": _of_times(lambda s1, e1, s2, e2: s1 == s2 and e1 < e2),
        "DURING": _of_times(lambda s1, e1, s2, e2: s2 < s1 and e1 < e2),
        "FINISHES": _of_times(lambda s1, e1, s2, e2: s2 < s1 and e1 == e2),
        "PAR": _of_times(lambda s1, e1, s2, e2: s1 < e2 and s2 < e1),
    }
)
"""The operators whose sides both belong to each solution, by their words."""
