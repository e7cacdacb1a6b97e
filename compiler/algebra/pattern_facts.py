"""What is found out about a pattern once, and kept on its node.

A query may be a chain of a thousand patterns. Each stage asks every operator of the chain for its variables;
to go down the rest of the chain each time would take quadratic time, and a level of Python's stack a pattern.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

__all__ = ["pattern_fact"]

_Found = TypeVar("_Found")


def pattern_fact(find: Callable[[Any], _Found]) -> Callable[[Any], _Found]:
    """``find``, a question about a pattern, answered once for each node.

    ``find`` may ask the same of the patterns below: down the left spine these are answered first.
    """
    name = find.__name__

    @wraps(find)
    def known(pattern: Any) -> _Found:
        spine = []
        below = pattern
        while below is not None and name not in _facts(below):
            spine.append(below)
            below = getattr(below, "left", None) or getattr(below, "pattern", None)
        for each in reversed(spine):
            _facts(each)[name] = find(each)
        found: _Found = _facts(pattern)[name]
        return found

    return known


def _facts(pattern: Any) -> dict[str, Any]:
    try:
        facts: dict[str, Any] = pattern.facts
    except AttributeError:
        facts = {}
        object.__setattr__(pattern, "facts", facts)  # nodes are frozen, and what is known of them only grows
    return facts
