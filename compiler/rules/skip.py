"""The rules of SKIP: which of the answers that overlap are given.

Answers of an instant come in the order of starts, bindings and ends of their last occurrences. SKIP PAST LAST
keeps for each key where the last one given ended; SKIP TO NEXT keeps which starts have an answer, and when
that ended.
"""

from __future__ import annotations

from dataclasses import replace

from etalis_py.compiler.plan.plan import SkipPlan
from etalis_py.compiler.rules.prolog_terms import (
    TRUE,
    Atom,
    Term,
    Var,
    conjunction,
    if_then_else,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import END, START, RuleSet, Store, StoreKind, VariableNames
from etalis_py.compiler.rules.writing import Waiting, forget, insert, insertion, own_solution, settling
from etalis_py.core.vocabulary import XSD_DATETIME

__all__ = ["skip_rules"]

_ROWS, _ORDERED, _LAST, _ENDED, _ANY = Var("Rows"), Var("Ordered"), Var("Last"), Var("Ended"), Var("_")


def skip_rules(node: SkipPlan, names: VariableNames) -> RuleSet:
    """Solutions wait until the instant is complete, and are looked at one after the other."""
    if not node.eventful:
        return RuleSet()
    columns = sorted(node.schema.columns, key=lambda each: (each.is_hidden, each != node.ended, each.name))
    row = struct("row", START, *map(names, columns))
    waiting = Waiting(node, (START, *names.columns(node)))
    store = _store(node)
    settle = settling(
        node,
        struct("findall", row, waiting.kept, _ROWS),
        waiting.store.emptied,
        struct("iterations_in_order", _ROWS, _ORDERED),
        struct("member", row, _ORDERED),
        _starts_anew(node, names, store) if node.to_next else _is_past(node, names, store),
        own_solution(node, names),
    )
    keep = insertion(node, own_solution(node.input, names), waiting.keep)
    return RuleSet((keep, settle), (waiting.store, store))


def _store(node: SkipPlan) -> Store:
    if node.to_next:
        begun = Store.within(node.window, f"{node.name}_begun", len(node.keys) + 2)
        return replace(begun, shown=())
    return Store(f"{node.name}_given", len(node.keys) + 1, StoreKind.LASTING, shown=())


def _is_past(node: SkipPlan, names: VariableNames, store: Store) -> Term:
    """It starts after the last occurrence of the last one given ended; from now on it is that."""
    keys = tuple(map(names, node.keys))
    known = struct(store.name, *keys, _LAST)
    overlaps = conjunction(known, struct("=<", START, _LAST))
    gone = if_then_else(forget(struct(store.name, *keys, _ANY)), TRUE, TRUE)
    if node.ended is None:
        return conjunction(struct("\\+", overlaps), gone, insert(struct(store.name, *keys, END)))
    ended = unify(names(node.ended), struct("^^", _ENDED, Atom(XSD_DATETIME)))
    return conjunction(struct("\\+", overlaps), gone, ended, insert(struct(store.name, *keys, _ENDED)))


def _starts_anew(node: SkipPlan, names: VariableNames, store: Store) -> Term:
    """None with its start ended before."""
    keys = tuple(map(names, node.keys))
    known = struct(store.name, *keys, START, _LAST)
    earlier = conjunction(known, struct("<", _LAST, END))
    begun = struct(store.name, *keys, START, END)
    return conjunction(struct("\\+", earlier), if_then_else(begun, TRUE, insert(begun)))
