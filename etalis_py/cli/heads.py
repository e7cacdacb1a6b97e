"""What the engines of the command line, here and on Spark, say alike."""

from __future__ import annotations

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.results import QueryHead

__all__ = ["head_of", "late_text"]


def head_of(query: CompiledQuery) -> QueryHead:
    """What the writers of results know of a query before its first answer."""
    return QueryHead(query.name, query.form, query.variables, query.prefixes)


def late_text(count: int) -> str:
    """How many elements were too late.

    >>> late_text(1)
    '1 element came too late and was dropped'
    """
    if count == 1:
        return "1 element came too late and was dropped"
    return f"{count:,} elements came too late and were dropped"
