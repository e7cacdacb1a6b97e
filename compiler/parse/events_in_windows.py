"""Combinators of times within ``WINDOW :w {..}``.

``{ {A} SEQ {B} }`` is read as ``MATCH { EVENT :w {A} SEQ EVENT :w {B} }``, joined to what else is there.
"""

from __future__ import annotations

from dataclasses import replace

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax import Combination, Group, WindowPattern

__all__ = ["read_as_match"]

_OTHERS = ("UNION", "OPTIONAL")
"""Combinators that do not speak of times."""
_ANYWHERE = (syntax.Filter, syntax.Bind, syntax.InlineData, syntax.GoalPattern)
_ON_WINDOWS = (syntax.TriplesBlock, syntax.GraphPattern, Group, Combination)


def read_as_match(window: WindowPattern) -> Group | WindowPattern:
    """The same with events for what combinators of time join; itself where it has none, or not such ones."""
    elements = window.group.elements
    if isinstance(window.name, syntax.Variable) or not any(map(_is_timed, elements)):
        return window
    read = [_read(window, each) for each in elements]
    if any(each is None for each in read):
        return window
    return Group(tuple(each for each in read if each is not None), span=window.group.span)


def _is_timed(element: syntax.GroupElement) -> bool:
    return isinstance(element, Combination) and element.operator not in _OTHERS


def _read(window: WindowPattern, element: syntax.GroupElement) -> syntax.GroupElement | None:
    """An element beside others; None where it cannot stand there."""
    if isinstance(element, Combination) and _is_timed(element):
        event = _event(window, element)
        return None if event is None else syntax.MatchPattern(event, span=element.span)
    if isinstance(element, _ANYWHERE):
        return element
    if isinstance(element, syntax.OptionalPattern | syntax.MinusPattern):
        return replace(element, group=Group((replace(window, group=element.group),), span=element.span))
    if isinstance(element, _ON_WINDOWS):
        return replace(window, group=Group((element,), span=element.span), span=element.span)
    return None


def _event(window: WindowPattern, step: syntax.Step | Combination) -> syntax.EventExpression | None:
    if isinstance(step, Combination):
        if step.operator == "OPTIONAL" or step.selection is not None:
            return None
        left, right = _event(window, step.left), _event(window, step.right)
        if left is None or right is None:
            return None
        return syntax.EventChain(step.operator, left, right, span=step.span)
    if not isinstance(step, Group):
        return None
    if len(step.elements) == 1 and isinstance(inner := step.elements[0], Combination | Group):
        return _event(window, inner)
    return syntax.EventPattern(window.name, step, span=step.span)
