"""What a run on Spark counts, as observed metrics: Spark adds up what its tasks report.

A task reports its counts in one more row of a hidden column, which is observed and left out again. Nothing is
counted, and no row added, where nobody asks. Spark drops events before they get to a task: so those that came
in are observed, too. A stream's progress has both observations under their names; of a batch `Metrics.get`
waits for the first action on the answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from etalis_py.core.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, Observation

    from etalis_py.engine.answer_columns import Answers
    from etalis_py.engine.column_engine import ColumnEngine

__all__ = ["HIDDEN", "HIDDEN_SCHEMA", "Counts", "Metrics", "PartCounts", "QueryCounts", "with_hidden"]

HIDDEN: Final = "counts of etalis_py"
HIDDEN_SCHEMA: Final = (
    f"`{HIDDEN}` struct<taken: bigint, late: bigint, matches: array<bigint>, goals: array<bigint>>"
)


@dataclass(frozen=True, slots=True)
class QueryCounts:
    """Of one query: its matches, and how many goals waited when the last event had come."""

    matches: int = 0
    goals: int = 0


@dataclass(frozen=True, slots=True)
class Counts:
    """What a run, or a micro-batch, came to.

    ``events`` came in, ``dropped`` of them were left out before the shuffle, for no pattern can match them,
    and ``late`` came too late. Matches are counted before equal ones of several parts are made one.
    """

    events: int = 0
    dropped: int = 0
    late: int = 0
    queries: Mapping[str, QueryCounts] = field(default_factory=dict)


class PartCounts:
    """Counts of one task, in the order of the queries ``names``."""

    def __init__(self, names: Sequence[str]) -> None:
        self._places = {name: place for place, name in enumerate(names)}
        self._matches = [0] * len(names)
        self._goals = [0] * len(names)
        self._taken = self._late = 0

    def take(self, events: int) -> None:
        """So many events got to the engine."""
        self._taken += events

    def late(self, events: int) -> None:
        """So many events were left out for they came too late."""
        self._late += events

    def answer(self, answers: Answers) -> None:
        """These answers were found; solutions of a part of a query are none."""
        for number in set(answers.numbers):
            place = self._places.get(answers.receivers[number].name)
            if place is not None:
                self._matches[place] += answers.numbers.count(number)

    def look(self, engine: ColumnEngine, owners: Mapping[str, str] = MappingProxyType({})) -> None:
        """What waits in the engine now, and what came too late so far.

        ``owners``: of which query a part of one is that runs in a stage of its own.
        """
        self._late += engine.late
        for name, count in engine.goals().items():
            query = owners.get(name, name)
            if query in self._places:
                self._goals[self._places[query]] += count

    def row(self, schema: pa.Schema) -> pa.RecordBatch:
        """The row to be observed; ``schema`` is that of the answers without the hidden column."""
        import pyarrow as pa

        counts = {"taken": self._taken, "late": self._late, "matches": self._matches, "goals": self._goals}
        hidden = pa.array([counts], _hidden_type())
        arrays = [*(pa.nulls(1, kind) for kind in schema.types), hidden]
        return pa.RecordBatch.from_arrays(arrays, names=[*schema.names, HIDDEN])


def with_hidden(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Answers with the hidden column, empty."""
    import pyarrow as pa

    arrays = [*batch.columns, pa.nulls(batch.num_rows, _hidden_type())]
    return pa.RecordBatch.from_arrays(arrays, names=[*batch.schema.names, HIDDEN])


def _hidden_type() -> pa.DataType:
    import pyarrow as pa

    number, numbers = pa.int64(), pa.list_(pa.int64())
    return pa.struct([("taken", number), ("late", number), ("matches", numbers), ("goals", numbers)])


class Metrics:
    """Asks for the counts of one run: ``detect(events, query, metrics=metrics)``, then ``metrics.get``.

    ``name`` is what a stream's progress calls them, with ``.events`` and ``.answers`` after it; give each
    query of a session its own.
    """

    def __init__(self, name: str = "etalis") -> None:
        self.name = name
        self._queries: tuple[str, ...] = ()
        self._observations: list[Observation] = []

    def observe_events(self, events: DataFrame, needed: Column | None = None) -> DataFrame:
        """The same events, counted; ``needed`` tells which ones get to a task, if tasks do not count them."""
        from pyspark.sql import functions as f

        columns = [f.count(f.lit(1)).alias("events")]
        if needed is not None:
            columns.append(f.count_if(needed).alias("needed"))
        return self._observe(events, "events", columns)

    def observe_answers(self, answers: DataFrame, queries: Iterable[str]) -> DataFrame:
        """The answers without what tasks counted, which is added up."""
        from pyspark.sql import functions as f

        self._queries = tuple(queries)
        hidden = f.col(f"`{HIDDEN}`")
        sums = {"taken": hidden["taken"], "late": hidden["late"]}
        for place, name in enumerate(self._queries):
            sums[f"matches of {name}"] = hidden["matches"][place]
            sums[f"goals of {name}"] = hidden["goals"][place]
        columns = [f.coalesce(f.sum(each), f.lit(0)).alias(name) for name, each in sums.items()]
        return self._observe(answers, "answers", columns).where(hidden.isNull()).drop(HIDDEN)

    @property
    def is_asked(self) -> bool:
        """Whether the answers of a batch were asked for with this."""
        return bool(self._observations)

    @property
    def get(self) -> Counts:
        """The counts of the first action on the answers of a batch; waits for it.

        Raises:
            UsageError: EP506, nothing of a batch was counted with this.
        """
        if not self._observations:
            raise UsageError(
                "EP506",
                "metrics.get is for a batch, once detect(..., metrics=metrics) was called",
                hint="of a stream: metrics.read(query.lastProgress.observedMetrics)",
            )
        found: dict[str, Any] = {}
        for each in self._observations:
            found |= _observed(each)
        return self._counts(found)

    def read(self, observed: Mapping[str, Any]) -> Counts:
        """The counts in ``observedMetrics`` of a stream's progress, whose values are rows or dicts."""
        found: dict[str, Any] = {}
        for part in ("events", "answers"):
            row = observed.get(f"{self.name}.{part}")
            if row is not None:
                found |= row.asDict() if hasattr(row, "asDict") else dict(row)
        return self._counts(found)

    def _observe(self, frame: DataFrame, part: str, columns: list[Any]) -> DataFrame:
        from pyspark.sql import Observation

        name = f"{self.name}.{part}"
        if frame.isStreaming:
            return frame.observe(name, *columns)
        observation = Observation(name)
        self._observations.append(observation)
        return frame.observe(observation, *columns)

    def _counts(self, found: Mapping[str, Any]) -> Counts:
        events, taken = found.get("events") or 0, found.get("needed", found.get("taken")) or 0
        queries = {
            name: QueryCounts(found.get(f"matches of {name}") or 0, found.get(f"goals of {name}") or 0)
            for name in self._queries
        }
        return Counts(events, max(0, events - taken), found.get("late") or 0, queries)


def _observed(observation: Observation) -> dict[str, Any]:
    """The row of an observation; nothing where Spark knew without a look that there are no rows."""
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

    try:
        return observation.get
    except Py4JJavaError as error:
        if "toPyRow" not in str(error):  # that of an observation that was left out of the plan
            raise
        return {}
