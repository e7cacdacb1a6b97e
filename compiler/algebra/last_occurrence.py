"""When the last occurrence of a solution ended, where that is known later (docs/semantics.md#patterns).

An absence is known at its deadline, an unfinished LONGEST by what breaks it. SKIP PAST LAST goes by what has
happened, not by when that is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from etalis_py.compiler.algebra.algebra import (
    Absence,
    Aggregate,
    Apply,
    Extend,
    Filter,
    Gap,
    Pair,
    Pattern,
    Repeat,
    Union,
    Variable,
    children,
)
from etalis_py.compiler.algebra.operators import SEQ, SEQ_NEXT

__all__ = ["is_known_later", "with_last_occurrence"]

_IN_SEQUENCE = (SEQ, SEQ_NEXT)


def is_known_later(pattern: Pattern) -> bool:
    """Whether solutions may end later than the last occurrence they are made of."""
    if isinstance(pattern, Absence) or _is_unfinished(pattern):
        return True
    last = _last_part(pattern)
    return any(is_known_later(each) for each in ([last[1]] if last else children(pattern)))


def _is_unfinished(pattern: Pattern) -> bool:
    return isinstance(pattern, Repeat) and pattern.longest and pattern.then is None


def _last_part(pattern: Pattern) -> tuple[str, Pattern] | None:
    """The part with the last occurrence, and the field that holds it."""
    if isinstance(pattern, Filter | Extend):
        return "pattern", pattern.pattern
    if isinstance(pattern, Absence):
        return "left", pattern.left
    if isinstance(pattern, Gap) or (isinstance(pattern, Pair) and pattern.operator in _IN_SEQUENCE):
        return "right", pattern.right
    if isinstance(pattern, Repeat) and pattern.then is not None:
        return "then", pattern.then
    return None


def with_last_occurrence(pattern: Pattern, ended: Variable, hidden: Callable[[], Variable]) -> Pattern | None:
    """``pattern``, where ``ended`` is bound to the end of the last occurrence.

    ``hidden`` gives new variables. None: it is not known which of several parts ends last.
    """
    if not is_known_later(pattern):
        return Extend(pattern, ended, Apply("GETENDTIME", (), span=pattern.span), span=pattern.span)
    if isinstance(pattern, Union):
        left, right = (with_last_occurrence(each, ended, hidden) for each in (pattern.left, pattern.right))
        return None if left is None or right is None else replace(pattern, left=left, right=right)
    if isinstance(pattern, Repeat) and _is_unfinished(pattern):
        one = hidden()
        group = with_last_occurrence(pattern.group, one, hidden)
        last = Aggregate(ended, "LAST", one, distinct=False, span=pattern.span)
        return None if group is None else replace(pattern, group=group, measures=(*pattern.measures, last))
    part = _last_part(pattern)
    found = None if part is None else with_last_occurrence(part[1], ended, hidden)
    if part is None or found is None:
        return None
    return replace(pattern, **{part[0]: found})  # type: ignore[arg-type]
