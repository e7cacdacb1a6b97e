"""How far back an answer looks: the bound that lets a program run on slices of time, side by side.

The reach of a node is a number r of microseconds such that its solutions that end at t depend on nothing that
ended at t - r or before. An answer is then found by an engine that sees nothing older than r before the slice
in which the answer ends. A window bound gives the reach of joins, sequences, gaps and paths; what an optional
side, MINUS, EXISTS or an aggregate looks for has none, unless a condition, or the window of the aggregate,
bounds it. What a window on a stream holds has its length; what is new or gone looks back one evaluation more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from typing_extensions import assert_never

from etalis_py.compiler.algebra.aggregate_windows import PastWindow, RangeWindow, RowsWindow, Window
from etalis_py.compiler.algebra.algebra import CHANGE, Apply, Constant, Exists, Expression, Variable
from etalis_py.compiler.algebra.operators import Side
from etalis_py.compiler.partition.key_ways import has_own_instants
from etalis_py.compiler.plan.age import Age, age_bound
from etalis_py.compiler.plan.plan import (
    BetweenPlan,
    ChangesPlan,
    ChosenPlan,
    ClosurePlan,
    ConstructPlan,
    DistinctPlan,
    ExistsPlan,
    ExtendPlan,
    FilterPlan,
    GapPlan,
    GroupPlan,
    LookupPlan,
    OrderPlan,
    Pair,
    PartPlan,
    PlanNode,
    ProjectPlan,
    QueryPlan,
    Scan,
    SlicePlan,
    SnapshotPlan,
    TablePlan,
    UnionPlan,
    UnitPlan,
    WaitPlan,
    asked_nodes,
    decided_tests,
    inputs,
    walk,
)

__all__ = ["ReachOfScan", "draws_values", "largest", "reach_of"]

ReachOfScan: TypeAlias = "Callable[[Scan], int | None]"
"""How far back what matches a pattern may depend on other events; None: without bound."""

_DRAWN = frozenset({"RAND", "UUID", "STRUUID", "BNODE"})


def reach_of(  # noqa: C901 - one branch for each node
    node: PlanNode,
    of_scan: ReachOfScan,
) -> int | None:
    """The reach of ``node`` in microseconds; None: it has no bound."""

    def of(each: PlanNode) -> int | None:
        return reach_of(each, of_scan)

    match node:
        case UnitPlan() | TablePlan() | LookupPlan() | PartPlan():
            return 0
        case Scan():
            return of_scan(node) if node.eventful else 0
        case Pair():
            return _pair(node, of)
        case GapPlan() | ClosurePlan():
            return _later(node.window, largest(map(of, inputs(node))))
        case BetweenPlan() if node.left is not None:
            return _later(node.window, largest(map(of, inputs(node))))
        case WaitPlan(input=below):
            return largest([of(below), *_tests(node, of)])
        case GroupPlan(input=below, of_changes=True):
            return of(below)
        case GroupPlan(input=below, extent=extent):
            return _later(_width(extent), of(below))
        case UnionPlan(left=left, right=right):
            return largest([of(left), of(right)])
        case SnapshotPlan(input=below, reach=longest) if has_own_instants(node) and longest is not None:
            scans = (each for each in walk(below) if isinstance(each, Scan))
            return _later(longest + node.pause + node.changes, largest(map(of, scans)))
        case ChangesPlan(input=below):
            return _later(_longest_pause(node), of(below))
        case (
            FilterPlan(input=below)
            | ExtendPlan(input=below)
            | OrderPlan(input=below)
            | SlicePlan(input=below)
            | ProjectPlan(input=below)
            | DistinctPlan(input=below)
            | ChosenPlan(input=below)
        ):
            return of(below)
        case _:
            return None


def _pair(pair: Pair, of: Callable[[PlanNode], int | None]) -> int | None:
    sides = (_side(pair, side, of(pair.side(side))) for side in Side)
    return largest([*sides, *_tests(pair, of)])


def _side(pair: Pair, side: Side, reach: int | None) -> int | None:
    """How far back one side reaches: it may have ended before the pair does."""
    if (
        pair.operator.ends(side)
        or pair.operator.of_changes
        or not (pair.left.eventful and pair.right.eventful)
    ):
        return reach
    if pair.operator.has(side):
        return _later(pair.window, reach)
    kept = pair.side(side.other)
    return _aged(age_bound(pair.condition, kept.schema.ends), reach)


def _tests(node: PlanNode, of: Callable[[PlanNode], int | None]) -> list[int | None]:
    tests = (each for each in decided_tests(node) if each.node.eventful)
    return [of(each.node) if each.at_instant else _aged(each.age, of(each.node)) for each in tests]


def _longest_pause(node: ChangesPlan) -> int | None:
    """Between an evaluation and the one with which it is compared."""
    if node.held is not None:
        return None
    if CHANGE in node.input.schema:
        return 0
    return min((period for period, _ in node.schedule.grids), default=None)


def _width(extent: Window | None) -> int | None:
    match extent:
        case RangeWindow(width=width, step=None):
            return width
        case PastWindow(begin=begin):
            return begin
        case None | RangeWindow() | RowsWindow():
            return None
        case _:
            assert_never(extent)


def _aged(age: Age | None, reach: int | None) -> int | None:
    return None if age is None else _later(age.width, reach)


def _later(width: int | None, reach: int | None) -> int | None:
    return None if width is None or reach is None else width + reach


def largest(found: Iterable[int | None]) -> int | None:
    """The largest reach; None where one has no bound."""
    reaches = list(found)
    known = [each for each in reaches if each is not None]
    return max(known, default=0) if len(known) == len(reaches) else None


# ---- values that are drawn ---------------------------------------------------------------------------------


def draws_values(plan: QueryPlan) -> bool:
    """Whether two engines would make different values of the same events."""
    if isinstance(plan, ConstructPlan):
        terms = (term for triple in plan.template for term in triple.terms)
        if any(isinstance(term, Variable) and term.is_hidden for term in terms):
            return True
    return any(_draws(each) for node in walk(plan.root) for each in _expressions(node))


def _expressions(node: PlanNode) -> list[Expression]:
    return [*node.expressions, *_conditions(node.looked_up)]


def _conditions(tests: Sequence[ExistsPlan]) -> list[Expression]:
    """What is evaluated when tests are decided."""
    own = [each.condition for each in tests if each.condition is not None]
    asked = (each for test in tests for node in asked_nodes(test) for each in _expressions(node))
    return [*own, *asked, *(each for test in tests for each in _conditions(test.tests))]


def _draws(expression: Expression) -> bool:
    match expression:
        case Apply(function=function, arguments=arguments):
            return function in _DRAWN or any(map(_draws, arguments))
        case Variable() | Constant() | Exists():
            return False
        case _:
            assert_never(expression)
