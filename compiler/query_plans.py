"""The plans of whole queries: what their solutions are for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from etalis_py.compiler.algebra import TriplePattern, Variable
from etalis_py.compiler.spans import Span

if TYPE_CHECKING:
    from etalis_py.compiler.plan import PlanNode
    from etalis_py.compiler.policies import Policy
    from etalis_py.compiler.state_declarations import Change

__all__ = ["AskPlan", "ConstructPlan", "DescribePlan", "QueryPlan", "SelectPlan", "Shared", "StatePlan"]


@dataclass(frozen=True, slots=True)
class Shared:
    """What a plan has in common with those of other queries, by the names of nodes.

    The rules of ``taken`` are another query's; ``given`` are nodes to whose solutions rules of other queries,
    or several of this query, react.
    """

    taken: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SelectPlan:
    """A SELECT query: solutions of ``root`` are its answers; ``ordered``: the order they come in counts."""

    number: int
    root: PlanNode
    ordered: bool
    span: Span
    policy: Policy | None = None
    shared: Shared = Shared()


@dataclass(frozen=True, slots=True)
class ConstructPlan:
    """A CONSTRUCT query: solutions of ``root`` add the template's triples to the stream."""

    number: int
    root: PlanNode
    template: tuple[TriplePattern, ...]
    span: Span
    policy: Policy | None = None
    shared: Shared = Shared()


@dataclass(frozen=True, slots=True)
class AskPlan:
    """An ASK query: ``true`` at each instant at which ``root`` has a solution."""

    number: int
    root: PlanNode
    span: Span
    policy: Policy | None = None
    shared: Shared = Shared()


@dataclass(frozen=True, slots=True)
class DescribePlan:
    """A DESCRIBE query: solutions of ``root`` are triples, in this order of columns."""

    number: int
    root: PlanNode
    triple: tuple[Variable, Variable, Variable]
    span: Span
    policy: Policy | None = None
    shared: Shared = Shared()


@dataclass(frozen=True, slots=True)
class StatePlan:
    """A pattern of a rules file: solutions of ``root`` begin or end the state ``name(arguments)``."""

    number: int
    root: PlanNode
    name: str
    change: Change
    arguments: tuple[Variable, ...]
    span: Span
    policy: Policy | None = None
    shared: Shared = Shared()


QueryPlan: TypeAlias = SelectPlan | ConstructPlan | AskPlan | DescribePlan | StatePlan
