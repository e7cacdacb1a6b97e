"""Steps of a path that repeats: what may be no step is no walk, and the others lead as far.

``(p?/q)+`` walks as ``(q|p/q)+`` does, ``(p?)+`` as ``p*``. Does not change a sequence in which too many
parts may be no step: each of them doubles the ways.
"""

from __future__ import annotations

from itertools import product
from typing import Final

from typing_extensions import assert_never

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.spans import Span

__all__ = ["repeated_step"]

_MOST: Final = 4
"""So many parts of a sequence may be no step."""


def repeated_step(path: syntax.Path) -> tuple[syntax.Path, bool]:
    """What leads as far as ``path`` if both are repeated, and whether that may be no step."""
    return _step(path, repeats=True)


def _step(path: syntax.Path, *, repeats: bool) -> tuple[syntax.Path, bool]:
    """The walks of ``path`` of at least one step, and whether it has one of none.

    If it ``repeats``, walks that are made of other ones may be left out.
    """
    span = path.span
    match path:
        case syntax.RepeatedPath(path=inner, times=times):
            many = times != "?"
            step, stays = _step(inner, repeats=many or repeats)
            stays = stays or times != "+"
            return (syntax.RepeatedPath(step, "+", span=span) if many and not repeats else step), stays
        case syntax.AlternativePath(choices=choices):
            found = [_step(each, repeats=repeats) for each in choices]
            return _any_of([each for each, _ in found], span), any(stays for _, stays in found)
        case syntax.InversePath(path=inner):
            step, stays = _step(inner, repeats=repeats)
            return syntax.InversePath(step, span=span), stays
        case syntax.SequencePath(steps=steps):
            parts = [_step(each, repeats=False) for each in steps]
            if sum(stays for _, stays in parts) > _MOST:
                return path, False
            return _sequence(parts, span, repeats=repeats)
        case syntax.IriRef() | syntax.PrefixedName() | syntax.NegatedPropertySet():
            return path, False
        case _:
            assert_never(path)


def _sequence(
    parts: list[tuple[syntax.Path, bool]], span: Span, *, repeats: bool
) -> tuple[syntax.Path, bool]:
    stays = all(each for _, each in parts)
    if stays and repeats:
        return _any_of([step for step, _ in parts], span), True
    ways = []
    for chosen in product(*([step, None] if may_stay else [step] for step, may_stay in parts)):
        steps = tuple(each for each in chosen if each is not None)
        if steps:
            ways.append(steps[0] if len(steps) == 1 else syntax.SequencePath(steps, span=span))
    return _any_of(ways, span), stays


def _any_of(ways: list[syntax.Path], span: Span) -> syntax.Path:
    return ways[0] if len(ways) == 1 else syntax.AlternativePath(tuple(ways), span=span)
