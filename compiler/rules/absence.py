"""The rules of what did not happen by a deadline, of AFTER and of EVERY.

A left solution waits as a goal until its deadline; what must not come takes it away. Goals that are still
there when the instant of their deadline closes are given. ``rules/engine/instant.pl`` makes the deadlines
instants, also where nothing happens then.
"""

from __future__ import annotations

from etalis_py.compiler.algebra.algebra import expression_variables
from etalis_py.compiler.algebra.stream_windows import Grid
from etalis_py.compiler.plan.plan import AbsencePlan, PlanNode, TicksPlan
from etalis_py.compiler.rules.exists import expressions_with
from etalis_py.compiler.rules.expression_goals import Scope
from etalis_py.compiler.rules.names import settlement_name
from etalis_py.compiler.rules.prolog_terms import (
    TRUE,
    Atom,
    Number,
    Term,
    Var,
    conjunction,
    if_then_else,
    struct,
)
from etalis_py.compiler.rules.rules import (
    END,
    START,
    Rule,
    RuleSet,
    Store,
    StoreKind,
    VariableNames,
)
from etalis_py.compiler.rules.trace_goals import SingleTraces
from etalis_py.compiler.rules.writing import (
    Sides,
    forget,
    insert,
    insertion,
    own_solution,
    settle_later,
    settle_on_grid,
    settling,
    solution,
)

__all__ = ["AbsenceRules", "tick_rules"]

_BEGIN, _FIRST_END, _DUE = Var("Start1"), Var("End1"), Var("Due")


def tick_rules(node: TicksPlan, names: VariableNames) -> RuleSet:
    """A point at each multiple of the period."""
    due = settle_on_grid(node, Grid(node.period))
    rules = (settling(node, SingleTraces(names).unit(node), own_solution(node, names, END)),)
    return RuleSet(rules, declarations=(due,))


class AbsenceRules:
    """Generates the rules of one absence."""

    def __init__(self, node: AbsencePlan, names: VariableNames) -> None:
        self._node = node
        self._names = names
        left, none = node.left.schema, None if node.none is None else node.none.schema
        common = [] if none is None else [each for each in left.columns if each in none]
        self._join = [each for each in common if none is not None and each in left.certain & none.certain]
        self._sides = Sides(names, (each for each in common if each not in self._join))
        self._others = [each for each in left.columns if each not in self._join]
        due = (START if node.from_start else END, node.length)
        self._store = Store(f"{node.name}_wait", len(left.columns) + 2, StoreKind.LASTING, due=due)

    def rule_set(self) -> RuleSet:
        """What opens a goal, what takes it away, and what its deadline gives."""
        if not self._node.eventful:
            return RuleSet()
        none = self._node.none
        taken = () if none is None or not none.eventful else (self._taken(none),)
        return RuleSet((self._opened(), *taken, self._settled()), (self._store,), (self._deadlines,))

    # ---- goals ------------------------------------------------------------------------------------------

    def _goal(self, end: Term, start: Term, side: str = "") -> Term:
        """A goal as it is stored; columns that may be unbound have names of their own on a side."""
        others = self._sides.columns(self._others, side)
        return struct(self._store.name, *map(self._names, self._join), end, start, *others)

    @property
    def _deadlines(self) -> Term:
        node = self._node
        column = len(self._join) + (2 if node.from_start else 1)
        store = struct("/", Atom(self._store.name), Number(self._store.arity))
        settlement = Atom(settlement_name(node))
        return struct("settle_at_deadlines", settlement, store, Number(column), Number(node.length))

    # ---- rules ------------------------------------------------------------------------------------------

    def _opened(self) -> Rule:
        node = self._node
        head, goal = own_solution(node.left, self._names), insert(self._goal(END, START))
        if not node.from_start:
            return insertion(node, head, goal)
        deadline = struct("is", _DUE, struct("-", START, Number(-node.length)))
        now = if_then_else(struct("=:=", END, _DUE), settle_later(node), TRUE)
        return insertion(node, head, deadline, struct("=<", END, _DUE), goal, now)

    def _taken(self, none: PlanNode) -> Rule:
        """What comes takes away the goals that it agrees with."""
        goal = self._goal(_FIRST_END, _BEGIN, "L")
        found = solution(none, self._sides.columns(none.schema.columns, "R"))
        return insertion(
            self._node,
            found,
            goal,
            struct("<", _FIRST_END, START),
            *self._sides.agree("L", "R"),
            self._condition(none),
            forget(goal),
        )

    def _condition(self, none: PlanNode) -> Term:
        node = self._node
        if node.condition is None:
            return TRUE
        known = (*node.left.schema.columns, *none.schema.columns)
        values = {each: self._names(each) for each in known if each in expression_variables(node.condition)}
        certain = node.left.schema.certain | none.schema.certain
        scope = Scope(values, certain, (START, END), END)
        return expressions_with(scope, node.tests, self._names).condition(node.condition)

    def _settled(self) -> Rule:
        node = self._node
        time = struct("-", END, Number(node.length))
        if node.from_start:
            found = conjunction(struct("is", _BEGIN, time), self._goal(_FIRST_END, _BEGIN))
        else:
            found = conjunction(struct("is", _FIRST_END, time), self._goal(_FIRST_END, _BEGIN))
        goal = self._goal(_FIRST_END, _BEGIN)
        return settling(node, found, forget(goal), own_solution(node, self._names, _BEGIN))
