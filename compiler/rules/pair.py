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
from etalis_py.compiler.algebra.operators import Comparison, Side
from etalis_py.compiler.plan.plan import Pair, PlanNode
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
    struct,
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

__all__ = ["PairRules", "SideTerms"]

_EARLIER_START, _EARLIER_END, _BEGIN = Var("Start1"), Var("End1"), Var("Start0")
_CURRENT, _ANY = Var("Current"), Var("_")


@dataclass(frozen=True, slots=True)
class SideTerms:
    """One input of the operator, as this operator sees its solutions."""

    side: Side
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
        self._left, self._right = map(self._made_side, Side)

    # ---- what is made -----------------------------------------------------------------------------------

    def rules(self) -> list[Rule]:
        """The reaction to each side's solutions."""
        operator = self._pair.operator
        if operator.needs_times and not self._pair.eventful:
            return []
        if operator.earlier is not None:
            return self._in_sequence(operator.earlier)
        pair = self._at_one_end if operator.same_end else self._at_any_time
        return [*pair(Side.LEFT), *pair(Side.RIGHT)]

    def stores(self) -> list[Store]:
        """The goal stores that the rules use."""
        operator = self._pair.operator
        if operator.earlier is not None:
            return [self._side(operator.earlier).store] if self._pair.left_goals is None else []
        if operator.same_end:
            return [self._left.store, self._right.store]
        left = [self._left.store] if self._pair.right.eventful else []
        return [*left, self._right.store] if self._pair.left.eventful else left

    @property
    def settlement(self) -> str:
        """The predicate that decides, at the end of an instant, what waited for it."""
        return settlement_name(self._pair)

    # ---- sides ------------------------------------------------------------------------------------------

    def _side(self, side: Side) -> SideTerms:
        return self._left if side is Side.LEFT else self._right

    def _made_side(self, side: Side) -> SideTerms:
        pair, node = self._pair, self._pair.side(side)
        others = pair.left_goals if side is Side.LEFT else None
        name = f"{others or pair.name}_{side.value}"
        arity = len(node.schema.columns) + 2
        if pair.operator.same_end:
            store = Store(name, arity, StoreKind.INSTANT, group=pair.name)
        elif pair.window is not None and pair.operator.optional is None:
            store = Store(name, arity, StoreKind.WINDOW, pair.window)
        else:
            store = Store(name, arity, StoreKind.LASTING)
        return SideTerms(side, node, store, self._sides.of(side))

    @property
    def _waiting(self) -> Store:
        """Left solutions of this instant, of which it is not yet known whether they stay alone."""
        return Store(f"{self._pair.name}_waiting", len(self._left.columns) + 2, StoreKind.SETTLED)

    def _goal(self, side: SideTerms, predicate: str, start: Term, end: Term) -> Compound:
        """A goal as it is stored: join variables, end, start, the other columns."""
        join = [self._names(each) for each in self._pair.join]
        others = [side.values[each] for each in side.node.schema.columns if each not in self._pair.join]
        return Compound(predicate, (*join, end, start, *others))

    def _insert(self, side: SideTerms) -> Term:
        """Keep a solution as a goal, in a window store in the current generation."""
        return written_to(side.store, lambda predicate: self._add(side, predicate))

    def _add(self, side: SideTerms, predicate: str) -> Term:
        return struct("assertz", self._goal(side, predicate, START, END))

    def _lookup(self, side: SideTerms, start: Term, end: Term, current: Var | None = None) -> Term:
        """The goals of a side; with ``current``, those of the current generation first."""
        goals = [self._goal(side, each, start, end) for each in side.store.predicates]
        if len(goals) == 1:
            return goals[0]
        a_first = struct(";", *goals)
        if current is None:
            return a_first
        return if_then_else(struct("==", current, Atom("a")), a_first, struct(";", *reversed(goals)))

    def _current(self, side: SideTerms) -> Term:
        """Which generation of a side goals are written into now."""
        return side.store.current(_CURRENT) if side.store.kind is StoreKind.WINDOW else TRUE

    def _result(self, start: Term, *, alone: SideTerms | None = None, used: Term = USED) -> Term:
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
        if self._pair.window is None or self._pair.operator.whole is not None:  # the side is bounded itself
            return TRUE
        return struct("<", struct("-", END, start), Number(self._pair.window))

    def _rule(self, kind: RuleKind, head: Term, *goals: Term) -> Rule:
        return Rule(kind, head, conjunction(*goals), self._pair.span)

    # ---- times ------------------------------------------------------------------------------------------

    def _ends_of_goal(self, side: Side) -> tuple[Term, Term]:
        """Start and end of a goal of ``side``; where they are those of the solution that checks it, these."""
        equal = self._pair.operator.found_by(side)
        own = {side.other.start: START, side.other.end: END}
        start = own[equal[side.start]] if side.start in equal else _EARLIER_START
        end = own[equal[side.end]] if side.end in equal else _EARLIER_END
        return start, end

    def _in_time(self, side: Side) -> Term:
        """How the goal of ``side`` must lie, but for the ends by which it was found."""
        start, end = self._ends_of_goal(side)
        times = {side.start: start, side.end: end, side.other.start: START, side.other.end: END}
        known = Comparison(side.end, "=<", side.other.end)  # goals are there before what checks them
        return conjunction(
            *(
                struct(each.order, times[each.first], times[each.second])
                for each in self._pair.operator.relation
                if each.order != "=" and each != known
            )
        )

    def _beginning(self, side: Side) -> tuple[Term, Term]:
        """The goal that finds where a pair with a goal of ``side`` begins, and where that is."""
        first = self._pair.operator.first
        if first is None:
            return struct("is", _BEGIN, struct("min", START, _EARLIER_START)), _BEGIN
        return TRUE, self._ends_of_goal(side)[0] if first is side else START

    # ---- operators --------------------------------------------------------------------------------------

    def _insertion(self, side: SideTerms, *before: Term) -> Rule:
        head = side.solution(START, END)
        return self._rule(RuleKind.INSERTION, head, *before, self._insert(side), FAIL)

    def _in_sequence(self, earlier: Side) -> list[Rule]:
        """One side ends before the other, so its solutions wait as goals; those of the other check them."""
        goal, later = self._side(earlier), self._side(earlier.other)
        begin, start = self._beginning(earlier)
        check = self._rule(
            RuleKind.CHECKING,
            later.solution(START, END),
            self._lookup(goal, *self._ends_of_goal(earlier)),
            self._in_time(earlier),
            begin,
            self._within(start),
            self._sides.merged(),
            self._result(start),
        )
        if self._pair.left_goals is not None:  # another pair keeps them
            return [check]
        return [self._insertion(goal), check]

    def _at_one_end(self, which: Side) -> list[Rule]:
        """Both sides end at one instant: each solution is kept for it, and checks the other side's."""
        side, other = self._side(which), self._side(which.other)
        begin, start = self._beginning(which.other)
        found = conjunction(
            self._lookup(other, *self._ends_of_goal(which.other)),
            self._in_time(which.other),
            begin,
            self._within(start),
            self._sides.merged(),
            self._result(start),
        )
        asked = [self._asked] if self._pair.asks is not None and side is self._left else []
        head = side.solution(START, END)
        goals = (self._fresh_instant(), self._insert(side), either(found, *asked))
        return [self._rule(RuleKind.BOTH, head, *goals)]

    def _at_any_time(self, which: Side) -> list[Rule]:
        """Either side may come first: each solution is kept, and checks what the other side left."""
        side, other = self._side(which), self._side(which.other)
        if not side.node.eventful:
            return []
        goals, ways = [], []
        if other.node.eventful:
            # A result may bring about new goals of the other side in this very instant. They find this
            # solution, which is inserted; so it must not find them: a lookup sees what was there when it
            # began, and the generation that they are written into is looked up first.
            goals += [self._insert(side), self._current(other)]
            begin, start = self._beginning(which.other)
            earlier = conjunction(
                self._lookup(other, *self._ends_of_goal(which.other), _CURRENT),
                self._in_time(which.other),
                begin,
                self._within(start),
                self._sides.merged(),
                self._result(start),
            )
            ways.append(earlier)
        if other.node.timeless and not self._pair.operator.needs_times:
            handed = self._sides.handed_over(to_left=other is self._left)
            ways.append(conjunction(handed, other.timeless, self._sides.merged(), self._result(START)))
        return [self._rule(RuleKind.BOTH, side.solution(START, END), *goals, either(*ways))]

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

    def _settle(self, *goals: Term) -> Rule:
        return self._rule(RuleKind.SETTLING, struct(self.settlement, END, ANSWER), *goals)

    def _forget(self, waiting: Store) -> Rule:
        """When all that waited is settled, it waits no longer."""
        return self._rule(RuleKind.SETTLING, struct(self.settlement, _ANY, _ANY), waiting.emptied, FAIL)
