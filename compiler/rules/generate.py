"""From the binary plan to EDBC rules."""

from __future__ import annotations

from collections.abc import Iterator

from typing_extensions import assert_never

from etalis_py.compiler.algebra.algebra import Variable
from etalis_py.compiler.plan.own_nodes import own_nodes
from etalis_py.compiler.plan.plan import (
    ClosurePlan,
    ConstructPlan,
    DistinctPlan,
    ExistsPlan,
    ExtendPlan,
    FilterPlan,
    GapPlan,
    GraphNamesPlan,
    GroupPlan,
    InstantPlan,
    OrderPlan,
    Pair,
    PartPlan,
    PlanNode,
    ProjectPlan,
    QueryPlan,
    Scan,
    SlicePlan,
    TablePlan,
    UnionPlan,
    UnitPlan,
    WaitPlan,
    asked_nodes,
    decided_tests,
    walk,
)
from etalis_py.compiler.rules.asked import AskedRules
from etalis_py.compiler.rules.background import BackgroundRules
from etalis_py.compiler.rules.exists import ExistsRules
from etalis_py.compiler.rules.gap import GapRules
from etalis_py.compiler.rules.optional import OptionalRules
from etalis_py.compiler.rules.pair import PairRules
from etalis_py.compiler.rules.path import PathRules
from etalis_py.compiler.rules.policy import ChoosingPairRules, consumption_rule
from etalis_py.compiler.rules.prolog_terms import Term
from etalis_py.compiler.rules.rules import Rule, RuleSet, Store, VariableNames
from etalis_py.compiler.rules.settled import SettledRules
from etalis_py.compiler.rules.single import SingleRules, seen_store

__all__ = ["generate_rules", "rules_of_nodes"]


def generate_rules(plan: QueryPlan) -> RuleSet:
    """The rules of one query, from its triggers up to its answers."""
    return _Generator(plan).rule_set()


def rules_of_nodes(plan: QueryPlan) -> dict[str, tuple[tuple[Rule, ...], tuple[Store, ...]]]:
    """The rules and goal stores of each node, by its name, for those who show them; see `generate_rules`."""
    return _Generator(plan).of_nodes()


class _Generator:
    def __init__(self, plan: QueryPlan) -> None:
        self._plan = plan
        self._names = VariableNames(_all_variables(plan))
        self._single = SingleRules(self._names, plan.number)
        self._background = BackgroundRules(self._names)
        self._rules: list[Rule] = []
        self._stores: list[Store] = []
        self._declarations: list[Term] = []
        self._preparations: list[Term] = []

    def rule_set(self) -> RuleSet:
        for node in own_nodes(self._plan):
            for test in decided_tests(node):
                self._test(test)
            self._node(node)
            self._rules += self._background.rules(node)
        self._rules.append(self._single.answer(self._plan))
        if self._plan.policy is not None:
            self._rules.append(consumption_rule(self._plan, self._stores))
        return RuleSet(
            tuple(self._rules), tuple(self._stores), tuple(self._declarations), tuple(self._preparations)
        )

    def of_nodes(self) -> dict[str, tuple[tuple[Rule, ...], tuple[Store, ...]]]:
        found = {}
        for node in own_nodes(self._plan):
            self._rules, self._stores = [], []
            for test in decided_tests(node):
                self._test(test)
            self._node(node)
            self._rules += self._background.rules(node)
            found[node.name] = tuple(self._rules), tuple(self._stores)
        return found

    def _test(self, test: ExistsPlan) -> None:
        if test.substituted is not None:
            self._rules += AskedRules(test, self._names).rules()
            return
        rules = ExistsRules(test, self._names)
        self._rules += rules.rules()
        self._stores += rules.stores()

    def _node(self, node: PlanNode) -> None:
        """The rules by which solutions of the stream reach ``node``, or go on from its inputs."""
        match node:
            case Scan():
                if node.eventful:
                    self._rules.append(self._single.trigger(node))
            case Pair():
                pair = PairRules(node, self._names)
                if node.policy is not None:
                    pair = ChoosingPairRules(node, self._names, node.policy)
                elif node.operator.optional is not None:
                    pair = OptionalRules(node, self._names)
                self._rules += pair.rules()
                self._stores += pair.stores()
            case GapPlan():
                gap = GapRules(node, self._names)
                self._rules += gap.rules()
                self._stores += gap.stores()
            case WaitPlan() | OrderPlan() | GroupPlan() | InstantPlan():
                settled = SettledRules(node, self._names)
                self._rules += settled.rules()
                self._stores += settled.stores()
                self._declarations += settled.declarations()
                self._preparations += settled.preparations()
            case ClosurePlan():
                path = PathRules(node, self._names)
                self._rules += path.rules()
                self._stores += path.stores()
                self._declarations += path.declarations()
            case FilterPlan() | ExtendPlan() | ProjectPlan() | DistinctPlan() | SlicePlan() | UnionPlan():
                self._rules += self._single.passing(node)
            case UnitPlan() | TablePlan() | GraphNamesPlan() | PartPlan():  # no event is a part of them
                pass
            case _:
                assert_never(node)
        if isinstance(node, DistinctPlan):
            self._stores.append(seen_store(node))


def _all_variables(plan: QueryPlan) -> Iterator[Variable]:
    for node in walk(plan.root):
        yield from node.schema.columns
        for test in decided_tests(node):
            for each in asked_nodes(test):
                yield from each.schema.columns
    if isinstance(plan, ConstructPlan):
        for triple in plan.template:
            yield from (term for term in triple.terms if isinstance(term, Variable))
