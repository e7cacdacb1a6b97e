"""From the binary plan to EDBC rules."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from typing_extensions import assert_never

from etalis_py.compiler.algebra.algebra import CHANGE, Variable
from etalis_py.compiler.plan.own_nodes import own_nodes
from etalis_py.compiler.plan.plan import (
    AbsencePlan,
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
    InstantPlan,
    LookupPlan,
    OrderPlan,
    Pair,
    PartPlan,
    PlanNode,
    ProjectPlan,
    QueryPlan,
    RepeatPlan,
    Scan,
    SkipPlan,
    SlicePlan,
    SnapshotPlan,
    TablePlan,
    TicksPlan,
    UnionPlan,
    UnitPlan,
    UnusedPlan,
    WaitPlan,
    asked_nodes,
    decided_tests,
    walk,
)
from etalis_py.compiler.plan.trace_columns import is_trace
from etalis_py.compiler.rules.absence import AbsenceRules, tick_rules
from etalis_py.compiler.rules.asked import asked_rules
from etalis_py.compiler.rules.background import background_rules
from etalis_py.compiler.rules.between import StepRules, between_rules
from etalis_py.compiler.rules.changes import (
    ChangesPairRules,
    changes_rules,
    distinct_changes,
    group_changes,
)
from etalis_py.compiler.rules.chosen_changes import ChosenChangesRules
from etalis_py.compiler.rules.events import chosen_rules, unused_rules
from etalis_py.compiler.rules.exists import ExistsRules
from etalis_py.compiler.rules.gap import GapRules
from etalis_py.compiler.rules.living_path import LivingPathRules
from etalis_py.compiler.rules.newest import newest_rules
from etalis_py.compiler.rules.optional import OptionalRules
from etalis_py.compiler.rules.pair import PairRules
from etalis_py.compiler.rules.path import PathRules
from etalis_py.compiler.rules.policy import ChoosingPairRules, consumption_rules
from etalis_py.compiler.rules.repetition.repeat import RepeatRules
from etalis_py.compiler.rules.repetition.shared_runs import SharedRunRules, are_shared
from etalis_py.compiler.rules.rules import RuleSet, VariableNames
from etalis_py.compiler.rules.settled import group_rules, instant_rules, order_rules, wait_rules
from etalis_py.compiler.rules.single import (
    answer_rules,
    distinct_rules,
    extend_rules,
    filter_rules,
    padding_rules,
    slice_rules,
    trigger_rules,
)
from etalis_py.compiler.rules.skip import skip_rules
from etalis_py.compiler.rules.slice_changes import SliceChangesRules
from etalis_py.compiler.rules.snapshot import snapshot_rules
from etalis_py.compiler.rules.unused_changes import UnusedChangesRules

__all__ = ["generate_rules", "rules_of", "rules_of_nodes"]


def generate_rules(plan: QueryPlan, declared: Collection[str] = ()) -> RuleSet:
    """The rules of one query, from its triggers up to its answers.

    The engine has what nodes with the names in ``declared`` declare.
    """
    names = _names(plan)
    nodes = RuleSet.joined(
        rules_of(each, names).undeclared() if each.name in declared else rules_of(each, names)
        for each in own_nodes(plan)
    )
    return RuleSet.joined((nodes, answer_rules(plan, names), consumption_rules(plan, nodes.stores)))


def rules_of_nodes(plan: QueryPlan) -> dict[str, RuleSet]:
    """The rules and goal stores of each node, by its name; see `generate_rules`."""
    names = _names(plan)
    return {each.name: rules_of(each, names) for each in own_nodes(plan)}


def rules_of(node: PlanNode, names: VariableNames) -> RuleSet:
    """All rules of ``node``: of the tests that it decides, of the stream's solutions, of background's."""
    tests = (_rules_of_test(each, names) for each in decided_tests(node))
    return RuleSet.joined((*tests, _rules_of_stream(node, names), background_rules(node, names)))


def _rules_of_test(test: ExistsPlan, names: VariableNames) -> RuleSet:
    return asked_rules(test, names) if test.substituted is not None else ExistsRules(test, names).rule_set()


def _rules_of_stream(  # noqa: C901 - one branch for each node
    node: PlanNode, names: VariableNames
) -> RuleSet:
    """The rules by which solutions of the stream reach ``node``, or go on from its inputs."""
    match node:
        case Scan():
            return trigger_rules(node, names)
        case Pair(policy=policy) if policy is not None:
            return ChoosingPairRules(node, names, policy).rule_set()
        case Pair(operator=operator) if operator.of_changes:
            return ChangesPairRules(node, names).rule_set()
        case Pair(operator=operator) if operator.next_only:
            return StepRules(node, names).rule_set()
        case Pair(operator=operator):
            kind = PairRules if operator.optional is None else OptionalRules
            return kind(node, names).rule_set()
        case GapPlan():
            return GapRules(node, names).rule_set()
        case BetweenPlan():
            return between_rules(node, names)
        case AbsencePlan():
            return AbsenceRules(node, names).rule_set()
        case TicksPlan():
            return tick_rules(node, names)
        case RepeatPlan():
            rules = SharedRunRules if are_shared(node) else RepeatRules
            return rules(node, names).rule_set()
        case SkipPlan():
            return skip_rules(node, names)
        case SnapshotPlan():
            return (snapshot_rules if node.newest is None else newest_rules)(node, names)
        case ChangesPlan():
            return changes_rules(node, names)
        case ChosenPlan():
            changes = CHANGE in node.schema
            return ChosenChangesRules(node, names).rule_set() if changes else chosen_rules(node, names)
        case UnusedPlan():
            changes = CHANGE in node.schema
            return UnusedChangesRules(node, names).rule_set() if changes else unused_rules(node, names)
        case WaitPlan():
            return wait_rules(node, names)
        case OrderPlan():
            return order_rules(node, names)
        case GroupPlan():
            return (group_changes if node.of_changes else group_rules)(node, names)
        case InstantPlan():
            return instant_rules(node, names)
        case ClosurePlan(path=path):
            return (LivingPathRules if path.alive else PathRules)(node, names).rule_set()
        case FilterPlan():
            return filter_rules(node, names)
        case ExtendPlan():
            return extend_rules(node, names)
        case SlicePlan(keys=order):
            return slice_rules(node, names) if order is None else SliceChangesRules(node, names).rule_set()
        case DistinctPlan():
            return (distinct_changes if CHANGE in node.schema else distinct_rules)(node, names)
        case ProjectPlan() | UnionPlan():
            return padding_rules(node, names)
        case UnitPlan() | TablePlan() | LookupPlan() | PartPlan():  # no event is a part of them
            return RuleSet()
        case _:
            assert_never(node)


def _names(plan: QueryPlan) -> VariableNames:
    return VariableNames(_all_variables(plan), plan.number)


def _all_variables(plan: QueryPlan) -> Iterator[Variable]:
    for node in walk(plan.root):
        yield from node.schema.columns
        if isinstance(node, RepeatPlan):
            yield from (each.variable for each in node.repeat.running)
            arguments = (each.argument for each in node.repeat.measures)
            yield from (each for each in arguments if each is not None and is_trace(each))
        for test in decided_tests(node):
            for each in asked_nodes(test):
                yield from each.schema.columns
    if isinstance(plan, ConstructPlan):
        for triple in plan.template:
            yield from (term for term in triple.terms if isinstance(term, Variable))
