"""From the binary plan to EDBC rules."""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.compiler.algebra import Variable
from etalis_py.compiler.plan import ConstructPlan, DistinctPlan, Pair, QueryPlan, Scan, walk
from etalis_py.compiler.rules import Rule, RuleSet, Store, VariableNames
from etalis_py.compiler.rules_background import BackgroundRules
from etalis_py.compiler.rules_pair import PairRules
from etalis_py.compiler.rules_single import SingleRules, seen_store

__all__ = ["generate_rules"]


def generate_rules(plan: QueryPlan) -> RuleSet:
    """The rules of one query, from its triggers up to its answers."""
    names = VariableNames(_all_variables(plan))
    single, background = SingleRules(names), BackgroundRules(names)
    rules: list[Rule] = []
    stores: list[Store] = []
    settlements: list[str] = []
    for node in walk(plan.root):
        if isinstance(node, Scan):
            rules.append(single.trigger(node))
        elif isinstance(node, Pair):
            pair = PairRules(node, names)
            rules += pair.rules()
            stores += pair.stores()
            if node.operator.waits_for_instant:
                settlements.append(pair.settlement)
        else:
            rules += single.passing(node)
        if isinstance(node, DistinctPlan):
            stores.append(seen_store(node))
        rules += background.rules(node)
    rules.append(single.answer(plan))
    return RuleSet(tuple(rules), tuple(stores), tuple(settlements))


def _all_variables(plan: QueryPlan) -> Iterator[Variable]:
    for node in walk(plan.root):
        yield from node.schema.columns
    if isinstance(plan, ConstructPlan):
        for triple in plan.template:
            yield from (term for term in triple.terms if isinstance(term, Variable))
