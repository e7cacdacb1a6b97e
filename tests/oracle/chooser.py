"""Evenly spread choices, made by hypothesis, which can shrink them, or by a plain random generator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

__all__ = ["Chooser", "drawn"]

_Value = TypeVar("_Value")

_FAR = 0x9E3779B97F4A7C00
"""Near zero hypothesis prefers small numbers; far from it, it draws from a small range evenly."""


class Chooser:
    """Makes choices from whole numbers: ``even(least, most)`` gives one of them, both included.

    What comes first is what an example shrinks to.
    """

    def __init__(self, even: Callable[[int, int], int]) -> None:
        self.even = even

    def number(self, least: int, most: int) -> int:
        """A whole number, both bounds included."""
        return self.even(least, most)

    def choose(self, options: Sequence[_Value]) -> _Value:
        """One of ``options``."""
        return options[self.number(0, len(options) - 1)]

    def rarely(self, times: int) -> bool:
        """True once in ``times``."""
        return self.number(1, times) == times


def drawn(draw: DrawFn) -> Chooser:
    """Choices that hypothesis makes."""

    def even(least: int, most: int) -> int:
        return draw(st.integers(_FAR + least, _FAR + most)) - _FAR

    return Chooser(even)
