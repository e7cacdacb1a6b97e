"""Windowed queries (RSP-QL, C-SPARQL, CQELS): which ones are, and that this version cannot run them."""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax_walk import walk
from etalis_py.compiler.refusals import QueryText

__all__ = ["refuse_windowed"]


def refuse_windowed(query: syntax.Query, text: QueryText) -> None:
    """Refuse a query that declares windows on streams.

    Raises:
        CompileError: EP201, at the first thing that makes it one.
    """
    for node in _signs(query):
        hint = "bound a match by WITHIN, an aggregate by WINDOW [RANGE ...] at the end of its SELECT"
        raise text.unsupported("a query with windows on streams", node.span, hint=hint)


def _signs(query: syntax.Query) -> Iterator[syntax.Node]:
    if query.registration is not None:
        yield query.registration
    yield from query.form.windows
    if isinstance(query.form, syntax.Select | syntax.Construct) and query.form.to_stream is not None:
        yield query.form
    for node in walk(query.form):
        if (
            isinstance(node, syntax.WindowPattern)
            or (isinstance(node, syntax.StreamPattern) and node.extent is not None)
            or (isinstance(node, syntax.BuiltInCall) and node.name in ("GETWINDOWSTART", "GETWINDOWEND"))
        ):
            yield node
