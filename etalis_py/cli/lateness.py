"""What is said of elements that came too late."""

from __future__ import annotations

__all__ = ["late_text"]


def late_text(count: int) -> str:
    """How many elements were too late.

    >>> late_text(1)
    '1 element came too late and was dropped'
    """
    if count == 1:
        return "1 element came too late and was dropped"
    return f"{count:,} elements came too late and were dropped"
