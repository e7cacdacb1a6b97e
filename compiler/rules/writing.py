"""What the rules of all operators are written with: solutions, and rules that insert, check, settle and pass.

Does not say what an operator means: each module of ``compiler/rules`` does for its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from etalis_py.compiler.algebra.algebra import CHANGE, Variable
from etalis_py.compiler.algebra.stream_windows import Grid
from etalis_py.compiler.plan.plan import PlanNode
from etalis_py.compiler.rules.names import settlement_name, timeless_name
from etalis_py.compiler.rules.prolog_terms import FAIL, TRUE, Atom, Number, Term, Var, conjunction, struct
from etalis_py.compiler.rules.rules import (
    ANSWER,
    END,
    START,
    USED,
    Rule,
    RuleKind,
    Store,
    StoreKind,
    VariableNames,
)
from etalis_py.core.value_class import value_class

__all__ = [
    "Sides",
    "Waiting",
    "change",
    "forget",
    "fresh_instant",
    "insert",
    "insertion",
    "newest",
    "own_solution",
    "own_timeless",
    "passing",
    "rule",
    "settle_later",
    "settling",
    "solution",
    "timeless",
    "used_column",
    "within",
]

_ANY, _INPUT = Var("_"), Atom("input")


# ---- goals --------------------------------------------------------------------------------------------


def used_column(node: PlanNode, used: Term = USED) -> tuple[Term, ...]:
    """The column with the occurrences that a solution of ``node`` is made of; none without a policy."""
    return (used,) if node.schema.used else ()


def solution(
    node: PlanNode,
    columns: tuple[Term, ...],
    start: Term = START,
    *,
    end: Term = END,
    used: Term = USED,
    answer: Term = ANSWER,
) -> Term:
    """A solution of ``node`` that ends now: rules that react to it have it as head, others give it.

    The end of a life (`algebra.Snapshot`) is another.
    """
    return struct(node.name, start, end, *columns, *used_column(node, used), answer)


def own_solution(
    node: PlanNode, names: VariableNames, start: Term = START, *, used: Term = USED, answer: Term = ANSWER
) -> Term:
    """As ``solution``, where each column has the name of its variable."""
    return solution(node, names.columns(node), start, used=used, answer=answer)


def change(node: PlanNode, names: VariableNames, value: int, start: Term = START, side: str = "") -> Term:
    """As ``own_solution``, of one that comes or goes (`algebra.CHANGE`), with the variables of a side."""
    columns = (Number(value) if each == CHANGE else names(each, side) for each in node.schema.columns)
    return solution(node, tuple(columns), start)


def timeless(node: PlanNode, columns: tuple[Term, ...]) -> Term:
    """The goal that enumerates the solutions of ``node`` from background alone."""
    return struct(timeless_name(node), *columns)


def own_timeless(node: PlanNode, names: VariableNames) -> Term:
    """As ``timeless``, where each column has the name of its variable."""
    return timeless(node, names.columns(node))


def within(window: int | None, start: Term) -> Term:
    """What began at ``start`` and ends now is shorter than the window."""
    return TRUE if window is None else struct("<", struct("-", END, start), Number(window))


def fresh_instant(node: PlanNode) -> Term:
    """Empty the node's goals of earlier instants when the first of a new instant arrives."""
    return struct("current_instant", Atom(node.name), END)


def insert(goal: Term) -> Term:
    """Keep a goal in the store of its name."""
    return struct("insert", goal)


def forget(goal: Term) -> Term:
    """Forget the first goal that matches; fails if there is none."""
    return struct("forget", goal)


def newest(goal: Term) -> Term:
    """Find goals, the newest first."""
    return struct("newest", goal)


def settle_later(node: PlanNode) -> Term:
    """Have the node settled when the instant closes."""
    return struct("settle_later", Atom(settlement_name(node)))


def settle_on_grid(node: PlanNode, grid: Grid, held: str | None = None, lasts: Term = _INPUT) -> Term:
    """Have the node settled at the instants of ``grid``, while the group or store ``held`` holds anything.

    ``lasts`` says how long when the input has ended (``rules/engine/instant.pl``).
    """
    first = Atom("none") if grid.first is None else Number(grid.first)
    held_by = Atom("none" if held is None else held)
    return struct("settle_on_grid", Atom(settlement_name(node)), Number(grid.period), first, held_by, lasts)


class Sides:
    """Columns of several sides: those that may be unbound, ``loose``, have a Prolog variable on each side."""

    def __init__(self, names: VariableNames, loose: Iterable[Variable]) -> None:
        self._names = names
        self._loose = dict.fromkeys(loose)

    def columns(self, columns: Iterable[Variable], side: str) -> tuple[Var, ...]:
        """The variables of columns on a side."""
        return tuple(self._names(each, side if each in self._loose else "") for each in columns)

    def agree(self, one: str, other: str, both: str = "") -> Iterator[Term]:
        """What is loose agrees on two sides, and has its value on the side ``both``."""
        for each in self._loose:
            yield struct(
                "compatible", self._names(each, one), self._names(each, other), self._names(each, both)
            )


# ---- rules --------------------------------------------------------------------------------------------


def rule(kind: RuleKind, node: PlanNode, head: Term, *goals: Term) -> Rule:
    """A rule of ``node``."""
    return Rule(kind, head, conjunction(*goals), node.span)


def insertion(node: PlanNode, head: Term, *goals: Term) -> Rule:
    """What keeps something of a solution for ``node``, and gives no answer."""
    return rule(RuleKind.INSERTION, node, head, *goals, FAIL)


def passing(node: PlanNode, below: PlanNode, names: VariableNames, *goals: Term) -> Rule:
    """A solution of ``below`` becomes one of ``node``, which is the last of ``goals``."""
    return rule(RuleKind.PASSING, node, own_solution(below, names), *goals)


def settling(node: PlanNode, *goals: Term) -> Rule:
    """What ``node`` gives when the instant closes."""
    return rule(RuleKind.SETTLING, node, struct(settlement_name(node), END, ANSWER), *goals)


@value_class
class Waiting:
    """What waits until the instant closes, when ``node`` is settled; ``columns`` are kept of it."""

    node: PlanNode
    columns: tuple[Term, ...]
    which: str = "waiting"

    @property
    def store(self) -> Store:
        """Where it waits."""
        return Store(f"{self.node.name}_{self.which}", len(self.columns), StoreKind.SETTLED)

    @property
    def kept(self) -> Term:
        """The goal that finds what waits."""
        return struct(self.store.name, *self.columns)

    @property
    def keep(self) -> Term:
        """The goal that lets it wait."""
        return conjunction(insert(self.kept), settle_later(self.node))

    def settled(self, *goals: Term) -> Rule:
        """What comes of each that waits."""
        return settling(self.node, self.kept, *goals)

    @property
    def forgotten(self) -> Rule:
        """When all that waited is settled, it waits no longer."""
        head = struct(settlement_name(self.node), _ANY, _ANY)
        return rule(RuleKind.SETTLING, self.node, head, self.store.emptied, FAIL)
