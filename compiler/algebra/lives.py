"""Blocks: the patterns over windows whose solutions have lives, from when until when they are there.

Patterns that are joined, with their filters and BINDs, make a block, and so do the walks of a path: a join,
and a walk, is there while all of its parts are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.operators import ALIVE, JOIN
from etalis_py.compiler.algebra.scope import keeps_value
from etalis_py.compiler.algebra.stream_windows import CountExtent
from etalis_py.compiler.algebra.windows_read import reads_window

__all__ = ["block_of", "of_background", "of_windows"]


def block_of(pattern: algebra.Pattern, *, traced: bool) -> algebra.Pattern | None:
    """``pattern`` with joins of lives, if each of its solutions is one by what it binds; else None.

    ``traced``: solutions must tell what they are made of, which is not known of walks that have lives.
    """
    return _Blocks(traced=traced).block(pattern)


class _Blocks:
    def __init__(self, *, traced: bool) -> None:
        self._traced = traced

    def block(self, pattern: algebra.Pattern, *, as_set: bool = False) -> algebra.Pattern | None:
        """The block that ``pattern`` is; ``as_set``: it does not matter how often there is a solution."""
        match pattern:
            case algebra.Unit() | algebra.Lookup():
                return pattern
            case algebra.TriplePattern(place=place):
                return None if place is not None and isinstance(place.extent, CountExtent) else pattern
            case algebra.Table(rows=rows):
                is_set = len(set(rows)) == len(rows) and all(None not in row for row in rows)
                return pattern if is_set else None
            case algebra.Pair(operator=operators.JOIN):
                left, right = (
                    self.block(pattern.left, as_set=as_set),
                    self.block(pattern.right, as_set=as_set),
                )
                if left is None or right is None:
                    return None
                operator = ALIVE if reads_window(left) or reads_window(right) else JOIN
                return replace(pattern, operator=operator, left=left, right=right)
            case algebra.Filter(condition=expression) | algebra.Extend(expression=expression):
                inner = self.block(pattern.pattern, as_set=as_set)
                if inner is None or not keeps_value(expression, inner, algebra.Unit()):
                    return None
                return replace(pattern, pattern=inner)
            case algebra.Distinct(pattern=algebra.Union() as union) if self._is_one_triple(union):
                return union  # lives of one solution become one
            case algebra.Distinct(pattern=algebra.Project(pattern=projected) as shown):
                inner = self.block(projected, as_set=as_set)
                return None if inner is None else replace(shown, pattern=inner)
            case algebra.Union() if as_set:
                left, right = self.block(pattern.left, as_set=True), self.block(pattern.right, as_set=True)
                return None if left is None or right is None else replace(pattern, left=left, right=right)
            case algebra.Closure(zero=False, pattern=step) if reads_window(step) and not self._traced:
                inner = self.block(step, as_set=True)
                return None if inner is None else replace(pattern, pattern=inner, alive=True)
            case _:
                return None

    def _is_one_triple(self, union: algebra.Pattern) -> bool:
        """Whether it is one triple, in the background or in any of some windows."""
        triples = {
            each.terms if isinstance(each, algebra.TriplePattern) and self.block(each) is not None else None
            for each in _ways(union)
        }
        return len(triples) == 1 and None not in triples


def _ways(pattern: algebra.Pattern) -> Iterator[algebra.Pattern]:
    if isinstance(pattern, algebra.Union):
        yield from _ways(pattern.left)
        yield from _ways(pattern.right)
    else:
        yield pattern


def of_windows(triple: algebra.Pattern) -> algebra.Pattern:
    """A triple of some windows, and perhaps the background, without that."""
    if not isinstance(triple, algebra.Distinct):
        return triple
    ways = [each for each in _ways(triple.pattern) if reads_window(each)]
    return replace(triple, pattern=algebra.united(ways, triple.span))


def of_background(block: algebra.Pattern) -> algebra.Pattern | None:
    """What a block has if nothing is in any window; None where that is nothing."""
    if isinstance(block, algebra.TriplePattern):
        return None if reads_window(block) else block
    if isinstance(block, algebra.Distinct) and isinstance(block.pattern, algebra.Union):
        ways = _ways(block.pattern)
        return next((each for each in ways if not reads_window(each)), None)
    if isinstance(block, algebra.Union):
        left, right = of_background(block.left), of_background(block.right)
        return (
            replace(block, left=left, right=right)
            if left is not None and right is not None
            else left or right
        )
    parts = [of_background(each) for each in algebra.children(block)]
    if any(each is None for each in parts):
        return None
    rest = iter(parts)
    return algebra.map_children(block, lambda _: cast("algebra.Pattern", next(rest)))
