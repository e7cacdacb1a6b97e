"""The binary plan: the algebra with everything the rules need to know about each operator.

Each node has a name of its own, its columns, its join variables and its window bound. Every operator has
at most two inputs. The three ways in which solutions come about (now, earlier, from background alone) are
the business of ``rules_*.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from etalis_py.compiler.algebra import Expression, TriplePattern, Variable
from etalis_py.compiler.spans import Span

__all__ = [
    "ConstructPlan",
    "DistinctPlan",
    "ExtendPlan",
    "FilterPlan",
    "Pair",
    "PairOperator",
    "PlanNode",
    "ProjectPlan",
    "QueryPlan",
    "Scan",
    "Schema",
    "SelectPlan",
    "UnionPlan",
    "UnitPlan",
    "walk",
]


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a node's solutions."""

    columns: tuple[Variable, ...]
    certain: frozenset[Variable]
    """Bound in every solution; the others may be unbound."""

    def __contains__(self, variable: Variable) -> bool:
        return variable in self.columns


@dataclass(frozen=True, slots=True)
class PlanBase:
    """What every node has.

    ``window`` bounds the duration of the solutions that matter: end - start < window, in microseconds;
    None is no bound. ``eventful``: the stream can give solutions; ``timeless``: background alone can.
    """

    name: str
    schema: Schema
    window: int | None
    eventful: bool
    timeless: bool
    span: Span


@dataclass(frozen=True, slots=True)
class UnitPlan(PlanBase):
    """The empty group."""


@dataclass(frozen=True, slots=True)
class Scan(PlanBase):
    """A triple pattern."""

    pattern: TriplePattern


class PairOperator(Enum):
    """The operators that pair solutions of two sides."""

    JOIN = "Join"
    SEQ = "SEQ"
    EQUALS = "EQUALS"
    OPTIONAL = "OPTIONAL"
    OPTIONALSEQ = "OPTIONALSEQ"
    EQUALSOPTIONAL = "EQUALSOPTIONAL"

    @property
    def waits_for_instant(self) -> bool:
        """Whether an answer must wait until the instant closes."""
        return self in (PairOperator.OPTIONAL, PairOperator.EQUALSOPTIONAL)


@dataclass(frozen=True, slots=True)
class Pair(PlanBase):
    """A binary operator.

    ``condition`` is the filter of the optional side. ``join`` are the variables certain on both sides, by
    which goals are found; ``shared`` are the others that both sides have.
    """

    operator: PairOperator
    left: PlanNode
    right: PlanNode
    condition: Expression | None
    join: tuple[Variable, ...]
    shared: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class UnionPlan(PlanBase):
    """Either side, padded with unbound columns."""

    left: PlanNode
    right: PlanNode


@dataclass(frozen=True, slots=True)
class FilterPlan(PlanBase):
    """Solutions for which the condition is true."""

    condition: Expression
    input: PlanNode


@dataclass(frozen=True, slots=True)
class ExtendPlan(PlanBase):
    """One more column."""

    variable: Variable
    expression: Expression
    input: PlanNode


@dataclass(frozen=True, slots=True)
class ProjectPlan(PlanBase):
    """Fewer columns, in another order."""

    input: PlanNode


@dataclass(frozen=True, slots=True)
class DistinctPlan(PlanBase):
    """One of each (bindings, start, end)."""

    input: PlanNode


PlanNode: TypeAlias = (
    UnitPlan | Scan | Pair | UnionPlan | FilterPlan | ExtendPlan | ProjectPlan | DistinctPlan
)


@dataclass(frozen=True, slots=True)
class SelectPlan:
    """A SELECT query: solutions of ``root`` are its answers."""

    number: int
    root: PlanNode
    span: Span


@dataclass(frozen=True, slots=True)
class ConstructPlan:
    """A CONSTRUCT query: solutions of ``root`` add the template's triples to the stream."""

    number: int
    root: PlanNode
    template: tuple[TriplePattern, ...]
    span: Span


QueryPlan: TypeAlias = SelectPlan | ConstructPlan


def inputs(node: PlanNode) -> tuple[PlanNode, ...]:
    """The nodes directly below."""
    match node:
        case UnitPlan() | Scan():
            return ()
        case Pair(left=left, right=right) | UnionPlan(left=left, right=right):
            return (left, right)
        case _:
            return (node.input,)


def walk(node: PlanNode) -> Iterator[PlanNode]:
    """``node`` and all below it, inputs before the operators they feed."""
    for each in inputs(node):
        yield from walk(each)
    yield node
