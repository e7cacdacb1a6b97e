"""The pass that shares equal parts: what several queries have, or one query twice, is computed once.

The rules of an operator react to the solutions of its inputs, so a part that feeds several operators needs
nothing but several such rules: the first of equal parts stays, and the operators above the others
react to its solutions. Of SEQ the goals of equal left sides are shared as well.

A window is only a saving: the filter that gave it stands above. So joins of two triples with one interval are
equal parts though their windows differ: nothing of them outlasts the instant. They have the widest window.

What is shared must have seen the same events: the queries have to be added to an engine together, see
``etalis_py/engine/rule_base.py``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from operator import is_
from typing import Any, TypeAlias, TypeGuard, TypeVar, cast

from etalis_py.compiler.plan.plan import ExistsPlan, Pair, PlanBase, PlanNode, QueryPlan, Scan, Shared, walk
from etalis_py.compiler.plan.plan_shapes import Shape, Shapes
from etalis_py.core.value_class import value_class

__all__ = ["Sharing", "joins_triples", "share"]

_T = TypeVar("_T")
_Identity: TypeAlias = "int | tuple[str, int]"


@value_class
class Sharing:
    """Plans that share parts, in the order of those they were made of.

    ``taken_from`` tells for the name of each node that went which one does its work, ``goals_from`` for a SEQ
    whose left goals another one keeps, which; ``tests_from`` for each test, what it is called there.
    """

    plans: tuple[QueryPlan, ...]
    taken_from: dict[str, str]
    goals_from: dict[str, str]
    tests_from: dict[str, str]

    def without(self, names: Collection[str]) -> Sharing:
        """What is left where nodes and tests with these names are gone, which others do not use."""
        links = (self.taken_from, self.goals_from, self.tests_from)
        left = ({one: other for one, other in each.items() if one not in names} for each in links)
        return Sharing(self.plans, *left)


def share(plans: Sequence[QueryPlan]) -> Sharing:
    """The plans with equal parts computed by the first query that has them.

    A plan that has nothing in common with others is given as it is.
    """
    sharer = _Sharer(_widest_windows(plans))
    shared = [sharer.plan(plan) for plan in plans]
    given = sharer.given
    return Sharing(
        tuple(_giving(plan, given & names) for plan, names in shared),
        sharer.taken_from,
        sharer.goals_from,
        sharer.tests_from,
    )


def _giving(plan: QueryPlan, given: frozenset[str]) -> QueryPlan:
    return replace(plan, shared=replace(plan.shared, given=given)) if given else plan


# ---- windows -----------------------------------------------------------------------------------------------


@value_class
class _Windows:
    """Shapes of triples of one interval whatever their window, and the widest window of each."""

    shapes: Shapes
    widest: Mapping[int, int | None]

    def identity(self, node: PlanNode) -> int | None:
        """That of the shape of ``node``, where its window does not count."""
        if not joins_triples(node):
            return None
        shape = self.shapes.of(_within(node, None))
        return None if shape is None else shape.identity


def _widest_windows(plans: Sequence[QueryPlan]) -> _Windows:
    widest: dict[int, int | None] = {}
    windows = _Windows(Shapes(), widest)
    for plan in plans:
        for node in walk(plan.root) if plan.policy is None else ():
            identity = windows.identity(node)
            if identity is not None:
                widest[identity] = _wider(widest.get(identity, 0), node.window)
    return windows


def _wider(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else max(first, second)


def joins_triples(node: PlanNode) -> TypeGuard[Pair]:
    """Whether it joins two triple patterns of one interval, and keeps them for the instant only."""
    return (
        isinstance(node, Pair)
        and node.operator.same_interval
        and node.operator.optional is None
        and isinstance(node.left, Scan)
        and isinstance(node.right, Scan)
    )


def _within(pair: Pair, window: int | None) -> Pair:
    left, right = replace(pair.left, window=window), replace(pair.right, window=window)
    return replace(pair, window=window, left=left, right=right)


# ---- parts -------------------------------------------------------------------------------------------------


class _Sharer:
    def __init__(self, windows: _Windows) -> None:
        self.taken_from: dict[str, str] = {}
        self.goals_from: dict[str, str] = {}
        self.tests_from: dict[str, str] = {}
        self._tests: dict[str, ExistsPlan] = {}
        self.given: frozenset[str] = frozenset()
        self._windows = windows
        self._shapes = Shapes()
        self._parts: dict[_Identity, PlanNode] = {}
        self._goals: dict[int, Pair] = {}
        self._own: dict[str, PlanNode] = {}
        self._taken: set[str] = set()

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
        identity, node = self._with_widest_window(node, shape)
        other = self._parts.get(identity)
        if other is not None and _wider(other.window, node.window) == other.window:
            return self._take(node, other)
        self._own[node.name] = found = self._with_shared_inputs(node)
        self._parts.setdefault(identity, found)
        return found

    def _with_widest_window(self, node: PlanNode, shape: Shape) -> tuple[_Identity, PlanNode]:
        """What equal parts have in common, and ``node`` as it serves all of them."""
        identity = self._windows.identity(node)
        if identity is None or not joins_triples(node):
            return shape.identity, node
        widest = self._windows.widest.get(identity, node.window)
        return ("in any window", identity), node if widest == node.window else _within(node, widest)

    def _take(self, node: PlanNode, other: PlanNode) -> PlanNode:
        self._taken.add(other.name)
        self._note(node, other)
        return _named_like(node, other)

    def _note(self, node: PlanNode, other: PlanNode) -> None:
        """Remember who does the work of ``node``, and what its tests are called there."""
        self.taken_from.update(_names(node, other))
        for test, its in _tests(node, other):
            self.tests_from[test.name] = its.name
            self._tests[test.name] = its

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

        A test that another part decides is the one there.
        """
        test = self._tests.get(holder.name) if isinstance(holder, ExistsPlan) else None
        if test is not None:
            return _named_like(holder, cast("_T", test))
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


def _tests(node: Any, other: Any) -> Iterator[tuple[ExistsPlan, ExistsPlan]]:
    """Each test of one part, and that of the other."""
    for (_, value), (_, equal) in zip(_parts(node), _parts(other), strict=True):
        pairs = [(value, equal)] if isinstance(value, PlanBase) else list(zip(value, equal, strict=True))
        for each, its in pairs:
            if isinstance(each, ExistsPlan):
                yield each, its
            yield from _tests(each, its)


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
