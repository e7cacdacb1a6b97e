"""The rules of what changes in windows on streams: solutions that come, and go (`algebra.CHANGE`).

Each operator keeps what its inputs have by now, as bags. A change of an input is looked up in what the other
one has, and becomes changes of the operator: after each of them it has what it would have for what its inputs
have. So none waits for the end of the instant but groups, and the one on top, where changes that come to
nothing meet.
"""

from __future__ import annotations

from typing import Final

from etalis_py.compiler.algebra.algebra import CHANGE, Variable
from etalis_py.compiler.algebra.changes import COMES, GOES, HELD
from etalis_py.compiler.algebra.operators import Side
from etalis_py.compiler.algebra.stream_windows import Report
from etalis_py.compiler.plan.plan import (
    ChangesPlan,
    DistinctPlan,
    GroupPlan,
    Pair,
    SnapshotPlan,
    walk,
)
from etalis_py.compiler.rules.names import row_name
from etalis_py.compiler.rules.pair_sides import PairSides
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
    UNBOUND,
    Atom,
    Number,
    Term,
    Var,
    conjunction,
    either,
    if_then_else,
    rdf_term,
    soft_if,
    struct,
)
from etalis_py.compiler.rules.rules import (
    ANSWER,
    END,
    START,
    Rule,
    RuleKind,
    RuleSet,
    Store,
    StoreKind,
    VariableNames,
)
from etalis_py.compiler.rules.settled import group_declarations, group_row, group_terms
from etalis_py.compiler.rules.snapshot import evaluations, lives_name, trace_terms, visible_columns
from etalis_py.compiler.rules.writing import (
    change,
    forget,
    insert,
    insertion,
    own_solution,
    rule,
    settle_later,
    settling,
    solution,
)

__all__ = ["ChangesPairRules", "changes_rules", "distinct_changes", "group_changes"]

_HELD: Final = rdf_term(HELD)
_ANY: Final = Var("_")


# ---- on top ---------------------------------------------------------------------------------------------


def changes_rules(node: ChangesPlan, names: VariableNames) -> RuleSet:
    """What is there at an instant, or is new or gone since the last one."""
    if CHANGE not in node.input.schema:
        return _compared(node, names)
    return _held(node, names) if node.to_stream == "RSTREAM" else _told(node, names)


def _held(node: ChangesPlan, names: VariableNames) -> RuleSet:
    """What is there is kept, and given at each instant; a group has its rows itself."""
    if isinstance(node.input, GroupPlan) and node.input.read_above:
        lives = [lives_name(each) for each in walk(node) if isinstance(each, SnapshotPlan)]
        rows = settling(node, group_row(node.input, names), own_solution(node, names, END))
        return RuleSet((rows,), declarations=evaluations(node, *lives))
    held = Store(f"{node.name}_held", len(node.schema.columns), StoreKind.LASTING)
    row = struct(held.name, *names.columns(node))
    rules = (
        insertion(node, change(node.input, names, COMES), insert(row)),
        insertion(node, change(node.input, names, GOES), forget(row)),
        settling(node, row, own_solution(node, names, END)),
    )
    return RuleSet(rules, (held,), evaluations(node, held.name))


def _told(node: ChangesPlan, names: VariableNames) -> RuleSet:
    """What came, or went, since the last instant.

    One that does stands against an equal one that does the other. Where not all instants count, changes wait
    for one that does: an arrival, or one of which a solution says so.
    """
    told, other = (GOES, COMES) if node.to_stream == "DSTREAM" else (COMES, GOES)
    new, gone = change(node.input, names, told), change(node.input, names, other)
    given, on_arrival = own_solution(node, names, END), node.schedule.report is Report.ARRIVAL
    if node.tells_at_once:
        return RuleSet((rule(RuleKind.PASSING, node, new, given),))
    visible, kind = visible_columns(node, names), StoreKind.LASTING if node.waits else StoreKind.SETTLED
    stores = tuple(
        Store(f"{node.name}_{which}", len(columns), kind)
        for which, columns in (("told", node.schema.columns), ("against", visible))
    )
    against = struct(stores[1].name, *visible)
    row, any_row = (
        struct(stores[0].name, *visible, *trace_terms(node, names, traced=traced)) for traced in (True, False)
    )
    settled = TRUE if node.waits else settle_later(node)
    rules = (
        insertion(node, new, if_then_else(forget(against), TRUE, conjunction(insert(row), settled))),
        insertion(node, gone, if_then_else(forget(any_row), TRUE, conjunction(insert(against), settled))),
    )
    if node.held is not None:
        return _told_while_held(node, names, RuleSet(rules, stores), row)
    settles = (
        settling(node, row, given),
        settling(node, *(each.emptied for each in stores), FAIL),
    )
    return RuleSet((*rules, *settles), stores, evaluations(node, stores[0].name) if on_arrival else ())


def _told_while_held(node: ChangesPlan, names: VariableNames, told: RuleSet, row: Term) -> RuleSet:
    """What was ``told`` is given at instants that count: a solution that neither comes nor goes says so."""
    counts = Store(f"{node.name}_counts", 1, StoreKind.SETTLED)
    counted = struct(counts.name, END)
    columns = (
        _HELD if each == node.held else UNBOUND if each == CHANGE else _ANY
        for each in node.input.schema.columns
    )
    rules = (
        *told.rules,
        insertion(node, solution(node.input, tuple(columns)), insert(counted), settle_later(node)),
        settling(node, counted, row, own_solution(node, names, END)),
        settling(node, counted, *(each.emptied for each in (*told.stores, counts)), FAIL),
    )
    return RuleSet(rules, (*told.stores, counts))


def _compared(node: ChangesPlan, names: VariableNames) -> RuleSet:
    """The solutions of one instant are kept as a bag, with which those of the next one are compared.

    Where only some instants count, one of the solutions says so, and those of the others are none.
    """
    columns = len(node.schema.columns)
    now = Store(f"{node.name}_now", columns, StoreKind.SETTLED)
    before = Store(f"{node.name}_before", columns, StoreKind.LASTING)

    def row(store: Store, *, traced: bool = True) -> Term:
        return struct(store.name, *visible_columns(node, names), *trace_terms(node, names, traced=traced))

    keep = insertion(node, own_solution(node.input, names), insert(row(now)), settle_later(node))
    was_there, given = forget(row(before, traced=False)), own_solution(node, names, END)
    counts: Term = TRUE
    if node.held is not None:
        counts = struct(now.name, *(_HELD if each == node.held else _ANY for each in node.schema.columns))
    rules: tuple[Rule, ...]
    if node.to_stream == "DSTREAM":
        rules = (settling(node, row(now), was_there, FAIL), settling(node, counts, row(before), given))
    else:
        rules = (settling(node, row(now), if_then_else(was_there, FAIL, TRUE), given),)
    turn = (
        settling(node, counts, before.emptied, row(now), insert(row(before)), FAIL),
        settling(node, counts, now.emptied, FAIL),
    )
    instants = evaluations(node, before.name) if node.held is None else ()  # else what is held says when
    return RuleSet((keep, *rules, *turn), (now, before), instants)


# ---- one input ------------------------------------------------------------------------------------------


def distinct_changes(node: DistinctPlan, names: VariableNames) -> RuleSet:
    """A solution comes with the first that is equal, and goes with the last."""
    columns = visible_columns(node, names)
    store = Store(f"{node.name}_held", len(columns), StoreKind.LASTING)
    row = struct(store.name, *columns)
    known, new = conjunction(insert(row), FAIL), conjunction(insert(row), change(node, names, COMES))
    rules = (
        rule(RuleKind.PASSING, node, change(node.input, names, COMES), if_then_else(row, known, new)),
        rule(
            RuleKind.PASSING,
            node,
            change(node.input, names, GOES),
            forget(row),
            struct("\\+", row),
            change(node, names, GOES),
        ),
    )
    return RuleSet(rules, (store,))


def group_changes(group: GroupPlan, names: VariableNames) -> RuleSet:
    """A group that changes asks for its row; where that is another one the old one goes."""
    name, key_columns = Atom(group.name), tuple(map(names, group.keys))
    key, arguments = group_terms(group, names)
    added = (
        own_solution(group.input, names),
        struct("group_change", name, names(CHANGE), END, key, arguments),
        settle_later(group),
    )
    counted = struct("group_settle", name, END)
    if group.read_above:
        counting = insertion(group, *added), settling(group, counted, FAIL)
        return RuleSet(counting, declarations=group_declarations(group))
    values = tuple(names(each.variable) for each in group.aggregates)
    store = Store(f"{group.name}_rows", len(key_columns) + len(values), StoreKind.LASTING)
    kept, row = struct(store.name, *key_columns, *values), group_row(group, names)
    changed = struct(row_name(group), END, *key_columns, ANSWER)
    add = insertion(group, *added, struct("demand_row", name, END, key))
    decided = counted, struct("settled_demand", name, END, struct("key", *key_columns))
    goes, comes = (change(group, names, each, END) for each in (GOES, COMES))
    rules = (
        add,
        settling(group, *decided, changed),
        rule(RuleKind.SETTLING, group, changed, kept, struct("\\+", row), forget(kept), goes),
        rule(RuleKind.SETTLING, group, changed, row, struct("\\+", kept), insert(kept), comes),
    )
    return RuleSet(rules, (store,), group_declarations(group))


# ---- two inputs -----------------------------------------------------------------------------------------


class ChangesPairRules:
    """The rules of one Pair of changes: a join, or one whose right side may have nothing to give."""

    def __init__(self, pair: Pair, names: VariableNames) -> None:
        self._pair = pair
        self._names = names
        self._sides = PairSides(pair, names)

    def rule_set(self) -> RuleSet:
        """The reaction to what comes and goes on each side, and what they have by now."""
        stores = tuple(self._store(each) for each in Side)
        if self._pair.operator.optional is None:
            return RuleSet(tuple(self._joined(each, value) for each in Side for value in _EACH), stores)
        left = tuple(self._beside(value) for value in _EACH)
        return RuleSet((*left, *self._optional_comes(), self._optional_goes(), self._met_rule()), stores)

    # ---- sides ------------------------------------------------------------------------------------------

    def _store(self, side: Side) -> Store:
        arity = len(self._pair.side(side).schema.columns) - 1
        return Store(f"{self._pair.name}_{side.value}", arity, StoreKind.LASTING)

    def _goal(self, side: Side) -> Term:
        """One of the solutions that a side has; join variables come first."""
        join, values = self._pair.join, self._sides.of(side)
        columns = (each for each in self._pair.side(side).schema.columns if each not in (*join, CHANGE))
        return struct(self._store(side).name, *map(self._names, join), *(values[each] for each in columns))

    def _head(self, side: Side, value: int) -> Term:
        node, values = self._pair.side(side), self._sides.of(side)
        columns = (Number(value) if each == CHANGE else values[each] for each in node.schema.columns)
        return solution(node, tuple(columns))

    def _kept(self, side: Side, value: int) -> Term:
        """Keep a solution that comes; forget one that goes."""
        return insert(self._goal(side)) if value == COMES else forget(self._goal(side))

    def _found(self, side: Side) -> Term:
        """The solutions of a side that make a pair."""
        agree = self._sides.merged(), self._sides.condition((START, END))
        return conjunction(self._goal(side), *agree)

    def _result(self, value: int) -> Term:
        return change(self._pair, self._names, value)

    def _alone(self, value: int) -> Term:
        """A solution of the left side without another."""

        def column(variable: Variable) -> Term:
            return Number(value) if variable == CHANGE else self._sides.left.get(variable, UNBOUND)

        return solution(self._pair, tuple(map(column, self._pair.schema.columns)))

    # ---- rules ------------------------------------------------------------------------------------------

    def _joined(self, side: Side, value: int) -> Rule:
        goals = self._kept(side, value), self._found(side.other), self._result(value)
        return rule(RuleKind.BOTH, self._pair, self._head(side, value), *goals)

    def _beside(self, value: int) -> Rule:
        """What comes or goes on the left side does so in its pairs, or alone."""
        decided = soft_if(self._found(Side.RIGHT), self._result(value), self._alone(value))
        kept = self._kept(Side.LEFT, value)
        return rule(RuleKind.BOTH, self._pair, self._head(Side.LEFT, value), kept, decided)

    def _optional_comes(self) -> tuple[Rule, Rule]:
        """A first partner comes: what it is found by was alone."""
        head = self._head(Side.RIGHT, COMES)
        was_alone = conjunction(struct("\\+", self._met), self._alone(GOES))
        found = either(was_alone, self._result(COMES))
        check = rule(RuleKind.CHECKING, self._pair, head, self._found(Side.LEFT), found)
        return check, insertion(self._pair, head, self._kept(Side.RIGHT, COMES))

    def _optional_goes(self) -> Rule:
        """The last partner goes: what it was found by is alone."""
        is_alone = conjunction(struct("\\+", self._met), self._alone(COMES))
        found = either(self._result(GOES), is_alone)
        kept = self._kept(Side.RIGHT, GOES)
        return rule(
            RuleKind.BOTH, self._pair, self._head(Side.RIGHT, GOES), kept, self._found(Side.LEFT), found
        )

    @property
    def _met(self) -> Term:
        """The goal that succeeds where the left solution has a partner."""
        columns = (each for each in self._pair.left.schema.columns if each != CHANGE)
        return struct(f"{self._pair.name}_met", *(self._sides.left[each] for each in columns))

    def _met_rule(self) -> Rule:
        return rule(RuleKind.CHECKING, self._pair, self._met, self._found(Side.RIGHT))


_EACH: Final = (COMES, GOES)
