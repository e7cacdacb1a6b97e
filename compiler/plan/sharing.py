"""The pass that shares equal parts: what several queries have, or one query twice, is computed once.

The rules of an operator react to the solutions of its inputs, so a part that feeds several operators needs
nothing but several such rules: the first of equal parts stays, and the operators above the others
react to its solutions. Of SEQ the goals of equal left sides are shared as well.

What is shared must have seen the same events: the queries have to be added to an engine together, see
``etalis_py/engine/rule_base.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from operator import is_
from typing import Any, TypeVar, cast

from etalis_py.compiler.plan.plan import ExistsPlan, Pair, PlanBase, PlanNode, QueryPlan, Shared
from etalis_py.compiler.plan.plan_shapes import Shapes

__all__ = ["Sharing", "share"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Sharing:
    """Plans that share parts, in the order of those they were made of.

    ``taken_from`` tells for the name of each node that went which one does its work, ``goals_from`` for a SEQ
    whose left goals another one keeps, which.
    """

    plans: tuple[QueryPlan, ...]
    taken_from: dict[str, str]
    goals_from: dict[str, str]


def share(plans: Sequence[QueryPlan]) -> Sharing:
    """The plans with equal parts computed by the first query that has them.

    A plan that has nothing in common with others is given as it is.
    """
    sharer = _Sharer()
    shared = [sharer.plan(plan) for plan in plans]
    given = sharer.given
    return Sharing(
        tuple(_giving(plan, given & names) for plan, names in shared),
        sharer.taken_from,
        sharer.goals_from,
    )


def _giving(plan: QueryPlan, given: frozenset[str]) -> QueryPlan:
    return replace(plan, shared=replace(plan.shared, given=given)) if given else plan


class _Sharer:
    def __init__(self) -> None:
        self.taken_from: dict[str, str] = {}
        self.goals_from: dict[str, str] = {}
        self.given: frozenset[str] = frozenset()
        self._shapes = Shapes()
        self._parts: dict[int, PlanNode] = {}
        self._goals: dict[int, Pair] = {}
        self._own: dict[str, PlanNode] = {}
        self._taken: set[str] = set()
        self._tests: dict[str, str] = {}

    def plan(self, plan: QueryPlan) -> tuple[QueryPlan, frozenset[str]]:
        """The plan without what others compute, and the names of the nodes that it has itself."""
        if plan.policy is not None:
            return plan, frozenset()
        self._own, self._taken = {}, set()
        root = self._node(plan.root)
        names = frozenset(each.name for each in self._own.values())
        self.given |= self._taken
        if root is plan.root:
            return plan, names
        return replace(plan, root=root, shared=Shared(frozenset(self._taken - names))), names

    def _node(self, node: PlanNode) -> PlanNode:
        """What is in the place of ``node``; a test that stands in two operators comes here twice."""
        if node.name in self._own:
            return self._own[node.name]
        shape = self._shapes.of(node)
        if shape is None or not shape.works or not node.eventful:
            self._own[node.name] = found = self._with_shared_inputs(node)
            return found
        if shape.identity in self._parts:
            return self._take(node, self._parts[shape.identity])
        self._own[node.name] = self._parts[shape.identity] = found = self._with_shared_inputs(node)
        return found

    def _take(self, node: PlanNode, other: PlanNode) -> PlanNode:
        self._taken.add(other.name)
        self._note(node, other)
        return _named_like(node, other)

    def _note(self, node: PlanNode, other: PlanNode) -> None:
        """Remember who does the work of ``node``, and what its tests are called there."""
        self.taken_from.update(_names(node, other))
        self._tests.update(_test_names(node, other))

    def _with_shared_inputs(self, node: PlanNode) -> PlanNode:
        if not isinstance(node, Pair):
            return self._mapped(node)
        goals = self._shapes.left_goals(node) if node.eventful and node.left.eventful else None
        if goals is None:
            return self._mapped(node)
        if goals not in self._goals:
            self._goals[goals] = found = self._mapped(node)
            return found
        other = self._goals[goals]
        self._note(node.left, other.left)
        self.goals_from[node.name] = other.name
        left = _named_like(node.left, other.left)
        return replace(self._mapped(node, but="left"), left=left, left_goals=other.name)

    def _mapped(self, holder: _T, but: str = "") -> _T:
        """A node, or a test, over what is in the place of each node directly in it; itself where that is all.

        A test that another query decides has its name there.
        """
        changes: dict[str, Any] = {}
        for name, value in _parts(holder):
            if name == but:
                continue
            if isinstance(value, PlanBase):
                mapped: Any = self._node(cast("PlanNode", value))
                same = mapped is value
            else:
                mapped = tuple(map(self._mapped, value))
                same = all(map(is_, mapped, value))
            if not same:
                changes[name] = mapped
        if isinstance(holder, ExistsPlan) and holder.name in self._tests:
            changes["name"] = self._tests[holder.name]
        return replace(holder, **changes) if changes else holder  # type: ignore[type-var]


def _named_like(node: _T, other: _T) -> _T:
    """``node`` with the names of the nodes of ``other``, which has the same shape."""
    changes: dict[str, Any] = {"name": other.name}  # type: ignore[attr-defined]
    for (name, value), (_, equal) in zip(_parts(node), _parts(other), strict=True):
        if isinstance(value, PlanBase):
            changes[name] = _named_like(value, equal)
        else:
            changes[name] = tuple(map(_named_like, value, equal))
    return replace(node, **changes)  # type: ignore[type-var]


def _names(node: Any, other: Any) -> Iterator[tuple[str, str]]:
    """The name of each node of one part, and what it is called in another one of the same shape."""
    if isinstance(node, PlanBase):
        yield node.name, other.name
    for (_, value), (_, equal) in zip(_parts(node), _parts(other), strict=True):
        if isinstance(value, PlanBase):
            yield from _names(value, equal)
        else:
            for test, its in zip(value, equal, strict=True):
                yield from _names(test, its)


def _test_names(node: Any, other: Any) -> Iterator[tuple[str, str]]:
    """The same of the tests."""
    for (_, value), (_, equal) in zip(_parts(node), _parts(other), strict=True):
        pairs = [(value, equal)] if isinstance(value, PlanBase) else list(zip(value, equal, strict=True))
        for each, its in pairs:
            if isinstance(each, ExistsPlan):
                yield each.name, its.name
            yield from _test_names(each, its)


def _parts(holder: Any) -> Iterator[tuple[str, Any]]:
    """The fields that hold nodes, or tests that hold nodes.

    A group that is asked for rows is below, too; what is evaluated for one solution has no rules to share.
    """
    for field in fields(holder):
        value = getattr(holder, field.name)
        asked = isinstance(holder, ExistsPlan) and holder.substituted is not None
        if field.name == "asks" or (asked and field.name == "node"):
            continue
        if isinstance(value, PlanBase) or (
            isinstance(value, tuple) and value and isinstance(value[0], ExistsPlan)
        ):
            yield field.name, value
