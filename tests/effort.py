"""How many examples the random tests take: a part of them, or all where ``ETALIS_RANDOM=all`` says so."""

from __future__ import annotations

import os

__all__ = ["tries"]


def tries(number: int) -> int:
    """``number`` where all examples are asked for (see the Makefile), else three tenths of it."""
    return number if os.environ.get("ETALIS_RANDOM") == "all" else -(-number * 3 // 10)
