"""The words of a text: its tokens as they are to be written, with the comments around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from lark import Token

from etalis_py.compiler.format.documents import Comment, Word
from etalis_py.compiler.parse.escapes import DecodedText
from etalis_py.compiler.parse.grammar_table import grammar_words
from etalis_py.compiler.parse.reading import recorded, up_to_separator
from etalis_py.compiler.parse.spelling import spelled
from etalis_py.compiler.parse.tokens import tokenize
from etalis_py.core.value_class import value_class

__all__ = ["Text", "is_keyword", "read_text"]

_find_comments = re.compile(r"#[^\r\n]*").finditer
_count_lines = re.compile(r"\r\n|\r|\n").findall
_SEPARATED: Final = frozenset(".;,")
"""Comments before one of these go behind it."""


@dataclass(slots=True)
class Text:
    """What stands in a text, in its order."""

    parts: list[list[Token]] = field(default_factory=list)
    """Queries and the marks between them."""
    words: dict[int, Word] = field(default_factory=dict)
    """By where they start. The last, at the end of the text, is empty."""
    comments: list[str] = field(default_factory=list)

    def word(self, token: Token) -> Word:
        """A token as it is to be written."""
        assert token.start_pos is not None
        return self.words[token.start_pos]

    def set_word(self, token: Token, word: Word) -> None:
        """Write a token in another way."""
        assert token.start_pos is not None
        self.words[token.start_pos] = word

    @property
    def content(self) -> tuple[list[tuple[str, str]], list[str]]:
        """What must stay: tokens, however keywords are spelled, and comments."""
        tokens = [(each.type, _comparable(each)) for part in self.parts for each in part]
        return tokens, self.comments


@value_class
class _Gap:
    """Blanks and comments between two tokens."""

    comments: tuple[Comment, ...] = ()
    is_behind: bool = False
    """Whether the first comment stands in the line of the token before."""
    is_apart: bool = False
    """Whether an empty line ends it."""


def read_text(text: str, decoded: DecodedText) -> Text:
    """The queries, words and comments of a text.

    Raises:
        Fault: EP104, EP105, a string that is none.
    """
    gaps: dict[int, _Gap] = {}

    def on_gap(start: int, end: int) -> None:
        gaps[decoded.offset(end)] = _gap(decoded.text[start:end], is_first=start == 0)

    read = Text()
    ends = [0]
    words = _Words(read, text)
    for part, is_query in _parts(tokenize(decoded, grammar_words(), on_gap=on_gap), text):
        read.parts.append(part)
        for token in part:
            assert token.start_pos is not None
            words.add(token, gaps.get(token.start_pos, _Gap()), is_query=is_query)
            ends.append(token.end_pos or 0)
    words.end(gaps.get(len(text), _Gap()) if ends[-1] < len(text) else _Gap())
    return read


def is_keyword(token: Token) -> bool:
    """Whether a token is a word of the language."""
    return grammar_words().get(token.upper()) == token.type and token[0].isalpha()


class _Words:
    """Gives each comment to the word it belongs to."""

    def __init__(self, read: Text, text: str) -> None:
        self._read = read
        self._text = text
        self._last: int | None = None
        self._waiting: list[Comment] = []
        self._behind = False

    def add(self, token: Token, gap: _Gap, *, is_query: bool) -> None:
        start, end = token.start_pos, token.end_pos
        assert start is not None
        self._wait(gap)
        separates = is_query and token in _SEPARATED and self._last is not None
        before = () if separates else self._settle()
        written = _written(token, self._text[start:end])
        self._read.words[start] = Word(written, gap.is_apart, before)
        self._last = start

    def end(self, gap: _Gap) -> None:
        self._wait(gap)
        self._read.words[len(self._text)] = Word("", before=self._settle())

    def _wait(self, gap: _Gap) -> None:
        self._read.comments += [each.text for each in gap.comments]
        if not self._waiting:
            self._behind = gap.is_behind
        self._waiting += gap.comments

    def _settle(self) -> tuple[Comment, ...]:
        """Put the comment that belongs to it behind the last word; the others stand before the next."""
        waiting, self._waiting = self._waiting, []
        if waiting and self._behind and self._last is not None:
            last = self._read.words[self._last]
            self._read.words[self._last] = Word(last.text, last.apart, last.before, waiting.pop(0).text)
        return tuple(waiting)


def _parts(tokens: Iterator[Token], text: str) -> Iterator[tuple[list[Token], bool]]:
    """The tokens of each query, and those that separate queries."""
    for first in tokens:
        if first == ";":
            yield [first], False
            continue
        read: list[Token] = []
        query = list(up_to_separator(recorded(chain([first], tokens), read), text))
        yield query, True
        if len(read) > len(query):
            yield [read[-1]], False


def _gap(skipped: str, *, is_first: bool) -> _Gap:
    comments: list[Comment] = []
    behind, place = False, 0
    for found in _find_comments(skipped):
        lines = len(_count_lines(skipped, place, found.start()))
        behind = behind or (not comments and not lines and not is_first)
        comments.append(Comment(found[0].rstrip(), lines > 1))
        place = found.end()
    return _Gap(tuple(comments), behind, len(_count_lines(skipped, place)) > 1)


def _written(token: Token, text: str) -> str:
    """A token as it is to be written."""
    if token.type == "NIL":
        return "()"
    if token.type == "ANON":
        return "[]"
    if is_keyword(token):
        return spelled(token)
    return text


def _comparable(token: Token) -> str:
    return (
        token.upper()
        if is_keyword(token)
        else "".join(token.split())
        if token.type in ("NIL", "ANON")
        else token
    )
