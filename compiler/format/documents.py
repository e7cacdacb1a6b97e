"""A small algebra of layouts, and the printer that finds where lines break.

After P. Wadler, *A prettier printer* (2003): a group stands on one line if it fits there, and otherwise all
lines that belong to it break. Comments are part of the words beside them: behind one a line always ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from typing_extensions import assert_never

from etalis_py.core.value_class import value_class

__all__ = ["Comment", "Comments", "Document", "Group", "Indent", "Line", "Row", "Space", "Word", "printed"]

STEP: Final = 2
"""Columns of one level."""
_OPENING: Final = frozenset("({[")
_CLOSING: Final = frozenset(")}]")


@value_class
class Comment:
    """A comment; ``apart``: an empty line stood before it."""

    text: str
    apart: bool


@value_class
class Word:
    """A token with the comments on the lines before it, and the one behind it."""

    text: str
    apart: bool = False
    """An empty line stood before it."""
    before: tuple[Comment, ...] = ()
    behind: str | None = None


@value_class
class Comments:
    """Comments on lines of their own."""

    comments: tuple[Comment, ...]


@value_class
class Space:
    """Blanks between two words of a line."""

    width: int = 1


@value_class
class Line:
    """An end of line; in a group on one line it is as many blanks as ``flat`` says. None: it always ends."""

    flat: int | None = 1


@value_class
class Row:
    """Parts one after another."""

    parts: tuple[Document, ...]


@value_class
class Indent:
    """A part whose lines begin further to the right."""

    part: Document
    levels: int = 1


@value_class
class Group:
    """A part on one line if that is possible, unless it is ``broken`` anyway."""

    part: Document
    broken: bool = False


Document: TypeAlias = Word | Comments | Space | Line | Row | Indent | Group
_Pending: TypeAlias = tuple[int, bool, Document]
"""A document still to be printed: its indentation, and whether its lines are blanks."""


def printed(document: Document, width: int) -> str:
    """The text of a document whose lines have ``width`` characters where that is possible."""
    printer = _Printer(width)
    printer.print(document)
    return printer.text


class _Printer:
    def __init__(self, width: int) -> None:
        self._width = width
        self._parts: list[str] = []
        self._column = 0
        self._blanks = 0
        self._at_start = True
        self._after_comment = False
        self._opened = True
        """Nothing stands before this place but an opening bracket, or it is the start of the text."""

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def print(self, document: Document) -> None:
        pending: list[_Pending] = [(0, False, document)]
        while pending:
            indent, flat, each = pending.pop()
            match each:
                case Word():
                    self._comments(each.before, indent)
                    self._word(each, indent)
                case Comments(comments=comments):
                    self._comments(comments, indent)
                case Space(width=blanks):
                    self._blanks += blanks
                case Line(flat=blanks) if flat and blanks is not None:
                    self._blanks += blanks
                case Line():
                    self._end_line()
                case Row(parts=parts):
                    pending += [(indent, flat, part) for part in reversed(parts)]
                case Indent(part=part, levels=levels):
                    pending.append((indent + levels * STEP, flat, part))
                case Group(part=part, broken=broken):
                    one_line = flat or (not broken and self._fits([*pending, (indent, True, part)]))
                    pending.append((indent, one_line, part))
                case _:
                    assert_never(each)

    def _word(self, word: Word, indent: int) -> None:
        if not word.text:
            return
        if self._after_comment:
            self._end_line()
        self._put(word.text, indent, apart=word.apart and word.text not in _CLOSING)
        self._opened = word.text in _OPENING
        if word.behind is not None:
            self._blanks = 2
            self._put(word.behind, indent, apart=False)
            self._after_comment = True

    def _comments(self, comments: Iterable[Comment], indent: int) -> None:
        for each in comments:
            if not self._at_start:
                self._end_line()
            self._put(each.text, indent, apart=each.apart)
            self._opened = False
            self._after_comment = True

    def _put(self, text: str, indent: int, *, apart: bool) -> None:
        if self._at_start:
            if apart and not self._opened:
                self._parts.append("\n")
            self._blanks = indent
        self._parts += (" " * self._blanks, text)
        _, end, last = text.rpartition("\n")  # of a long string
        self._column = len(last) if end else self._column + self._blanks + len(text)
        self._blanks = 0
        self._at_start = False

    def _end_line(self) -> None:
        if not self._at_start:
            self._parts.append("\n")
        self._column = self._blanks = 0
        self._at_start = True
        self._after_comment = False

    def _fits(self, pending: Sequence[_Pending]) -> bool:  # noqa: C901 - one branch for each document
        """Whether what comes next, up to the next end of line, still fits in the line."""
        left = self._width - self._column - self._blanks
        if self._at_start:
            left = self._width - pending[-1][0]
        rest = list(pending)
        while rest and left >= 0:
            indent, flat, each = rest.pop()
            match each:
                case Word(text=text, before=before, behind=behind):
                    if before:
                        return False
                    first, end, _ = text.partition("\n")
                    left -= len(first)
                    if end or behind is not None:
                        return left >= 0
                case Comments():
                    return False
                case Space(width=blanks):
                    left -= blanks
                case Line(flat=blanks):
                    if not flat or blanks is None:
                        return not flat
                    left -= blanks
                case Row(parts=parts):
                    rest += [(indent, flat, part) for part in reversed(parts)]
                case Indent(part=part):
                    rest.append((indent, flat, part))
                case Group(part=part, broken=broken):
                    if flat and broken:
                        return False
                    rest.append((indent, flat and not broken, part))
                case _:
                    assert_never(each)
        return left >= 0
