"""Goals that write into a store and read it, whether it has generations or not."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from etalis_py.compiler.rules.prolog_terms import Atom, Term, Var, conjunction, either, if_then_else, struct
from etalis_py.compiler.rules.rules import Store

__all__ = ["Order", "read_from", "written_to"]


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
    generation = Var("Generation")
    a_is_first = struct("==", generation, Atom("a" if order is Order.NEWEST_FIRST else "b"))
    return conjunction(
        store.current(generation), if_then_else(a_is_first, either(*goals), either(*reversed(goals)))
    )
