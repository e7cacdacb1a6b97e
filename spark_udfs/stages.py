"""A program of several stages, or of slices of time, as one Spark plan.

Each stage reads the events of the stream that it needs, and takes what earlier stages give. All that a stage
gives goes to the next one that takes any of it, which passes on what is for others, so that nothing is
computed twice and nothing has to be kept: answers, too, go through the stages after their own if there are
any.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from etalis_py.compiler.plan import ConstructPlan
from etalis_py.compiler.stage_queries import stage_queries
from etalis_py.compiler.stages import Dealing, Stage
from etalis_py.spark_udfs.metrics import Metrics
from etalis_py.spark_udfs.planning import PlannedProgram
from etalis_py.spark_udfs.routing import is_needed, key_of, one_text
from etalis_py.spark_udfs.slices import in_slices
from etalis_py.spark_udfs.stage_rows import ROW_SCHEMA
from etalis_py.spark_udfs.stage_task import Passage, StageTask
from etalis_py.spark_udfs.worker import AnswerForm

if TYPE_CHECKING:
    import pyarrow as pa
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

    With ``metrics``, ``schema`` has the hidden column of their counts, which is taken away.
    """
    if metrics is None:
        return _Run(events, planned, form, schema, partitions, broken_at).answers()
    needs = [is_needed(stage.key.routes) for stage in planned.stages]
    counted = metrics.observe_events(events, reduce(_either, needs))
    names = tuple(each.name for each in planned.compiled)
    run = _Run(counted, planned, form, schema, partitions, broken_at, names)
    return metrics.observe_answers(run.answers(), names)


def _either(first: Column | None, second: Column | None) -> Column | None:
    """One of two conditions; None is always true."""
    return None if first is None or second is None else first | second


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
        self._planned = planned
        self._stages = planned.stages
        self._form = form
        self._schema = schema
        self._partitions = partitions
        self._broken_at = broken_at
        self._counted = counted
        self._row_type, self._answer_type = _types(schema)

    def answers(self) -> DataFrame:
        """The answers that no later stage passes on, together."""
        coming: dict[int, list[DataFrame]] = {number: [] for number in range(len(self._stages))}
        ended = []
        for number, taken in coming.items():
            found = self._stage(number, taken)
            following = next(self._takers(number), None)
            if following is None:
                ended.append(found)
            else:
                coming[following].append(found)
        return reduce(lambda first, second: first.unionByName(second), ended)

    def _takers(self, number: int) -> Iterator[int]:
        """The later stages that take something of a stage, or something that it passes on."""
        given = self._given(number)
        for later in range(number + 1, len(self._stages)):
            stage = self._stages[later]
            if given & (stage.solutions | stage.triples):
                yield later

    def _given(self, number: int) -> set[int]:
        """The units whose rows leave a stage."""
        own = {unit.plan.number for unit in self._stages[number].units}
        for earlier in range(number):
            if next(self._takers(earlier), None) == number:
                own |= self._given(earlier)
        return own

    def _stage(self, number: int, coming: list[DataFrame]) -> DataFrame:
        stage = self._stages[number]
        routes = stage.key.routes
        needed = is_needed(routes)
        own = self._events if needed is None else self._events.where(needed)
        if coming:
            reads = bool(routes.positions) or routes.other is not None
            rows = [own, *coming] if reads else coming
            own = reduce(lambda one, more: one.unionByName(more, allowMissingColumns=True), rows)
        dealt = self._dealt(own, stage, with_rows=bool(coming))
        is_last = next(self._takers(number), None) is None
        names = {each.plan.number: each.name for each in self._planned.compiled}
        queries = stage_queries(stage, self._planned.compiled)
        program = replace(
            self._planned.program,
            compiled=tuple(queries),
            blank_nodes=f"{self._planned.program.blank_nodes}{number}s",
        )
        task = StageTask(
            program,
            stage.key.routes,
            self._form,
            self._passage(number),
            None if is_last else self._answer_type,
            self._broken_at,
            counted=self._counted,
            owners={unit.predicate: names[unit.query] for unit in stage.units if unit.predicate is not None},
            sliced=stage.dealing is Dealing.SLICES and stage.reach != 0,
        )
        return dealt.mapInArrow(task, self._schema if is_last else self._row_type)

    def _passage(self, number: int) -> Passage:
        stage, later = self._stages[number], self._stages[number + 1 :]
        onward = frozenset[int]().union(*(each.solutions | each.triples for each in later))
        keys = {}
        for unit in stage.units:
            for each in later:
                if unit.predicate is not None and unit.predicate in each.key.routes.columns:
                    keys[unit.plan.number] = each.key.routes.columns[unit.predicate]
        read = frozenset[int]().union(*(each.triples for each in later))
        names = {each.plan.number: each.name for each in self._planned.compiled}
        makers = (unit.plan for unit in stage.units if isinstance(unit.plan, ConstructPlan))
        return Passage(
            stage.solutions,
            stage.triples,
            onward,
            {unit.predicate: unit.plan.number for unit in stage.units if unit.predicate is not None},
            {names[plan.number]: plan.number for plan in makers if plan.number in read},
            keys,
            stage.sets,
        )

    def _dealt(self, rows: DataFrame, stage: Stage, *, with_rows: bool) -> DataFrame:
        order = ["end", "number"] if with_rows else ["end"]
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
                key = _row_key(stage) if with_rows else key_of(stage.key.routes)
                return self._repartitioned(rows, key).sortWithinPartitions(*order)

    def _repartitioned(self, rows: DataFrame, key: Column) -> DataFrame:
        return rows.repartition(key) if self._partitions is None else rows.repartition(self._partitions, key)


def _row_key(stage: Stage) -> Column:
    """By what a row is dealt out: as an event, as a solution, or, where it is passed on, by its number."""
    from pyspark.sql import functions as f

    columns = stage.key.routes.columns
    solution = f.col("number").cast("string")
    for count in sorted({len(each) for each in columns.values()}):
        own = [f"<{name}>" for name, each in columns.items() if len(each) == count]
        texts = [one_text("o", f"keys[{place}]") for place in range(count)]
        key = f.concat_ws(" ", *texts)
        solution = f.when(f.col("p").isin(own), key).otherwise(solution)
    triples = f.col("unit").isNull() & f.col("answer").isNull() | f.col("unit").isin(sorted(stage.triples))
    return f.when(triples, key_of(stage.key.routes)).otherwise(solution)


def _types(schema: str) -> tuple[StructType, pa.DataType]:
    """The type of rows between stages, and that of the answers in them."""
    from pyspark.sql.pandas.types import to_arrow_type
    from pyspark.sql.types import StructField, StructType

    answer, rows = StructType.fromDDL(schema), StructType.fromDDL(ROW_SCHEMA)
    assert isinstance(rows, StructType)
    return StructType([*rows.fields, StructField("answer", answer)]), to_arrow_type(answer, timezone="UTC")
