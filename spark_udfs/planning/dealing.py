"""How the events of a program are dealt out, and what a worker is asked for that where there is background.

What background there is decides which events a pattern can match, and only Prolog can tell. It is a Spark
task that asks it, in a worker's process, and not the driver's own or another one started there: the driver
needs no SWI-Prolog, a Prolog that crashes takes no driver with it, and what the task compiled goes to all
workers (``shipping.py``). So ``detect`` with background runs one small task at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.explain.stage_printer import obstacle_lines, stage_obstacles
from etalis_py.compiler.lint.functions import unknown_functions
from etalis_py.compiler.lint.linter import ALL_CHECKS, CHECKS, lint_program
from etalis_py.compiler.partition.class_filter import ClassesBelow, no_classes, with_classes
from etalis_py.compiler.partition.join_key import find_key
from etalis_py.compiler.partition.routes import Routes
from etalis_py.compiler.partition.stages import ANY_POSITION, Dealing, Stage, needed_routes, plan_stages
from etalis_py.compiler.plan.plan import QueryPlan
from etalis_py.compiler.plan.triggers import TriggerFinder, plain_triggers
from etalis_py.core.errors import show
from etalis_py.spark_udfs.execution.failures import project_errors, sent_home
from etalis_py.spark_udfs.execution.shipping import pack
from etalis_py.spark_udfs.planning.program import Program, compile_all
from etalis_py.spark_udfs.planning.told import Background, Told, tell, told_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

    from etalis_py.engine.engine import Engine

__all__ = ["DealPlan", "PlannedProgram", "plan_deal", "plan_program", "planned_here"]


_TOLD: Final = "told string, compiled binary"
_PIECE: Final = 1 << 22
"""Bytes of a compiled background in one row."""


@dataclass(frozen=True, slots=True)
class DealPlan:
    """How to deal out events, and what is to be done with the answers.

    ``obstacles`` are lines that say why there is one part only; then ``routes`` tells which predicates are
    needed, and the positions in it mean nothing. ``merge`` are the names of queries whose equal answers of
    different parts are one.
    """

    routes: Routes
    merge: frozenset[str] = frozenset()
    obstacles: tuple[str, ...] = ()

    @property
    def is_partitioned(self) -> bool:
        """Whether events can be dealt out."""
        return not self.obstacles


def plan_deal(compiled: Sequence[CompiledQuery], triggers: TriggerFinder = plain_triggers) -> DealPlan:
    """The plan for a compiled program."""
    key = find_key([each.plan for each in compiled], triggers)
    if not key.is_partitioned:
        told = obstacle_lines(key, {each.plan.number: each for each in compiled})
        return DealPlan(_needed(compiled, triggers), obstacles=tuple(told))
    return DealPlan(key.routes, frozenset(each.name for each in compiled if each.plan.number in key.merge))


def _needed(compiled: Sequence[CompiledQuery], triggers: TriggerFinder) -> Routes:
    return needed_routes([each.plan for each in compiled], triggers)


def _all_at_once(compiled: Sequence[CompiledQuery], triggers: TriggerFinder) -> DealPlan:
    """The plan for a run at one instant: background holds there too, so it is no matter of keys."""
    return DealPlan(_needed(compiled, triggers), obstacles=("everything is at one instant",))


@dataclass(frozen=True, slots=True)
class PlannedProgram:
    """A program, compiled as the workers compile it, what they told of its patterns, and how to deal out."""

    program: Program
    compiled: tuple[CompiledQuery, ...]
    told: Told
    deal: DealPlan
    stages: tuple[Stage, ...] = ()
    """The stages; empty where the program runs as ``deal`` says."""

    @property
    def merge(self) -> frozenset[str]:
        """The names of the queries whose equal answers are to be made one at the end of a batch."""
        if not self.stages:
            return self.deal.merge
        merged = frozenset[int]().union(*(stage.key.merge for stage in self.stages))
        return frozenset(each.name for each in self.compiled if each.plan.number in merged)

    @property
    def obstacles(self) -> tuple[str, ...]:
        """Why the program, or a stage of it, is in one part."""
        if not self.stages:
            return self.deal.obstacles
        alone = (stage for stage in self.stages if stage.dealing is Dealing.ONE_PART)
        return tuple(line for stage in alone for line in stage_obstacles(stage, self.compiled))


def plan_program(session: SparkSession, program: Program, *, endless: bool = False) -> PlannedProgram:
    """Compile and plan; with background a worker loads it, and the queries, first.

    Warns of what the queries can hardly mean; ``endless``: also of what they keep for ever.

    Raises:
        EtalisError: what the engine says of the program: background that cannot be read, queries that call
            what no rules file defines, a recursion that the ontology closes.
    """
    compiled = compile_all(program.queries, program.options)
    if not program.options.has_background:
        _warn_of(program, compiled, Told(), endless=endless)
        return _planned(program, compiled, Told(), plain_triggers, no_classes)
    program, answer = _asked(session, program)
    told = told_of(compiled, answer["patterns"])
    compiled = compile_all(program.queries, program.options, told.may_match)
    _warn_of(program, compiled, told, endless=endless)
    triggers = plain_triggers if program.options.entailment == "none" else told.triggers
    if answer["states"]["obstacles"]:
        deal = _in_one_part(_needed(compiled, triggers), **answer["states"])
        return PlannedProgram(program, tuple(compiled), told, deal)
    return _planned(program, compiled, told, triggers, told.classes_below)


def _warn_of(program: Program, compiled: Sequence[CompiledQuery], told: Told, *, endless: bool) -> None:
    at_instant = program.options.at is not None
    functions = unknown_functions(program.options.functions.keys())
    for _, queries in groupby(compiled, key=lambda each: each.text):
        checks = (*(ALL_CHECKS if endless else CHECKS), functions)
        show(lint_program(list(queries), told, at_instant=at_instant, checks=checks))


def planned_here(
    program: Program, compiled: Sequence[CompiledQuery], states: Sequence[CompiledQuery], known: Background
) -> PlannedProgram:
    """The plan for queries that an engine of this process has, ``states`` being those of its rules files."""
    if states:
        told = _told_of_states(states, known.triggers)
        deal = _in_one_part(_needed(compiled, known.triggers), **told)
        return PlannedProgram(program, tuple(compiled), Told(), deal)
    return _planned(program, compiled, Told(), known.triggers, known.classes_below)


def _planned(
    program: Program,
    compiled: Sequence[CompiledQuery],
    told: Told,
    triggers: TriggerFinder,
    below: ClassesBelow,
) -> PlannedProgram:
    if program.options.at is not None:
        planned = PlannedProgram(program, tuple(compiled), told, _all_at_once(compiled, triggers))
    else:
        deal = plan_deal(compiled, triggers)
        stages = _stages(compiled, deal, triggers)
        planned = PlannedProgram(program, tuple(compiled), told, deal, stages)
    return _of_classes(planned, triggers, below)


def _of_classes(planned: PlannedProgram, triggers: TriggerFinder, below: ClassesBelow) -> PlannedProgram:
    """The same; of events that give a class only those are needed whose class matters."""

    def filtered(routes: Routes, plans: Sequence[QueryPlan]) -> Routes:
        return with_classes(routes, plans, triggers, below)

    deal = replace(
        planned.deal, routes=filtered(planned.deal.routes, [each.plan for each in planned.compiled])
    )
    stages = (
        replace(stage, key=replace(stage.key, routes=filtered(stage.key.routes, stage.plans)))
        for stage in planned.stages
    )
    return replace(planned, deal=deal, stages=tuple(stages))


def _stages(compiled: Sequence[CompiledQuery], deal: DealPlan, triggers: TriggerFinder) -> tuple[Stage, ...]:
    """The stages, where there is more to say of them than ``deal`` says."""
    if deal.is_partitioned:
        return ()
    stages = plan_stages([each.plan for each in compiled], triggers)
    if len(stages) == 1 and stages[0].dealing is Dealing.ONE_PART:
        return ()
    return tuple(stages)


def _asked(session: SparkSession, program: Program) -> tuple[Program, dict[str, Any]]:
    """The program with its background as workers load it, and what a worker told."""
    options = program.options
    shipment = pack(options.background, options.graphs, options.rules)
    with project_errors():
        task = _AskTask(replace(program, shipment=shipment))
        rows = session.range(1, numPartitions=1).mapInArrow(task, _TOLD).collect()
    (answer,) = (json.loads(row["told"]) for row in rows if row["told"] is not None)
    content = b"".join(row["compiled"] for row in rows if row["compiled"] is not None)
    ready = replace(shipment, rdf=(), graphs=(), compiled=content, digest=answer["digest"])
    return replace(program, shipment=ready), answer


def _in_one_part(
    routes: Routes, obstacles: Sequence[str], predicates: Sequence[str], *, any_other: bool
) -> DealPlan:
    """The plan where rules files declare state, which is that of the whole stream, and what it needs."""
    positions = {**routes.positions, **dict.fromkeys(predicates, ANY_POSITION)}
    other = ANY_POSITION if any_other or routes.other else None
    return DealPlan(Routes(positions, other), obstacles=tuple(obstacles))


def _states(engine: Engine) -> dict[str, Any]:
    """The states of the rules files, and the events that their patterns need, fit for JSON."""
    return _told_of_states(engine.state_queries, engine.knowledge.triggers)


def _told_of_states(queries: Sequence[CompiledQuery], triggers: TriggerFinder) -> dict[str, Any]:
    routes = _needed(queries, triggers)
    places: dict[str, str] = {}
    for each in queries:
        name = each.name.split()[0]
        places.setdefault(name, f"{each.text.source}, line {each.text.line_of(each.plan.span)}")
    obstacles = [f"{place}: {name} is state, that of the whole stream" for name, place in places.items()]
    return {
        "obstacles": obstacles,
        "predicates": sorted(routes.positions),
        "any_other": routes.other is not None,
    }


@dataclass(frozen=True, slots=True)
class _AskTask:
    """The function of the task."""

    program: Program

    def __call__(self, chunks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Ask once for each chunk, of which there is one."""
        from etalis_py.spark_udfs.execution.worker import open_engine
        from etalis_py.spark_udfs.execution.worker_background import compiled

        assert self.program.shipment is not None, "there is background to ask"
        for _ in chunks:
            with sent_home():
                shipment = compiled(self.program.shipment)
                with open_engine(replace(self.program, shipment=shipment)) as (engine, names):
                    patterns = tell([engine.query(name) for name in names], engine.knowledge)
                    told = {"patterns": patterns, "states": _states(engine), "digest": shipment.digest}
            yield _told_batch(json.dumps(told), None)
            for first in range(0, len(shipment.compiled), _PIECE):
                yield _told_batch(None, shipment.compiled[first : first + _PIECE])


def _told_batch(told: str | None, piece: bytes | None) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.record_batch(
        {"told": pa.array([told], pa.string()), "compiled": pa.array([piece], pa.binary())}
    )
