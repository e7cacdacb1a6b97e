"""What a front end read although it is odd: the linter shows it as a warning."""

from __future__ import annotations

from dataclasses import dataclass

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.spans import Span

__all__ = ["ReadQuery", "Remark"]


@dataclass(frozen=True, slots=True)
class Remark:
    """The code of a warning (EW4x), what it says, and where."""

    code: str
    message: str
    span: Span
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """A query as a syntax tree of EP-SPARQL, and what was odd in its text."""

    query: syntax.Query
    remarks: tuple[Remark, ...] = ()
    name: str | None = None
    """How the text names it, if it does."""
