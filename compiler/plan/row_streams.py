"""The stream that REGISTER names for a SELECT: its answers are rows, so no query finds triples in it."""

from __future__ import annotations

from collections.abc import Mapping

from etalis_py.compiler.algebra.algebra import Constant
from etalis_py.compiler.plan.own_nodes import own_nodes
from etalis_py.compiler.plan.plan import QueryPlan, Scan
from etalis_py.compiler.refusals import QueryText

__all__ = ["refuse_streams_of_rows"]


def refuse_streams_of_rows(plan: QueryPlan, text: QueryText, of_rows: Mapping[str, str]) -> None:
    """``of_rows`` are the names of the queries that answer with rows, by their streams.

    Raises:
        CompileError: EP223, a pattern of the plan reads one of these.
    """
    for node in own_nodes(plan):
        if not isinstance(node, Scan) or node.pattern.place is None:
            continue
        stream = node.pattern.place.stream
        name = stream.value if isinstance(stream, Constant) else None
        if isinstance(name, str) and name in of_rows:
            raise text.error(
                "EP223",
                f"no triple comes from <{name}>: {of_rows[name]} answers with rows",
                node.pattern.span,
                hint="write CONSTRUCT in the place of its SELECT",
            )
