"""How the events of a program are dealt out, and what a worker is asked for that where there is background.

What background there is decides which events a pattern can match, and only Prolog can tell. It is a Spark
task that asks it, in a worker's process, and not the driver's own or another one started there: the driver
needs no SWI-Prolog, a Prolog that crashes takes no driver with it, and what the task compiled goes to all
workers (``shipping.py``). So ``detect`` with background runs one small task at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.explain.stage_printer import stage_obstacles
from etalis_py.compiler.lint.functions import unknown_functions
from etalis_py.compiler.lint.linter import ALL_CHECKS, CHECKS, lint_program
from etalis_py.compiler.partition.class_filter import ClassesBelow, no_classes, with_classes
from etalis_py.compiler.partition.join_key import KeyPlan
from etalis_py.compiler.partition.routes import Routes
from etalis_py.compiler.partition.stages import (
    ANY_POSITION,
    Dealing,
    Stage,
    needed_routes,
    plan_stages,
    uncut_stage,
)
from etalis_py.compiler.plan.places import asks_places
from etalis_py.compiler.plan.triggers import TriggerFinder, plain_triggers
from etalis_py.core.errors import show
from etalis_py.spark_udfs.execution.failures import project_errors, sent_home
from etalis_py.spark_udfs.execution.shipping import pack
from etalis_py.spark_udfs.planning.background_report import (
    Background,
    ReportedBackground,
    read_report,
    report_on,
)
from etalis_py.spark_udfs.planning.program import Program, compile_all

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

__all__ = ["PlannedProgram", "plan_program", "planned_here"]


_REPORT: Final = "report string, compiled binary"
_PIECE: Final = 1 << 22
"""Bytes of a compiled background in one row."""


@dataclass(frozen=True, slots=True)
class PlannedProgram:
    """A program, compiled as the workers compile it, what they know of its background, and its stages.

    There is at least one stage. ``uncut`` is the whole program as a single stage in one part. ``reasons`` say
    why it has to run so, where that is no matter of keys.
    """

    program: Program
    compiled: tuple[CompiledQuery, ...]
    background: ReportedBackground
    stages: tuple[Stage, ...]
    uncut: Stage
    reasons: tuple[str, ...] = ()
    asks_places: bool = False
    """Whether a pattern, of a query or a rules file's state, asks for the stream or element of an event."""

    @property
    def merge(self) -> frozenset[str]:
        """The names of the queries whose equal answers are to be made one at the end of a batch."""
        merged = frozenset[int]().union(*(stage.key.merge for stage in self.stages))
        return frozenset(each.name for each in self.compiled if each.plan.number in merged)

    @property
    def obstacles(self) -> tuple[str, ...]:
        """Why the program, or a stage of it, is in one part."""
        alone = (stage for stage in self.stages if stage.dealing is Dealing.ONE_PART)
        return (*self.reasons, *(line for stage in alone for line in stage_obstacles(stage, self.compiled)))


@dataclass(frozen=True, slots=True)
class _States:
    """What rules files declare as state: a line for each, and which events their patterns need."""

    obstacles: Sequence[str] = ()
    predicates: Sequence[str] = ()
    any_other: bool = False
    asks_places: bool = False

    @classmethod
    def of(cls, queries: Sequence[CompiledQuery], triggers: TriggerFinder) -> _States:
        """The states that ``queries`` keep up to date."""
        routes = needed_routes([each.plan for each in queries], triggers)
        places: dict[str, str] = {}
        for each in queries:
            name = each.name.split()[0]
            places.setdefault(name, f"{each.text.source}, line {each.text.line_of(each.plan.span)}")
        obstacles = [f"{place}: {name} is state, that of the whole stream" for name, place in places.items()]
        asks = any(asks_places(each.plan) for each in queries)
        return cls(obstacles, sorted(routes.positions), routes.other is not None, asks)

    def added_to(self, routes: Routes) -> Routes:
        """The events that ``routes`` or a state needs, in one part."""
        positions = {**routes.positions, **dict.fromkeys(self.predicates, ANY_POSITION)}
        return Routes(positions, ANY_POSITION if self.any_other or routes.other else None)


def plan_program(session: SparkSession, program: Program, *, endless: bool = False) -> PlannedProgram:
    """Compile and plan; with background a worker loads it, and the queries, first.

    Warns of what the queries can hardly mean; ``endless``: also of what they keep for ever.

    Raises:
        EtalisError: what the engine says of the program: background that cannot be read, queries that call
            what no rules file defines, a recursion that the ontology closes.
    """
    compiled = compile_all(program.queries, program.options)
    if not program.options.has_background:
        _warn_of(program, compiled, ReportedBackground(), endless=endless)
        return _planned(program, compiled, ReportedBackground(), plain_triggers, no_classes, _States())
    program, answer = _asked(session, program)
    has_graphs = bool(answer["has_graphs"])
    background = read_report(answer["patterns"])
    compiled = compile_all(program.queries, program.options, background.may_match, has_graphs=has_graphs)
    _warn_of(program, compiled, background, endless=endless)
    triggers = plain_triggers if program.options.entailment == "none" else background.triggers
    states = _States(**answer["states"])
    return _planned(program, compiled, background, triggers, background.classes_below, states)


def planned_here(
    program: Program, compiled: Sequence[CompiledQuery], states: Sequence[CompiledQuery], known: Background
) -> PlannedProgram:
    """The plan for queries that an engine of this process has, ``states`` being those of its rules files."""
    needs = _States.of(states, known.triggers)
    return _planned(program, compiled, ReportedBackground(), known.triggers, known.classes_below, needs)


def _warn_of(
    program: Program, compiled: Sequence[CompiledQuery], background: ReportedBackground, *, endless: bool
) -> None:
    at_instant = program.options.at is not None
    functions = unknown_functions(program.options.functions.keys())
    for _, queries in groupby(compiled, key=lambda each: each.text):
        checks = (*(ALL_CHECKS if endless else CHECKS), functions)
        show(lint_program(list(queries), background, at_instant=at_instant, checks=checks))


def _planned(
    program: Program,
    compiled: Sequence[CompiledQuery],
    background: ReportedBackground,
    triggers: TriggerFinder,
    below: ClassesBelow,
    states: _States,
) -> PlannedProgram:
    plans = [each.plan for each in compiled]
    asks = states.asks_places or any(map(asks_places, plans))
    uncut = uncut_stage(plans, triggers)
    if states.obstacles:
        uncut = replace(uncut, key=KeyPlan(routes=states.added_to(uncut.key.routes)))
        reasons = tuple(states.obstacles)
        return PlannedProgram(program, tuple(compiled), background, (uncut,), uncut, reasons, asks)

    def of_classes(stage: Stage) -> Stage:
        """The same; of events that give a class only those are needed whose class matters."""
        routes = with_classes(stage.key.routes, stage.plans, triggers, below)
        return replace(stage, key=replace(stage.key, routes=routes))

    uncut = of_classes(uncut)
    if program.options.at is not None:  # background holds at that instant, too, so it is no matter of keys
        uncut = replace(uncut, key=KeyPlan(routes=uncut.key.routes))
        reasons = ("everything is at one instant",)
        return PlannedProgram(program, tuple(compiled), background, (uncut,), uncut, reasons, asks)
    stages = tuple(map(of_classes, plan_stages(plans, triggers)))
    into = [each for each in compiled if each.is_construct and each.stream is not None]
    if len(stages) > 1 and into:  # what goes to a later stage would be an event that all patterns see
        reasons = tuple(
            f"{each.name} adds to the stream <{each.stream}>, which is seen by name" for each in into
        )
        uncut = replace(uncut, key=KeyPlan(routes=uncut.key.routes))
        return PlannedProgram(program, tuple(compiled), background, (uncut,), uncut, reasons, asks)
    return PlannedProgram(program, tuple(compiled), background, stages, uncut, (), asks)


def _asked(session: SparkSession, program: Program) -> tuple[Program, dict[str, Any]]:
    """The program with its background as workers load it, and what a worker reports of it."""
    options = program.options
    shipment = pack(options.background, options.graphs, options.rules)
    with project_errors():
        task = _AskTask(replace(program, shipment=shipment))
        rows = session.range(1, numPartitions=1).mapInArrow(task, _REPORT).collect()
    (answer,) = (json.loads(row["report"]) for row in rows if row["report"] is not None)
    content = b"".join(row["compiled"] for row in rows if row["compiled"] is not None)
    ready = replace(shipment, rdf=(), graphs=(), compiled=content, digest=answer["digest"])
    return replace(program, shipment=ready), answer


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
                    patterns = report_on([engine.query(name) for name in names], engine.knowledge)
                    states = asdict(_States.of(engine.state_queries, engine.knowledge.triggers))
                    report = {
                        "patterns": patterns,
                        "states": states,
                        "digest": shipment.digest,
                        "has_graphs": engine.knowledge.has_graphs,
                    }
            yield _report_batch(json.dumps(report), None)
            for first in range(0, len(shipment.compiled), _PIECE):
                yield _report_batch(None, shipment.compiled[first : first + _PIECE])


def _report_batch(report: str | None, piece: bytes | None) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.record_batch(
        {"report": pa.array([report], pa.string()), "compiled": pa.array([piece], pa.binary())}
    )
