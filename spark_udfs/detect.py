"""``detect``: EP-SPARQL over a DataFrame of events."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from etalis_py.compiler.compile import CompiledQuery, compile_program, order_settlements
from etalis_py.compiler.join_key import KeyPlan, Obstacle, find_key
from etalis_py.compiler.strata import unifies
from etalis_py.compiler.triggers import plain_triggers
from etalis_py.spark_udfs.answers import spark_schema
from etalis_py.spark_udfs.job import Job
from etalis_py.spark_udfs.routing import Routes, find_routes, route_column
from etalis_py.spark_udfs.worker import partition_function

from etalis_py.errors import CompileError, UsageError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["detect", "plan_program"]

logger = logging.getLogger(__name__)


def detect(
    events: DataFrame,
    query: str | Mapping[str, str],
    *,
    background: Sequence[str] = (),
    rules: Sequence[str] = (),
    entailment: Literal["rdfs", "none"] = "rdfs",
    max_derivations: int = 100_000,
    partitions: int | None = None,
) -> DataFrame:
    """Run a query, or several by name, over a batch DataFrame of events.

    Args:
        events: columns ``start``, ``end`` (optional, = start), ``s``, ``p``, ``o``; terms in N-Triples text,
            times as timestamps or integer microseconds since the epoch, UTC.
        query: EP-SPARQL text, or texts by query name.
        background: files of background knowledge, at the same path on every worker.
        rules: Prolog files with predicates that the queries call.
        entailment: ``"rdfs"`` or ``"none"``.
        max_derivations: triples that CONSTRUCT queries may add within one instant.
        partitions: into how many parts the events are dealt out; Spark's default where it is None.

    Returns:
        A DataFrame with ``query``, ``start`` and ``end`` (microseconds, UTC), a column of terms
        ``struct(type, value, datatype, lang)`` for each variable, and ``triples`` for CONSTRUCT.

    A program without one join key throughout runs in a single partition, with a warning that names the
    operators in the way.

    Raises:
        QueryError: the query cannot be used.
        UsageError: EP505 a streaming DataFrame, EP504 columns that do not fit.
    """
    if events.isStreaming:
        raise UsageError(
            "EP505",
            "detect cannot run a streaming DataFrame yet",
            hint="use a batch DataFrame, or the engine itself for a stream",
        )
    texts = {"query": query} if isinstance(query, str) else dict(query)
    compiled = _compile(texts)
    key, routes = plan_program(compiled)
    variables = tuple(dict.fromkeys(name for each in compiled for name in each.variables))
    job = Job(
        tuple((name, text, None) for name, text in texts.items()),
        variables,
        tuple(background),
        tuple(rules),
        entailment,
        max_derivations,
    )
    dealt = _deal_out(_normalized(events), key, routes, compiled, partitions)
    answers = dealt.mapInArrow(partition_function(job), spark_schema(variables))
    return _merged(answers, key, compiled)


def _compile(texts: Mapping[str, str]) -> list[CompiledQuery]:
    compiled: list[CompiledQuery] = []
    for name, text in texts.items():
        compiled += compile_program(text, name=name, first_number=len(compiled) + 1)
    names = [each.name for each in compiled]
    if len(set(names)) < len(names):
        raise CompileError("EP206", "two queries have one name")
    order_settlements(compiled, unifies)
    return compiled


def plan_program(compiled: Sequence[CompiledQuery]) -> tuple[KeyPlan, Routes]:
    """The join key of a program and the way its events are dealt out."""
    plans = [each.plan for each in compiled]
    key = find_key(plans, unifies)
    if not key.is_partitioned:
        return key, Routes({})
    routes = find_routes(plans, key, plain_triggers)
    if routes.conflict is not None:
        return KeyPlan(obstacles=(routes.conflict,)), Routes({})
    return key, routes


def _normalized(events: DataFrame) -> DataFrame:
    """The columns the engine takes, times as integer microseconds."""
    missing = [name for name in ("start", "s", "p", "o") if name not in events.columns]
    if missing:
        raise UsageError("EP504", f"the events lack the columns {missing}")
    from pyspark.sql import functions as f

    start = _microseconds(events, "start")
    end = f.coalesce(_microseconds(events, "end"), start) if "end" in events.columns else start
    return events.select(start.alias("start"), end.alias("end"), "s", "p", "o")


def _microseconds(events: DataFrame, column: str) -> Column:
    from pyspark.sql import functions as f
    from pyspark.sql.types import IntegralType, TimestampNTZType, TimestampType

    kind = events.schema[column].dataType
    if isinstance(kind, IntegralType):
        return f.col(column).cast("long")
    if isinstance(kind, TimestampType):
        return f.unix_micros(f.col(column))
    if isinstance(kind, TimestampNTZType):
        return f.expr(f"timestampdiff(MICROSECOND, timestamp_ntz'1970-01-01 00:00:00', `{column}`)")
    raise UsageError(
        "EP504",
        f"the column {column!r} has the type {kind.simpleString()}",
        hint="times are timestamps or whole microseconds since 1970",
    )


def _deal_out(
    events: DataFrame,
    key: KeyPlan,
    routes: Routes,
    compiled: Sequence[CompiledQuery],
    partitions: int | None,
) -> DataFrame:
    from pyspark.sql import functions as f

    if not key.is_partitioned:
        for line in explain_obstacles(key.obstacles, compiled):
            logger.warning("no common join key, so one partition does all the work: %s", line)
        return events.coalesce(1).sortWithinPartitions("end")
    column = route_column(routes)
    keyed = events.withColumn("key", column).where(f.col("key").isNotNull())
    dealt = keyed.repartition("key") if partitions is None else keyed.repartition(partitions, "key")
    return dealt.sortWithinPartitions("end").drop("key")


def explain_obstacles(obstacles: Iterable[Obstacle], compiled: Sequence[CompiledQuery]) -> list[str]:
    """One line for each operator in the way: query, line, and what is the matter."""
    by_number = {each.plan.number: each for each in compiled}
    lines = []
    for each in obstacles:
        query = by_number[each.query]
        lines.append(f"{query.name}, line {query.text.line_of(each.span)}: {each.reason}")
    return lines


def _merged(answers: DataFrame, key: KeyPlan, compiled: Sequence[CompiledQuery]) -> DataFrame:
    """Make equal answers of different parts one, for the queries that need it."""
    from pyspark.sql import functions as f

    names = [each.name for each in compiled if each.plan.number in key.merge]
    if not names:
        return answers
    once = answers.where(f.col("query").isin(names)).dropDuplicates()
    return answers.where(~f.col("query").isin(names)).unionByName(once)
