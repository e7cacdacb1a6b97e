"""The rules of pairs under a selection policy, and of what answers consume.

The solution that completes a pair looks through the other side's goals of its key, in the order of the
policy: the earliest come first, or the latest. The first that is a candidate decides, with those of the same
end. Goals tell the occurrences they are made of, and are found by them when one is consumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from etalis_py.compiler.algebra.operators import Side
from etalis_py.compiler.algebra.policies import Policy
from etalis_py.compiler.plan.plan import Pair, QueryPlan, Step
from etalis_py.compiler.plan.trace_columns import is_trace
from etalis_py.compiler.rules.exists import expressions_with
from etalis_py.compiler.rules.expression_goals import Scope
from etalis_py.compiler.rules.names import consumption_name
from etalis_py.compiler.rules.pair import PairRules, SideTerms
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
    Atom,
    Term,
    Var,
    conjunction,
    either,
    if_then_else,
    list_term,
    soft_if,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import (
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
    Waiting,
    forget,
    fresh_instant,
    insert,
    insertion,
    newest,
    rule,
    within,
)

__all__ = ["ChoosingPairRules", "consumption_rules"]

_EARLIER_START, _EARLIER_END, _BEGIN = Var("Start1"), Var("End1"), Var("Start0")
_PARTNER_USED, _BOTH_USED = Var("Used1"), Var("Used0")
_CHOICE, _RANK, _ANY = Var("Choice"), Var("Rank"), Var("_")


def consumption_rules(plan: QueryPlan, stores: Sequence[Store]) -> RuleSet:
    """Under a policy, what answers are made of is consumed at the end of the instant."""
    if plan.policy is None:
        return RuleSet()
    name = consumption_name(plan.number)
    consumed = list_term(tuple(Atom(store.name) for store in stores if store.indexed))
    body = conjunction(struct("consume_occurrences", Atom(name), consumed), FAIL)
    return RuleSet((Rule(RuleKind.CONSUMING, struct(name, _ANY, _ANY), body, plan.span),))


class ChoosingPairRules(PairRules):
    """Generates the rules of one Pair under a policy."""

    def __init__(self, pair: Pair, names: VariableNames, policy: Policy) -> None:
        super().__init__(pair, names)
        self._policy = policy

    def rule_set(self) -> RuleSet:
        """Goal insertion, the choice among goals, and what settles the operator when the instant closes."""
        operator = self._pair.operator
        if operator.waits_for_instant:
            return self._optionally()
        if self._pair.chooses_late:
            return self._late_at_one_end() if operator.same_end else self._late_at_any_time()
        return super().rule_set()

    # ---- goals ------------------------------------------------------------------------------------------

    def _made_side(self, side: Side) -> SideTerms:
        made = super()._made_side(side)
        indexed = made.store.kind in (StoreKind.LASTING, StoreKind.WINDOW)
        return replace(made, store=replace(made.store, arity=made.store.arity + 1, indexed=indexed))

    def _waiting(self, side: SideTerms) -> Waiting:
        """Solutions of this instant that choose when it is complete."""
        return Waiting(self._pair, (START, END, *side.columns, USED), f"{side.side.value}_waiting")

    def _goal_made_of(self, side: SideTerms, start: Term, end: Term, used: Term) -> Term:
        """A goal as it is stored: the occurrences it is made of come last."""
        goal = self._goal(side, start, end)
        return replace(goal, arguments=(*goal.arguments, used))

    def _insert(self, side: SideTerms) -> Term:
        return insert(self._goal_made_of(side, START, END, USED))

    def _partners(self, side: SideTerms) -> Term:
        """The goals of a side in the order of the policy.

        One that is too old goes, or ends the search where the latest come first.
        """
        start, end = self._ends_of_goal(side.side)
        goal = self._goal_made_of(side, start, end, _PARTNER_USED)
        latest_first = self._policy is Policy.RECENT
        found = newest(goal) if latest_first else goal
        if side.store.window is None:
            return found
        out = conjunction(Atom("!") if latest_first else forget(goal), FAIL)
        return conjunction(found, if_then_else(within(side.store.window, end), TRUE, out))

    # ---- the choice -------------------------------------------------------------------------------------

    def _candidates_name(self, side: SideTerms) -> str:
        return f"{self._pair.name}_{side.side.value}_candidates"

    def _choose(self, side: SideTerms) -> Term:
        """Look through the partners of a solution of ``side``."""
        candidates = struct(self._candidates_name(side), _CHOICE, START, END, *side.columns)
        return conjunction(struct("new_choice", _CHOICE), struct("\\+", candidates))

    def _chosen(self, side: SideTerms) -> Term:
        """What was chosen, if anything was; ``Start0`` and ``Used0`` are those of the pair."""
        united = struct("united", USED, _PARTNER_USED, _BOTH_USED)
        return conjunction(struct("chosen", _CHOICE, self._partner(side)), united)

    def _partner(self, side: SideTerms) -> Term:
        """What a partner brings to a solution of ``side``."""
        known = [each for each in side.node.schema.columns if each not in self._pair.shared]
        columns = (self._names(each) for each in self._pair.schema.columns if each not in known)
        return struct("partner", _BEGIN, _PARTNER_USED, *columns)

    def _candidates(self, side: SideTerms, other: SideTerms) -> Rule:
        """Keeps the best partner for a solution of ``side`` in the choice, and fails."""
        start, end = self._ends_of_goal(other.side)
        numbers = count(1)
        met = TRUE if self._pair.operator.optional is None else struct("note_met", _CHOICE)
        best_first = (
            unify(_RANK, start)
            if self._policy is Policy.CHRONOLOGICAL
            else struct("is", _RANK, struct("-", start))
        )
        shown = (other.values[each] for each in other.node.schema.columns if not is_trace(each))
        rank = struct("rank", _RANK, *shown, _PARTNER_USED)
        head = struct(self._candidates_name(side), _CHOICE, START, END, *side.columns)
        begin, at = self._beginning(other.side)
        return rule(
            RuleKind.CHOOSING,
            self._pair,
            head,
            self._partners(other),
            if_then_else(struct("decided_before", _CHOICE, end), conjunction(Atom("!"), FAIL), TRUE),
            self._in_time(other.side),
            self._sides.merged(),
            self._sides.condition((start, end), numbers),
            met,
            begin if begin != TRUE else unify(_BEGIN, at),
            self._within(_BEGIN),
            *(self._step(each, numbers) for each in self._pair.steps),
            best_first,
            struct("keep_candidate", _CHOICE, end, rank, self._partner(side)),
            FAIL,
        )

    def _step(self, step: Step, numbers: Iterator[int]) -> Term:
        """A filter above, or a BIND below it, on the pair."""
        values = {each: self._names(each) for each in step.schema.columns}
        scope = Scope.of(values, step.schema.certain, (_BEGIN, END))
        expressions = expressions_with(scope, step.tests, self._names, numbers)
        if step.variable is None:
            return expressions.condition(step.expression)
        return expressions.binding(self._names(step.variable), step.expression)

    # ---- operators --------------------------------------------------------------------------------------

    def _both(self) -> Term:
        return self._result(_BEGIN, used=_BOTH_USED)

    def _with_background(self, other: SideTerms, condition: Term = TRUE) -> Term:
        """All that holds always is paired with, whatever is chosen."""
        return conjunction(
            other.timeless, self._sides.merged(), condition, unify(_BEGIN, START), unify(_BOTH_USED, USED)
        )

    def _in_sequence(self, earlier: SideTerms, later: SideTerms) -> RuleSet:
        check: Term = conjunction(self._chosen(later), self._both())
        if self._pair.operator.optional is not None:
            check = soft_if(self._chosen(later), self._both(), self._alone(later))
        rules = (
            self._insertion(earlier),
            self._candidates(later, earlier),
            rule(RuleKind.CHECKING, self._pair, later.solution, self._choose(later), check),
        )
        return RuleSet(rules, (earlier.store,))

    def _alone(self, side: SideTerms) -> Term:
        """A solution without a partner; not where filters above refused all that it has."""
        return conjunction(struct("\\+", struct("was_met", _CHOICE)), self._result(START, alone=side))

    def _wait(self, side: SideTerms, *before: Term) -> Rule:
        return insertion(self._pair, side.solution, *before, self._waiting(side).keep)

    def _late_at_any_time(self) -> RuleSet:
        """The left solutions choose among earlier right ones, then the right ones among all left ones."""
        rules = []
        for side, other in self._each_way:
            ways, waiting = [self._chosen(side)], self._waiting(side)
            if other.node.timeless and not self._pair.operator.needs_times:
                ways.append(self._with_background(other))
            rules += [
                self._wait(side),
                self._candidates(side, other),
                waiting.settled(self._choose(side), either(*ways), self._both()),
                waiting.settled(self._insert(side), FAIL),
                waiting.forgotten,
            ]
        sides = (self._left, self._right)
        stores = (*(each.store for each in sides), *(self._waiting(each).store for each in sides))
        return RuleSet(tuple(rules), stores)

    def _late_at_one_end(self) -> RuleSet:
        left, right, waiting = self._left, self._right, self._waiting(self._right)
        rules = (
            self._insertion(left, fresh_instant(self._pair)),
            self._wait(right, fresh_instant(self._pair)),
            self._candidates(right, left),
            waiting.settled(self._choose(right), self._chosen(right), self._both()),
            waiting.forgotten,
        )
        return RuleSet(rules, (left.store, waiting.store))

    def _optionally(self) -> RuleSet:
        operator = self._pair.operator
        assert operator.optional is not None
        optional, kept = self._side(operator.optional), self._side(operator.optional.other)
        clean = fresh_instant(self._pair) if operator.same_end else TRUE
        waiting = self._waiting(kept)
        ways, rules = [], [self._wait(kept, clean)]
        choose: Term = struct("new_choice", _CHOICE)
        if optional.node.eventful:
            rules += [self._insertion(optional, clean), self._candidates(kept, optional)]
            choose = self._choose(kept)
            ways.append(self._chosen(kept))
        if optional.node.timeless and not operator.needs_times:
            ways.append(self._with_background(optional, self._sides.condition(None)))
        found = soft_if(either(*ways), self._both(), self._alone(kept))
        rules += [waiting.settled(choose, found), waiting.forgotten]
        return RuleSet(tuple(rules), (optional.store, waiting.store))
