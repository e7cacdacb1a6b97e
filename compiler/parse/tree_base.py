"""What the four parts of the tree builder share: their children, and the spans of these.

A method of a builder is named for a rule of grammar.lark and gets what the rule is made of, in order:
tokens, nodes of the syntax tree, and Parts. Methods are called bottom-up and never recursively, so that
deep nesting costs no stack.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias, TypeVar

from lark import Token

from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.syntax import Node
from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class

__all__ = ["Child", "Children", "Part", "count_of", "has", "nodes", "only", "span_of"]

LARGEST_DIGITS = 18
"""Longest number that counts something (LIMIT, OFFSET, ROWS): it must fit into 64 bits."""


@value_class
class Part:
    """A piece of a node that is not a node itself, such as a LIMIT clause: what it is and its value."""

    kind: str
    value: Any
    span: Span


Child: TypeAlias = Token | Node | Part
Children: TypeAlias = Sequence[Child]
SomeNode = TypeVar("SomeNode")


def span_of(children: Children) -> Span:
    """From the first child's start to the last child's end; there must be one."""
    return Span(_span(children[0]).start, _span(children[-1]).end)


def _span(child: Child) -> Span:
    if isinstance(child, Token):
        assert child.start_pos is not None
        assert child.end_pos is not None
        return Span(child.start_pos, child.end_pos)
    return child.span


def nodes(children: Children, kind: type[SomeNode]) -> tuple[SomeNode, ...]:
    """The children that are nodes of a kind, in order."""
    return tuple(child for child in children if isinstance(child, kind))


def only(children: Children, kind: type[SomeNode]) -> SomeNode | None:
    """The one child of a kind, or None."""
    return next((child for child in children if isinstance(child, kind)), None)


def has(children: Iterable[Child], kind: str) -> bool:
    """Whether one of the children is the token of a keyword."""
    return any(isinstance(child, Token) and child.type == kind for child in children)


def count_of(token: Child) -> int:
    """The number of LIMIT, OFFSET and ROWS.

    Raises:
        Fault: EP109, it does not fit into 64 bits.
    """
    assert isinstance(token, Token)
    digits = token.lstrip("0") or "0"
    if len(digits) > LARGEST_DIGITS:
        raise Fault("EP109", f"a number can have at most {LARGEST_DIGITS} digits here", _span(token))
    return int(digits)
