"""Which variables have nodes of the graph as values, and which paths ask for all nodes.

In a run at one instant a path of no step between two variables leads from each node of the graph to itself
(SPARQL 1.1, section 18.4): of stream, background and what CONSTRUCT queries make.
So it depends on every triple.
"""

from __future__ import annotations

from etalis_py.compiler.algebra.algebra import Constant, Variable
from etalis_py.compiler.algebra.operators import Side
from etalis_py.compiler.plan.plan import (
    ClosurePlan,
    DistinctPlan,
    ExtendPlan,
    FilterPlan,
    InstantPlan,
    Pair,
    PlanNode,
    ProjectPlan,
    Scan,
    SkipPlan,
    UnionPlan,
    WaitPlan,
    walk,
)

__all__ = ["asks_for_nodes", "node_variables", "paths_of_nodes"]


def asks_for_nodes(node: PlanNode) -> bool:
    """Whether ``node`` is a path whose walks of no step are all nodes of stream and background."""
    return isinstance(node, ClosurePlan) and node.once and node.path.graph is None and _is_open(node)


def paths_of_nodes(plan: PlanNode) -> list[ClosurePlan]:
    """The paths below that ask for all nodes."""
    return [node for node in walk(plan) if isinstance(node, ClosurePlan) and asks_for_nodes(node)]


def node_variables(plan: PlanNode) -> frozenset[Variable]:
    """Variables whose values, where they have one, are nodes of stream and background; perhaps not all."""
    found: dict[str, frozenset[Variable]] = {}
    for node in walk(plan):
        found[node.name] = _node_variables(node, found) & frozenset(node.schema.columns)
    return found[plan.name]


def _node_variables(node: PlanNode, found: dict[str, frozenset[Variable]]) -> frozenset[Variable]:
    match node:
        case Scan(pattern=pattern) if pattern.all_terms == pattern.terms and pattern.sources is None:
            return _variables(pattern.subject, pattern.object)
        case ClosurePlan(path=path) if (
            path.graph is None and path.sources is None and (_is_open(node) or not path.zero)
        ):
            return _variables(path.subject, path.object)
        case Pair(operator=operator):
            sides = (found[node.side(each).name] for each in Side if operator.has(each))
            return frozenset[Variable]().union(*sides)
        case UnionPlan():
            return found[node.left.name] & found[node.right.name]
        case (
            WaitPlan(input=below)
            | InstantPlan(input=below)
            | FilterPlan(input=below)
            | ExtendPlan(input=below)
            | ProjectPlan(input=below)
            | DistinctPlan(input=below)
            | SkipPlan(input=below)
        ):
            return found[below.name]
        case _:
            return frozenset()


def _variables(*terms: object) -> frozenset[Variable]:
    return frozenset(term for term in terms if isinstance(term, Variable))


def _is_open(node: ClosurePlan) -> bool:
    path = node.path
    return path.zero and not isinstance(path.subject, Constant) and not isinstance(path.object, Constant)
