"""Places in a query text: spans on every node, and the excerpt with a caret that errors print.

Does not know the grammar; everything here works on any text.
"""

from __future__ import annotations

import unicodedata

from etalis_py.core.errors import Place
from etalis_py.core.value_class import value_class

__all__ = ["Span", "place_of", "shorten"]

EXCERPT_WIDTH = 100
"""A longer line is cut around the caret to this many characters."""


@value_class
class Span:
    """Characters ``start`` (included) to ``end`` (excluded) of the query text, counted from 0."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of the other.

        >>> Span(3, 5).to(Span(9, 12))
        Span(start=3, end=12)
        """
        return Span(self.start, max(self.end, other.end))


def place_of(text: str, span: Span, source: str | None = None) -> Place:
    r"""Line, column (both from 1, in characters) and the line with a caret under the span.

    >>> print(place_of("ASK {\n  ?s ?p\n}", Span(8, 10)).excerpt)
      ?s ?p
      ^^
    """
    start = min(span.start, len(text))
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    if line_end < 0:
        line_end = len(text)
    end = min(max(span.end, start + 1), max(line_end, start + 1))
    return Place(
        source=source,
        line=text.count("\n", 0, start) + 1,
        column=start - line_start + 1,
        excerpt=_excerpt(text[line_start:line_end].rstrip("\r"), start - line_start, end - line_start),
        length=end - start,
    )


def shorten(text: str, longest: int = 40) -> str:
    """The text, or its start with dots, so that a message stays readable.

    >>> shorten("abcdefgh", 6)
    'abc...'
    """
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _excerpt(line: str, start: int, end: int) -> str:
    """Two lines: the text, cut around the caret where it is long, and carets below ``start..end``."""
    before, after = "", ""
    if len(line) > EXCERPT_WIDTH:
        first = max(0, min(start - EXCERPT_WIDTH // 2, len(line) - EXCERPT_WIDTH))
        last = first + EXCERPT_WIDTH
        before = "..." if first > 0 else ""
        after = "..." if last < len(line) else ""
        line, start, end = line[first:last], start - first, min(end, last) - first
    shown = "".join(_printable(character) for character in line)
    margin = "".join(" " * _width(character) for character in line[:start])
    carets = sum(_width(character) for character in line[start:end]) or 1
    return f"{before}{shown}{after}\n{' ' * len(before)}{margin}{'^' * carets}"


def _printable(character: str) -> str:
    """A tab becomes a space, a control character its picture, so that the caret stays below its place."""
    if character == "\t":
        return " "
    if ord(character) < 0x20:
        return chr(0x2400 + ord(character))
    return character if unicodedata.category(character) not in ("Cc", "Cs", "Cf") else "\ufffd"


def _width(character: str) -> int:
    """Columns of a terminal that a character takes: 2 for most emoji and for East Asian, 0 if combining."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
