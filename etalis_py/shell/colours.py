"""Colours of what is typed: a small lexer for EP-SPARQL, Prolog questions and commands."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.styles import Style

from etalis_py.compiler.parse.grammar_table import grammar_words

__all__ = ["STYLE", "StatementLexer"]

STYLE: Final = Style.from_dict(
    {
        "keyword": "ansimagenta bold", "variable": "ansicyan", "iri": "ansigreen", "text": "ansiyellow",
        "comment": "ansibrightblack", "command": "ansiblue bold", "number": "ansired", "prompt": "bold",
    }
)  # fmt: skip

_token = re.compile(
    r"(?P<comment>(?:^|(?<=\s))#[^\n]*)"
    r"|(?P<command>^\s*:[A-Za-z]\w*|^\s*\?-)"
    r"|(?P<iri><[^<>\s]*>|[A-Za-z][\w.\-]*:[\w.\-]*|(?<=\s):[\w.\-]+)"
    r"|(?P<variable>[?$]\w+)"
    r"|(?P<text>\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?)"
    r"|(?P<number>\b\d[\d.]*\b)"
    r"|(?P<word>\w+)"
)


class StatementLexer(Lexer):
    """Tells prompt_toolkit the style of each piece of a line."""

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        """A function from a line's number to its pieces."""
        lines = document.lines
        is_question = document.text.lstrip().startswith("?-")

        def pieces(number: int) -> StyleAndTextTuples:
            return _pieces(lines[number], is_question=is_question) if number < len(lines) else []

        return pieces


def _pieces(line: str, *, is_question: bool) -> StyleAndTextTuples:
    found: StyleAndTextTuples = []
    place = 0
    for match in _token.finditer(line):
        if match.start() > place:
            found.append(("", line[place : match.start()]))
        kind = match.lastgroup or ""
        if kind == "word":
            kind = _kind_of_word(match[0], is_question=is_question)
        found.append((f"class:{kind}" if kind else "", match[0]))
        place = match.end()
    found.append(("", line[place:]))
    return found


def _kind_of_word(word: str, *, is_question: bool) -> str:
    if is_question:
        return "variable" if word[0].isupper() or word[0] == "_" else ""
    return "keyword" if word.upper() in grammar_words() else ""
