"""Formats a text of EP-SPARQL."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import lark
from lark import Token, Tree

from etalis_py.compiler.format.documents import Document, Line, Row, printed
from etalis_py.compiler.format.layout import Layout
from etalis_py.compiler.format.words import Text, read_text
from etalis_py.compiler.parse.escapes import decode_codepoints
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.grammar_table import GRAMMAR, load_parser
from etalis_py.compiler.parse.parser import parse_program
from etalis_py.compiler.parse.reading import read_tokens
from etalis_py.compiler.parse.syntax_walk import SPLIT
from etalis_py.compiler.spans import Span

__all__ = ["WIDTH", "format_text"]

WIDTH: Final = 100
"""Characters of a line, where that is possible."""
_MARK: Final = ";"


def format_text(text: str, source: str | None = None) -> str:
    r"""The text in our style; its tokens and comments stay, in their order, but for the case of keywords.

    A text that is formatted already comes back as it is. Lines end as they do in the text.

    >>> print(format_text("select ?x{?x a <urn:Storm>}  # all of them"))
    SELECT ?x { ?x a <urn:Storm> }  # all of them
    <BLANKLINE>

    Raises:
        QuerySyntaxError: EP101 to EP109, the text is not EP-SPARQL, or too deeply nested.
    """
    try:
        formatted = _formatted(text)
    except Fault as fault:
        parse_program(text, source)  # which reports what is wrong first
        raise fault.error(text, source) from None
    except RecursionError:
        parse_program(text, source)  # which refuses most of what is nested so deeply, but not brackets
        message = "nested too deeply to be formatted"
        raise Fault("EP107", message, Span(0, 1), SPLIT).error(text, source) from None
    if 0 < text.count("\n") == text.count("\r\n"):
        formatted = re.sub(r"(?<!\r)\n", "\r\n", formatted)
    if _read(formatted).content != _read(text).content:
        raise RuntimeError("a text would have other words when it is formatted")
    return formatted


def _formatted(text: str) -> str:
    read = _read(text)
    layout = Layout(read, text)
    parts: list[Document] = []
    last: Token | None = None
    for tokens in read.parts or [[]]:
        is_mark = tokens == [_MARK]
        is_second = is_mark and last is not None and last == _MARK and last.end_pos == tokens[0].start_pos
        if parts and not is_second:
            parts.append(Line(None))
        tree = tokens[0] if is_mark else read_tokens(_parser(), tokens, text)
        assert isinstance(tree, (Token, Tree))
        parts.append(layout.of(tree))
        last = tokens[-1]
    return printed(Row((*parts, read.words[len(text)], Line(None))), WIDTH)


def _read(text: str) -> Text:
    return read_text(text, decode_codepoints(text))


@lru_cache(maxsize=1)
def _parser() -> lark.Lark:
    """The parser of the grammar, whose result is the tree as it is read."""
    return load_parser(GRAMMAR.read_text(encoding="utf-8"), "query", None)
