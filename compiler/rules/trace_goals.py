"""The goals that fill the hidden columns of a traced plan; ``true`` where the plan is not traced.

The predicates they call are those of ``rules/tools/trace.pl``.
"""

from __future__ import annotations

from collections.abc import Sequence

from etalis_py.compiler.algebra.algebra import Apply, Variable
from etalis_py.compiler.plan.plan import (
    ConstructPlan,
    ExtendPlan,
    LookupPlan,
    PlanNode,
    QueryPlan,
    Scan,
    SelectPlan,
    TablePlan,
)
from etalis_py.compiler.plan.trace_columns import ANSWER_COLUMN, PACK, TraceKind, trace_column, trace_kind
from etalis_py.compiler.rules.prolog_terms import (
    TRUE,
    Atom,
    Number,
    Term,
    Var,
    list_term,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import ANSWER, END, START, VariableNames

__all__ = ["TRACE", "SingleTraces", "packing_goal", "packing_of"]

TRACE = Var("Told")
"""An answer together with what it is made of."""


class SingleTraces:
    """Generates what the leaves of one query tell, and its answers."""

    def __init__(self, names: VariableNames) -> None:
        self._names = names

    def _column(self, node: PlanNode) -> Term | None:
        column = trace_column(TraceKind.LEAF, node.name)
        return self._names(column) if column in node.schema else None

    def _is(self, node: PlanNode, value: Term) -> Term:
        column = self._column(node)
        return TRUE if column is None else unify(column, value)

    def occurrence(self, scan: Scan, triple: Sequence[Term], place: Sequence[Term]) -> Term:
        """Which occurrence matched, and how it came to be; ``place`` is where the pattern asks for it."""
        column = self._column(scan)
        if column is None:
            return TRUE
        where = place or (Atom("anywhere"),)
        return struct("trace_event", *triple, START, END, *where, column)

    def background(self, scan: Scan, triple: Sequence[Term]) -> Term:
        """Which background triple matched."""
        graph = scan.pattern.graph
        if graph is None:
            return self._is(scan, struct("background", *triple))
        name = self._names(graph) if isinstance(graph, Variable) else Atom(str(graph.value))
        return self._is(scan, struct("graph", name, *triple))

    def graph(self, node: LookupPlan, name: Term) -> Term:
        """Which named graph matched."""
        return self._is(node, struct("graph", name))

    def goal(self, node: LookupPlan, arguments: tuple[Term, ...]) -> Term:
        """Which answer of a predicate it is."""
        return self._is(node, struct("goal", list_term(arguments)))

    def unit(self, node: PlanNode) -> Term:
        """The empty group matched, or it is a point in time."""
        return self._is(node, Atom("unit"))

    def row(self, node: TablePlan, number: int) -> tuple[Term, ...]:
        """Which row of VALUES it is, from 1."""
        return () if self._column(node) is None else (struct("row", Number(number)),)

    def answer(self, plan: QueryPlan, goal: Term) -> Term | None:
        """The answers of ``goal`` with what they are made of, equal ones once; None where nothing is traced.

        The rows of a SELECT have it as their last column.
        """
        if ANSWER_COLUMN not in plan.root.schema or isinstance(plan, SelectPlan):
            return None
        traced = (self._names(ANSWER_COLUMN), END, goal, ANSWER, TRACE)
        if isinstance(plan, ConstructPlan):
            return struct("traced_construct", Number(plan.number), Atom(plan.stream or ""), *traced)
        return struct("traced_answer", Number(plan.number), *traced)


def packing_goal(columns: Sequence[Variable], names: VariableNames, result: Term) -> Term:
    """Make one text of hidden columns."""
    columns_of_trace = (struct(trace_kind(each).value, names(each)) for each in columns)
    return struct("pack_trace", list_term(tuple(columns_of_trace)), result)


def packing_of(node: ExtendPlan, names: VariableNames) -> Term | None:
    """The goal of a BIND that only packs hidden columns; None of any other."""
    packed = node.expression
    if not isinstance(packed, Apply) or packed.function != PACK:
        return None
    columns = tuple(each for each in packed.arguments if isinstance(each, Variable))
    return packing_goal(columns, names, names(node.variable))
