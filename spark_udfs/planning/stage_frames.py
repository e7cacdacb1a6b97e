"""Stages as DataFrames: the rows between them, and by what they are dealt out; in batch and stream."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from etalis_py.compiler.partition.routes import Routes
from etalis_py.compiler.partition.stages import Stage
from etalis_py.spark_udfs.execution.stage_rows import ROW_SCHEMA
from etalis_py.spark_udfs.planning.routing import is_needed, key_of, one_text

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column
    from pyspark.sql.types import StructType

__all__ = ["needed_by_any", "reads_events", "row_key", "row_types"]


def reads_events(routes: Routes) -> bool:
    """Whether a stage takes events of the stream, and not only what earlier stages give."""
    return bool(routes.positions) or routes.other is not None


def needed_by_any(stages: Sequence[Stage]) -> Column:
    """Whether some of these stages takes an event."""
    from pyspark.sql import functions as f

    reading = [stage.key.routes for stage in stages if reads_events(stage.key.routes)]
    if not reading:
        return f.lit(False)
    needed = reduce(_either, map(is_needed, reading))
    return f.lit(True) if needed is None else needed


def _either(first: Column | None, second: Column | None) -> Column | None:
    """One of two conditions; None is always true."""
    return None if first is None or second is None else first | second


def row_key(stage: Stage, passed: Column) -> Column:
    """By what a row is dealt out: an event or a solution by its key, what is passed on by ``passed``."""
    from pyspark.sql import functions as f

    columns = stage.key.routes.columns
    solution = passed
    for count in sorted({len(each) for each in columns.values()}):
        own = [f"<{name}>" for name, each in columns.items() if len(each) == count]
        texts = [one_text("o", f"keys[{place}]") for place in range(count)]
        key = f.concat_ws(" ", *texts)
        solution = f.when(f.col("p").isin(own), key).otherwise(solution)
    triples = f.col("unit").isNull() & f.col("answer").isNull() | f.col("unit").isin(sorted(stage.triples))
    return f.when(triples, key_of(stage.key.routes)).otherwise(solution)


def row_types(schema: str) -> tuple[StructType, pa.DataType]:
    """The type of rows between stages, and that of the answers in them, whose columns ``schema`` tells."""
    from pyspark.sql.pandas.types import to_arrow_type
    from pyspark.sql.types import StructField, StructType

    answer, rows = StructType.fromDDL(schema), StructType.fromDDL(ROW_SCHEMA)
    assert isinstance(rows, StructType)
    return StructType([*rows.fields, StructField("answer", answer)]), to_arrow_type(answer, timezone="UTC")
