"""The rules of FIRST and LAST in what changes: the solutions of each key that have the best times are there.

A group has the best times of each key: they are terms whose standard order is that of time, backwards for
LAST. A solution with these comes and goes as it does below. When others have become the best at an instant,
all that had the old ones go, and all that have the new ones come.
"""

from __future__ import annotations

from typing import Final

from etalis_py.compiler.algebra.algebra import CHANGE
from etalis_py.compiler.algebra.changes import COMES, GOES
from etalis_py.compiler.plan.plan import ChosenPlan
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
    Atom,
    Number,
    Term,
    Var,
    conjunction,
    either,
    if_then_else,
    list_term,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import END, Rule, RuleKind, RuleSet, Store, StoreKind, VariableNames
from etalis_py.compiler.rules.writing import change, forget, insert, rule, settle_later, settling
from etalis_py.core.vocabulary import XSD_DATETIME

__all__ = ["ChosenChangesRules"]

Times = tuple[Term, Term]
"""End and start as they are ordered."""

_FIRST_IN_ORDER: Final = struct("agg", Atom("sample"), Atom("false"), Number(1))
_NONE: Final = Atom("none")
_OWN: Final[Times] = Var("Ended"), Var("Began")
_BEST: Final[Times] = Var("End1"), Var("Start1")
_BEFORE: Final[Times] = Var("End0"), Var("Start0")
_READ: Final[Times] = Var("Ended1"), Var("Began1")
_FOUND: Final = Var("Found")


class ChosenChangesRules:
    """Generates the rules of one FIRST or LAST."""

    def __init__(self, node: ChosenPlan, names: VariableNames) -> None:
        self._node = node
        self._names = names
        self._group = Atom(node.name)
        self._keys = tuple(map(names, node.keys))
        others = (each for each in node.schema.columns if each not in (*node.keys, CHANGE))
        self._others = tuple(map(names, others))
        arity = len(self._keys)
        self._rows = Store(f"{node.name}_rows", arity + 2 + len(self._others), StoreKind.LASTING)
        self._best = Store(f"{node.name}_best", arity + 2, StoreKind.LASTING)
        self._touched = Store(f"{node.name}_touched", arity, StoreKind.SETTLED)

    def rule_set(self) -> RuleSet:
        """The reaction to what comes and goes, and what is the best then."""
        node, arity = self._node, Number(len(self._keys))
        group = struct("declare_group", self._group, arity, list_term((_FIRST_IN_ORDER,)), Atom("changes"))
        return RuleSet(
            (
                *map(self._changed, (COMES, GOES)),
                settling(node, struct("group_settle", self._group, END), FAIL),
                settling(node, struct(self._touched.name, *self._keys), self._turned),
                settling(node, self._touched.emptied, FAIL),
            ),
            (self._rows, self._best, self._touched),
            (group,),
        )

    # ---- terms ------------------------------------------------------------------------------------------

    @property
    def _key(self) -> Term:
        return struct("key", *self._keys)

    def _row(self, times: Times) -> Term:
        return struct(self._rows.name, *self._keys, *times, *self._others)

    def _known(self, times: Times) -> Term:
        """The best times of the key, as they were when it was settled."""
        return struct(self._best.name, *self._keys, *times)

    def _own_times(self) -> Term:
        """The goal that finds the times of a solution."""
        goals = []
        for variable, time, read in zip((self._node.end, self._node.start), _OWN, _READ, strict=True):
            value: Term = read if self._node.last else time
            goals.append(unify(self._names(variable), struct("^^", value, Atom(XSD_DATETIME))))
            if self._node.last:
                goals.append(struct("is", time, struct("-", read)))
        return conjunction(*goals)

    # ---- rules ------------------------------------------------------------------------------------------

    def _changed(self, value: int) -> Rule:
        """A solution comes, or goes; it does so above, if its times are the best by now."""
        node, row = self._node, self._row(_OWN)
        touched = struct(self._touched.name, *self._keys)
        times = struct("args", struct("t", *_OWN))
        return rule(
            RuleKind.BOTH,
            node,
            change(node.input, self._names, value),
            self._own_times(),
            insert(row) if value == COMES else forget(row),
            struct("group_change", self._group, Number(value), END, self._key, times),
            if_then_else(touched, TRUE, insert(touched)),
            settle_later(node),
            self._known(_OWN),
            change(node, self._names, value),
        )

    @property
    def _turned(self) -> Term:
        """The goals that find what is the best now, of a key, and give what that changes."""
        best = struct("group_row", self._group, self._key, struct("values", _FOUND))
        return conjunction(
            if_then_else(best, unify(_FOUND, struct("t", *_BEST)), _are_none(_BEST)),
            if_then_else(self._known(_BEFORE), TRUE, _are_none(_BEFORE)),
            struct("\\+", conjunction(*(struct("==", *each) for each in zip(_BEFORE, _BEST, strict=True)))),
            if_then_else(_is_some(_BEFORE), forget(self._known(_BEFORE)), TRUE),
            if_then_else(_is_some(_BEST), insert(self._known(_BEST)), TRUE),
            either(self._all(_BEFORE, GOES), self._all(_BEST, COMES)),
        )

    def _all(self, times: Times, value: int) -> Term:
        """All solutions with some times come, or go."""
        return conjunction(_is_some(times), self._row(times), change(self._node, self._names, value, END))


def _are_none(times: Times) -> Term:
    return conjunction(*(unify(each, _NONE) for each in times))


def _is_some(times: Times) -> Term:
    return struct("\\==", times[0], _NONE)
