"""The rules of SEQ NEXT, and of what must not lie between two steps or before one.

A goal of SEQ NEXT is taken away by what it was waiting for: what fits marks it, and when the instant is
complete it goes. So each is removed once, and all that ends at the first instant fits.

What lies between the end x of a left solution and the start y of a right one has ended before now, so pairs
are decided at once. Of the solutions that decide for all left ones alike only those are kept that start later
than all before them: of those that ended before y the newest starts last, and one lies between if and only if
it starts after x. Where a condition chooses among them, all are kept, and looked through from the newest on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from etalis_py.compiler.algebra.algebra import Variable, expression_variables
from etalis_py.compiler.algebra.operators import Side
from etalis_py.compiler.plan.plan import BetweenPlan, Pair, Schema
from etalis_py.compiler.rules.exists import expressions_with
from etalis_py.compiler.rules.expression_goals import Scope
from etalis_py.compiler.rules.pair import PairRules, SideTerms
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
    Atom,
    Number,
    Term,
    Var,
    conjunction,
    if_then_else,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import END, START, Rule, RuleKind, RuleSet, Store, VariableNames
from etalis_py.compiler.rules.writing import (
    Sides,
    Waiting,
    forget,
    insert,
    insertion,
    newest,
    own_solution,
    rule,
)

__all__ = ["Absent", "StepRules", "between_rules"]

_BEGIN, _FIRST_END = Var("Start1"), Var("End1")
_NONE_START, _NONE_END, _LATEST, _ANY = Var("Start2"), Var("End2"), Var("Latest"), Var("_")
_NEVER: Final = 1 << 62
_AS_THEY_ARE: Final[Mapping[Variable, str]] = MappingProxyType({})


def between_rules(node: BetweenPlan, names: VariableNames) -> RuleSet:
    """The rules of steps with nothing between, or of one with nothing before."""
    if node.left is None:
        return _nothing_before(node, names)
    common = [each for each in node.left.schema.columns if each in node.right.schema]
    certain = node.left.schema.certain & node.right.schema.certain
    pair = Pair(
        node.name, node.schema, node.window, node.eventful, False, node.span, node.operator,
        node.left, node.right, node.step, tuple(each for each in common if each in certain),
        tuple(each for each in common if each not in certain), node.step_tests,
    )  # fmt: skip
    return StepRules(pair, names, Absent(node, names)).rule_set()


def _nothing_before(node: BetweenPlan, names: VariableNames) -> RuleSet:
    absent = Absent(node, names)
    check = rule(
        RuleKind.CHECKING,
        node,
        own_solution(node.right, names),
        absent.not_before(START),
        own_solution(node, names),
    )
    return RuleSet((*absent.rules, check), absent.stores) if node.eventful else RuleSet()


def or_no_more(test: Term) -> Term:
    """The test; where it is false, nothing further is looked at."""
    return if_then_else(test, TRUE, conjunction(Atom("!"), FAIL))


class StepRules(PairRules):
    """SEQ with the next that fits, or with nothing between; ``absent`` is what must not be there."""

    def __init__(self, pair: Pair, names: VariableNames, absent: Absent | None = None) -> None:
        super().__init__(pair, names)
        self._absent = absent
        self._waiting = self._goal(self._side(Side.LEFT), _BEGIN, _FIRST_END)
        self._taken = Waiting(pair, self._waiting.arguments, "taken")
        known = absent is not None and absent.is_known_from(pair.right.schema)
        self._decided_before = known and not pair.operator.next_only  # the next one takes what waits anyway

    def rule_set(self) -> RuleSet:
        """What the sides leave and check, what is looked for between, and goals that were taken."""
        rules = super().rule_set()
        if not rules.rules:
            return rules
        absent = RuleSet() if self._absent is None else RuleSet(self._absent.rules, self._absent.stores)
        taken = RuleSet()
        if self._pair.operator.next_only:
            gone = self._taken.settled(forget(self._waiting), FAIL)
            taken = RuleSet((gone, self._taken.forgotten), (self._taken.store,))
        late = RuleSet((self._late_rule(),) if self._decided_before else ())
        return RuleSet.joined((absent, rules, late, taken))

    def _selected(self) -> Term:
        """What fits takes the goal; then nothing may lie between."""
        chosen = conjunction(self._sides.condition((START, END)), self._taken.keep)
        absent: Term = TRUE
        if self._absent is not None and not self._decided_before:
            absent = self._absent.not_between(_FIRST_END, START)
        return conjunction(chosen if self._pair.operator.next_only else TRUE, absent)

    def _looked_at(self, side: SideTerms) -> Term:
        """Where one thing decides for all that wait, only those are looked at that ended late enough."""
        if self._absent is None or not self._decided_before:
            return super()._looked_at(side)
        return conjunction(self._absent.latest(START), self._late)

    @property
    def _late(self) -> Term:
        return struct(f"{self._pair.name}_late", _LATEST, *self._waiting.arguments)

    def _late_rule(self) -> Rule:
        """What waits, from the newest on, until one ended before the latest thing between began."""
        late = or_no_more(struct("=<", _LATEST, _FIRST_END))
        return rule(RuleKind.CHECKING, self._pair, self._late, newest(self._waiting), late)


class Absent:
    """What must not be there: what is kept of it, and how it is looked for."""

    def __init__(self, node: BetweenPlan, names: VariableNames) -> None:
        self._node = node
        self._names = names
        around = (node.right.schema,) if node.left is None else (node.left.schema, node.right.schema)
        self._around = Schema(
            tuple(dict.fromkeys(each for schema in around for each in schema.columns)),
            frozenset().union(*(each.certain for each in around)),
        )
        schema, wanted = node.none.schema, self._wanted()
        common = [each for each in schema.columns if each in self._around]
        self._join = [each for each in common if each in schema.certain & self._around.certain]
        self._shared = [each for each in common if each not in self._join]
        self._sides = Sides(names, self._shared)
        self._others = [each for each in schema.columns if each not in common and each in wanted]
        self._is_alike = node.condition is None and not self._shared
        self._store = self._made_store()

    def _wanted(self) -> frozenset[Variable]:
        condition = self._node.condition
        return frozenset() if condition is None else expression_variables(condition)

    def _made_store(self) -> Store:
        node, arity = self._node, len(self._join) + len(self._shared) + len(self._others) + 2
        window = node.window
        if node.left is None:
            window = None if window is None or node.length is None else window + node.length + 1
        return replace(Store.within(window, f"{node.name}_none", arity), shown=())

    def is_known_from(self, right: Schema) -> bool:
        """Whether one thing decides for all left solutions, and a right one tells which."""
        return self._node.none.eventful and self._is_alike and right.certain.issuperset(self._join)

    @property
    def stores(self) -> tuple[Store, ...]:
        """Where what was there is kept."""
        return (self._store,) if self._node.none.eventful else ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """How it is kept and looked through."""
        if not self._node.none.eventful:
            return ()
        head = own_solution(self._node.none, self._names)
        kept = insert(self._kept(END, START, inside=False))
        if not self._is_alike:
            return (insertion(self._node, head, kept), self._search())
        if self._node.left is not None:  # the newest that ended in time decides
            later = conjunction(self.latest(Number(_NEVER)), struct("=<", START, _LATEST))
            kept = if_then_else(later, TRUE, kept)
            return (insertion(self._node, head, kept), self._latest_rule())
        if self._node.length is None:  # the first one decides
            known = self._kept(_ANY, _ANY, inside=False)
            return (insertion(self._node, head, if_then_else(known, TRUE, kept)), self._search())
        return (insertion(self._node, head, kept), self._search())

    def not_between(self, first_end: Term, start: Term, sides: Mapping[Variable, str] = _AS_THEY_ARE) -> Term:
        """Nothing starts after ``first_end`` and ends before ``start``.

        ``sides`` are those that columns around it have where it is asked.
        """
        if not self._node.none.eventful:
            return TRUE
        if self._is_alike:
            return conjunction(self.latest(start, sides), struct("=<", _LATEST, first_end))
        return struct("\\+", self._searched(first_end, start, sides))

    def not_before(self, start: Term) -> Term:
        """Nothing ends before ``start``, and within the length."""
        if not self._node.none.eventful:
            return TRUE
        return struct("\\+", self._searched(None, start))

    # ---- what is kept -----------------------------------------------------------------------------------

    def _kept(self, end: Term, start: Term, *, inside: bool) -> Term:
        """A goal; ``inside`` a search columns that may be unbound have names of their own."""
        shared = self._sides.columns(self._shared, "A" if inside else "")
        join, others = map(self._names, self._join), map(self._names, self._others)
        return struct(self._store.name, *join, end, start, *shared, *others)

    # ---- all alike --------------------------------------------------------------------------------------

    def latest(self, before: Term, sides: Mapping[Variable, str] = _AS_THEY_ARE) -> Term:
        """Finds the latest start of what ended before a time, of all that is alike."""
        keys = (self._names(each, sides.get(each, "")) for each in self._join)
        return struct(f"{self._node.name}_latest", *keys, before, _LATEST)

    def _latest_rule(self) -> Rule:
        """The latest start of what ended before a time: that of the newest."""
        before = Var("Y")
        kept = newest(self._kept(_NONE_END, _LATEST, inside=False))
        found = conjunction(kept, struct("<", _NONE_END, before))
        decided = if_then_else(found, TRUE, unify(_LATEST, Number(-_NEVER)))
        return rule(RuleKind.CHECKING, self._node, self.latest(before), decided)

    # ---- one by one -------------------------------------------------------------------------------------

    def _searched(
        self, first_end: Term | None, start: Term, sides: Mapping[Variable, str] = _AS_THEY_ARE
    ) -> Term:
        ends = () if first_end is None else (first_end,)
        around = (self._names(each, sides.get(each, "")) for each in self._around.columns)
        return struct(f"{self._node.name}_between", *around, *ends, start, END)

    def _search(self) -> Rule:
        """Looks through what was there from the newest on; none that ends too early is looked at twice."""
        node, start = self._node, Var("Start")
        first_end = None if node.left is None else _FIRST_END
        found = newest(self._kept(_NONE_END, _NONE_START, inside=True))
        late_enough: Term = TRUE
        if first_end is not None:
            late_enough = or_no_more(struct("<", first_end, _NONE_END))
        elif node.length is not None:
            earliest = struct("-", start, Number(node.length))
            late_enough = or_no_more(struct("=<", earliest, _NONE_END))
        return rule(
            RuleKind.CHECKING,
            node,
            self._searched(first_end, start),
            found,
            late_enough,
            struct("<", _NONE_END, start),
            TRUE if first_end is None else struct("<", first_end, _NONE_START),
            *self._sides.agree("A", "", "W"),
            self._condition(),
        )

    def _condition(self) -> Term:
        node = self._node
        if node.condition is None:
            return TRUE
        columns = (*self._around.columns, *self._others)
        values = dict(zip(columns, self._sides.columns(columns, "W"), strict=True))
        certain = self._around.certain | node.none.schema.certain
        scope = Scope(values, certain, (_NONE_START, _NONE_END), END)
        return expressions_with(scope, node.tests, self._names).condition(node.condition)
