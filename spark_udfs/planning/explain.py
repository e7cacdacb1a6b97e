"""The plan that Spark makes of a program, without any events."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.spark_udfs.execution.text_answers import TEXT_SCHEMA, TextForm
from etalis_py.spark_udfs.planning.dealing import planned_here
from etalis_py.spark_udfs.planning.program import Program
from etalis_py.spark_udfs.planning.stages import run_stages
from etalis_py.spark_udfs.session.session import borrowed_session

if TYPE_CHECKING:
    from etalis_py.engine.knowledge import Knowledge

__all__ = ["spark_plan"]


def spark_plan(
    compiled: Sequence[CompiledQuery], states: Sequence[CompiledQuery], knowledge: Knowledge
) -> str:
    """The operators of the physical plan of ``etalis run --engine spark``, as Spark draws them.

    Raises:
        SetupError, RunTimeError: as `local_session`.
    """
    planned = planned_here(Program(()), compiled, states, knowledge)
    with borrowed_session("etalis explain", Path(os.devnull)) as session:
        events = session.createDataFrame([], "start long, end long, s string, p string, o string")
        answers = run_stages(events, planned, TextForm(), TEXT_SCHEMA)
        execution = answers._jdf.queryExecution()  # noqa: SLF001 - Spark prints it, and does not give it
        jvm = session.sparkContext._jvm  # noqa: SLF001
        assert jvm is not None
        text: str = jvm.org.apache.spark.sql.api.python.PythonSQLUtils.explainString(execution, "formatted")
        tree, _, _details = text.strip().partition("\n\n")
        return tree
