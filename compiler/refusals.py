"""How a stage of the compiler says no: an EP2xx error at its place in the query text."""

from __future__ import annotations

from etalis_py.compiler.spans import Span, place_of, shorten
from etalis_py.core.errors import CompileError
from etalis_py.core.value_class import value_class

__all__ = ["QueryText"]


@value_class
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
        hint = hint or "the section Limits of the README lists what this version cannot run"
        return self.error("EP201", f"{what} cannot be run by this version", span, hint=hint)

    def written(self, span: Span) -> str:
        """What stands there, on one line, not too long, and without brackets around all of it."""
        text = " ".join(self.text[span.start : span.end].split())
        inner = text[1:-1]
        is_bracketed = text[:1] == "(" and text[-1:] == ")" and inner.find("(") <= inner.find(")")
        return shorten(inner.strip() if is_bracketed else text, 60)

    def line_of(self, span: Span) -> int:
        """The line, counted from 1, on which ``span`` starts."""
        return self.text.count("\n", 0, span.start) + 1
