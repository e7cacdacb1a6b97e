"""The hidden columns of a traced query: what a solution is made of, carried along with it.

A column is a variable with a name that no query can write. It is bound where the part that it belongs to has
a share in the solution, and unbound where that part has none: the other side of a UNION, an optional side
that gave nothing.
"""

from __future__ import annotations

from enum import Enum

from etalis_py.compiler.algebra.algebra import Variable

__all__ = ["ANSWER_COLUMN", "PACK", "TraceKind", "is_trace", "running_column", "trace_column", "trace_kind"]

_PREFIX = "_:why "

PACK = "PACK"
"""The function that makes one text of hidden columns; no query can call it."""


class TraceKind(Enum):
    """What a hidden column holds."""

    LEAF = "leaf"
    """The occurrence, background triple, row or walk that matched."""
    VALUE = "value"
    """The value of a BIND or an aggregate, which the query may show to nobody."""
    MEMBERS = "members"
    """What the members of a group are made of."""
    WITNESS = "witness"
    """What a solution is made of that EXISTS found, packed."""
    PACKED = "packed"
    """All hidden columns of a solution as one text."""


def trace_column(kind: TraceKind, node: str, number: int = 0) -> Variable:
    """The column of the node with a name; ``number`` tells several of one kind apart."""
    return Variable(f"{_PREFIX}{kind.value} {node}" + (f" {number}" if number else ""))


def running_column(repeat: str) -> Variable:
    """What the condition of an iteration saw of those before it, packed; of the REPEAT with a name."""
    return trace_column(TraceKind.PACKED, repeat, 1)


ANSWER_COLUMN = trace_column(TraceKind.PACKED, "answer")
"""What an answer is made of; the last column of the root."""


def is_trace(variable: Variable) -> bool:
    """Whether ``variable`` is a hidden column.

    >>> is_trace(trace_column(TraceKind.LEAF, "q1_pattern_3")), is_trace(Variable("x"))
    (True, False)
    """
    return variable.name.startswith(_PREFIX)


def trace_kind(variable: Variable) -> TraceKind:
    """What a hidden column holds."""
    return TraceKind(variable.name.removeprefix(_PREFIX).split(" ")[0])
