"""``# etalis: ignore EW08``: what a query says of its own warnings.

Behind something the comment is for the warnings of its line; on a line of its own it is for the whole text.
Without a code it is for all warnings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from etalis_py.compiler.lint.findings import Finding
from etalis_py.compiler.spans import Span
from etalis_py.core.error_codes import WARNING_CODES
from etalis_py.core.value_class import value_class

__all__ = ["Ignored"]

_COMMENT: Final = re.compile(r"^(?P<before>.*?)#\s*etalis:\s*ignore\b(?P<codes>[^\r\n]*)", re.MULTILINE)
_CODE: Final = re.compile(r"[\w-]+")


@value_class
class _Comment:
    line: int | None
    codes: frozenset[str]
    span: Span


class Ignored:
    """The comments of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._comments = tuple(self._found(text)) if "etalis:" in text else ()

    def _found(self, text: str) -> Iterator[_Comment]:
        for found in _COMMENT.finditer(text):
            line = text.count("\n", 0, found.start()) + 1 if found["before"].strip() else None
            span = Span(found.start("codes"), max(found.end("codes"), found.start("codes") + 1))
            yield _Comment(line, frozenset(_CODE.findall(found["codes"])), span)

    def covers(self, finding: Finding) -> bool:
        """Whether a comment is for this finding."""
        if not self._comments:
            return False
        line = self._text.count("\n", 0, finding.span.start) + 1
        return any(
            each.line in (None, line) and (not each.codes or finding.code in each.codes)
            for each in self._comments
        )

    def unknown(self) -> Iterator[Finding]:
        """EW11: comments with what is not a code of a warning."""
        for each in self._comments:
            for code in sorted(each.codes - WARNING_CODES.keys()):
                hint = "list only codes after it, as in: # etalis: ignore EW08, EW30"
                yield Finding("EW11", f"there is no warning {code}", each.span, hint)
