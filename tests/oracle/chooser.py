"""Evenly spread random choices that hypothesis can shrink."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

__all__ = ["Chooser"]

_Value = TypeVar("_Value")

_FAR = 0x9E3779B97F4A7C00
"""Near zero hypothesis prefers small numbers; far from it, it draws from a small range evenly."""


class Chooser:
    """Makes choices; what comes first is what an example shrinks to."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def number(self, least: int, most: int) -> int:
        """A whole number, both bounds included."""
        return self._draw(st.integers(_FAR + least, _FAR + most)) - _FAR

    def choose(self, options: Sequence[_Value]) -> _Value:
        """One of ``options``."""
        return options[self.number(0, len(options) - 1)]

    def rarely(self, times: int) -> bool:
        """True once in ``times``."""
        return self.number(1, times) == times
