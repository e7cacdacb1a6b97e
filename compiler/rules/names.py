"""The names of the predicates that belong to a node of the plan."""

from __future__ import annotations

from etalis_py.compiler.plan.plan import PlanNode

__all__ = ["asked_name", "consumption_name", "row_name", "settlement_name", "settlement_of", "timeless_name"]


def timeless_name(node: PlanNode) -> str:
    """The predicate of the solutions that background alone gives."""
    return f"{node.name}_background"


def asked_name(node: PlanNode) -> str:
    """The predicate of the solutions that are found for one solution whose values are substituted."""
    return f"{node.name}_asked"


def settlement_name(node: PlanNode) -> str:
    """The predicate that settles a node that waits for the end of an instant."""
    return settlement_of(node.name)


def settlement_of(name: str) -> str:
    """The same by the name of the node."""
    return f"{name}_settle"


def consumption_name(number: int) -> str:
    """The predicate that consumes, at the end of an instant, what answers of a query are made of."""
    return f"q{number}_consume"


def row_name(node: PlanNode) -> str:
    """The predicate that makes the row of one key of a group."""
    return f"{node.name}_row"
