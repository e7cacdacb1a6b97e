"""The rules of the operators that pair two sides: goal insertion and checking.

A solution of one side reacts twice: it is kept as a goal for later solutions of the other side, and it
checks the goals that the other side left. A rule gives the answers that come of it on backtracking; one that
only inserts a goal fails. Join variables come first in a goal, so that clause indexing
finds the goals of one key and no other. Every stored goal ended at or before the solution that checks it:
instants are processed in order.
"""

from __future__ import annotations

from collections.abc import Mapping

from etalis_py.compiler.algebra.algebra import Variable
from etalis_py.compiler.algebra.operators import Comparison, Side
from etalis_py.compiler.plan.plan import Pair, PlanNode
from etalis_py.compiler.rules.names import row_name
from etalis_py.compiler.rules.pair_sides import PairSides
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
    UNBOUND,
    Atom,
    Compound,
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
    RuleSet,
    Store,
    StoreKind,
    VariableNames,
)
from etalis_py.compiler.rules.writing import (
    fresh_instant,
    insert,
    insertion,
    rule,
    solution,
    timeless,
    within,
)
from etalis_py.core.value_class import value_class

__all__ = ["PairRules", "SideTerms"]

_EARLIER_START, _EARLIER_END, _BEGIN = Var("Start1"), Var("End1"), Var("Start0")
_UNTIL, _LEAST = Var("End0"), Var("Least")


@value_class
class SideTerms:
    """One input of the operator, as this operator sees its solutions."""

    side: Side
    node: PlanNode
    store: Store
    values: Mapping[Variable, Term]

    @property
    def solution(self) -> Term:
        """The head of the rules that react to a solution."""
        return solution(self.node, self.columns)

    @property
    def columns(self) -> tuple[Term, ...]:
        """The variables of a solution."""
        return tuple(self.values[each] for each in self.node.schema.columns)

    @property
    def timeless(self) -> Term:
        """The goal that enumerates the solutions from background alone."""
        return timeless(self.node, self.columns)


class PairRules:
    """Generates the rules of one Pair."""

    def __init__(self, pair: Pair, names: VariableNames) -> None:
        self._pair = pair
        self._names = names
        self._sides = PairSides(pair, names)
        self._left, self._right = map(self._made_side, Side)
        self._each_way = ((self._left, self._right), (self._right, self._left))

    def rule_set(self) -> RuleSet:
        """The reaction to each side's solutions, and the goals that they leave."""
        operator = self._pair.operator
        if operator.earlier is not None:
            found = self._in_sequence(self._side(operator.earlier), self._side(operator.earlier.other))
        else:
            found = self._at_one_end() if operator.same_end else self._at_any_time()
        if self._pair.begins:
            found = self._as_they_begin()
        never = operator.optional is None and operator.needs_times and not self._pair.eventful
        return RuleSet(stores=found.stores) if never else found  # background has no times

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
        else:
            store = Store.within(pair.window if pair.operator.optional is None else None, name, arity)
        return SideTerms(side, node, store, self._sides.of(side))

    def _goal(self, side: SideTerms, start: Term, end: Term) -> Compound:
        """A goal as it is stored: join variables, end, start, the other columns."""
        join, others = self._columns_apart(side)
        return Compound(side.store.name, (*join, end, start, *others))

    def _columns_apart(self, side: SideTerms) -> tuple[list[Term], list[Term]]:
        """The join variables, and the other columns."""
        others = [side.values[each] for each in side.node.schema.columns if each not in self._pair.join]
        return [self._names(each) for each in self._pair.join], others

    def _insert(self, side: SideTerms) -> Term:
        """Keep a solution as a goal."""
        return insert(self._goal(side, START, END))

    def _insertion(self, side: SideTerms, *before: Term) -> Rule:
        return insertion(self._pair, side.solution, *before, self._insert(side))

    def _result(
        self, start: Term, *, end: Term = END, alone: SideTerms | None = None, used: Term = USED
    ) -> Term:
        """The solution of the operator; of one side ``alone`` where the other has nothing to give."""
        columns: tuple[Term, ...] = self._names.columns(self._pair)
        if alone is not None:
            columns = tuple(alone.values.get(each, UNBOUND) for each in self._pair.schema.columns)
        return solution(self._pair, columns, start, end=end, used=used)

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
            which = "max" if self._pair.operator.intersects else "min"
            return struct("is", _BEGIN, struct(which, START, _EARLIER_START)), _BEGIN
        return TRUE, self._ends_of_goal(side)[0] if first is side else START

    def _ending(self) -> tuple[Term, Term]:
        """The goal that finds where a pair ends, and where that is: now, but for lives."""
        if not self._pair.operator.intersects:
            return TRUE, END
        return struct("is", _UNTIL, struct("min", END, _EARLIER_END)), _UNTIL

    def _within(self, start: Term) -> Term:
        """The window bound of the result; only a saving, the filter that gave it stands above."""
        operator = self._pair.operator
        bounds_side = operator.whole is not None or operator.intersects
        return within(None if bounds_side else self._pair.window, start)

    # ---- operators --------------------------------------------------------------------------------------

    def _found(self, goals: SideTerms) -> Term:
        """The pairs of a solution with the goals of the other side."""
        (begin, start), (until, end) = self._beginning(goals.side), self._ending()
        return conjunction(
            self._looked_at(goals),
            self._in_time(goals.side),
            begin,
            until,
            self._within(start),
            self._sides.merged(),
            self._selected(),
            self._result(start, end=end),
        )

    def _looked_at(self, side: SideTerms) -> Term:
        """The goals of a side that are looked at: all."""
        return self._goal(side, *self._ends_of_goal(side.side))

    def _selected(self) -> Term:
        """What else is asked of a pair: nothing."""
        return TRUE

    def _in_sequence(self, earlier: SideTerms, later: SideTerms) -> RuleSet:
        """One side ends before the other, so its solutions wait as goals; those of the other check them."""
        check = rule(RuleKind.CHECKING, self._pair, later.solution, self._found(earlier))
        if self._pair.left_goals is not None:  # another pair keeps them
            return RuleSet((check,))
        return RuleSet((self._insertion(earlier), check), (earlier.store,))

    def _at_one_end(self) -> RuleSet:
        """Both sides end at one instant: each solution is kept for it, and checks the other side's."""
        if self._pair.asks is not None:
            return self._on_demand()
        rules = []
        for side, other in self._each_way:
            goals = (fresh_instant(self._pair), self._insert(side), self._found(other))
            rules.append(rule(RuleKind.BOTH, self._pair, side.solution, *goals))
        return RuleSet(tuple(rules), (self._left.store, self._right.store))

    def _on_demand(self) -> RuleSet:
        """Left solutions wait for the row of their key, which they ask for. One that comes after the rows of
        the instant were made has its row at once; those before it have theirs, and wait no longer.
        """
        keep = self._insert(self._left)
        at_once = conjunction(self._left.store.emptied, keep, self._row)
        waits = if_then_else(self._demand, at_once, conjunction(keep, FAIL))
        goals = (struct("==", START, END), fresh_instant(self._pair), waits)
        ask = rule(RuleKind.INSERTION, self._pair, self._left.solution, *goals)
        check = rule(RuleKind.CHECKING, self._pair, self._right.solution, self._found(self._left))
        return RuleSet((ask, check), (self._left.store,))

    def _at_any_time(self) -> RuleSet:
        """Either side may come first: each solution is kept, and checks what the other side left."""
        rules = tuple(self._reaction(*each) for each in self._each_way if each[0].node.eventful)
        return RuleSet(rules, (self._left.store, self._right.store) if len(rules) == 2 else ())

    def _as_they_begin(self) -> RuleSet:
        """A solution has one life, which goes on where another touches it: the pairs are those that begin to
        live with what begins, or with what goes on from that very instant.
        """
        rules = []
        for side, other in self._each_way:
            begins = struct("begin_life", self._life(side, START, END), _LEAST)
            alive = struct("<", START, _EARLIER_END), struct("=<", _LEAST, _EARLIER_START)
            found = self._life(other, _EARLIER_START, _EARLIER_END), *alive, self._sides.merged()
            result = self._result(START, end=START)
            rules.append(rule(RuleKind.BOTH, self._pair, side.solution, begins, *found, result))
        return RuleSet(tuple(rules), (self._left.store, self._right.store))

    def _life(self, side: SideTerms, start: Term, end: Term) -> Compound:
        """The life of a solution as it is stored: join variables, the other columns, end, start."""
        join, others = self._columns_apart(side)
        return Compound(side.store.name, (*join, *others, end, start))

    def _reaction(self, side: SideTerms, other: SideTerms) -> Rule:
        goals, ways = [], []
        if other.node.eventful:
            # A result may bring about new goals of the other side in this very instant. They find this
            # solution, which is inserted; it does not find them: a lookup sees what was there when it began.
            goals.append(self._insert(side))
            ways.append(self._found(other))
        if other.node.timeless and not self._pair.operator.needs_times:
            handed = self._sides.handed_over(to_left=other is self._left)
            ways.append(conjunction(handed, other.timeless, self._sides.merged(), self._result(START)))
        return rule(RuleKind.BOTH, self._pair, side.solution, *goals, either(*ways))

    @property
    def _demand(self) -> Term:
        """Ask for the row of a left solution's key; it succeeds if rows are made already."""
        assert self._pair.asks is not None
        return struct("demand_row", Atom(self._pair.asks.name), END, struct("key", *self._asked_keys))

    @property
    def _row(self) -> Term:
        """Make the row of a left solution's key; it finds the solution by itself."""
        assert self._pair.asks is not None
        return struct(row_name(self._pair.asks), END, *self._asked_keys, ANSWER)

    @property
    def _asked_keys(self) -> tuple[Term, ...]:
        assert self._pair.asks is not None
        return tuple(self._names(each) for each in self._pair.asks.keys)
