"""What a traced path keeps of its steps, and how the walk behind a solution is found among them.

A path's tuples say that there is a walk, and not which (``rules/operators/paths.pl``). So its steps are kept
as they come, as long as the window lets them matter, and the shortest walk with the interval of the solution
is searched for when there is one.
"""

from __future__ import annotations

from etalis_py.compiler.algebra.algebra import Variable
from etalis_py.compiler.plan.plan import ClosurePlan
from etalis_py.compiler.plan.trace_columns import TraceKind, is_trace, trace_column
from etalis_py.compiler.rules.prolog_terms import TRUE, Atom, Term, Var, conjunction, struct
from etalis_py.compiler.rules.rules import END, START, Store, VariableNames
from etalis_py.compiler.rules.trace_goals import packing_goal
from etalis_py.compiler.rules.writing import insert

__all__ = ["STEP", "PathTraces"]

STEP = Var("Step")
"""What one step is made of."""


class PathTraces:
    """Generates the goals that trace one path; ``true`` where it is not traced."""

    def __init__(self, plan: ClosurePlan, names: VariableNames) -> None:
        self._plan = plan
        self._names = names
        self._column: Variable = trace_column(TraceKind.LEAF, plan.name)
        self.is_traced = self._column in plan.schema

    @property
    def _store(self) -> Store:
        return Store.within(self._plan.window, f"{self._plan.name}_step", 5)

    def stores(self) -> tuple[Store, ...]:
        """Where steps of the stream are kept."""
        return (self._store,) if self.is_traced else ()

    @property
    def step(self) -> Term:
        """Make one text of what a step is made of."""
        columns = tuple(each for each in self._plan.input.schema.columns if is_trace(each))
        return packing_goal(columns, self._names, STEP)

    def keep(self, first: Term, last: Term) -> Term:
        """Keep a step of the stream."""
        if not self.is_traced:
            return TRUE
        return conjunction(self.step, insert(struct(self._store.name, first, last, START, END, STEP)))

    def walk(self, first: Term, last: Term, begin: Term, repeat: Term, edge: Term) -> Term:
        """Find the walk of a solution of the stream."""
        if not self.is_traced:
            return TRUE
        return struct(
            "trace_walk",
            Atom(self._store.name),
            edge,
            repeat,
            first,
            last,
            begin,
            END,
            self._names(self._column),
        )

    def timeless_walk(self, first: Term, last: Term, repeat: Term, edge: Term, zero: Term) -> Term:
        """Find the walk of a solution of background alone."""
        if not self.is_traced:
            return TRUE
        return struct("trace_timeless_walk", edge, repeat, zero, first, last, self._names(self._column))
