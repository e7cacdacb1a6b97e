"""The rules of the operators that pair two sides: goal insertion and checking.

A solution of one side reacts twice: it is kept as a goal for later solutions of the other side, and it
checks the goals that the other side left. A rule gives the answers that come of it on backtracking; one that
only inserts a goal fails. Join variables come first in a goal, so that clause indexing
finds the goals of one key and no other. Every stored goal ended at or before the solution that checks it:
instants are processed in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from etalis_py.compiler.algebra.algebra import Variable
from etalis_py.compiler.plan.plan import Pair, PairOperator, PlanNode
from etalis_py.compiler.rules.generations import written_to
from etalis_py.compiler.rules.names import row_name, settlement_name, timeless_name
from etalis_py.compiler.rules.pair_sides import PairSides
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
    UNBOUND,
    Atom,
    Compound,
    Number,
    Term,
    Var,
    conjunction,
    either,
    if_then_else,
    soft_if,
    struct,
    unify,
)
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
    used_column,
)

__all__ = ["PairRules", "Side"]

_EARLIER_START, _EARLIER_END, _BEGIN = Var("Start1"), Var("End1"), Var("Start0")
_CURRENT, _ANY = Var("Current"), Var("_")


@dataclass(frozen=True, slots=True)
class Side:
    """One input of the operator, as this operator sees its solutions."""

    node: PlanNode
    store: Store
    values: Mapping[Variable, Term]

    def solution(self, start: Term, end: Term) -> Term:
        """The head of the rules that react to a solution."""
        return struct(self.node.name, start, end, *self.columns, *used_column(self.node), ANSWER)

    @property
    def columns(self) -> tuple[Term, ...]:
        """The variables of a solution."""
        return tuple(self.values[each] for each in self.node.schema.columns)

    @property
    def timeless(self) -> Term:
        """The goal that enumerates the solutions from background alone."""
        return struct(timeless_name(self.node), *self.columns)


class PairRules:
    """Generates the rules of one Pair."""

    def __init__(self, pair: Pair, names: VariableNames) -> None:
        self._pair = pair
        self._names = names
        self._sides = PairSides(pair, names)
        self._left = self._side(pair.left, "left", self._sides.left)
        self._right = self._side(pair.right, "right", self._sides.right)

    # ---- what is made -----------------------------------------------------------------------------------

    def rules(self) -> list[Rule]:
        """The reaction to each side's solutions, and what settles the operator when the instant closes."""
        match self._pair.operator:
            case PairOperator.JOIN:
                return [*self._join(self._left, self._right), *self._join(self._right, self._left)]
            case PairOperator.SEQ:
                return self._sequence()
            case PairOperator.EQUALS if not self._pair.eventful:
                return []
            case PairOperator.EQUALS:
                return [self._equals(self._left, self._right), self._equals(self._right, self._left)]
            case PairOperator.OPTIONALSEQ:
                return self._optional_sequence()
            case PairOperator.OPTIONAL | PairOperator.EQUALSOPTIONAL:
                return self._settled()

    def stores(self) -> list[Store]:
        """The goal stores that the rules use."""
        match self._pair.operator:
            case PairOperator.JOIN:
                left = [self._left.store] if self._pair.right.eventful else []
                return [*left, self._right.store] if self._pair.left.eventful else left
            case PairOperator.SEQ | PairOperator.OPTIONALSEQ:
                return [self._left.store] if self._pair.left_goals is None else []
            case PairOperator.EQUALS:
                return [self._left.store, self._right.store]
            case PairOperator.OPTIONAL | PairOperator.EQUALSOPTIONAL:
                return [self._right.store, self._waiting]

    @property
    def settlement(self) -> str:
        """The predicate that decides, at the end of an instant, what waited for it."""
        return settlement_name(self._pair)

    # ---- sides ------------------------------------------------------------------------------------------

    def _side(self, node: PlanNode, which: str, values: Mapping[Variable, Var]) -> Side:
        pair = self._pair
        others = pair.left_goals if which == "left" else None
        name = f"{others or pair.name}_{which}"
        arity = len(node.schema.columns) + 2
        if pair.operator in (PairOperator.EQUALS, PairOperator.EQUALSOPTIONAL):
            return Side(node, Store(name, arity, StoreKind.INSTANT, group=pair.name), values)
        optional = pair.operator in (PairOperator.OPTIONAL, PairOperator.OPTIONALSEQ)
        if pair.window is not None and not optional:
            return Side(node, Store(name, arity, StoreKind.WINDOW, pair.window), values)
        return Side(node, Store(name, arity, StoreKind.LASTING), values)

    @property
    def _waiting(self) -> Store:
        """Left solutions of this instant, of which it is not yet known whether they stay alone."""
        return Store(f"{self._pair.name}_waiting", len(self._left.columns) + 2, StoreKind.SETTLED)

    def _goal(self, side: Side, predicate: str, start: Term, end: Term) -> Compound:
        """A goal as it is stored: join variables, end, start, the other columns."""
        join = [self._names(each) for each in self._pair.join]
        others = [side.values[each] for each in side.node.schema.columns if each not in self._pair.join]
        return Compound(predicate, (*join, end, start, *others))

    def _insert(self, side: Side) -> Term:
        """Keep a solution as a goal, in a window store in the current generation."""
        return written_to(side.store, lambda predicate: self._add(side, predicate))

    def _add(self, side: Side, predicate: str) -> Term:
        return struct("assertz", self._goal(side, predicate, START, END))

    def _lookup(self, side: Side, start: Term, end: Term, current: Var | None = None) -> Term:
        """The goals of a side; with ``current``, those of the current generation first."""
        goals = [self._goal(side, each, start, end) for each in side.store.predicates]
        if len(goals) == 1:
            return goals[0]
        a_first = struct(";", *goals)
        if current is None:
            return a_first
        return if_then_else(struct("==", current, Atom("a")), a_first, struct(";", *reversed(goals)))

    def _current(self, side: Side) -> Term:
        """Which generation of a side goals are written into now."""
        return side.store.current(_CURRENT) if side.store.kind is StoreKind.WINDOW else TRUE

    def _result(self, start: Term, *, alone: Side | None = None, used: Term = USED) -> Term:
        """The solution of the operator; of one side ``alone`` where the other has nothing to give."""
        columns: list[Term] = []
        for each in self._pair.schema.columns:
            if alone is None:
                columns.append(self._names(each))
            else:
                columns.append(alone.values.get(each, UNBOUND))
        return struct(self._pair.name, start, END, *columns, *used_column(self._pair, used), ANSWER)

    def _within(self, start: Term) -> Term:
        """The window bound of the result; only a saving, the filter that gave it stands above."""
        if self._pair.window is None:
            return TRUE
        return struct("<", struct("-", END, start), Number(self._pair.window))

    def _rule(self, kind: RuleKind, head: Term, *goals: Term) -> Rule:
        return Rule(kind, head, conjunction(*goals), self._pair.span)

    # ---- operators --------------------------------------------------------------------------------------

    def _join(self, side: Side, other: Side) -> list[Rule]:
        if not side.node.eventful:
            return []
        goals, ways = [], []
        if other.node.eventful:
            # A result may bring about new goals of the other side in this very instant. They find this
            # solution, which is inserted; so it must not find them: a lookup sees what was there when it
            # began, and the generation that they are written into is looked up first.
            goals += [self._insert(side), self._current(other)]
            earlier = conjunction(
                self._lookup(other, _EARLIER_START, _EARLIER_END, _CURRENT),
                struct("is", _BEGIN, struct("min", START, _EARLIER_START)),
                self._within(_BEGIN),
                self._sides.merged(),
                self._result(_BEGIN),
            )
            ways.append(earlier)
        if other.node.timeless:
            handed = self._sides.handed_over(to_left=other is self._left)
            ways.append(conjunction(handed, other.timeless, self._sides.merged(), self._result(START)))
        return [self._rule(RuleKind.BOTH, side.solution(START, END), *goals, either(*ways))]

    def _insertion(self, side: Side, *before: Term) -> Rule:
        head = side.solution(START, END)
        return self._rule(RuleKind.INSERTION, head, *before, self._insert(side), FAIL)

    def _left_insertion(self) -> list[Rule]:
        """None where another pair keeps the goals."""
        return [self._insertion(self._left)] if self._pair.left_goals is None else []

    def _sequence(self) -> list[Rule]:
        if not self._pair.eventful:
            return []
        check = self._rule(
            RuleKind.CHECKING,
            self._right.solution(START, END),
            self._lookup(self._left, _EARLIER_START, _EARLIER_END),
            struct("<", _EARLIER_END, START),
            self._within(_EARLIER_START),
            self._sides.merged(),
            self._result(_EARLIER_START),
        )
        return [*self._left_insertion(), check]

    def _equals(self, side: Side, other: Side) -> Rule:
        found = conjunction(self._lookup(other, START, END), self._sides.merged(), self._result(START))
        asked = [self._asked] if self._pair.asks is not None and side is self._left else []
        return self._rule(
            RuleKind.BOTH,
            side.solution(START, END),
            self._fresh_instant(),
            self._insert(side),
            either(found, *asked),
        )

    @property
    def _asked(self) -> Term:
        """A left solution asks for the row of its key; the row then finds the solution by itself."""
        group = self._pair.asks
        assert group is not None
        keys = tuple(self._names(each) for each in group.keys)
        return conjunction(
            struct("==", START, END),
            struct("demand_row", Atom(group.name), END, struct("key", *keys)),
            struct(row_name(group), END, *keys, ANSWER),
        )

    def _fresh_instant(self) -> Term:
        """Empty the operator's goals of earlier instants when the first of a new instant arrives."""
        return struct("current_instant", Atom(self._pair.name), END)

    def _optional_sequence(self) -> list[Rule]:
        match = conjunction(
            self._lookup(self._left, _EARLIER_START, _EARLIER_END),
            struct("<", _EARLIER_END, START),
            self._sides.merged(),
            self._sides.condition((_EARLIER_START, _EARLIER_END)),
        )
        check = soft_if(match, self._result(_EARLIER_START), self._result(START, alone=self._right))
        head = self._right.solution(START, END)
        return [*self._left_insertion(), self._rule(RuleKind.CHECKING, head, check)]

    def _settle(self, *goals: Term) -> Rule:
        return self._rule(RuleKind.SETTLING, struct(self.settlement, END, ANSWER), *goals)

    def _forget(self, waiting: Store) -> Rule:
        """When all that waited is settled, it waits no longer."""
        return self._rule(RuleKind.SETTLING, struct(self.settlement, _ANY, _ANY), waiting.emptied, FAIL)

    def _settled(self) -> list[Rule]:
        """OPTIONAL and EQUALSOPTIONAL: the left side waits until the instant is complete."""
        same_instant = self._pair.operator is PairOperator.EQUALSOPTIONAL
        clean = self._fresh_instant() if same_instant else TRUE
        waiting = struct(self._waiting.name, START, END, *self._left.columns)
        wait = self._rule(
            RuleKind.INSERTION,
            self._left.solution(START, END),
            clean,
            struct("assertz", waiting),
            struct("settle_later", Atom(self.settlement)),
            FAIL if self._pair.asks is None else self._asked,
        )
        decide = self._settle(
            waiting,
            soft_if(
                self._match(same_instant=same_instant),
                self._result(_BEGIN),
                self._result(START, alone=self._left),
            ),
        )
        answering = [decide, self._forget(self._waiting)]
        if self._right.node.eventful:
            answering.insert(0, self._insertion(self._right, clean))
        return [wait, *answering]

    def _match(self, *, same_instant: bool) -> Term:
        """Each right solution for one that waits; ``Start0`` is the start of the pair."""
        if same_instant:
            return conjunction(
                self._lookup(self._right, START, END),
                unify(_BEGIN, START),
                self._sides.merged(),
                self._sides.condition((START, END)),
            )
        ways = []
        if self._right.node.eventful:
            ways.append(
                conjunction(
                    self._lookup(self._right, _EARLIER_START, _EARLIER_END),
                    self._sides.merged(),
                    self._sides.condition((_EARLIER_START, _EARLIER_END)),
                    struct("is", _BEGIN, struct("min", START, _EARLIER_START)),
                )
            )
        if self._right.node.timeless:
            handed = self._sides.handed_over(to_left=False)
            found = conjunction(handed, self._right.timeless, self._sides.merged())
            ways.append(conjunction(found, self._sides.condition(None), unify(_BEGIN, START)))
        return either(*ways)
