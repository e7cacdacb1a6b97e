"""Goals that write into a store and read it, whether it has generations or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

from etalis_py.compiler.rules.prolog_terms import Atom, Term, Var, conjunction, either, if_then_else, struct
from etalis_py.compiler.rules.rules import Store

__all__ = ["Order", "in_turn", "read_from", "written_to"]


class Order(Enum):
    """In which order the generations of a store are read."""

    OLDEST_FIRST = "oldest first"
    NEWEST_FIRST = "newest first"


def written_to(store: Store, goal: Callable[[str], Term]) -> Term:
    """``goal`` of the predicate that facts of the instant ``End`` are written into."""
    first, *second = map(goal, store.predicates)
    if not second:
        return first
    generation = Var("Generation")
    return conjunction(
        store.current(generation), if_then_else(struct("==", generation, Atom("a")), first, *second)
    )


def read_from(store: Store, goal: Callable[[str], Term], order: Order = Order.OLDEST_FIRST) -> Term:
    """``goal`` of each predicate that holds facts, once the old ones are forgotten."""
    goals = [goal(each) for each in store.predicates]
    if len(goals) == 1:
        return goals[0]
    generation, first = Var("Generation"), "a" if order is Order.NEWEST_FIRST else "b"
    return conjunction(store.current(generation), in_turn(goals, generation, first))


def in_turn(goals: Sequence[Term], current: Term, first: str = "a") -> Term:
    """The goals of both generations, in this order where the ``current`` one is the ``first``."""
    in_order = struct("==", current, Atom(first))
    return if_then_else(in_order, either(*goals), either(*reversed(goals)))
