"""The stages of a program: what runs together, by which key, and what goes from one stage to the next.

A program with one key throughout is one stage. Else queries are cut where the key changes
(``stage_cuts.py``), and the units are put together again where their keys agree: in one stage Spark deals the
events out once, for all its units. A stage takes events of the stream, solutions that earlier stages found,
and triples that earlier stages constructed. Queries that feed each other in a circle stay together and uncut.

Units without a key are in a stage in one part; or in slices of time, side by side, where it is known how far
back their answers look (``stage_reach.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import count
from typing import Final

from etalis_py.compiler.partition.join_key import KeyPlan, Obstacle, find_key
from etalis_py.compiler.partition.key_choices import event_scans
from etalis_py.compiler.partition.routes import Routes
from etalis_py.compiler.partition.stage_cuts import Unit, cut_query, whole_query
from etalis_py.compiler.partition.stage_nodes import ends_with_input, needs_every_instant
from etalis_py.compiler.partition.stage_reach import draws_values, largest, reach_of
from etalis_py.compiler.plan.plan import ConstructPlan, DistinctPlan, QueryPlan, Scan, walk
from etalis_py.compiler.plan.solution_scan import SolutionScan
from etalis_py.compiler.plan.triggers import TriggerFinder, may_fire, plain_triggers
from etalis_py.core.value_class import value_class

__all__ = ["ANY_POSITION", "Dealing", "Stage", "needed_routes", "plan_stages", "uncut_stage"]

ANY_POSITION: Final = "s"
"""Where there is no key, it does not matter."""


class Dealing(Enum):
    """How the events of a stage are dealt out."""

    KEY = "by key"
    ANYHOW = "anyhow: a single pattern"
    SLICES = "by time"
    ONE_PART = "in one part"


@value_class
class Stage:
    """Units that one engine runs.

    ``key`` has the routes; without a key they say which events are needed, and ``key.obstacles`` why there is
    no key. ``reach`` (microseconds) is how much slices of time overlap. ``solutions`` and ``triples`` are the
    units (by number) of earlier stages whose solutions, and whose constructed triples, are events here.
    ``sets`` are the units whose equal solutions of different parts are one.
    """

    units: tuple[Unit, ...]
    dealing: Dealing
    key: KeyPlan
    reach: int | None = None
    solutions: frozenset[int] = frozenset()
    triples: frozenset[int] = frozenset()
    sets: frozenset[int] = frozenset()

    @property
    def taken(self) -> frozenset[int]:
        """The units of earlier stages whose rows are events here."""
        return self.solutions | self.triples

    @property
    def plans(self) -> list[QueryPlan]:
        """The plans of the units."""
        return [each.plan for each in self.units]

    @property
    def ends_with_input(self) -> bool:
        """Whether a part must know when the whole input ends, and not only what it gets of it."""
        nodes = (node for plan in self.plans for node in walk(plan.root))
        return self.dealing is Dealing.KEY and any(map(ends_with_input, nodes))


def plan_stages(plans: Sequence[QueryPlan], triggers: TriggerFinder = plain_triggers) -> list[Stage]:
    """The stages of a program, each after those that it takes events from."""
    key = find_key(plans, triggers)
    if key.is_partitioned:
        return [Stage(tuple(Unit(plan.number, plan) for plan in plans), Dealing.KEY, key)]
    return _Stages(plans, triggers).stages()


def uncut_stage(plans: Sequence[QueryPlan], triggers: TriggerFinder = plain_triggers) -> Stage:
    """A program as one stage in one part: which events it needs, and what is in the way of a key."""
    obstacles = find_key(plans, triggers).obstacles
    key = KeyPlan(routes=needed_routes(plans, triggers), obstacles=obstacles)
    return Stage(tuple(Unit(plan.number, plan) for plan in plans), Dealing.ONE_PART, key)


def needed_routes(plans: Sequence[QueryPlan], triggers: TriggerFinder) -> Routes:
    """The predicates that can match anything, without the positions; all, where any event may matter."""
    nodes = [node for plan in plans for node in walk(plan.root)]
    scans = [node for node in nodes if isinstance(node, Scan)]
    solutions = [each for each in scans if isinstance(each, SolutionScan)]
    columns = dict.fromkeys((each.stream for each in solutions), ())
    if any(map(needs_every_instant, nodes)):
        return Routes({}, ANY_POSITION, columns)
    patterns = [each.pattern for each in scans if not isinstance(each, SolutionScan)]
    predicates = {trigger.predicate for each in patterns for trigger in triggers(each)}
    other = ANY_POSITION if None in predicates else None
    positions = dict.fromkeys(sorted(filter(None, predicates)), ANY_POSITION)
    return Routes(positions, other, columns)


@dataclass(slots=True)
class _Draft:
    """A stage that may still get units."""

    items: list[list[Unit]]
    dealing: Dealing
    key: KeyPlan
    reach: int | None = None

    @property
    def units(self) -> list[Unit]:
        return [unit for item in self.items for unit in item]

    @property
    def plans(self) -> list[QueryPlan]:
        return [each.plan for each in self.units]


@dataclass(slots=True)
class _Readers:
    """Which plans can see triples that others construct."""

    triggers: TriggerFinder
    _known: dict[tuple[int, int], bool] = field(default_factory=dict)

    def __call__(self, maker: QueryPlan, reader: QueryPlan) -> bool:
        if not isinstance(maker, ConstructPlan):
            return False
        pair = maker.number, reader.number
        if pair not in self._known:
            self._known[pair] = any(self.sees(maker, scan) for scan in event_scans(reader))
        return self._known[pair]

    def sees(self, maker: ConstructPlan, scan: Scan) -> bool:
        return not isinstance(scan, SolutionScan) and any(
            may_fire(triple, trigger, scan.pattern)
            for trigger in self.triggers(scan.pattern)
            for triple in maker.template
        )


class _Stages:
    def __init__(self, plans: Sequence[QueryPlan], triggers: TriggerFinder) -> None:
        self._plans = plans
        self._triggers = triggers
        self._reads = _Readers(triggers)
        self._next = count(max((plan.number for plan in plans), default=0) + 1)
        self._drafts: list[_Draft] = []
        self._place: dict[int, int] = {}

    def stages(self) -> list[Stage]:
        for group in _in_order(self._plans, self._reads):
            recursive = len(group) > 1 or self._reads(group[0], group[0])
            if recursive:
                self._put([unit for plan in group for unit in whole_query(plan)], recursive=True)
                continue
            for unit in cut_query(group[0], self._triggers, lambda: next(self._next)):
                self._put([unit], recursive=False)
        return [self._stage(number) for number in range(len(self._drafts))]

    # ---- putting units into stages ------------------------------------------------------------------------

    def _put(self, item: list[Unit], *, recursive: bool) -> None:
        """Into the first stage that it agrees with, or a new one."""
        earliest = self._earliest(item)
        for place in range(earliest, len(self._drafts)):
            joined = self._joined(self._drafts[place], item, recursive=recursive)
            if joined is not None:
                self._drafts[place] = joined
                break
        else:
            place = len(self._drafts)
            self._drafts.append(self._alone(item, recursive=recursive))
        self._place.update((unit.plan.number, place) for unit in item)

    def _earliest(self, item: list[Unit]) -> int:
        """The first stage in which it may be: that of what constructs for it, after that of its solutions."""
        earliest = 0
        streams = {each.stream for unit in item for each in _solutions(unit.plan)}
        for draft in self._drafts:
            for unit in draft.units:
                place = self._place[unit.plan.number]
                if unit.stream in streams:
                    earliest = max(earliest, place + 1)
                if any(self._reads(unit.plan, each.plan) for each in item):
                    earliest = max(earliest, place)
        return earliest

    def _joined(self, draft: _Draft, item: list[Unit], *, recursive: bool) -> _Draft | None:
        plans = [*draft.plans, *(unit.plan for unit in item)]
        items = [*draft.items, item]
        match draft.dealing:
            case Dealing.KEY:
                key = find_key(plans, self._triggers)
                return _Draft(items, Dealing.KEY, key) if key.is_partitioned else None
            case Dealing.ANYHOW:
                return None
            case Dealing.SLICES:
                reach = None if recursive or self._has_key(item) else self._reach(plans)
                return None if reach is None else _Draft(items, Dealing.SLICES, self._keyless(plans), reach)
            case Dealing.ONE_PART:
                if self._has_key(item):
                    return None
                alone = self._alone(item, recursive=recursive)
                if alone.dealing is not Dealing.ONE_PART:
                    return None
                return _Draft(items, Dealing.ONE_PART, self._keyless(plans))

    def _has_key(self, item: list[Unit]) -> bool:
        plans = [unit.plan for unit in item]
        return find_key(plans, self._triggers).is_partitioned or _is_pattern(item)

    def _alone(self, item: list[Unit], *, recursive: bool) -> _Draft:
        plans = [unit.plan for unit in item]
        key = find_key(plans, self._triggers)
        if key.is_partitioned:
            return _Draft([item], Dealing.KEY, key)
        if _is_pattern(item):
            return _Draft([item], Dealing.ANYHOW, replace(self._keyless(plans), obstacles=()))
        reach = None if recursive else self._reach(plans)
        dealing = Dealing.ONE_PART if reach is None else Dealing.SLICES
        return _Draft([item], dealing, self._keyless(plans), reach)

    def _keyless(self, plans: Sequence[QueryPlan]) -> KeyPlan:
        obstacles: dict[Obstacle, None] = {}
        for plan in plans:
            found = find_key([plan], self._triggers)
            obstacles.update(dict.fromkeys(found.obstacles))
        if not obstacles:
            obstacles = dict.fromkeys(find_key(plans, self._triggers).obstacles)
        return KeyPlan(routes=needed_routes(plans, self._triggers), obstacles=tuple(obstacles))

    def _reach(self, plans: Sequence[QueryPlan]) -> int | None:
        """How far back the answers look; None without a bound, or where slices would differ."""
        if any(plan.policy is not None for plan in plans):
            return None
        makers = [plan for plan in plans if isinstance(plan, ConstructPlan)]
        if any(draws_values(plan) for plan in plans):
            return None

        def of_scan(scan: Scan) -> int | None:
            return largest(reach_of(each.root, of_scan) for each in makers if self._reads.sees(each, scan))

        return largest(reach_of(plan.root, of_scan) for plan in plans)

    # ---- the stages as they are ---------------------------------------------------------------------------

    def _stage(self, number: int) -> Stage:
        draft = self._drafts[number]
        streams = {each.stream for plan in draft.plans for each in _solutions(plan)}
        earlier = [unit for before in self._drafts[:number] for unit in before.units]
        solutions = {unit.plan.number for unit in earlier if unit.stream in streams}
        triples = {
            unit.plan.number
            for unit in earlier
            if unit.stream is None and any(self._reads(unit.plan, plan) for plan in draft.plans)
        }
        sets = {unit.plan.number for unit in draft.units if _is_set(unit.plan)} | draft.key.merge
        return Stage(
            tuple(draft.units),
            draft.dealing,
            draft.key,
            draft.reach,
            frozenset(solutions),
            frozenset(triples),
            frozenset(sets),
        )


def _is_pattern(item: Sequence[Unit]) -> bool:
    """Whether it is one pattern that was cut off: what matches it is a set, wherever it is found."""
    return all(unit.stream is not None and isinstance(unit.plan.root, Scan) for unit in item)


def _is_set(plan: QueryPlan) -> bool:
    """Whether no two solutions are equal."""
    return isinstance(plan.root, (Scan, DistinctPlan))


def _solutions(plan: QueryPlan) -> list[SolutionScan]:
    return [node for node in walk(plan.root) if isinstance(node, SolutionScan)]


def _in_order(plans: Sequence[QueryPlan], reads: _Readers) -> Iterator[list[QueryPlan]]:
    """The queries, each after those that construct what it reads; those of a circle together."""
    makers = [plan for plan in plans if isinstance(plan, ConstructPlan)]
    before = {plan.number: [each for each in makers if reads(each, plan)] for plan in plans}
    above = {plan.number: _all_before(plan, before) for plan in plans}
    done: set[int] = set()

    def take(plan: QueryPlan) -> Iterator[list[QueryPlan]]:
        if plan.number in done:
            return
        group = [
            each
            for each in plans
            if each is plan or (each.number in above[plan.number] and plan.number in above[each.number])
        ]
        done.update(each.number for each in group)
        for member in group:
            for each in before[member.number]:
                yield from take(each)
        yield group

    for plan in plans:
        yield from take(plan)


def _all_before(plan: QueryPlan, before: Mapping[int, Sequence[QueryPlan]]) -> set[int]:
    found: set[int] = set()
    todo = [plan]
    while todo:
        for each in before[todo.pop().number]:
            if each.number not in found:
                found.add(each.number)
                todo.append(each)
    return found
