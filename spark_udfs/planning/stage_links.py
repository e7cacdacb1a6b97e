"""What the stages of a program give each other, and what runs in each of them.

All that a stage gives goes to one later stage, which passes on what is for others, so that nothing is
computed twice and nothing has to be kept: answers, too, go through the stages after their own if there are
any. In a batch it goes to the next stage that takes any of it, in a stream to the next one
(``streaming/stages.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from etalis_py.compiler.partition.stage_queries import stage_queries
from etalis_py.compiler.partition.stages import Stage
from etalis_py.compiler.plan.plan import ConstructPlan
from etalis_py.spark_udfs.planning.dealing import PlannedProgram
from etalis_py.spark_udfs.planning.program import Program

__all__ = ["StageFlow", "StageLinks"]


@dataclass(frozen=True, slots=True)
class StageFlow:
    """What comes in from earlier stages, and what goes out to later ones; units by their numbers.

    ``solutions`` and ``triples`` are the units whose rows are events here, ``onward`` those whose rows later
    stages need. ``units`` are the units of this stage that make solutions, by name, and ``makers`` the
    queries of this stage whose triples later stages need. ``sets`` are the units of which equal solutions are
    one. Of ``solutions`` the widths are known: how many columns theirs are.
    """

    solutions: Mapping[int, int] = field(default_factory=dict)
    triples: frozenset[int] = frozenset()
    onward: frozenset[int] = frozenset()
    units: Mapping[str, int] = field(default_factory=dict)
    makers: Mapping[str, int] = field(default_factory=dict)
    sets: frozenset[int] = frozenset()

    @property
    def taken(self) -> frozenset[int]:
        """The units whose rows are events here."""
        return self.triples.union(self.solutions)


class StageLinks:
    """The stages of ``planned``, by their place."""

    def __init__(self, planned: PlannedProgram) -> None:
        self._planned = planned
        self._stages: Sequence[Stage] = planned.stages
        self._widths = {
            unit.plan.number: len(unit.plan.root.schema.columns)
            for stage in planned.stages
            for unit in stage.units
            if unit.stream is not None
        }
        self._names = {each.plan.number: each.name for each in planned.compiled}

    @property
    def width(self) -> int:
        """How many columns of terms the rows between stages have."""
        has_triples = any(stage.triples for stage in self._stages)
        return max([3 if has_triples else 0, *self._widths.values()])

    @property
    def passes_answers(self) -> bool:
        """Whether a stage before the last one gives answers."""
        return any(unit.stream is None for stage in self._stages[:-1] for unit in stage.units)

    def following(self, place: int) -> int | None:
        """The stage of a batch to which all goes that a stage gives; None where that is answers only."""
        return next(self._takers(place), None)

    def flow(self, place: int) -> StageFlow:
        """What goes in and out at a stage."""
        stage, later = self._stages[place], self._stages[place + 1 :]
        onward = frozenset[int]().union(*(each.taken for each in later))
        read = frozenset[int]().union(*(each.triples for each in later))
        makers = (unit.plan for unit in stage.units if isinstance(unit.plan, ConstructPlan))
        return StageFlow(
            {unit: self._widths[unit] for unit in stage.solutions},
            stage.triples,
            onward,
            {unit.stream: unit.plan.number for unit in stage.units if unit.stream is not None},
            {self._names[plan.number]: plan.number for plan in makers if plan.number in read},
            stage.sets,
        )

    def program(self, place: int) -> Program:
        """What the engines of a stage run; new blank nodes of one stage are no other's."""
        whole = self._planned.program
        queries = stage_queries(self._stages[place], self._planned.compiled)
        prefix = whole.options.blank_node_prefix
        prefix = f"{prefix}{place}s" if len(self._stages) > 1 else prefix
        return replace(whole, compiled=tuple(queries)).with_blank_nodes(prefix)

    def owners(self, place: int) -> dict[str, str]:
        """The query that each part of one belongs to which runs in a stage, by the part's name."""
        units = self._stages[place].units
        return {unit.stream: self._names[unit.query] for unit in units if unit.stream is not None}

    def _takers(self, place: int) -> Iterator[int]:
        """The later stages that take something of a stage, or something that it passes on."""
        given = self._given(place)
        for later in range(place + 1, len(self._stages)):
            if given & self._stages[later].taken:
                yield later

    def _given(self, place: int) -> set[int]:
        """The units whose rows leave a stage."""
        own = {unit.plan.number for unit in self._stages[place].units}
        for earlier in range(place):
            if self.following(earlier) == place:
                own |= self._given(earlier)
        return own
