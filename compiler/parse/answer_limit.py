"""``PRAGMA max_answers_per_instant``: most answers that a query may have at one instant."""

from __future__ import annotations

from typing import Final

from etalis_py.compiler.parse import syntax

__all__ = ["MAX_ANSWERS", "is_count", "max_answers_of"]

MAX_ANSWERS: Final = "max_answers_per_instant"


def is_count(text: str) -> bool:
    """Whether it is a whole number above 0."""
    return text.isascii() and text.isdigit() and int(text) > 0


def max_answers_of(prologue: syntax.Prologue) -> int | None:
    """The least number that the prologue has; None where it has none."""
    pragmas = (each for each in prologue.declarations if isinstance(each, syntax.Pragma))
    return min((int(each.value) for each in pragmas if each.name == MAX_ANSWERS), default=None)
