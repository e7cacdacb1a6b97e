"""How a stage of the compiler says no: an EP2xx error at its place in the query text."""

from __future__ import annotations

from dataclasses import dataclass

from etalis_py.compiler.spans import Span, place_of
from etalis_py.errors import CompileError

__all__ = ["QueryText"]


@dataclass(frozen=True, slots=True)
class QueryText:
    """The text a query was written in, so that every stage can point into it; ``base`` is its base IRI."""

    text: str
    source: str | None = None
    base: str | None = None

    def error(self, code: str, message: str, span: Span, *, hint: str | None = None) -> CompileError:
        """The error to raise for what stands at ``span``."""
        return CompileError(code, message, place=place_of(self.text, span, self.source), hint=hint)

    def unsupported(self, what: str, span: Span, *, hint: str | None = None) -> CompileError:
        """The error for something that parses but cannot be run."""
        hint = hint or "the README's Limits name all that this version cannot run"
        return self.error("EP201", f"{what} cannot be run by this version", span, hint=hint)

    def line_of(self, span: Span) -> int:
        """The line, counted from 1, on which ``span`` starts."""
        return self.text.count("\n", 0, span.start) + 1
