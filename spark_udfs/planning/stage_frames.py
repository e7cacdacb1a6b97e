"""Stages as DataFrames: the rows between them, and by what they are dealt out; in batch and stream."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Final

from etalis_py.compiler.partition.routes import Routes
from etalis_py.compiler.partition.stages import Stage
from etalis_py.compiler.plan.solution_scan import solution_stream
from etalis_py.core.vocabulary import XSD_STRING
from etalis_py.spark_udfs.execution.stage_rows import row_schema, term_columns_of
from etalis_py.spark_udfs.planning.routing import is_needed, key_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column
    from pyspark.sql.types import StructType

__all__ = ["needed_by_any", "reads_events", "row_key", "row_types"]

_TERM_TEXT: Final = f"""CASE
    WHEN TYPE IS NULL THEN if(left(TEXT, 2) = '_:', TEXT, concat('<', TEXT, '>'))
    WHEN TYPE = '{XSD_STRING}' THEN concat('"', TEXT, '"')
    WHEN left(TYPE, 1) = '@' THEN lower(concat('"', TEXT, '"', TYPE))
    ELSE concat('"', TEXT, '"^^<', TYPE, '>') END"""


def reads_events(routes: Routes) -> bool:
    """Whether a stage takes events of the stream, and not only what earlier stages give."""
    return bool(routes.positions) or routes.other is not None


def needed_by_any(stages: Sequence[Stage]) -> Column | None:
    """Whether some of these stages takes an event; None where all are taken."""
    from pyspark.sql import functions as f

    reading = [stage.key.routes for stage in stages if reads_events(stage.key.routes)]
    return reduce(_either, map(is_needed, reading)) if reading else f.lit(False)


def _either(first: Column | None, second: Column | None) -> Column | None:
    """One of two conditions; None is always true."""
    return None if first is None or second is None else first | second


def row_key(stage: Stage, passed: Column) -> Column:
    """By what a row is dealt out: an event or a solution by its key, what is passed on by ``passed``."""
    from pyspark.sql import functions as f

    columns = stage.key.routes.columns
    solution = passed
    for unit in sorted(stage.solutions):
        key = f.concat_ws(" ", *map(_term_text, columns.get(solution_stream(unit), ())))
        solution = f.when(f.col("unit") == unit, key).otherwise(solution)
    triples = f.col("unit").isNull() & f.col("answer").isNull() | f.col("unit").isin(sorted(stage.triples))
    return f.when(triples, key_of(stage.key.routes)).otherwise(solution)


def _term_text(place: int) -> Column:
    """A term of a row as `one_text` gives those of events."""
    from pyspark.sql import functions as f

    text, kind = term_columns_of(place)
    return f.expr(_TERM_TEXT.replace("TEXT", text).replace("TYPE", kind))


def row_types(answers: str | None, width: int, *, places: bool) -> tuple[StructType, pa.Schema]:
    """The columns of rows between stages with ``width`` terms, as Spark has them and as Arrow has them.

    With ``places`` events say where they are from. ``answers`` is the schema of the answers that are passed
    on. None: there are none. Then their column is a plain one, for Spark weighs each row that it sends to
    Python, and a column of structs is slow to weigh though it is empty.
    """
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_type
    from pyspark.sql.types import BooleanType, StructField, StructType

    answer = BooleanType() if answers is None else StructType.fromDDL(answers)
    rows = row_schema(width, to_arrow_type(answer, timezone="UTC"), places=places)
    own = from_arrow_schema(rows.remove(rows.get_field_index("answer")))
    return StructType([*own.fields, StructField("answer", answer)]), rows
