"""Recognise ``A SEQ C`` without a B between, as EP-SPARQL says it.

    { {A} SEQ {C} } EQUALSOPTIONAL { {A} SEQ {B} SEQ {C} } FILTER(!BOUND(?b))

The chain with B has the same interval as the pair exactly where a B lies between. Computed as written, it
takes a goal for each A and each B after it. As a `GapPlan` (``rules/gap.py``), one look at the newest B.

Does not require that both chains find the same A and C: the optional one may have only a part of what A, or
C, has, and finds whatever matches it with the same values and the same start, or end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

from etalis_py.compiler.algebra import operators
from etalis_py.compiler.algebra.operators import Operator
from etalis_py.compiler.plan.plan import (
    ExtendPlan,
    FilterPlan,
    GapPlan,
    Pair,
    PlanNode,
    Scan,
    Schema,
)

__all__ = ["with_gap"]


def with_gap(pair: Pair) -> PlanNode:
    """``pair``, or the `GapPlan` that gives the same solutions."""
    if not pair.anti or pair.operator is not operators.EQUALSOPTIONAL or pair.condition is not None:
        return pair
    if pair.shared or pair.asks is not None:
        return pair
    found = _gap(pair, pair.left)
    return pair if found is None else found


def _gap(pair: Pair, left: PlanNode) -> PlanNode | None:
    """The gap below the filters of the left side, which judge what it lets through as well."""
    if isinstance(left, FilterPlan) and not left.tests:
        inner = _gap(pair, left.input)
        return None if inner is None else replace(left, input=inner, schema=inner.schema)
    chain = _chain_of_three(pair.right)
    if not _is_plain(left, operators.SEQ) or chain is None or not _is_gap(left, *chain):
        return None
    again, between, last_again = chain
    own = tuple(each for each in pair.right.schema.columns if each not in left.schema)
    schema = Schema((*left.schema.columns, *own), left.schema.certain)
    return GapPlan(
        pair.name, schema, pair.window, True, False, pair.span,
        left.left, left.right,
        None if _is_all_of(left.left, again) else again, between,
        None if _is_all_of(left.right, last_again) else last_again, left.join,
    )  # fmt: skip


def _is_plain(node: PlanNode, operator: Operator) -> TypeGuard[Pair]:
    """Whether the sides of a pair agree in all that they share."""
    return isinstance(node, Pair) and node.operator is operator and not node.shared


def _chain_of_three(node: PlanNode) -> tuple[PlanNode, PlanNode, PlanNode] | None:
    """The parts of ``A SEQ B SEQ C``, however it is bracketed."""
    if not _is_plain(node, operators.SEQ):
        return None
    left, right = node.left, node.right
    if _is_plain(left, operators.SEQ):
        return left.left, left.right, right
    if _is_plain(right, operators.SEQ):
        return left, right.left, right.right
    return None


def _is_gap(whole: Pair, again: PlanNode, between: PlanNode, last_again: PlanNode) -> bool:
    parts = (whole.left, whole.right, again, between, last_again)
    if not all(each.eventful for each in parts):
        return False
    if not (_contains(whole.left, again) and _contains(whole.right, last_again)):
        return False
    common = {each for each in between.schema.columns if each in whole.schema}
    return common <= between.schema.certain & whole.schema.certain and all(
        frozenset(each.schema.columns) <= each.schema.certain for each in (again, last_again)
    )


def _is_all_of(node: PlanNode, part: PlanNode) -> bool:
    """Whether the solutions of ``node`` are those of the ``part`` that it brings."""
    return _same(node, part) and node.schema.columns == part.schema.columns and node.window == part.window


def _contains(node: PlanNode, part: PlanNode) -> bool:
    """Whether each solution of ``node`` brings one of ``part`` with the same values and the same interval."""
    if _same(node, part):
        return True
    if isinstance(node, FilterPlan | ExtendPlan):
        return _contains(node.input, part)
    if isinstance(node, Pair) and node.operator is operators.EQUALS:
        return _contains(node.left, part) or _contains(node.right, part)
    return False


def _same(node: PlanNode, other: PlanNode) -> bool:
    """Whether both have the same solutions: triple patterns, and joins, sequences and EQUALS of them."""
    if isinstance(node, Scan) and isinstance(other, Scan):
        return node.pattern == other.pattern and node.once == other.once
    if not isinstance(node, Pair) or not isinstance(other, Pair) or node.operator is not other.operator:
        return False
    plain = all(each.condition is None and each.policy is None for each in (node, other))
    return plain and _same(node.left, other.left) and _same(node.right, other.right)
