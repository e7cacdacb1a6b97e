"""Join-key analysis: can the events be dealt out by one value, so that no answer needs two parts?

A program has a key if each way through it joins on one variable (or several): every binary operator has it
among its join variables, every triple pattern carries it in one position, and the occurrences that can match
the pattern, through the ontology too, have it in one position. Events are then dealt out by the term in that
position. Where the program has no key, ``obstacles`` names the operators in the way; ``stages.py`` cuts the
program where the key changes.

Background is everywhere. A pattern that it can match still needs the key, since the stream can match it, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from etalis_py.compiler.algebra.algebra import TermPattern, Variable
from etalis_py.compiler.partition.key_choices import Choice, choices, event_scans, route_of, routes_of_way
from etalis_py.compiler.partition.key_ways import Way, unkeyed, ways
from etalis_py.compiler.partition.routes import Positions, Routes, merge_routes
from etalis_py.compiler.plan.plan import (
    AskPlan,
    BetweenPlan,
    ChangesPlan,
    ChosenPlan,
    ClosurePlan,
    ConstructPlan,
    DescribePlan,
    GroupPlan,
    OrderPlan,
    Pair,
    PlanNode,
    QueryPlan,
    RepeatPlan,
    Scan,
    SkipPlan,
    SlicePlan,
    SnapshotPlan,
    TicksPlan,
    UnitPlan,
    UnusedPlan,
    children,
    stands_for_elements,
)
from etalis_py.compiler.plan.solution_scan import SolutionScan
from etalis_py.compiler.plan.triggers import POSITIONS, Position, TriggerFinder, may_fire, plain_triggers
from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class

__all__ = ["KeyPlan", "Obstacle", "find_key"]

MOST_STEPS = 5_000
"""Choices that are tried before the search is given up, which costs speed and no answer."""


@value_class
class Obstacle:
    """An operator that keeps the program in one part, and why."""

    query: int
    span: Span
    reason: str


@value_class
class KeyPlan:
    """For each triple pattern (by the name of its scan) the positions that carry the key.

    ``keys`` are the names of the key variables by number of query; None where each way of a UNION has its
    own. ``merge`` names the queries (by number) whose equal answers may come from different parts, so that
    they must be made one at the end. ``routes`` is how events are dealt out.
    """

    positions: Mapping[str, Positions] = field(default_factory=dict)
    keys: Mapping[int, tuple[str, ...] | None] = field(default_factory=dict)
    merge: frozenset[int] = frozenset()
    routes: Routes = field(default_factory=Routes)
    obstacles: tuple[Obstacle, ...] = ()

    @property
    def is_partitioned(self) -> bool:
        """Whether events can be dealt out."""
        return not self.obstacles


def find_key(plans: Sequence[QueryPlan], triggers: TriggerFinder = plain_triggers) -> KeyPlan:
    """The key of a program, preferring the first variable of the first query that serves all."""
    found = [choices(plan, triggers) for plan in plans]
    stuck = [plan for plan, own in zip(plans, found, strict=True) if not own]
    if stuck:
        return KeyPlan(obstacles=tuple(each for plan in stuck for each in _alone(plan, triggers)))
    search = _Search(plans, found, triggers)
    if not search.run():
        return KeyPlan(obstacles=tuple(search.obstacles()))
    pairs = list(zip(plans, search.chosen, strict=True))
    return KeyPlan(
        {scan.name: each.letters(scan) for plan, each in pairs for scan in event_scans(plan)},
        {plan.number: None if each.key is None else _names(each.key) for plan, each in pairs},
        frozenset(plan.number for plan, each in pairs if _needs_merging(plan, each)),
        search.routes,
    )


def _names(variables: Sequence[Variable]) -> tuple[str, ...]:
    return tuple(each.name for each in variables)


# ---- one query ------------------------------------------------------------------------------------------


def _needs_merging(plan: QueryPlan, choice: Choice) -> bool:
    if isinstance(plan, ConstructPlan):
        terms = {term for triple in plan.template for term in triple.terms if isinstance(term, Variable)}
        new = any(term.is_hidden for term in terms)
        return not new and (choice.key is None or not terms.issuperset(choice.key))
    if isinstance(plan, (AskPlan, DescribePlan)):
        return True
    return bool(choice.hidden)


# ---- all queries together -------------------------------------------------------------------------------


class _Search:
    """Takes the queries in turn; a choice has to agree with those before, or the next one is tried."""

    def __init__(
        self, plans: Sequence[QueryPlan], found: Sequence[list[Choice]], triggers: TriggerFinder
    ) -> None:
        self._plans = plans
        self._choices = found
        self._triggers = triggers
        self._steps = 0
        self._furthest = 0
        self.chosen: list[Choice] = []
        self.routes = Routes()

    def run(self) -> bool:
        """Whether there are choices that agree; then ``chosen`` and ``routes`` are theirs."""
        number = len(self.chosen)
        if number == len(self._plans):
            return True
        before = self.routes
        for choice in self._choices[number]:
            self._steps += 1
            if self._steps > MOST_STEPS:
                return False
            routes = merge_routes(before, choice.routes)
            self.chosen.append(choice)
            if routes is not None and self._stays(number):
                self.routes = routes
                if self.run():
                    return True
            self._furthest = max(self._furthest, number)
            self.chosen.pop()
        self.routes = before
        return False

    def obstacles(self) -> Iterator[Obstacle]:
        """The query at which the search came to its end."""
        plan = self._plans[self._furthest]
        yield Obstacle(
            plan.number, plan.span, "its triples are joined by another key than those of other queries"
        )

    def _stays(self, number: int) -> bool:
        """Whether triples that one query makes and another reads stay in the part where they were made."""
        return all(
            self._carried(maker, reader)
            for other in range(number + 1)
            for maker, reader in {(number, other), (other, number)}
        )

    def _carried(self, maker: int, reader: int) -> bool:
        made = self._plans[maker]
        if not isinstance(made, ConstructPlan):
            return True
        key, reading = self.chosen[maker].key, self.chosen[reader]
        for scan in event_scans(self._plans[reader]):
            if isinstance(scan, SolutionScan):
                continue
            for trigger in self._triggers(scan.pattern):
                sources = [trigger.source_of(where) for where in _places(reading, scan)]
                for triple in made.template:
                    if not may_fire(triple, trigger, scan.pattern):
                        continue
                    terms = [triple.terms[POSITIONS.index(each)] for each in sources if each is not None]
                    if None in sources or not _tell_part(terms, key):
                        return False
        return True


def _places(choice: Choice, scan: Scan) -> Iterator[Position]:
    return (each for each in choice.carriers[scan.name] if not isinstance(each, int))


def _tell_part(terms: Sequence[TermPattern], key: tuple[Variable, ...] | None) -> bool:
    """Whether a triple with these terms is wanted in no other part: they are the key, or one is new.

    A blank node of a template is a new one, that no event of another part has.
    """
    new = any(isinstance(term, Variable) and term.is_hidden for term in terms)
    return new or (key is not None and tuple(terms) == key)


# ---- what is in the way ---------------------------------------------------------------------------------


def _alone(plan: QueryPlan, triggers: TriggerFinder) -> Iterator[Obstacle]:
    """Why one query has no key, whatever the others say."""
    nodes = list(unkeyed(plan.root))
    yield from (Obstacle(plan.number, node.span, _why(node)) for node in nodes)
    if nodes:
        return
    for way in ways(plan.root):
        _, scan = routes_of_way(plan, way, triggers)
        if scan is not None:
            yield Obstacle(plan.number, scan.span, _why_not_dealt(scan, way, triggers))
            return
    yield Obstacle(plan.number, plan.span, "a DISTINCT within it leaves out the key")


def _why_not_dealt(scan: Scan, way: Way, triggers: TriggerFinder) -> str:
    if route_of(scan, (way.positions[scan.name],), triggers) is None:
        return "what matches this pattern through the background does not have the key in one position"
    return "this pattern needs events by another position than a pattern before it"


def _why_together(node: SnapshotPlan) -> str:
    if node.newest is not None:
        return "which elements are the newest is known where all are"
    if node.schedule.lasts:
        return "the last evaluation over a window that is never empty comes with the last element of all"
    if node.always:
        return "the query is evaluated, or has a row, when elements of any key come or go"
    return "when the query is evaluated depends on the elements of all keys"


def _why(  # noqa: C901 - one branch for each node
    node: PlanNode,
) -> str:
    match node:
        case Pair(join=()):
            return f"this {node.operator.word} has no variable in common on both sides"
        case Pair(join=join):
            names = ", ".join(each.name if each.is_hidden else f"?{each.name}" for each in join)
            return f"this {node.operator.word} joins on {names}, the operators below on something else"
        case Scan():
            return "this pattern has no variable"
        case UnitPlan():
            return "this group has no pattern"
        case ClosurePlan():
            return "a path that repeats a step goes from key to key"
        case GroupPlan():
            return "an aggregate gives the rows of all groups whenever one of them changes"
        case BetweenPlan() | RepeatPlan() if any(map(stands_for_elements, children(node))):
            return "every element counts between its steps: PER ?x says whose"
        case TicksPlan():
            return "EVERY has no variable"
        case SnapshotPlan():
            return _why_together(node)
        case ChangesPlan():
            return "ISTREAM and DSTREAM compare rows that do not have the key"
        case ChosenPlan():
            return "FIRST, LAST and the selection of a SEQ look at the events of all keys"
        case UnusedPlan():
            return "what is consumed is not part of one key alone"
        case SkipPlan():
            return "SKIP looks at the answers of all keys: PER ?x says whose"
        case OrderPlan() | SlicePlan():
            return "ORDER BY and LIMIT look at the rows of all keys"
        case _:
            return "its parts are joined by different variables"
