"""What can be told of a text that is being typed: its tokens, prefixes, variables, names, and queries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Final

from lark import Token

from etalis_py.compiler.parse.escapes import DecodedText
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.grammar_table import grammar_words, query_parser
from etalis_py.compiler.parse.names import KNOWN_PREFIXES
from etalis_py.compiler.parse.reading import terminals_after
from etalis_py.compiler.parse.tokens import tokenize
from etalis_py.compiler.spans import Span

__all__ = ["Declaration", "QueryPart", "QueryText", "span_of"]

_NAMES: Final = frozenset({"PNAME_LN", "PNAME_NS", "IRIREF"})
_HIDING: Final = frozenset({"MINUS", "EXISTS", "NOT"})
"""Before a group whose variables cannot be seen from outside."""
_FORMS: Final = frozenset({"SELECT", "CONSTRUCT", "ASK", "DESCRIBE"})
_DECLARING: Final = (
    re.compile(r"NAMED WINDOW"),
    re.compile(r"(?:CONSTRUCT|REGISTER) (?:STREAM|QUERY|[RID]STREAM)"),
    re.compile(r"EVENT ON"),
)
"""What stands before the name of a window, of a stream that a query makes, of one with events."""
_is_local = re.compile(r"\w(?:[\w-]|\.(?=[\w-]))*").fullmatch
_ESCAPED: Final = re.compile(r"\\(.)")
_END: Final = 1 << 60
"""Where a group ends that is not closed."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Something in braces; ``hides``: its variables cannot be seen from outside."""

    span: Span
    hides: bool


@dataclass(frozen=True, slots=True)
class Declaration:
    """Where a window or a stream gets its name; ``words`` are those before it."""

    iri: str
    words: str
    token: Token


@dataclass(frozen=True)
class QueryPart:
    """One query of a text."""

    tokens: Sequence[Token]

    @cached_property
    def prefix_tokens(self) -> dict[str, Token]:
        """Where each prefix is declared."""
        return {name[:-1]: name for _, name, _ in self._prefix_lines}

    @cached_property
    def prefixes(self) -> dict[str, str]:
        """The namespaces of all prefixes."""
        return dict(KNOWN_PREFIXES) | {name[:-1]: iri[1:-1] for _, name, iri in self._prefix_lines}

    @property
    def _prefix_lines(self) -> Iterator[tuple[Token, Token, Token]]:
        for three in zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False):
            if [each.type for each in three] == ["PREFIX", "PNAME_NS", "IRIREF"]:
                yield three

    def words_at(self, offset: int) -> frozenset[str]:
        """The keywords, in capitals, with which a query can go on there; none where it is wrong before."""
        before = (each for each in self.tokens if span_of(each).end <= offset)
        terminals = terminals_after(query_parser(), before)
        return frozenset(word for word, terminal in grammar_words().items() if terminal in terminals)

    @property
    def form(self) -> str:
        """SELECT, CONSTRUCT, ASK, DESCRIBE, or nothing yet."""
        return next((each.type for each in self.tokens if each.type in _FORMS), "")

    @property
    def declarations(self) -> Iterator[Declaration]:
        """The windows and streams that the query declares."""
        for index, token in enumerate(self.tokens):
            iri = self.iri(token)
            words = " ".join(each.upper() for each in self.tokens[max(0, index - 2) : index])
            if iri is not None and any(each.fullmatch(words) for each in _DECLARING):
                yield Declaration(iri, words, token)

    def iri(self, token: Token) -> str | None:
        """The IRI that a token names; None where it names none, or with an unknown prefix."""
        if token.type == "IRIREF":
            return token[1:-1]
        if token.type not in _NAMES:
            return None
        prefix, _, local = token.partition(":")
        namespace = self.prefixes.get(prefix)
        return None if namespace is None else namespace + _ESCAPED.sub(r"\1", local)

    def short(self, iri: str) -> str | None:
        """An IRI with a declared prefix, if it can be written so; the longest namespace counts."""
        fitting = [(len(each), name) for name, each in self.prefixes.items() if iri.startswith(each)]
        for length, name in sorted(fitting, reverse=True):
            if _is_local(iri[length:]):
                return f"{name}:{iri[length:]}"
        return None

    def variables(self, offset: int) -> list[str]:
        """The variables that can be seen at a place, in the order of the text; not the one there."""
        hidden = [each.span for each in self._groups if each.hides and not _is_in(offset, each.span)]
        found = [
            str(token)
            for token, span in self._variables
            if not _is_in(offset, span) and not any(_is_in(span.start, each) for each in hidden)
        ]
        return list(dict.fromkeys(found))

    def places(self, name: str) -> list[Token]:
        """Where a variable stands."""
        return [token for token, _ in self._variables if token[1:] == name[1:]]

    def first_binding(self, name: str) -> Token | None:
        """Where a variable first stands within a group; else where it first stands."""
        places = self.places(name)
        groups = [each.span for each in self._groups]
        inside = (each for each in places if any(_is_in(span_of(each).start, group) for group in groups))
        return next(inside, places[0] if places else None)

    @property
    def _variables(self) -> Iterator[tuple[Token, Span]]:
        return ((each, span_of(each)) for each in self.tokens if each.type == "VAR")

    @cached_property
    def _groups(self) -> list[_Group]:
        """The groups; those that are not closed yet go on to the end. Templates are none."""
        found: list[_Group] = []
        opened: list[tuple[Token, bool] | None] = []
        clause, before = "", ""
        for token, after in zip_longest(self.tokens, self.tokens[1:]):
            if token.type == "LBRACE":
                hides = before in _HIDING or (after is not None and after.type == "SELECT")
                opened.append(None if clause == "CONSTRUCT" else (token, hides))
            elif token.type == "RBRACE" and opened:
                if (last := opened.pop()) is not None:
                    found.append(_Group(span_of(last[0]).to(span_of(token)), last[1]))
                elif not opened:
                    clause = ""
            elif token.type == "WHERE" or token.type in _FORMS:
                clause = token.type
            before = token.type
        waiting = [each for each in opened if each is not None]
        return found + [_Group(Span(span_of(token).start, _END), hides) for token, hides in waiting]


class QueryText:
    """A text, which may have errors anywhere."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.comments: list[Span] = []
        self._open_strings: list[Span] = []
        self.tokens = tuple(self._read())

    def _read(self) -> Iterator[Token]:
        """All tokens; behind a string that is not closed it goes on with the next line."""
        decoded, start = DecodedText(self.text, None), 0
        while start >= 0:
            try:
                yield from tokenize(decoded, grammar_words(), start, on_gap=self._see_gap)
            except Fault as fault:
                start = self.text.find("\n", fault.span.start)
                self._open_strings.append(Span(fault.span.start, start if start >= 0 else len(self.text)))
            else:
                return

    def _see_gap(self, start: int, end: int) -> None:
        found = re.finditer(r"#[^\r\n]*", self.text[start:end])
        self.comments += [Span(start + each.start(), start + each.end()) for each in found]

    @cached_property
    def parts(self) -> list[QueryPart]:
        """The queries, which are separated by ``;;`` outside of braces or on a line of its own."""
        parts: list[list[Token]] = [[]]
        depth = 0
        for each in self.tokens:
            depth += {"LBRACE": 1, "RBRACE": -1}.get(each.type, 0)
            if each.type != "SEMICOLON":
                parts[-1].append(each)
            elif self._separates(each, depth):
                parts.append([])
                depth = 0
            elif depth > 0:
                parts[-1].append(each)
        return [QueryPart(each) for each in parts if each]

    def _separates(self, mark: Token, depth: int) -> bool:
        start = span_of(mark).start
        line = self.text[self.text.rfind("\n", 0, start) + 1 :].partition("\n")[0]
        return self.text.startswith(";;", start) and (depth <= 0 or line.strip() == ";;")

    def part_at(self, offset: int) -> QueryPart:
        """The query at a place, or the last one before it."""
        before = [each for each in self.parts if span_of(each.tokens[0]).start <= offset]
        return before[-1] if before else self.parts[0] if self.parts else QueryPart(())

    def index_at(self, offset: int) -> int | None:
        """Which token stands at a place, or ends there."""
        found = [index for index, each in enumerate(self.tokens) if _is_in(offset, span_of(each))]
        return found[-1] if found else None

    def is_free_text(self, offset: int) -> bool:
        """Whether a place is in a comment or a string."""
        strings = (span_of(each) for each in self.tokens if each.type == "STRING")
        return any(each.start < offset <= each.end for each in (*self.comments, *self._open_strings)) or any(
            each.start < offset < each.end for each in strings
        )


def span_of(token: Token) -> Span:
    """The place of a token."""
    assert token.start_pos is not None
    assert token.end_pos is not None
    return Span(token.start_pos, token.end_pos)


def _is_in(offset: int, span: Span) -> bool:
    return span.start <= offset <= span.end
