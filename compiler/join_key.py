"""Join-key analysis: can the events be dealt out by one value, so that no answer needs two parts?

A program has a key if each way through it joins on one variable: every binary operator has it among its
join variables, and every triple pattern carries it in one position. Events are then dealt out by the term in
that position. Where the program has no key, ``obstacles`` names the operators in the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from etalis_py.compiler.algebra import Variable
from etalis_py.compiler.plan import (
    ConstructPlan,
    DistinctPlan,
    Pair,
    PlanNode,
    ProjectPlan,
    QueryPlan,
    Scan,
    UnionPlan,
    UnitPlan,
    walk,
)
from etalis_py.compiler.spans import Span
from etalis_py.compiler.strata import TriggerTest
from etalis_py.compiler.triggers import Position

__all__ = ["KeyPlan", "Obstacle", "find_key"]

POSITIONS: tuple[Position, ...] = ("s", "p", "o")


@dataclass(frozen=True, slots=True)
class Obstacle:
    """An operator that keeps the program in one part, and why."""

    query: int
    span: Span
    reason: str


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """For each triple pattern (by the name of its scan) the position that carries the key.

    ``merge`` names the queries (by number) whose equal answers may come from different parts, so that they
    must be made one at the end.
    """

    positions: Mapping[str, Position] = field(default_factory=dict)
    keys: Mapping[int, str | None] = field(default_factory=dict)
    merge: frozenset[int] = frozenset()
    obstacles: tuple[Obstacle, ...] = ()

    @property
    def is_partitioned(self) -> bool:
        """Whether events can be dealt out."""
        return not self.obstacles


@dataclass(frozen=True, slots=True)
class _Way:
    """One choice: the variable that is the key above this node, and where each pattern below has it."""

    key: Variable | None
    positions: Mapping[str, Position]
    hidden: frozenset[str] = frozenset()
    """Names of DISTINCT nodes whose columns do not hold the key."""


def find_key(plans: Sequence[QueryPlan], may_trigger: TriggerTest) -> KeyPlan:
    """The key of a program, preferring the first variable of the first query that serves all."""
    ways: dict[int, list[_Way]] = {}
    for plan in plans:
        ways[plan.number] = list(_ways(plan.root))
        if not ways[plan.number]:
            return KeyPlan(obstacles=tuple(_obstacles(plan)))
    chosen = _consistent(plans, ways, may_trigger)
    if chosen is None:
        reasons = (
            Obstacle(plan.number, plan.span, "its triples are joined by another key") for plan in plans
        )
        return KeyPlan(obstacles=tuple(reasons))
    positions = {name: where for way in chosen.values() for name, where in way.positions.items()}
    keys = {number: (way.key.name if way.key else None) for number, way in chosen.items()}
    merge = frozenset(plan.number for plan in plans if _needs_merging(plan, chosen[plan.number]))
    return KeyPlan(positions, keys, merge)


def _ways(node: PlanNode) -> Iterator[_Way]:
    """All choices of a key for the part of the plan below ``node``."""
    match node:
        case UnitPlan():
            return
        case Scan(pattern=pattern):
            for position, term in zip(POSITIONS, pattern.terms, strict=True):
                if isinstance(term, Variable):
                    yield _Way(term, {node.name: position})
        case Pair(left=left, right=right, join=join):
            for variable in join:
                yield from _both(variable, left, right)
        case UnionPlan():
            yield from _union_ways(node)
        case DistinctPlan(input=below):
            yield from (_after_distinct(way, node) for way in _ways(below))
        case ProjectPlan(input=below):
            yield from (replace(way, key=_visible(way.key, node)) for way in _ways(below))
        case _:
            yield from _ways(node.input)


def _visible(key: Variable | None, node: PlanNode) -> Variable | None:
    return key if key is not None and key in node.schema else None


def _after_distinct(way: _Way, node: DistinctPlan) -> _Way:
    return way if _visible(way.key, node) else replace(way, hidden=way.hidden | {node.name})


def _union_ways(node: UnionPlan) -> Iterator[_Way]:
    """One key for both sides, or, where nothing above joins, a key of its own for each."""
    for variable in node.schema.columns:
        if variable in node.schema.certain:
            yield from _both(variable, node.left, node.right)
    for first in _ways(node.left):
        for second in _ways(node.right):
            if first.key != second.key:
                yield _together(None, first, second)


def _together(key: Variable | None, first: _Way, second: _Way) -> _Way:
    return _Way(key, {**first.positions, **second.positions}, first.hidden | second.hidden)


def _both(variable: Variable, left: PlanNode, right: PlanNode) -> Iterator[_Way]:
    for first in _ways(left):
        if first.key == variable:
            yield from (_together(variable, first, each) for each in _ways(right) if each.key == variable)


def _consistent(
    plans: Sequence[QueryPlan], ways: Mapping[int, list[_Way]], may_trigger: TriggerTest
) -> dict[int, _Way] | None:
    """A choice for each query so that derived triples stay in the part that made them.

    Queries are taken in turn and each takes its first way that agrees with those before; that finds the key
    of programs as people write them, and at worst misses one that a search of all choices would find.
    """
    chosen: dict[int, _Way] = {}
    for plan in plans:
        for way in ways[plan.number]:
            attempt = {**chosen, plan.number: way}
            done = [each for each in plans if each.number in attempt]
            if _distinct_ok(plan, way) and _stays(done, attempt, may_trigger):
                chosen = attempt
                break
        else:
            return None
    return chosen


def _distinct_ok(plan: QueryPlan, way: _Way) -> bool:
    """Only the DISTINCT of the whole answer may be made up for at the end."""
    return all(name == plan.root.name for name in way.hidden)


def _stays(plans: Sequence[QueryPlan], chosen: Mapping[int, _Way], may_trigger: TriggerTest) -> bool:
    for maker in plans:
        if not isinstance(maker, ConstructPlan):
            continue
        for reader in plans:
            for node in walk(reader.root):
                if isinstance(node, Scan) and not _carries(maker, chosen, node, reader, may_trigger):
                    return False
    return True


def _carries(
    maker: ConstructPlan,
    chosen: Mapping[int, _Way],
    scan: Scan,
    reader: QueryPlan,
    may_trigger: TriggerTest,
) -> bool:
    position = POSITIONS.index(chosen[reader.number].positions[scan.name])
    return all(
        triple.terms[position] == chosen[maker.number].key
        for triple in maker.template
        if may_trigger(triple, scan.pattern)
    )


def _needs_merging(plan: QueryPlan, way: _Way) -> bool:
    if isinstance(plan, ConstructPlan):
        terms = {term for triple in plan.template for term in triple.terms}
        return way.key is None or way.key not in terms
    return bool(way.hidden)


def _obstacles(plan: QueryPlan) -> Iterator[Obstacle]:
    """The lowest operators above which no variable is joined on throughout."""
    found = False
    for node in walk(plan.root):
        if isinstance(node, Pair) and not list(_ways(node)):
            sides = (node.left, node.right)
            if all(list(_ways(side)) for side in sides):
                found = True
                yield Obstacle(plan.number, node.span, f"this {node.operator.value} {_why(node)}")
        elif isinstance(node, Scan) and not list(_ways(node)):
            found = True
            yield Obstacle(plan.number, node.span, "this pattern has no variable")
    if not found:
        yield Obstacle(plan.number, plan.span, "its parts are joined by different variables")


def _why(node: Pair) -> str:
    if not node.join:
        return "has no variable in common on both sides"
    names = ", ".join(f"?{each.name}" for each in node.join)
    return f"joins on {names}, the operators below on something else"
