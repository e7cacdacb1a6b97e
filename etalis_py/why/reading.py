"""The trace of an answer from Prolog, read: the hidden columns of its solution (``rules/tools/trace.pl``)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from etalis_py.compiler.algebra.algebra import Variable
from etalis_py.compiler.plan.plan import ExistsPlan, PlanNode
from etalis_py.compiler.plan.trace_columns import TraceKind, is_trace, trace_column
from etalis_py.core.literals import encode_literal
from etalis_py.core.terms import Encoded
from etalis_py.why.tree import Triple

__all__ = [
    "TraceColumns",
    "derivations_in",
    "leaf",
    "members",
    "read_columns",
    "read_term",
    "read_triple",
    "read_value",
    "shown_value",
    "witness",
]

TraceColumns: TypeAlias = Mapping[Variable, Any]
"""The value of each hidden column; None where its part has no share in the solution."""


def read_columns(below: PlanNode, packed: str | Sequence[Any]) -> TraceColumns:
    """The hidden columns of ``below``, from the text that they were packed into, or the list in it."""
    values = json.loads(packed) if isinstance(packed, str) else packed
    columns = [each for each in below.schema.columns if is_trace(each)]
    return dict(zip(columns, values, strict=True))


def leaf(node: PlanNode, traced: TraceColumns) -> Any:
    """What the trace says of the leaf ``node``."""
    return traced[trace_column(TraceKind.LEAF, node.name)]


def shown_value(node: PlanNode, traced: TraceColumns, number: int = 0) -> Encoded | None:
    """A value that ``node`` kept."""
    return read_value(traced[trace_column(TraceKind.VALUE, node.name, number)])


def read_value(value: Sequence[str] | None) -> Encoded | None:
    """A term, or None for what is unbound."""
    return None if value is None else read_term(value)


def members(group: PlanNode, traced: TraceColumns, number: int = 0) -> Sequence[Sequence[Any]]:
    """What each member of a group is made of; 1: what each iteration of REPEAT saw of those before it."""
    listed = traced[trace_column(TraceKind.MEMBERS, group.name, number)]
    return [] if listed is None else listed[1:]


def witness(test: ExistsPlan, traced: TraceColumns) -> Sequence[Any] | None:
    """What the solution that an EXISTS found is made of; None where that is not known."""
    found: Sequence[Any] | None = traced.get(trace_column(TraceKind.WITNESS, test.name))
    return found


def derivations_in(value: Any) -> Iterator[int]:
    """The numbers of the derivations that columns speak of, those of members and steps too."""
    match value:
        case ["event", _, _, _, _, _, int() as number, *_] | [
            "event",
            _,
            _,
            _,
            _,
            _,
            [*_, int() as number],
            *_,
        ]:
            yield number
        case list():
            for each in value:
                yield from derivations_in(each)
        case _:
            pass


def read_term(parts: Sequence[str]) -> Encoded:
    """``[IRI]`` or ``[lexical form, datatype or @language]``."""
    if len(parts) == 1:
        return parts[0]
    text, kind = parts
    if kind.startswith("@"):
        return encode_literal(text, None, kind[1:])
    return encode_literal(text, kind)


def read_triple(parts: Sequence[Sequence[str]]) -> Triple:
    """Subject, predicate and object."""
    subject, predicate, target = map(read_term, parts)
    return subject, predicate, target
