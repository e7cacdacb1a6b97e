"""The ways in which one query can be dealt out by a key: all choices of one variable for every operator.

Where asked, also the ways that are open if the plan is cut: below a cut the solutions are the events of the
part above it, which carry every variable that is bound in all of them (``stage_cuts.py``).

Does not look at other queries, nor at which occurrences match a pattern: ``join_key.py`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from etalis_py.compiler.algebra.algebra import Variable
from etalis_py.compiler.algebra.stream_windows import Report
from etalis_py.compiler.plan.plan import (
    AbsencePlan,
    BetweenPlan,
    ChangesPlan,
    ChosenPlan,
    DistinctPlan,
    ExistsPlan,
    ExtendPlan,
    FilterPlan,
    GapPlan,
    GroupPlan,
    InstantPlan,
    Pair,
    PlanNode,
    ProjectPlan,
    RepeatPlan,
    Scan,
    SkipPlan,
    SnapshotPlan,
    UnionPlan,
    UnusedPlan,
    WaitPlan,
    children,
    inputs,
    walk,
    with_nested,
)
from etalis_py.compiler.plan.solution_scan import SolutionScan
from etalis_py.compiler.plan.triggers import POSITIONS, Position
from etalis_py.core.value_class import value_class

__all__ = ["Below", "Carrier", "Way", "has_own_instants", "solution_ways", "unkeyed", "ways", "ways_over"]

Carrier: TypeAlias = Position | int
"""Where an event has its key: a position of a triple, or, of a solution of an earlier stage, its column."""

MOST_WAYS = 200
"""A UNION has as many ways as both sides have together, so there is an end to looking."""


@value_class
class Way:
    """One choice: the variable that is the key above this node, and where each pattern below has it.

    ``key`` is None where the node's solutions do not tell the key. ``hidden`` are the names of the DISTINCT
    nodes whose columns do not hold it.
    """

    key: Variable | None
    positions: Mapping[str, Carrier]
    hidden: frozenset[str] = frozenset()
    cuts: frozenset[str] = frozenset()
    """The nodes below which the plan has to be cut for it."""


Below: TypeAlias = Callable[[PlanNode], list[Way]]
"""The ways of what is below an operator."""


def ways(node: PlanNode) -> list[Way]:
    """The choices for the part of the plan below ``node``, the first MOST_WAYS of them."""
    return ways_over(node, ways)


def ways_over(node: PlanNode, below: Below) -> list[Way]:
    """The choices for an operator, where ``below`` gives those of its inputs; the first MOST_WAYS of them."""
    return list(islice(_Ways(below).of(node), MOST_WAYS))


def unkeyed(node: PlanNode) -> Iterator[PlanNode]:
    """The lowest nodes that have no way: what is in the way of a key."""
    if ways(node):
        return
    below = inputs(node)
    if all(ways(each) for each in below):
        yield node
    for each in below:
        yield from unkeyed(each)


def has_own_instants(node: SnapshotPlan) -> bool:
    """Whether what lives is known without the elements of other keys, also when the query is evaluated."""
    by_clock = node.schedule.report is Report.CLOSE or node.changes
    return by_clock and not (node.always or node.newest is not None or node.schedule.lasts)


class _Ways:
    """The ways of one operator over those of its inputs."""

    def __init__(self, below: Below) -> None:
        self._below = below

    def of(self, node: PlanNode) -> Iterable[Way]:  # noqa: C901 - one branch for each node
        """All ways, lazily where there are many."""
        ways = self._below
        match node:
            case GroupPlan(input=below, keys=keys) if node.arrives_with_key or node.is_of_instant:
                return [way for way in ways(below) if way.key in keys]
            case SnapshotPlan(input=below):
                return ways(below) if has_own_instants(node) else ()
            case ChangesPlan(input=below):
                return [way for way in ways(below) if way.key in node.schema.columns]
            case SolutionScan():
                return solution_ways(node)
            case Scan(pattern=pattern):
                terms = zip(POSITIONS, pattern.terms, strict=True)
                return [Way(term, {node.name: where}) for where, term in terms if isinstance(term, Variable)]
            case Pair(left=left, right=right, join=join, tests=tests):
                kept = _kept_side(node)
                found = _joined(join, ways(left), ways(right)) if kept is None else ways(kept)
                return self._tested(found, tests)
            case GapPlan():
                return self._joined_all(inputs(node))
            case BetweenPlan() | AbsencePlan() | RepeatPlan():
                return self._joined_all(inputs(node))
            case SkipPlan(input=below, keys=keys) | ChosenPlan(input=below, keys=keys):
                return [way for way in ways(below) if way.key in keys]
            case WaitPlan(input=below, waits_for=tests):
                return self._tested(ways(below), tests)
            case UnionPlan(left=left, right=right):
                certain = [each for each in node.schema.columns if each in node.schema.certain]
                return _united(certain, ways(left), ways(right))
            case DistinctPlan(input=below):
                return [_after_distinct(way, node) for way in ways(below)]
            case ProjectPlan(input=below):
                return [replace(way, key=_visible(way.key, node)) for way in ways(below)]
            case InstantPlan(input=below) | FilterPlan(input=below) | ExtendPlan(input=below):
                return ways(below)
            case UnusedPlan(input=below, triples=triples) if node.schedule.report is Report.CLOSE:
                return [way for way in ways(below) if all(way.key in triple for triple in triples)]
            case _:  # it tells no key, or looks at all of them
                return ()

    def _tested(self, found: Iterable[Way], tests: tuple[ExistsPlan, ...]) -> Iterator[Way]:
        """The ways in which what EXISTS and MINUS look for is in the same part as what is tested."""
        kept = (test for test in with_nested(tests) if test.substituted is None)
        tests = tuple(test for test in kept if _sees_events(test.node))
        if not tests:
            yield from found
            return
        inner = [(test, self._below(test.node)) for test in tests]
        for way in found:
            together: Way | None = way
            for test, choices in inner:
                fitting = (each for each in choices if way.key in test.join and each.key == way.key)
                first = next(fitting, None)
                together = None if first is None or together is None else _together(way.key, together, first)
            if together is not None:
                yield together

    def _joined_all(self, parts: Sequence[PlanNode]) -> list[Way]:
        """One variable as the key of all."""
        first, *others = parts
        found = self._below(first)
        for each in others:
            found = list(_joined(each.schema.columns, found, self._below(each)))
        return found


def solution_ways(node: PlanNode, cuts: frozenset[str] = frozenset()) -> list[Way]:
    """The ways of solutions with the columns of ``node``: each variable that all of them bind."""
    columns = enumerate(node.schema.columns)
    return [Way(each, {node.name: at}, cuts=cuts) for at, each in columns if each in node.schema.certain]


def _kept_side(pair: Pair) -> PlanNode | None:
    """The side with the events, where the other one is background alone, which is everywhere."""
    if _sees_events(pair.left) == _sees_events(pair.right):
        return None
    return pair.left if _sees_events(pair.left) else pair.right


def _sees_events(node: PlanNode) -> bool:
    """Whether its solutions come with the stream, and not from background alone."""
    return any(each.eventful and not children(each) for each in walk(node))


def _joined(variables: Iterable[Variable], left: list[Way], right: list[Way]) -> Iterator[Way]:
    """One of ``variables`` as the key of both sides."""
    for variable in variables:
        for first in left:
            for second in right:
                if first.key == second.key == variable:
                    yield _together(variable, first, second)


def _united(variables: Iterable[Variable], left: list[Way], right: list[Way]) -> Iterator[Way]:
    """One key for both sides, or, where nothing above joins, a key of its own for each."""
    yield from _joined(variables, left, right)
    for first in left:
        for second in right:
            if first.key is None or first.key != second.key:
                yield _together(None, first, second)


def _together(key: Variable | None, first: Way, second: Way) -> Way:
    return Way(
        key,
        {**first.positions, **second.positions},
        first.hidden | second.hidden,
        first.cuts | second.cuts,
    )


def _visible(key: Variable | None, node: PlanNode) -> Variable | None:
    return key if key is not None and key in node.schema else None


def _after_distinct(way: Way, node: DistinctPlan) -> Way:
    return way if _visible(way.key, node) else replace(way, hidden=way.hidden | {node.name})
