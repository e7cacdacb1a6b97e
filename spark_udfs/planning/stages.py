"""A program of several stages, or of slices of time, as one Spark plan for a batch.

Each stage reads the events of the stream that it needs, and takes what earlier stages give it
(``stage_links.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from etalis_py.compiler.partition.stages import Dealing, Stage
from etalis_py.spark_udfs.execution.metrics import Metrics
from etalis_py.spark_udfs.execution.stage_task import StageTask
from etalis_py.spark_udfs.execution.worker import AnswerForm
from etalis_py.spark_udfs.planning.dealing import PlannedProgram
from etalis_py.spark_udfs.planning.routing import is_needed, key_of
from etalis_py.spark_udfs.planning.slices import in_slices
from etalis_py.spark_udfs.planning.stage_frames import needed_by_any, reads_events, row_key, row_types
from etalis_py.spark_udfs.planning.stage_links import StageLinks

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

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

    With ``metrics``, ``schema`` has the hidden column of their counts, which is taken away.
    """
    if metrics is None:
        return _Run(events, planned, form, schema, partitions, broken_at).answers()
    counted = metrics.observe_events(events, needed_by_any(planned.stages))
    names = tuple(each.name for each in planned.compiled)
    run = _Run(counted, planned, form, schema, partitions, broken_at, names)
    return metrics.observe_answers(run.answers(), names)


class _Run:
    def __init__(
        self,
        events: DataFrame,
        planned: PlannedProgram,
        form: AnswerForm,
        schema: str,
        partitions: int | None,
        broken_at: int | None,
        counted: tuple[str, ...] = (),
    ) -> None:
        self._events = events
        self._stages = planned.stages
        self._links = StageLinks(planned)
        self._form = form
        self._schema = schema
        self._partitions = partitions
        self._broken_at = broken_at
        self._counted = counted
        passes_answers = counted or self._links.passes_answers
        self._row_type, self._rows = row_types(schema if passes_answers else None, self._links.width)

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
        routes = stage.key.routes
        needed = is_needed(routes)
        own = self._events if needed is None else self._events.where(needed)
        if coming:
            rows = [own, *coming] if reads_events(routes) else coming
            own = reduce(lambda one, more: one.unionByName(more, allowMissingColumns=True), rows)
        dealt = self._dealt(own, stage, has_rows=bool(coming))
        is_last = self._links.following(place) is None
        task = StageTask(
            self._links.program(place),
            routes,
            self._form,
            self._links.passage(place),
            None if is_last else self._rows,
            self._broken_at,
            counted=self._counted,
            owners=self._links.owners(place),
            sliced=stage.dealing is Dealing.SLICES and stage.reach != 0,
        )
        return dealt.mapInArrow(task, self._schema if is_last else self._row_type)

    def _dealt(self, rows: DataFrame, stage: Stage, *, has_rows: bool) -> DataFrame:
        order = ["end", "number"] if has_rows else ["end"]
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
                key = _row_key(stage) if has_rows else key_of(stage.key.routes)
                return self._repartitioned(rows, key).sortWithinPartitions(*order)

    def _repartitioned(self, rows: DataFrame, key: Column) -> DataFrame:
        return rows.repartition(key) if self._partitions is None else rows.repartition(self._partitions, key)


def _row_key(stage: Stage) -> Column:
    """By what a row is dealt out; one that is passed on goes by its number, anywhere."""
    from pyspark.sql import functions as f

    return row_key(stage, f.col("number").cast("string"))
