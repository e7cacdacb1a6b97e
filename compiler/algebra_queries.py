"""Whole queries of the algebra: what their solutions are for. Import them from ``algebra.py``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from etalis_py.compiler.algebra_nodes import Node, Pattern, TriplePattern, Variable

__all__ = ["AskQuery", "ConstructQuery", "DescribeQuery", "Query", "SelectQuery"]


@dataclass(frozen=True, slots=True)
class SelectQuery(Node):
    """``variables`` are the columns of its rows; ``ordered``: the rows of an instant come in an order."""

    pattern: Pattern
    variables: tuple[Variable, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class ConstructQuery(Node):
    """Each solution adds the template's triples to the stream, with the solution's interval.

    A template variable whose name starts with ``_:`` is a blank node, fresh for each solution.
    """

    pattern: Pattern
    template: tuple[TriplePattern, ...]


@dataclass(frozen=True, slots=True)
class AskQuery(Node):
    """Whether there is a solution: ``true`` at each instant at which one arrives."""

    pattern: Pattern


@dataclass(frozen=True, slots=True)
class DescribeQuery(Node):
    """Triples about resources: the solutions of ``pattern`` bind the terms of ``triple``."""

    pattern: Pattern
    triple: tuple[Variable, Variable, Variable]


Query: TypeAlias = SelectQuery | ConstructQuery | AskQuery | DescribeQuery
