"""How many examples the random tests take: a part of them, or all where ``ETALIS_RANDOM=all`` says so."""

from __future__ import annotations

import os

__all__ = ["tries"]


def tries(number: int) -> int:
    """``number`` where all examples are asked for (see the Makefile), else three tenths of it."""
    asked = os.environ.get("ETALIS_RANDOM")
    if asked not in (None, "", "all"):
        raise ValueError(f"ETALIS_RANDOM={asked}: make test EXAMPLES=all takes all examples")
    return number if asked else -(-number * 3 // 10)
