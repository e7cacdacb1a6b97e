"""The order in which operators that wait for the end of an instant are settled.

What waits (OPTIONAL, EQUALSOPTIONAL, MINUS, EXISTS, groups, order) may be settled once nothing more can reach
it within the instant. Solutions flow from an operator's inputs to it, and from a CONSTRUCT to the patterns
its triples may match; not through a side that always ends earlier, such as the left one of SEQ. A program
in which such an operator reaches itself is not stratified and is refused (docs/semantics.md#construct).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from etalis_py.compiler.algebra.algebra import Constant, TriplePattern
from etalis_py.compiler.plan.plan import (
    AbsencePlan,
    BetweenPlan,
    GapPlan,
    Pair,
    PlanNode,
    QueryPlan,
    RepeatPlan,
    inputs,
    walk,
)
from etalis_py.core.value_class import value_class
from etalis_py.core.vocabulary import DEFAULT_STREAM

__all__ = ["Cycle", "Flow", "TriggerTest", "find_cycle", "flow_within", "in_order", "reaches", "unifies"]

TriggerTest = Callable[[TriplePattern, TriplePattern], bool]
"""Whether a triple made from a template can trigger a pattern."""


Flow: TypeAlias = Mapping[str, Sequence[PlanNode]]
"""For each node, by its name, the nodes that its solutions reach directly, within the instant."""


@value_class
class Cycle:
    """A way from a waiting operator back to itself within one instant."""

    operator: PlanNode
    path: tuple[PlanNode, ...]


def unifies(template: TriplePattern, pattern: TriplePattern) -> bool:
    """Whether a triple of the template may be an instance of the pattern, without entailment."""
    return reaches(template, pattern) and all(
        not isinstance(made, Constant) or not isinstance(wanted, Constant) or made.value == wanted.value
        for made, wanted in zip(template.terms, pattern.terms, strict=True)
    )


def reaches(template: TriplePattern, pattern: TriplePattern) -> bool:
    """Whether triples of the template get where the pattern looks for them.

    What a CONSTRUCT adds to a named stream is seen by those who ask for streams; it has no graph.
    """
    made, wanted = template.place, pattern.place
    if wanted is None:
        return made is None
    if wanted.name is not None:
        return False
    stream = DEFAULT_STREAM if made is None or not isinstance(made.stream, Constant) else made.stream.value
    return not isinstance(wanted.stream, Constant) or wanted.stream.value == stream


def flow_within(plan: QueryPlan) -> dict[str, list[PlanNode]]:
    """The flow from inputs to the operators they feed."""
    flow: dict[str, list[PlanNode]] = {}
    for node in walk(plan.root):
        for below in _now(node):
            flow.setdefault(below.name, []).append(node)
    return flow


def in_order(nodes: Sequence[PlanNode], flow: Flow) -> tuple[list[PlanNode], set[str]]:
    """The nodes, each after those it depends on, and the names of those that depend on themselves.

    ``flow`` leads from ``nodes`` to ``nodes`` only. The time is proportional to the size of both (Tarjan,
    Depth-First Search and Linear Graph Algorithms, 1972). Nodes that depend on each other are in any order.
    """
    search = _Search(flow)
    for node in nodes:
        search.visit(node)
    search.finished.reverse()
    return search.finished, search.recursive


def find_cycle(waiting: Iterable[PlanNode], flow: Flow) -> Cycle:
    """The way from the first of ``waiting`` that depends on itself back to it."""
    for operator in waiting:
        paths = _reachable(operator, flow)
        if operator.name in paths:
            return Cycle(operator, _path_back(operator, paths))
    raise AssertionError("there is no cycle")


class _Search:
    """Depth-first, without recursion: a chain of CONSTRUCT queries may be long."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._number: dict[str, int] = {}
        self._lowest: dict[str, int] = {}
        self._open: list[PlanNode] = []
        self._is_open: set[str] = set()
        self.finished: list[PlanNode] = []
        self.recursive: set[str] = set()

    def visit(self, root: PlanNode) -> None:
        if root.name in self._number:
            return
        todo = [(root, self._enter(root))]
        while todo:
            node, following = todo[-1]
            for each in following:
                if each.name not in self._number:
                    todo.append((each, self._enter(each)))
                    break
                if each.name in self._is_open:
                    self._lower(node, self._number[each.name])
                    if each.name == node.name:
                        self.recursive.add(node.name)
            else:
                todo.pop()
                if todo:
                    self._lower(todo[-1][0], self._lowest[node.name])
                if self._lowest[node.name] == self._number[node.name]:
                    self._leave(node)

    def _enter(self, node: PlanNode) -> Iterator[PlanNode]:
        self._number[node.name] = self._lowest[node.name] = len(self._number)
        self._open.append(node)
        self._is_open.add(node.name)
        return iter(self._flow.get(node.name, ()))

    def _lower(self, node: PlanNode, number: int) -> None:
        self._lowest[node.name] = min(self._lowest[node.name], number)

    def _leave(self, first: PlanNode) -> None:
        """All that is open above ``first`` depends on it, and it on them."""
        place = next(i for i in reversed(range(len(self._open))) if self._open[i].name == first.name)
        component = self._open[place:]
        del self._open[place:]
        self._is_open.difference_update(each.name for each in component)
        self.finished += component
        if len(component) > 1:
            self.recursive.update(each.name for each in component)


def _now(node: PlanNode) -> Iterable[PlanNode]:
    """The inputs whose solutions of this instant matter to ``node`` in this instant."""
    if isinstance(node, GapPlan):
        return (node.last,) if node.last_again is None else (node.last, node.last_again)
    if isinstance(node, BetweenPlan):  # what is between has ended before
        return (node.right,)
    if isinstance(node, AbsencePlan):  # the left side has ended before, but where its start counts
        return tuple(each for each in (node.left if node.from_start else None, node.none) if each is not None)
    if isinstance(
        node, RepeatPlan
    ):  # what follows sees runs as they were; what stands before waits for later
        found = (node.group, node.left if node.gives_left else None, node.scope)
        return tuple(each for each in found if each is not None)
    if isinstance(node, Pair) and node.operator.earlier is not None:
        return (node.side(node.operator.earlier.other),)
    return inputs(node)


def _reachable(operator: PlanNode, flow: Flow) -> dict[str, tuple[PlanNode, PlanNode]]:
    """Every node reached from ``operator``, with the node it was reached from."""
    found: dict[str, tuple[PlanNode, PlanNode]] = {}
    todo = [operator]
    while todo:
        here = todo.pop()
        for node in flow.get(here.name, ()):
            if node.name not in found:
                found[node.name] = (node, here)
                todo.append(node)
    return found


def _path_back(operator: PlanNode, found: dict[str, tuple[PlanNode, PlanNode]]) -> tuple[PlanNode, ...]:
    path: list[PlanNode] = [operator]
    while True:
        _, previous = found[path[-1].name]
        path.append(previous)
        if previous.name == operator.name:
            return tuple(reversed(path))
