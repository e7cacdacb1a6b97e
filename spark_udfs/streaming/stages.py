"""A program on a stream: one stateful operator for each stage, one after the other. Most programs have one.

The source is read once. Where there are several stages, the first one gets all events that some stage takes,
and passes on those of later ones; each stage gets what the one before gives, takes what is for it
(``stage_links.py``) and passes on the rest: rows and events for later stages, and answers. What is passed on
leaves in the micro-batch in which it came, and no engine and no state ever holds it.

Why nothing is late for a later stage. Spark gives all operators of a query the same watermark in the same
micro-batch, as transformWithState lets it through as it is. Let W(n) be that of micro-batch n; it never
falls.

- After micro-batch n every bucket of every stage stands at W(n). For all of them are there from the first
  micro-batch with events on (each task that packs rows gives one without any to every bucket), and each has a
  timer at the next millisecond after the time at which it stands; so it is woken, by rows or by the timer,
  in every micro-batch whose watermark is another one, those without events among them. Before there is any
  watermark the timer is at the first one there can be.
- So in micro-batch n + 1 a bucket of the first stage takes and passes on no event that ends before W(n), and
  as its engine has been brought to W(n) before, what it finds ends at W(n) or later; and before W(n + 1), to
  which it is brought now.
- The buckets of the next stage stand at W(n) when they get all that, and are brought to W(n + 1) after that.
  So nothing of it is late, they have all that ends before W(n + 1) when they decide about it, and what they
  find ends at W(n) or later in turn.

A task that is done again gives the same again, or what means the same, and Spark commits a micro-batch in all
operators or in none. So what was said of one stage holds for all of them.

Slices of time would each be an engine of their own for ever: what a batch has in slices is in one bucket
here.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from etalis_py.compiler.partition.stage_cuts import Unit
from etalis_py.compiler.partition.stages import Dealing, Stage
from etalis_py.compiler.plan.plan import GroupPlan, walk
from etalis_py.compiler.plan.solution_scan import SolutionScan
from etalis_py.spark_udfs.execution.worker import AnswerForm
from etalis_py.spark_udfs.planning.dealing import PlannedProgram
from etalis_py.spark_udfs.planning.events import normalized
from etalis_py.spark_udfs.planning.routing import key_of
from etalis_py.spark_udfs.planning.stage_frames import needed_by_any, row_key, row_types
from etalis_py.spark_udfs.planning.stage_links import StageLinks
from etalis_py.spark_udfs.streaming.arrivals import ONWARD, OWN
from etalis_py.spark_udfs.streaming.bucket import BucketProgram
from etalis_py.spark_udfs.streaming.fingerprints import fingerprint
from etalis_py.spark_udfs.streaming.operator import BUCKETS, bucket_column, in_buckets
from etalis_py.spark_udfs.streaming.packing import UnpackTask
from etalis_py.spark_udfs.streaming.processor import SOURCE_BITS, BucketProcessor
from etalis_py.spark_udfs.streaming.watermarks import behind_watermark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

__all__ = ["as_a_stream_runs_it", "bucket_count", "run_stages", "stage_program"]

_log = logging.getLogger(__name__)


def as_a_stream_runs_it(planned: PlannedProgram, buckets: int | None) -> PlannedProgram:
    """The program cut only where some stage has several buckets; no stage is in slices of time."""
    stages = tuple(_without_slices(stage) for stage in planned.stages)
    if len(stages) > 1 and all(bucket_count(stage, buckets or BUCKETS) == 1 for stage in stages):
        stages = (planned.uncut,)
    return replace(planned, stages=stages)


def _without_slices(stage: Stage) -> Stage:
    return replace(stage, dealing=Dealing.ONE_PART, reach=None) if stage.dealing is Dealing.SLICES else stage


def bucket_count(stage: Stage, buckets: int) -> int:
    """In how many buckets a stage is."""
    return 1 if stage.dealing is Dealing.ONE_PART or _merged(stage) else buckets


def _merged(stage: Stage) -> list[int]:
    """The queries of which equal answers of different keys are one answer: one engine has to find them all.

    Equal solutions for a later stage are one event there, in whatever bucket they were found.
    """
    return [unit.query for unit in stage.units if unit.stream is None and unit.query in stage.key.merge]


def run_stages(
    events: DataFrame,
    column: str,
    planned: PlannedProgram,
    form: AnswerForm,
    schema: str,
    buckets: int,
    on_late: Literal["error", "drop"],
    *,
    counted: bool,
) -> DataFrame:
    """The answers of all stages, with the column ``watermark`` (milliseconds).

    ``column`` has the watermark of ``events``; if ``counted``, ``schema`` has the hidden column of counts.
    """
    _warn_of_one_bucket(planned)
    needed = needed_by_any(planned.stages)
    events = events if needed is None else events.where(behind_watermark(needed, column))
    rows = normalized(events, places=planned.asks_places)
    links = StageLinks(planned)
    for place, stage in enumerate(planned.stages):
        count, later = bucket_count(stage, buckets), planned.stages[place + 1 :]
        key = _row_key(stage) if place else key_of(stage.key.routes)
        dealt = _marked(rows, stage, later).withColumn("bucket", bucket_column(key, count))
        program = stage_program(planned, place, buckets, on_late, counted=counted)
        given: StructType | str = f"{schema}, watermark long"
        types = None
        if later:
            given, types = row_types(
                schema if counted or links.passes_answers else None, links.width, places=planned.asks_places
            )
        packed = in_buckets(
            dealt, BucketProcessor(program, form, types), count if len(planned.stages) > 1 else 1
        )
        rows = packed.mapInArrow(UnpackTask(has_watermark=not later), given)
    return rows


def _warn_of_one_bucket(planned: PlannedProgram) -> None:
    """Say where one bucket does the work of a stage though it has a key."""
    names = {each.plan.number: each.name for each in planned.compiled}
    work = "all the work of its stage" if len(planned.stages) > 1 else "all the work"
    text = "equal answers for several keys are one, so one bucket does %s: %s"
    for name in (names[number] for stage in planned.stages for number in _merged(stage)):
        _log.warning(text, work, name)


def _marked(rows: DataFrame, stage: Stage, later: Sequence[Stage]) -> DataFrame:
    """Rows with the marks of their events, where later stages may need these."""
    from pyspark.sql import functions as f

    marks = {OWN: [stage], ONWARD: later} if later else {}
    for name, stages in marks.items():
        needed = needed_by_any(stages)
        rows = rows.withColumn(name, f.lit(True) if needed is None else needed)
    return rows


def stage_program(
    planned: PlannedProgram, place: int, buckets: int, on_late: Literal["error", "drop"], *, counted: bool
) -> BucketProgram:
    """What the buckets of a stage run."""
    links, stage, several = StageLinks(planned), planned.stages[place], len(planned.stages) > 1
    program = links.program(place)
    cut = [[place, buckets, *map(_description, planned.stages)]] if several else []
    return BucketProgram(
        program,
        fingerprint(program, stage.key.routes, bucket_count(stage, buckets), *cut),
        on_late,
        keeps_time=several or any(map(_has_steps, stage.units)),
        queries=tuple(each.name for each in planned.compiled),
        counted=counted,
        flow=links.flow(place),
        owners=links.owners(place),
        call=uuid4().hex,
    )


def _has_steps(unit: Unit) -> bool:
    """Whether the passing of time itself makes answers."""
    return any(
        node.BY_CLOCK or (isinstance(node, GroupPlan) and node.step is not None)
        for node in walk(unit.plan.root)
    )


def _row_key(stage: Stage) -> Column:
    """By what a row is dealt out; rows of one bucket that are passed on stay together."""
    from pyspark.sql import functions as f

    return row_key(stage, f.shiftright("number", SOURCE_BITS).cast("string"))


def _description(stage: Stage) -> list[Any]:
    """What runs in a stage: the numbers of its units, what is cut off from which query, and what it takes."""
    units = []
    for unit in stage.units:
        root = unit.plan.root
        leaves = sorted({each.stream for each in walk(root) if isinstance(each, SolutionScan)})
        columns = [each.name for each in root.schema.columns]
        units.append([unit.query, unit.plan.number, unit.stream, root.name, columns, leaves])
    return [units, stage.dealing.name, sorted(stage.triples), sorted(stage.sets)]
