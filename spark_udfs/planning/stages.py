"""A program as one Spark plan for a batch: its stages, of which most programs have one.

Each stage reads the events of the stream that it needs, and takes what earlier stages give it
(``stage_links.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from etalis_py.compiler.partition.stages import Dealing, Stage
from etalis_py.spark_udfs.execution.metrics import HIDDEN_SCHEMA, Metrics
from etalis_py.spark_udfs.execution.stage_task import StageTask
from etalis_py.spark_udfs.execution.worker import AnswerForm
from etalis_py.spark_udfs.planning.dealing import PlannedProgram
from etalis_py.spark_udfs.planning.routing import is_needed, key_of
from etalis_py.spark_udfs.planning.slices import in_slices
from etalis_py.spark_udfs.planning.stage_frames import needed_by_any, reads_events, row_key, row_types
from etalis_py.spark_udfs.planning.stage_links import StageLinks

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

__all__ = ["run_stages"]


def run_stages(
    events: DataFrame,
    planned: PlannedProgram,
    form: AnswerForm,
    schema: str,
    *,
    partitions: int | None = None,
    broken_at: int | None = None,
    metrics: Metrics | None = None,
) -> DataFrame:
    """The answers of all stages; those of one part are in the order of their ends.

    ``events`` have the columns of ``normalized``. Equal answers of different parts are not made one.
    ``broken_at``: as of `StageTask`.
    """
    from pyspark.sql import functions as f

    # Nothing happens at the one instant, and yet there are answers; an empty DataFrame may have no partition.
    without_events = planned.program.options.at is not None and events.isEmpty()
    if metrics is None:
        return _BatchStages(events, planned, form, schema, partitions, broken_at, without_events).answers()
    names = tuple(each.name for each in planned.compiled)
    if not without_events:
        needed = needed_by_any(planned.stages)
        events = metrics.observe_events(events, f.lit(True) if needed is None else needed)
    schema = f"{schema}, {HIDDEN_SCHEMA}"
    stages = _BatchStages(events, planned, form, schema, partitions, broken_at, without_events, names)
    return metrics.observe_answers(stages.answers(), names)


class _BatchStages:
    """The stages of a program as DataFrames, each made of those before it."""

    def __init__(
        self,
        events: DataFrame,
        planned: PlannedProgram,
        form: AnswerForm,
        schema: str,
        partitions: int | None,
        broken_at: int | None,
        without_events: bool,
        counted: tuple[str, ...] = (),
    ) -> None:
        self._events = events
        self._stages = planned.stages
        self._places = planned.asks_places
        self._links = StageLinks(planned)
        self._form = form
        self._schema = schema
        self._partitions = partitions
        self._broken_at = broken_at
        self._without_events = without_events
        self._counted = counted

    def answers(self) -> DataFrame:
        """The answers that no later stage passes on, together."""
        coming: dict[int, list[DataFrame]] = {place: [] for place in range(len(self._stages))}
        ended = []
        for place, taken in coming.items():
            found = self._stage(place, taken)
            following = self._links.following(place)
            if following is None:
                ended.append(found)
            else:
                coming[following].append(found)
        return reduce(lambda first, second: first.unionByName(second), ended)

    def _stage(self, place: int, coming: Sequence[DataFrame]) -> DataFrame:
        stage = self._stages[place]
        schema: StructType | str = self._schema
        rows = None
        if self._links.following(place) is not None:
            passes_answers = self._counted or self._links.passes_answers
            schema, rows = row_types(
                self._schema if passes_answers else None, self._links.width, places=self._places
            )
        task = StageTask(
            self._links.program(place),
            stage.key.routes,
            self._form,
            self._links.flow(place),
            rows,
            self._broken_at,
            sliced=stage.dealing is Dealing.SLICES and stage.reach != 0,
            without_events=self._without_events,
            counted=self._counted,
            owners=self._links.owners(place),
            told_the_end=stage.ends_with_input,
        )
        return self._dealt(stage, coming).mapInArrow(task, schema)

    def _dealt(self, stage: Stage, coming: Sequence[DataFrame]) -> DataFrame:
        """What a stage takes, in parts that are sorted by end."""
        from pyspark.sql import functions as f

        if self._without_events:
            return self._events.sparkSession.range(1, numPartitions=1)
        rows, order = self._taken(stage, coming), ["end", "number"] if coming else ["end"]
        match stage.dealing:
            case Dealing.ONE_PART:
                return rows.repartition(1).sortWithinPartitions(*order)
            case Dealing.SLICES if stage.reach == 0:
                return self._repartitioned(rows, rows["end"]).sortWithinPartitions(*order)
            case Dealing.SLICES:
                assert stage.reach is not None
                sliced = in_slices(rows, self._events, stage.reach, self._partitions)
                return sliced.sortWithinPartitions("slice", *order)
            case Dealing.KEY | Dealing.ANYHOW:
                key = _row_key(stage) if coming else key_of(stage.key.routes)
                if stage.ends_with_input:
                    end = self._events.agg(f.max("end").alias("input_end"))
                    rows = rows.crossJoin(f.broadcast(end))
                return self._repartitioned(rows, key).sortWithinPartitions(*order)

    def _taken(self, stage: Stage, coming: Sequence[DataFrame]) -> DataFrame:
        """The events that a stage needs, and the rows of earlier ones."""
        needed = is_needed(stage.key.routes)
        own = self._events if needed is None else self._events.where(needed)
        rows = [own, *coming] if reads_events(stage.key.routes) or not coming else coming
        return reduce(lambda one, more: one.unionByName(more, allowMissingColumns=True), rows)

    def _repartitioned(self, rows: DataFrame, key: Column) -> DataFrame:
        return rows.repartition(key) if self._partitions is None else rows.repartition(self._partitions, key)


def _row_key(stage: Stage) -> Column:
    """By what a row is dealt out; one that is passed on goes by its number, anywhere."""
    from pyspark.sql import functions as f

    return row_key(stage, f.col("number").cast("string"))
