"""The rules of what waits for the end of an instant, but for the optional operators: tests, order, groups.

A solution of the input is kept; when the instant is complete, ``<node>_settle`` hands on what comes of it.
"""

from __future__ import annotations

from typing_extensions import assert_never

from etalis_py.compiler.algebra.aggregate_windows import PastWindow, RangeWindow, RowsWindow, Window
from etalis_py.compiler.algebra.algebra import Aggregate, OrderKey, Variable
from etalis_py.compiler.algebra.stream_windows import Grid
from etalis_py.compiler.plan.plan import GroupPlan, InstantPlan, OrderPlan, Schema, WaitPlan
from etalis_py.compiler.plan.trace_columns import is_trace
from etalis_py.compiler.rules.aggregate_term import aggregate_term
from etalis_py.compiler.rules.names import row_name, settlement_name
from etalis_py.compiler.rules.prolog_terms import (
    EMPTY_LIST,
    TRUE,
    UNBOUND,
    Atom,
    Number,
    Term,
    Var,
    conjunction,
    list_term,
    struct,
)
from etalis_py.compiler.rules.rules import ANSWER, END, START, Rule, RuleKind, RuleSet, VariableNames
from etalis_py.compiler.rules.writing import (
    Waiting,
    insertion,
    own_solution,
    own_timeless,
    passing,
    rule,
    settle_later,
    settle_on_grid,
    settling,
    solution,
    timeless,
    used_column,
)

__all__ = [
    "aggregate_terms",
    "group_declarations",
    "group_row",
    "group_rules",
    "group_terms",
    "instant_rules",
    "order_rules",
    "order_term",
    "wait_rules",
]

_ROWS, _ORDERED = Var("Rows"), Var("Ordered")


# ---- tests, order, instants ---------------------------------------------------------------------------


def wait_rules(node: WaitPlan, names: VariableNames) -> RuleSet:
    """Solutions wait until the tests above can be decided."""
    if not node.eventful:
        return RuleSet()
    own, waiting = own_solution(node, names), _waiting(node, names)
    keep = insertion(node, own_solution(node.input, names), waiting.keep)
    return RuleSet((keep, waiting.settled(own), waiting.forgotten), (waiting.store,))


def order_rules(node: OrderPlan, names: VariableNames) -> RuleSet:
    """The solutions of an instant are given in order."""
    if not node.eventful:
        return RuleSet()
    # Rows that no key tells apart go by what they show, then by what they use.
    shown = (names(each) for each in node.schema.columns if not is_trace(each))
    hidden = (names(each) for each in node.schema.columns if is_trace(each))
    row = struct("row", START, *shown, *used_column(node), *hidden)
    waiting = _waiting(node, names)
    keep = insertion(node, own_solution(node.input, names), waiting.keep)
    settle = settling(
        node,
        struct("findall", row, waiting.kept, _ROWS),
        waiting.store.emptied,
        struct("rows_in_order", order_term(node.keys, node.schema), _ROWS, _ORDERED),
        struct("member", row, _ORDERED),
        own_solution(node, names),
    )
    return RuleSet((keep, settle), (waiting.store,))


def _waiting(node: WaitPlan | OrderPlan, names: VariableNames) -> Waiting:
    return Waiting(node, (START, END, *names.columns(node), *used_column(node)))


def instant_rules(node: InstantPlan, names: VariableNames) -> RuleSet:
    """What background alone gives holds at the one instant of the run."""
    below, columns = node.input, names.columns(node)
    settle = settling(node, timeless(below, columns), solution(node, columns, END))
    passed = passing(node, below, names, solution(node, columns))
    always = struct("settle_always", Atom(settlement_name(node)))
    return RuleSet((passed, settle) if below.eventful else (settle,), declarations=(always,))


# ---- groups -------------------------------------------------------------------------------------------


def group_rules(group: GroupPlan, names: VariableNames) -> RuleSet:
    """Solutions are added to their group; a group that changed gives its row."""
    if not group.eventful:
        return RuleSet()
    name, key_columns = Atom(group.name), tuple(map(names, group.keys))
    key, arguments = group_terms(group, names)
    add = insertion(
        group,
        own_solution(group.input, names),
        struct("group_add", name, START, END, key, arguments),
        settle_later(group) if group.step is None else TRUE,
    )
    row_key = struct("key", *key_columns)
    rows = conjunction(
        group_row(group, names),
        own_solution(group, names, END, used=EMPTY_LIST),  # a row is made of no occurrence
    )
    decided = struct("group_settle", name, END)
    if not group.on_demand:
        rules: tuple[Rule, ...] = (add, settling(group, decided, rows))
    else:
        row = struct(row_name(group), END, *key_columns, ANSWER)
        settle = settling(group, decided, struct("settled_demand", name, END, row_key), row)
        rules = (add, settle, rule(RuleKind.SETTLING, group, row, rows))
    load: tuple[Term, ...] = ()
    if group.input.timeless:  # members that hold always
        member = struct("group_load", name, key, arguments)
        load = (struct("forall", own_timeless(group.input, names), member),)
    return RuleSet(rules, declarations=group_declarations(group), preparations=load)


def group_row(group: GroupPlan, names: VariableNames) -> Term:
    """The goal that finds the rows of a group."""
    key = struct("key", *map(names, group.keys))
    values = struct("values", *(names(each.variable) for each in group.aggregates))
    return struct("group_row", Atom(group.name), key, values)


def group_declarations(group: GroupPlan) -> tuple[Term, ...]:
    """What is declared of a group before its rules."""
    name, settlement = Atom(group.name), Atom(settlement_name(group))
    keys, aggregates = Number(len(group.keys)), aggregate_terms(group)
    window = _window(group.extent)
    if group.is_of_instant:
        window = Atom("changes" if group.of_changes else "instant")
    found = [struct("declare_group", name, keys, aggregates, window)]
    if group.always:
        found.append(struct("settle_always", settlement))
    if group.step is not None:
        held = group.name if group.keys and not group.input.timeless else None
        found.append(settle_on_grid(group, Grid(group.step), held))
    return tuple(found)


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
    argument: Term = Atom("all")
    if aggregate.argument is not None and is_trace(aggregate.argument):
        argument = Number(len(arguments) + counts_solutions + 1)
    elif aggregate.argument is not None:
        argument = Number(arguments.index(aggregate.argument) + 1)
    elif aggregate.distinct:
        argument = Number(len(arguments) + 1)
    return aggregate_term(aggregate, argument)


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
