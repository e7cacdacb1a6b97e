"""The names of RSEP-QL's events: each stands for what ``EVENT ON`` says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from etalis_py.compiler.parse import syntax

__all__ = ["with_events"]

SomeNode = TypeVar("SomeNode", bound=syntax.Node)


def with_events(query: syntax.Query) -> syntax.Query:
    """``query`` with what is declared in the place of its name; names that are not declared stay."""
    declared = {
        each.name: syntax.EventPattern(each.window, each.group, span=each.span) for each in query.form.events
    }
    return _replaced(query, declared) if declared else query


def _replaced(node: SomeNode, declared: Mapping[str, syntax.EventPattern]) -> SomeNode:
    changed: dict[str, Any] = {}
    for field in fields(node):
        value = getattr(node, field.name)
        new = _value(value, declared)
        if new is not value:
            changed[field.name] = new
    return replace(node, **changed) if changed else node


def _value(value: Any, declared: Mapping[str, syntax.EventPattern]) -> Any:
    if isinstance(value, syntax.EventName):
        return declared.get(value.name, value)
    if isinstance(value, syntax.Node):
        return _replaced(value, declared)
    if isinstance(value, tuple):
        found = tuple(_value(each, declared) for each in value)
        return value if all(new is old for new, old in zip(found, value, strict=True)) else found
    return value
