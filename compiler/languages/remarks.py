"""What a front end read although it is odd: the linter shows it as a warning."""

from __future__ import annotations

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class

__all__ = ["ReadQuery", "Remark"]


@value_class
class Remark:
    """The code of a warning (EW4x), what it says, and where."""

    code: str
    message: str
    span: Span
    hint: str | None = None


@value_class
class ReadQuery:
    """A query as a syntax tree of EP-SPARQL, and what was odd in its text."""

    query: syntax.Query
    remarks: tuple[Remark, ...] = ()
    name: str | None = None
    """How the text names it, if it does."""
