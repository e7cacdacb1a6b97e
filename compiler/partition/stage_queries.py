"""The units of a program as queries that an engine takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.partition.stages import Stage

__all__ = ["stage_queries"]


def stage_queries(stage: Stage, compiled: Sequence[CompiledQuery]) -> list[CompiledQuery]:
    """The queries of one stage.

    The last unit of a query has the query's name. Any other one is a SELECT of all its columns, named by the
    predicate that its solutions get.
    """
    by_number = {each.plan.number: each for each in compiled}
    queries = []
    for unit in stage.units:
        whole = by_number[unit.query]
        if unit.stream is None:
            queries.append(replace(whole, plan=unit.plan, generated=None))
        else:
            root = unit.plan.root
            meaning = algebra.SelectQuery(algebra.Unit(), root.schema.columns, span=root.span)
            part = replace(whole, name=unit.stream, meaning=meaning, optimized=meaning)
            queries.append(replace(part, plan=unit.plan, generated=None, orders=()))
    return queries
