"""The settlement order of a growing program: queries are added, and what is known of those before is kept.

A query costs what it and those it feeds or reads from cost, however many others there are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from etalis_py.compiler.algebra.algebra import Constant, TriplePattern, Variable
from etalis_py.compiler.plan.graph_nodes import asks_for_nodes, node_variables
from etalis_py.compiler.plan.plan import (
    ClosurePlan,
    ConstructPlan,
    PlanNode,
    QueryPlan,
    Scan,
    walk,
)
from etalis_py.compiler.plan.strata import Cycle, TriggerTest, find_cycle, flow_within, in_order
from etalis_py.core.terms import Encoded

__all__ = ["PredicateFinder", "Settlements", "own_predicate"]

PredicateFinder: TypeAlias = Callable[[TriplePattern], Iterable["Encoded | None"]]
"""The predicates of the occurrences that can match a pattern; None is any."""

_T = TypeVar("_T")


def own_predicate(pattern: TriplePattern) -> list[Encoded | None]:
    """The PredicateFinder where nothing is entailed."""
    return [pattern.predicate.value if isinstance(pattern.predicate, Constant) else None]


class Settlements:
    """The operators of an engine's queries that wait for the end of an instant, in ``order``.

    Args:
        may_trigger: whether a triple of a template can match a pattern.
        predicates: with which predicates; it keeps ``may_trigger`` from being asked of every pair.
    """

    def __init__(self, may_trigger: TriggerTest, predicates: PredicateFinder = own_predicate) -> None:
        self.order: list[PlanNode] = []
        self._may_trigger = may_trigger
        self._predicates = predicates
        self._flow: dict[str, list[PlanNode]] = {}
        self._nodes: dict[str, PlanNode] = {}
        self._makers: _ByPredicate[_Maker] = _ByPredicate()
        self._readers: _ByPredicate[_Reader] = _ByPredicate()
        self._not_indexed: list[_Reader] = []

    def add(self, plans: Sequence[QueryPlan]) -> Cycle | None:
        """Order the operators of further plans, too; or give the cycle that forbids it, and add nothing.

        ``order`` is a new list if earlier settlements must be reordered; else it only grows.
        """
        added = {
            node.name: node for plan in plans for node in walk(plan.root) if node.name not in self._nodes
        }
        flow: dict[str, list[PlanNode]] = defaultdict(list)
        for plan in plans:
            for name, reached in flow_within(plan).items():
                flow[name] += (node for node in reached if node.name in added)
        makers = [maker for plan in plans if isinstance(plan, ConstructPlan) for maker in _makers_of(plan)]
        readers = [*_readers_of(added.values())]
        if makers or self._makers:
            self._index(self._not_indexed)
            self._not_indexed = []
            for maker, reader in self._meetings(makers, readers):
                flow[maker.root.name].append(reader.node)
        ordered, cycle = self._ordered(added, flow)
        if cycle is not None:
            return cycle
        self.order = ordered
        self._nodes |= added
        for name, reached in flow.items():
            self._flow.setdefault(name, []).extend(reached)
        for maker in makers:
            self._makers.add(maker, own_predicate(maker.triple))
        if self._makers:
            self._index(readers)
        else:
            self._not_indexed += readers
        return None

    def remove(self, names: Collection[str]) -> None:
        """Forget the operators with these names; the others stay in their order."""
        if not names:
            return
        self.order = [node for node in self.order if node.name not in names]
        self._nodes = {name: node for name, node in self._nodes.items() if name not in names}
        self._flow = {
            name: [node for node in reached if node.name not in names]
            for name, reached in self._flow.items()
            if name not in names
        }
        self._makers.remove(lambda maker: maker.root.name in names)
        self._readers.remove(lambda reader: reader.node.name in names)
        self._not_indexed = [each for each in self._not_indexed if each.node.name not in names]

    def _index(self, readers: Iterable[_Reader]) -> None:
        for reader in readers:
            self._readers.add(reader, self._predicates(reader.pattern))

    def _meetings(self, makers: list[_Maker], readers: list[_Reader]) -> Iterator[tuple[_Maker, _Reader]]:
        """Each new maker with what reads from it, and what makers there were with each new reader."""
        added: _ByPredicate[_Reader] = _ByPredicate()
        for reader in readers:
            predicates = list(self._predicates(reader.pattern))
            added.add(reader, predicates)
            for maker in self._makers.that_meet(predicates):
                if self._reaches(maker, reader):
                    yield maker, reader
        for maker in makers:
            predicates = own_predicate(maker.triple)
            for reader in (*self._readers.that_meet(predicates), *added.that_meet(predicates)):
                if self._reaches(maker, reader):
                    yield maker, reader

    def _reaches(self, maker: _Maker, reader: _Reader) -> bool:
        if isinstance(reader.node, ClosurePlan) and not maker.makes_nodes:
            return False
        return self._may_trigger(maker.triple, reader.pattern)

    def _ordered(
        self, added: dict[str, PlanNode], flow: dict[str, list[PlanNode]]
    ) -> tuple[list[PlanNode], Cycle | None]:
        """All that waits: what is added comes last, unless something that was there depends on it."""
        order = self.order
        within = {name: reached for name, reached in flow.items() if name in added}
        if any(node.name not in added for reached in within.values() for node in reached):
            order, added = [], self._nodes | added
            within = {name: [*self._flow.get(name, ()), *flow.get(name, ())] for name in added}
        nodes, recursive = in_order(list(added.values()), within)
        waiting = [node for node in nodes if node.waits_for_instant]
        if any(node.name in recursive for node in waiting):
            return [], find_cycle((node for node in added.values() if node.waits_for_instant), within)
        order += waiting
        return order, None


class _Maker(NamedTuple):
    """A triple that a CONSTRUCT makes of the solutions of ``root``."""

    triple: TriplePattern
    root: PlanNode
    makes_nodes: bool
    """Whether its subject or object may be no node of the graph yet."""


class _Reader(NamedTuple):
    """What triples like ``pattern`` reach: a triple pattern, or a path from each node to itself."""

    pattern: TriplePattern
    node: Scan | ClosurePlan


def _makers_of(plan: ConstructPlan) -> Iterator[_Maker]:
    nodes = node_variables(plan.root)
    for triple in plan.template:
        yield _Maker(triple, plan.root, not nodes.issuperset((triple.subject, triple.object)))


def _readers_of(nodes: Iterable[PlanNode]) -> Iterator[_Reader]:
    for node in nodes:
        if isinstance(node, Scan) and node.eventful:
            yield _Reader(node.pattern, node)
        elif isinstance(node, ClosurePlan) and asks_for_nodes(node):
            any_triple = TriplePattern(Variable("s"), Variable("p"), Variable("o"))
            yield _Reader(any_triple, node)


class _ByPredicate(Generic[_T]):
    """Things that meet where they have a predicate in common, or one of them any."""

    def __init__(self) -> None:
        self._all: list[_T] = []
        self._found: dict[Encoded | None, list[_T]] = {}

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, thing: _T, predicates: Iterable[Encoded | None]) -> None:
        self._all.append(thing)
        for each in set(predicates):
            self._found.setdefault(each, []).append(thing)

    def remove(self, is_gone: Callable[[_T], bool]) -> None:
        self._all = [each for each in self._all if not is_gone(each)]
        self._found = {
            key: left
            for key, things in self._found.items()
            if (left := [each for each in things if not is_gone(each)])
        }

    def that_meet(self, predicates: Iterable[Encoded | None]) -> list[_T]:
        wanted = set(predicates)
        if None in wanted:
            return self._all
        found = [thing for each in (*wanted, None) for thing in self._found.get(each, ())]
        return list({id(thing): thing for thing in found}.values())
