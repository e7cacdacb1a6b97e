"""The rules of what waits for the end of an instant, but for the optional operators: tests, order, groups.

A solution of the input is kept; when the instant is complete, ``<node>_settle`` hands on what comes of it.
"""

from __future__ import annotations

from typing import TypeAlias

from typing_extensions import assert_never

from etalis_py.compiler.algebra.aggregate_windows import PastWindow, RangeWindow, RowsWindow, Window
from etalis_py.compiler.algebra.algebra import Aggregate, OrderKey, Variable
from etalis_py.compiler.plan.plan import GroupPlan, InstantPlan, OrderPlan, PlanNode, Schema, WaitPlan
from etalis_py.compiler.plan.trace_columns import is_trace
from etalis_py.compiler.rules.names import row_name, settlement_name, timeless_name
from etalis_py.compiler.rules.prolog_terms import (
    EMPTY_LIST,
    FAIL,
    UNBOUND,
    Atom,
    Compound,
    Number,
    Term,
    Text,
    Var,
    conjunction,
    list_term,
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

__all__ = ["SettledNode", "SettledRules", "aggregate_terms", "group_terms", "order_term"]

SettledNode: TypeAlias = WaitPlan | OrderPlan | GroupPlan | InstantPlan
_ANY, _ROWS, _ORDERED = Var("_"), Var("Rows"), Var("Ordered")


class SettledRules:
    """Generates the rules of one node that waits."""

    def __init__(self, node: SettledNode, names: VariableNames) -> None:
        self._node = node
        self._names = names
        self._name = Atom(node.name)
        self._settlement = Atom(settlement_name(node))

    def rules(self) -> list[Rule]:
        """What keeps a solution of the input, and what settles the instant."""
        match self._node:
            case WaitPlan() | OrderPlan() if not self._node.eventful:
                return []
            case WaitPlan():
                return [self._keep(), self._settle(self._kept, self._result(START)), self._forget()]
            case OrderPlan():
                return [self._keep(), self._settle(self._in_order(self._node), self._result(START))]
            case GroupPlan():
                return self._group(self._node) if self._node.eventful else []
            case InstantPlan(input=below):
                passed = self._solution(below, START, ANSWER)
                alone = struct(timeless_name(below), *self._columns)
                settle = self._settle(alone, self._result(END))
                if not below.eventful:
                    return [settle]
                return [Rule(RuleKind.PASSING, passed, self._result(START), self._node.span), settle]
            case _:
                assert_never(self._node)

    def stores(self) -> list[Store]:
        """Where solutions wait."""
        if not isinstance(self._node, (WaitPlan, OrderPlan)) or not self._node.eventful:
            return []
        return [self._waiting]

    def declarations(self) -> list[Term]:
        """What the run-time library must know before the rules run."""
        match self._node:
            case GroupPlan():
                return self._group_declarations(self._node) if self._node.eventful else []
            case InstantPlan():
                return [struct("settle_always", self._settlement)]
            case WaitPlan() | OrderPlan():
                return []
            case _:
                assert_never(self._node)

    def _group_declarations(self, group: GroupPlan) -> list[Term]:
        keys, aggregates = Number(len(group.keys)), aggregate_terms(group)
        found = [struct("declare_group", self._name, keys, aggregates, _window(group.extent))]
        if group.always:
            found.append(struct("settle_always", self._settlement))
        if group.step is not None:
            idle = self._name if group.keys and not group.input.timeless else Atom("none")
            found.append(struct("settle_at_steps", self._settlement, Number(group.step), idle))
        return found

    def preparations(self) -> list[Term]:
        """What is to be done once the rules are there: members of a group that hold always."""
        group = self._node
        if not isinstance(group, GroupPlan) or not group.eventful or not group.input.timeless:
            return []
        key, arguments = group_terms(group, self._names)
        columns = (self._names(each) for each in group.input.schema.columns)
        load = struct("group_load", self._name, key, arguments)
        return [struct("forall", struct(timeless_name(group.input), *columns), load)]

    # ---- what all have ----------------------------------------------------------------------------------

    @property
    def _columns(self) -> tuple[Term, ...]:
        return (*(self._names(each) for each in self._node.schema.columns), *used_column(self._node))

    def _solution(self, node: PlanNode, start: Term, answer: Term, used: Term = USED) -> Term:
        columns = (self._names(each) for each in node.schema.columns)
        return struct(node.name, start, END, *columns, *used_column(node, used), answer)

    def _result(self, start: Term) -> Term:
        return self._solution(self._node, start, ANSWER)

    @property
    def _waiting(self) -> Store:
        return Store(f"{self._node.name}_waiting", len(self._columns) + 2, StoreKind.SETTLED)

    @property
    def _kept(self) -> Term:
        return struct(self._waiting.name, START, END, *self._columns)

    def _insertion(self, below: PlanNode, *goals: Term) -> Rule:
        head = self._solution(below, START, ANSWER)
        return Rule(RuleKind.INSERTION, head, conjunction(*goals, FAIL), self._node.span)

    def _keep(self) -> Rule:
        later = struct("settle_later", self._settlement)
        return self._insertion(self._node.input, struct("assertz", self._kept), later)

    def _settle(self, *goals: Term) -> Rule:
        head = struct(self._settlement.name, END, ANSWER)
        return Rule(RuleKind.SETTLING, head, conjunction(*goals), self._node.span)

    def _forget(self) -> Rule:
        head = struct(self._settlement.name, _ANY, _ANY)
        body = conjunction(self._waiting.emptied, FAIL)
        return Rule(RuleKind.SETTLING, head, body, self._node.span)

    # ---- order and groups -------------------------------------------------------------------------------

    def _in_order(self, node: OrderPlan) -> Term:
        # Rows that no key tells apart go by what they show, then by what they use.
        shown = (self._names(each) for each in node.schema.columns if not is_trace(each))
        hidden = (self._names(each) for each in node.schema.columns if is_trace(each))
        row = struct("row", START, *shown, *used_column(node), *hidden)
        return conjunction(
            struct("findall", row, self._kept, _ROWS),
            self._waiting.emptied,
            struct("rows_in_order", order_term(node.keys, node.schema), _ROWS, _ORDERED),
            struct("member", row, _ORDERED),
        )

    def _group(self, group: GroupPlan) -> list[Rule]:
        key, arguments = group_terms(group, self._names)
        add = struct("group_add", self._name, START, END, key, arguments)
        later = [struct("settle_later", self._settlement)] if group.step is None else []
        values = Compound("values", tuple(self._names(each.variable) for each in group.aggregates))
        keys = tuple(self._names(each) for each in group.keys)
        row_key = struct("key", *keys)
        result = self._solution(group, END, ANSWER, EMPTY_LIST)  # a row is made of no occurrence
        rows = conjunction(struct("group_row", self._name, row_key, values), result)
        decided = struct("group_settle", self._name, END)
        insertion = self._insertion(group.input, add, *later)
        if not group.on_demand:
            return [insertion, self._settle(decided, rows)]
        row = struct(row_name(group), END, *keys, ANSWER)
        settle = self._settle(decided, struct("settled_demand", self._name, END, row_key), row)
        return [insertion, settle, Rule(RuleKind.SETTLING, row, rows, group.span)]


def group_terms(group: GroupPlan, names: VariableNames) -> tuple[Term, Term]:
    """``key(...)`` and ``args(...)`` of a solution of the input of ``group``."""
    below = group.input.schema
    keys = (names(each) if each in below else UNBOUND for each in group.keys)
    arguments: list[Term] = [names(each) if each in below else UNBOUND for each in _arguments(group)]
    if any(map(_counts_solutions, group.aggregates)):
        bindings = (names(each) for each in below.columns if not each.is_hidden)
        arguments.append(struct("solution", *bindings))
    hidden = (names(each) for each in below.columns if is_trace(each))  # last: the arguments order members
    return struct("key", *keys), struct("args", *arguments, *hidden)


def _counts_solutions(aggregate: Aggregate) -> bool:
    """Whether it is COUNT(DISTINCT *), whose argument is the whole solution."""
    return aggregate.argument is None and aggregate.distinct


def _arguments(group: GroupPlan) -> tuple[Variable, ...]:
    """The variables that the aggregates look at."""
    found = (each.argument for each in group.aggregates)
    return tuple(dict.fromkeys(each for each in found if each is not None and not is_trace(each)))


def aggregate_terms(group: GroupPlan) -> Term:
    """The aggregates as the run-time library takes them."""
    arguments = _arguments(group)
    counts = any(map(_counts_solutions, group.aggregates))
    return list_term(tuple(_aggregate(each, arguments, counts) for each in group.aggregates))


def _aggregate(aggregate: Aggregate, arguments: tuple[Variable, ...], counts_solutions: bool) -> Term:
    function: Term = Atom(aggregate.function.lower())
    if aggregate.function == "GROUP_CONCAT":
        function = struct("group_concat", Text(aggregate.separator))
    argument: Term = Atom("all")
    if aggregate.argument is not None and is_trace(aggregate.argument):
        argument = Number(len(arguments) + counts_solutions + 1)
    elif aggregate.argument is not None:
        argument = Number(arguments.index(aggregate.argument) + 1)
    elif aggregate.distinct:
        argument = Number(len(arguments) + 1)
    return struct("agg", function, Atom("true" if aggregate.distinct else "false"), argument)


def _window(window: Window | None) -> Term:
    match window:
        case None:
            return Atom("landmark")
        case RangeWindow(width=width, step=None):
            return struct("range", Number(width))
        case RangeWindow(width=width, step=step):
            assert step is not None
            return struct("step", Number(width), Number(step))
        case RowsWindow(count=count):
            return struct("rows", Number(count))
        case PastWindow(begin=begin, until=until):
            return struct("past", Number(begin), Number(until))
        case _:
            assert_never(window)


def order_term(keys: tuple[OrderKey, ...], schema: Schema) -> Term:
    """The keys of an order, as places in ``row(Start, Columns...)``."""
    places = (
        struct(
            "descending" if key.descending else "ascending", Number(schema.columns.index(key.variable) + 2)
        )
        for key in keys
    )
    return list_term(tuple(places))
