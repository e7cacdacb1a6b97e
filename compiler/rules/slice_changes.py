"""The rules of LIMIT and OFFSET in what changes: so many rows are the first in an order.

One group has these rows, and knows how many there are, and the last; another has the rest, and knows the
first. What comes is of the rest. When the instant is complete the first of the rest moves up while there is
room, or where it is before the last of the first ones, which makes room for it. With LIMIT the first ones are
given, with OFFSET the rest.
"""

from __future__ import annotations

from typing import Final

from etalis_py.compiler.algebra.algebra import CHANGE
from etalis_py.compiler.algebra.changes import COMES, GOES
from etalis_py.compiler.plan.plan import SlicePlan
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
from etalis_py.compiler.rules.rules import (
    ANSWER,
    END,
    Rule,
    RuleKind,
    RuleSet,
    Store,
    StoreKind,
    VariableNames,
)
from etalis_py.compiler.rules.writing import change, forget, insert, rule, settle_later, settling
from etalis_py.core.vocabulary import XSD_INTEGER

__all__ = ["SliceChangesRules"]

_UP, _DOWN = "", "R"
"""Whose values variables have: of a row that moves to the first ones, of one that moves to the rest."""
_KEY: Final = Atom("key")
_ROW, _LAST, _COUNT, _NUMBER = Var("Row"), Var("Last"), Var("Count"), Var("Number")


class SliceChangesRules:
    """Generates the rules of one LIMIT, or of one OFFSET."""

    def __init__(self, node: SlicePlan, names: VariableNames) -> None:
        assert node.keys is not None
        self._node = node
        self._names = names
        self._first, self._rest = Atom(f"{node.name}_first"), Atom(f"{node.name}_rest")
        self._columns = tuple(each for each in node.schema.columns if each != CHANGE)
        self._size = node.offset if node.limit is None else node.limit
        self._given = self._rest if node.limit is None else self._first
        self._keys = list_term(
            tuple(
                Number((self._columns.index(each.variable) + 1) * (-1 if each.descending else 1))
                for each in node.keys
            )
        )
        self._kept_rows = Store(f"{node.name}_rows", len(self._columns), StoreKind.LASTING)

    def rule_set(self) -> RuleSet:
        """The reaction to what comes and goes, and how rows move when the instant is complete."""
        node = self._node
        last, first = (
            struct("agg", struct(each, self._keys), Atom("false"), Number(1))
            for each in ("last_row", "first_row")
        )
        count = struct("agg", Atom("count"), Atom("false"), Atom("all"))
        groups = (self._first, (last, count)), (self._rest, (first,))
        return RuleSet(
            (
                self._comes(),
                self._goes(),
                settling(node, *self._settled(), FAIL),
                settling(node, self._moving),
                *self._moves(),
            ),
            (self._kept_rows,),
            tuple(
                struct("declare_group", name, Number(0), list_term(kept), Atom("changes"))
                for name, kept in groups
            ),
        )

    # ---- terms ------------------------------------------------------------------------------------------

    @property
    def _moving(self) -> Term:
        return struct(f"{self._node.name}_move", END, ANSWER)

    def _kept(self, side: str = _UP) -> Term:
        """A row among the first, as it is stored."""
        return struct(self._kept_rows.name, *self._values(side))

    def _row(self, side: str = _UP) -> Term:
        return struct("row", *self._values(side))

    def _values(self, side: str) -> tuple[Term, ...]:
        return tuple(self._names(each, side) for each in self._columns)

    def _counted(self, value: int, group: Term, row: Term) -> Term:
        """The goal that puts a row into a group, or takes it out."""
        return struct("group_change", group, Number(value), END, _KEY, struct("args", row))

    def _settled(self) -> tuple[Term, ...]:
        return tuple(struct("group_settle", each, END) for each in (self._first, self._rest))

    def _told(self, group: Term, value: int, side: str = _UP) -> Term:
        """A row comes to those of a group, or leaves them: that is told where these are given."""
        return change(self._node, self._names, value, END, side) if group == self._given else FAIL

    # ---- rules ------------------------------------------------------------------------------------------

    def _comes(self) -> Rule:
        counted = self._counted(COMES, self._rest, self._row()), settle_later(self._node)
        head = change(self._node.input, self._names, COMES)
        return rule(RuleKind.BOTH, self._node, head, *counted, self._told(self._rest, COMES))

    def _goes(self) -> Rule:
        def left(group: Term) -> Term:
            return conjunction(self._counted(GOES, group, self._row()), self._told(group, GOES))

        head = change(self._node.input, self._names, GOES)
        goes = if_then_else(forget(self._kept()), left(self._first), left(self._rest))
        return rule(RuleKind.BOTH, self._node, head, settle_later(self._node), goes)

    def _moves(self) -> tuple[Rule, ...]:
        """The first of the rest moves up while there is room, or takes the place of the last."""
        count = struct("^^", _COUNT, Atom(XSD_INTEGER))
        is_full = conjunction(
            struct("group_row", self._first, _KEY, struct("values", _LAST, _NUMBER)),
            unify(_NUMBER, count),
            struct("=<", Number(self._size), _COUNT),
        )
        next_one = struct("group_row", self._rest, _KEY, struct("values", _ROW))
        up = (*self._moved(_ROW, self._rest, self._first), unify(_ROW, self._row()), insert(self._kept()))
        down = (
            *self._moved(_LAST, self._first, self._rest),
            unify(_LAST, self._row(_DOWN)),
            forget(self._kept(_DOWN)),
        )
        told_up = self._told(self._first, COMES), self._told(self._rest, GOES)
        told_down = self._told(self._first, GOES, _DOWN), self._told(self._rest, COMES, _DOWN)
        is_before = struct("row_before", self._keys, _ROW, _LAST, TRUE)
        settled = self._settled()
        return tuple(
            rule(RuleKind.SETTLING, self._node, self._moving, *goals)
            for goals in (
                (
                    is_full,
                    next_one,
                    is_before,
                    *down,
                    *up,
                    *settled,
                    _any_of(*told_down, *told_up, self._moving),
                ),
                (struct("\\+", is_full), next_one, *up, *settled, _any_of(*told_up, self._moving)),
            )
        )

    def _moved(self, row: Term, source: Term, target: Term) -> tuple[Term, Term]:
        return self._counted(GOES, source, row), self._counted(COMES, target, row)


def _any_of(*goals: Term) -> Term:
    return either(*(each for each in goals if each != FAIL))
