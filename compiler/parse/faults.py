"""How the stages of the parser say no: they know the span, and the parser adds text and source."""

from __future__ import annotations

from etalis_py.compiler.spans import Span, place_of
from etalis_py.core.errors import QuerySyntaxError

__all__ = ["Fault"]


class Fault(Exception):  # noqa: N818 - the error is what the user gets
    """Something wrong at a span of the query text. Never leaves ``parser.py``."""

    def __init__(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.span = span
        self.hint = hint

    def error(self, text: str, source: str | None) -> QuerySyntaxError:
        """What the user gets, with line, column and excerpt."""
        return QuerySyntaxError(
            self.code, self.message, place=place_of(text, self.span, source), hint=self.hint
        )
