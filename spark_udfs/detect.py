"""``detect``: EP-SPARQL over a DataFrame of events."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal
from uuid import uuid4

from typing_extensions import Unpack

from etalis_py.core.column_types import column_types
from etalis_py.core.errors import UsageError
from etalis_py.core.times import TimeUnit
from etalis_py.engine.option_values import FileNames, check_time_unit
from etalis_py.engine.options import EngineOptions, ProgramKeywords, takes_options
from etalis_py.spark_udfs.execution.answers import StructForm, spark_schema
from etalis_py.spark_udfs.execution.metrics import Metrics
from etalis_py.spark_udfs.planning.arguments import (
    check_columns,
    check_events,
    check_metrics,
    check_options,
    query_texts,
)
from etalis_py.spark_udfs.planning.dealing import PlannedProgram, plan_program
from etalis_py.spark_udfs.planning.events import normalized, together
from etalis_py.spark_udfs.planning.mapped import mapped
from etalis_py.spark_udfs.planning.program import Program, QuerySource, absolute_paths
from etalis_py.spark_udfs.planning.stages import run_stages
from etalis_py.spark_udfs.session.interpreter import check_workers
from etalis_py.streams.mapping.mapped_tables import MapFile, mapping_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from etalis_py.compiler.compile import CompiledQuery

__all__ = ["answer_form", "detect", "warn_of_one_part"]

_log = logging.getLogger(__name__)


@takes_options(ProgramKeywords)
def detect(
    events: DataFrame | Mapping[str, DataFrame],
    query: str | Mapping[str, str],
    *,
    background: FileNames = (),
    partitions: int | None = None,
    columns: Mapping[str, str] = MappingProxyType({}),
    metrics: Metrics | None = None,
    on_late: Literal["error", "drop"] | None = None,
    buckets: int | None = None,
    time_unit: TimeUnit | None = None,
    map: MapFile | None = None,  # noqa: A002 - the word of the command line
    **options: Unpack[ProgramKeywords],
) -> DataFrame:
    """Run a query, or several by name, over a DataFrame of events, batch or streaming.

    The events of a batch may be in any order: Spark sorts them, so none is late. They are dealt out by the
    join key of the program, and events that no pattern can match are left out unread. A program without one
    join key throughout is cut into stages, or runs on slices of time where a window bounds how far back its
    answers look (docs/spark-planning.md); what has neither runs in a single partition, with a warning that
    names the operators in the way. A stream has stages, too, but no slices of time.

    A streaming DataFrame has a watermark: an answer is given when the watermark has passed its end, and rows
    that come later than that are late (docs/spark-streaming.md).

    Args:
        events: columns ``start``, ``end`` (optional, = start), ``s``, ``p``, ``o``; terms in N-Triples text,
            times as timestamps or integer microseconds since the epoch, UTC. Where queries ask for them, also
            ``stream`` and ``graph`` (optional). Of a batch also DataFrames by the IRIs of their streams.
        query: EP-SPARQL text, or texts by query name.
        background: a file of background knowledge, or several. The driver reads them, those of ``graphs`` and
            ``rules`` at once; a worker compiles them, and all get what came of it, so no other machine needs
            the files. Each worker's machine needs etalis_py with SWI-Prolog of one version.
        partitions: into how many parts the events of a batch are dealt out; Spark's default where it is None.
        columns: variables whose columns are to hold plain values of a type, ``{"price": "double"}``: boolean,
            tinyint, smallint, int, bigint, float, double, decimal(precision, scale), string, timestamp, date
            or interval day to second. A value that does not fit is null.
        metrics: counts events, matches and goals: of a batch in the first action on the answers.
        on_late: of a stream, what becomes of late rows: ``"error"`` (the default) or ``"drop"``.
        buckets: of a stream, into how many buckets its keys are put (32) in each stage, for the life of its
            checkpoint. No more tasks than this can work at a time.
        time_unit: what times count since 1970 where they are numbers: ``"s"``, ``"ms"`` or ``"us"``, which is
            the default; of seconds and milliseconds the columns may have decimals.
        map: of a batch, a file in YARRRML, if the columns have other names (docs/data.md); of a stream see
            `mapped`.
        **options: as of an `Engine`. Limits hold in each part of the events, that of memory for a worker's
            Python process. Functions are sent to the workers as Spark sends those of its own: what they
            import must be there.

    Returns:
        A DataFrame with ``query``, ``start`` and ``end`` (timestamps, to the microsecond), a column of terms
        ``struct(type, value, datatype, lang)`` for each variable (null: unbound), and ``triples`` for
        CONSTRUCT. A variable that is called as one of the other columns gets an underscore before its name.
        It has no order; sort it by ``end``. It is lazy: an error of the engine shows in an action on it, as
        Spark's exception with the error in its text, or as the error itself within ``project_errors()``. That
        of a stream has also ``watermark``, the one at which an answer was decided.

    Raises:
        QueryError: the query cannot be used.
        DataError: EP42x, EP44x background or rules cannot be read; EP431 to EP435 for ``map``.
        UsageError: EP504 columns that do not fit, EP505 a value that an argument cannot have, EP506 an
            option that is not for this kind of DataFrame, EP509 a column that there cannot be, EP510
            values that are not functions, EP58x a stream that lacks something.
        RunTimeError: EP612, EP613 the workers' Python is not one that can run this.

    >>> from etalis_py.spark_udfs import detect, local_session
    >>> spark = local_session("example")
    >>> number = '"{}"^^<http://www.w3.org/2001/XMLSchema#integer>'.format
    >>> rows = [(1, "<urn:a>", "<urn:price>", number(5)), (2, "<urn:a>", "<urn:price>", number(7))]
    >>> events = spark.createDataFrame(rows, "start long, s string, p string, o string")
    >>> rises = detect(events, '''
    ...     SELECT ?share ?high { { ?share <urn:price> ?low } SEQ { ?share <urn:price> ?high }
    ...                           FILTER (?high > ?low) }''', columns={"high": "double"})
    >>> rises.select("share.value", "high", "end").show(truncate=False)
    +-----+----+--------------------------+
    |value|high|end                       |
    +-----+----+--------------------------+
    |urn:a|7.0 |1970-01-01 00:00:00.000002|
    +-----+----+--------------------------+
    <BLANKLINE>
    """
    if map is not None:
        events, time_unit = _mapped(events, map, time_unit), None
    if isinstance(events, Mapping):
        events, time_unit = together(events, time_unit or "us"), None
    check_events(events)
    check_metrics(metrics)
    check_columns(columns)
    sources = tuple(QuerySource(name, text) for name, text in query_texts(query).items())
    given = replace(EngineOptions.of(background, **options), blank_node_prefix=f"b{uuid4().hex[:8]}x")
    program = Program(sources, absolute_paths(given))
    check_time_unit(time_unit)
    check_options(events, partitions=partitions, on_late=on_late, buckets=buckets)
    check_workers(events.sparkSession)
    checked = normalized(events, time_unit or "us")
    planned = plan_program(events.sparkSession, program, endless=events.isStreaming)
    if planned.asks_places:
        checked = normalized(events, time_unit or "us", places=True)
    form, schema = answer_form(planned.compiled, columns)
    if events.isStreaming:
        from etalis_py.spark_udfs.streaming import as_a_stream_runs_it, detect_stream

        planned = as_a_stream_runs_it(planned, buckets)
        warn_of_one_part(planned)
        late = on_late or "error"
        return detect_stream(events, planned, form, schema, buckets=buckets, on_late=late, metrics=metrics)
    warn_of_one_part(planned)
    answers = run_stages(checked, planned, form, schema, partitions=partitions, metrics=metrics)
    merged = planned.merge
    return _merged(answers, merged, all_of_them=len(merged) == len(planned.compiled))


def _mapped(
    events: DataFrame | Mapping[str, DataFrame], mapping: MapFile, unit: TimeUnit | None
) -> DataFrame | dict[str, DataFrame]:
    """The events of rows, or those of several streams.

    Raises:
        UsageError: EP506, a stream of Spark, which has a watermark on a column that is not there any more.
    """
    if isinstance(events, Mapping):
        said = mapping_of(mapping)
        made = {name: mapped(each, said, time_unit=unit) for name, each in events.items()}
        if any(part.stream for part in said.parts):
            return made  # which is refused: the streams have names already
        return {name: each.drop("stream") for name, each in made.items()}
    check_events(events)
    if events.isStreaming:
        hint = 'detect(mapped(events, "readings.yml").withWatermark("end", "10 seconds"), query)'
        raise UsageError("EP506", "map is for batches: the watermark of a stream comes after it", hint=hint)
    return mapped(events, mapping, time_unit=unit)


def answer_form(compiled: Sequence[CompiledQuery], columns: Mapping[str, str]) -> tuple[StructForm, str]:
    """The columns of the answers, and their schema as Spark writes it.

    Raises:
        UsageError: EP509, of ``columns`` a variable or a type is not known.
    """
    selected = (each.variables for each in compiled if each.form == "select")
    variables = tuple(dict.fromkeys(name for each in selected for name in each))
    types = column_types(columns, variables)
    return StructForm(variables, types), spark_schema(variables, types)


def warn_of_one_part(planned: PlannedProgram) -> None:
    """Say what keeps a program, or a stage of it, in one partition."""
    what = "does all the work of its stage" if len(planned.stages) > 1 else "does all the work"
    for line in planned.obstacles:
        _log.warning("no common join key, so one partition %s: %s", what, line)


def _merged(answers: DataFrame, names: frozenset[str], *, all_of_them: bool) -> DataFrame:
    """Make equal answers of different parts one, for the queries that need it."""
    if not names:
        return answers
    if all_of_them:
        return answers.dropDuplicates()
    from pyspark.sql import functions as f

    # A number keeps the answers of other queries apart. Two DataFrames would run the engine twice.
    number = f.when(~f.col("query").isin(sorted(names)), f.monotonically_increasing_id())
    return answers.withColumn("number of etalis_py", number).dropDuplicates().drop("number of etalis_py")
