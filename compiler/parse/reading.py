"""One query's tokens to what its parser makes of them, or to what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, cast

from lark import Lark, Token, UnexpectedToken

from etalis_py.compiler.parse.expected import END, describe_expected
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.hints import hint_for
from etalis_py.compiler.parse.slip import Slip
from etalis_py.compiler.parse.syntax_walk import MOST_BRACES, SPLIT
from etalis_py.compiler.parse.tokens import UNKNOWN
from etalis_py.compiler.spans import Span, shorten

__all__ = ["read_tokens", "recorded", "terminals_after", "up_to_separator"]

_BRACE: Final = "{"
_OPENING, _CLOSING = frozenset("({["), frozenset(")}]")


def up_to_separator(tokens: Iterable[Token], text: str) -> Iterator[Token]:
    """The tokens of the first query: up to a ``;;`` that stands in no brackets."""
    depth = 0
    for each in tokens:
        if each in _OPENING:
            depth += 1
        elif each in _CLOSING:
            depth -= 1
        elif each == ";" and depth <= 0 and text.startswith(";", each.end_pos):
            return
        yield each


def recorded(tokens: Iterable[Token], read: list[Token]) -> Iterator[Token]:
    """The tokens, of which those that were asked for are added to ``read``."""
    for each in tokens:
        read.append(each)
        yield each


def read_tokens(parser: Lark, tokens: Iterable[Token], text: str) -> object:
    """What a parser makes of the tokens of one query.

    Raises:
        Fault: EP101 to EP103, EP107 too many braces; those of the tree builder.
    """
    seen: list[Token] = []

    def remember() -> Iterator[Token]:
        braces = 0
        for token in tokens:
            braces += token == _BRACE
            if braces > MOST_BRACES:
                assert token.start_pos is not None
                span = Span(token.start_pos, token.start_pos + 1)
                raise Fault("EP107", f"more than {MOST_BRACES} opening braces in one query", span, SPLIT)
            yield token
            seen.append(token)

    try:
        # lark calls its input a text whatever it is; a lexer of our own reads any iterable.
        return parser.parse(cast("str", remember()))
    except UnexpectedToken as unexpected:
        raise _fault(unexpected, seen, text) from None


def terminals_after(parser: Lark, tokens: Iterable[Token]) -> frozenset[str]:
    """The types of tokens of which one can stand behind these; none where something is wrong before."""
    end = Token(UNKNOWN, "")
    try:
        parser.parse(cast("str", chain(tokens, [end])))
    except UnexpectedToken as unexpected:
        return frozenset(unexpected.accepts) if unexpected.token is end else frozenset()
    except Fault:
        return frozenset()
    raise AssertionError("nothing ends so")


def _fault(unexpected: UnexpectedToken, before: list[Token], text: str) -> Fault:
    """What is wrong, what was expected and, where a slip is known, how to fix it."""
    token, accepted = unexpected.token, unexpected.accepts
    slip = Slip(token, before, accepted, text)
    hint, expected = hint_for(slip), describe_expected(accepted)
    if token.type == END:
        end = before[-1].end_pos if before else 0
        assert end is not None
        return Fault("EP102", f"the query ends too early: expected {expected}", Span(end, end), hint)
    assert token.start_pos is not None
    assert token.end_pos is not None
    span = Span(token.start_pos, token.end_pos)
    if token.type == UNKNOWN:
        return Fault("EP103", f"{_spoken(token)} cannot stand here: expected {expected}", span, hint)
    return Fault("EP101", f"unexpected {_spoken(token)}: expected {expected}", span, hint)


def _spoken(token: Token) -> str:
    """A token in quotes, shortened, or a character that cannot be shown by its number."""
    if len(token) == 1 and not token.isprintable():
        return f"the character U+{ord(token):04X}"
    return f"'{shorten(' '.join(token.split()))}'"
