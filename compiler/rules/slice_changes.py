"""The rules of LIMIT and OFFSET in what changes: so many rows are the first in an order.

A group of two keys has the rows that are the first, and the rest: of each the first and the last, by heaps.
What comes is of the rest. When the instant is complete the first of the rest moves up while there is room, or
it is before the last of the first ones, which makes room for it. With LIMIT the first ones are given, with
OFFSET the rest.
"""

from __future__ import annotations

from typing import Final

from etalis_py.compiler.algebra.algebra import CHANGE
from etalis_py.compiler.algebra.changes import COMES, GOES
from etalis_py.compiler.plan.plan import SlicePlan
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
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

_FIRST, _REST = Atom("first"), Atom("rest")
_UP, _DOWN = "", "R"
"""Whose values variables have: of a row that moves to the first ones, of one that moves to the rest."""
_ANY: Final = Var("_")
_ROW, _LAST, _COUNT, _NUMBER = Var("Row"), Var("Last"), Var("Count"), Var("Number")


class SliceChangesRules:
    """Generates the rules of one LIMIT, or of one OFFSET."""

    def __init__(self, node: SlicePlan, names: VariableNames) -> None:
        assert node.keys is not None
        self._node = node
        self._names = names
        self._group = Atom(node.name)
        self._columns = tuple(each for each in node.schema.columns if each != CHANGE)
        self._size = node.offset if node.limit is None else node.limit
        self._given = _REST if node.limit is None else _FIRST
        self._keys = list_term(
            tuple(
                Number((self._columns.index(each.variable) + 1) * (-1 if each.descending else 1))
                for each in node.keys
            )
        )
        self._among_first = Store(f"{node.name}_first", len(self._columns), StoreKind.LASTING)

    def rule_set(self) -> RuleSet:
        """The reaction to what comes and goes, and how rows move when the instant is complete."""
        node = self._node
        aggregates = (
            struct("agg", struct("first_row", self._keys), Atom("false"), Number(1)),
            struct("agg", struct("last_row", self._keys), Atom("false"), Number(1)),
            struct("agg", Atom("count"), Atom("false"), Atom("all")),
        )
        group = struct("declare_group", self._group, Number(1), list_term(aggregates), Atom("changes"))
        return RuleSet(
            (
                self._comes(),
                self._goes(),
                settling(node, struct("group_settle", self._group, END), FAIL),
                settling(node, self._moving),
                *self._moves(),
            ),
            (self._among_first,),
            (group,),
        )

    # ---- terms ------------------------------------------------------------------------------------------

    @property
    def _moving(self) -> Term:
        return struct(f"{self._node.name}_move", END, ANSWER)

    def _kept(self, side: str = _UP) -> Term:
        """A row among the first, as it is stored."""
        return struct(self._among_first.name, *self._values(side))

    def _row(self, side: str = _UP) -> Term:
        return struct("row", *self._values(side))

    def _values(self, side: str) -> tuple[Term, ...]:
        return tuple(self._names(each, side) for each in self._columns)

    def _counted(self, value: int, key: Term, row: Term) -> Term:
        """The goal that puts a row into the group of a key, or takes it out."""
        found = struct("key", key), struct("args", row)
        return struct("group_change", self._group, Number(value), END, *found)

    def _known(self, key: Term, *values: Term) -> Term:
        """The goal that finds the first row of a key, the last, and how many there are."""
        return struct("group_row", self._group, struct("key", key), struct("values", *values))

    def _told(self, key: Term, value: int, side: str = _UP) -> Term:
        """A row comes to those of a key, or leaves them: that is told where these are given."""
        return change(self._node, self._names, value, END, side) if key == self._given else FAIL

    # ---- rules ------------------------------------------------------------------------------------------

    def _comes(self) -> Rule:
        counted = self._counted(COMES, _REST, self._row()), settle_later(self._node)
        head = change(self._node.input, self._names, COMES)
        return rule(RuleKind.BOTH, self._node, head, *counted, self._told(_REST, COMES))

    def _goes(self) -> Rule:
        def left(key: Term) -> Term:
            return conjunction(self._counted(GOES, key, self._row()), self._told(key, GOES))

        head = change(self._node.input, self._names, GOES)
        goes = if_then_else(forget(self._kept()), left(_FIRST), left(_REST))
        return rule(RuleKind.BOTH, self._node, head, settle_later(self._node), goes)

    def _moves(self) -> tuple[Rule, ...]:
        """The first of the rest moves to the first ones, and what that makes too many back."""
        count, kept = struct("^^", _COUNT, Atom(XSD_INTEGER)), insert(self._kept())
        is_full = conjunction(
            self._known(_FIRST, _ANY, _ANY, _NUMBER),
            unify(_NUMBER, count),
            struct("=<", Number(self._size), _COUNT),
        )
        up = self._moved(_ROW, _REST, _FIRST, self._known(_REST, _ROW, _ANY, _ANY))
        down = self._moved(_LAST, _FIRST, _REST, self._known(_FIRST, _ANY, _LAST, _ANY))
        read = conjunction(unify(_ROW, self._row()), kept)
        told = self._told(_FIRST, COMES), self._told(_REST, GOES), self._moving
        makes_room = conjunction(
            down,
            struct("\\==", _LAST, _ROW),
            unify(_LAST, self._row(_DOWN)),
            forget(self._kept(_DOWN)),
            read,
            _any_of(self._told(_FIRST, GOES, _DOWN), self._told(_REST, COMES, _DOWN), *told),
        )
        return (
            rule(RuleKind.SETTLING, self._node, self._moving, is_full, up, makes_room),
            rule(
                RuleKind.SETTLING, self._node, self._moving, struct("\\+", is_full), up, read, _any_of(*told)
            ),
        )

    def _moved(self, row: Term, source: Term, target: Term, found: Term) -> Term:
        counted = self._counted(GOES, source, row), self._counted(COMES, target, row)
        return conjunction(found, *counted, struct("group_settle", self._group, END))


def _any_of(*goals: Term) -> Term:
    return either(*(each for each in goals if each != FAIL))
