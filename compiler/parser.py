"""From EP-SPARQL text to the syntax tree.

``parse`` refuses what is not EP-SPARQL, also where no grammar can tell (scopes, prefixes). It does not
refuse what this version cannot run: that is for the later stages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import cast

from lark import Token, UnexpectedToken

from etalis_py.compiler import syntax
from etalis_py.compiler.escapes import decode_codepoints
from etalis_py.compiler.expected import END, describe_expected
from etalis_py.compiler.faults import Fault
from etalis_py.compiler.grammar_table import grammar_words, query_parser
from etalis_py.compiler.hints import Slip, hint_for
from etalis_py.compiler.names import Names
from etalis_py.compiler.restrictions import check_restrictions
from etalis_py.compiler.spans import Span, shorten
from etalis_py.compiler.syntax_walk import check_depth, walk
from etalis_py.compiler.tokens import UNKNOWN, tokenize

__all__ = ["parse", "parse_program"]

_OPENING, _CLOSING = frozenset("({["), frozenset(")}]")


def parse(text: str, *, source: str | None = None) -> syntax.Query:
    """The syntax tree of one query; ``source`` is the name of its file, for messages.

    >>> parse("SELECT ?x WHERE { ?x a <urn:Storm> } SEQ { ?x a <urn:Flood> }").form.where.elements[0].operator
    <Combinator.SEQ: 'SEQ'>

    Raises:
        QuerySyntaxError: EP101 to EP117, the text is not EP-SPARQL.
    """
    try:
        return _query(text, source, tokenize(decode_codepoints(text), grammar_words()))
    except Fault as fault:
        raise fault.error(text, source) from None


def parse_program(text: str, source: str | None = None) -> list[syntax.Query]:
    """The syntax trees of the queries in a text, which are separated by ``;;``; each has its own prologue.

    >>> len(parse_program("ASK { } ;; ASK { ?x ?y ?z } ;;"))
    2

    Raises:
        QuerySyntaxError: EP101 to EP117, one of them is not EP-SPARQL, or there is none.
    """
    try:
        tokens = tokenize(decode_codepoints(text), grammar_words())
        queries = [
            _query(text, source, _up_to_separator(chain([first], tokens), text))
            for first in tokens
            if first != ";"
        ]
        return queries or [_query(text, source, [])]
    except Fault as fault:
        raise fault.error(text, source) from None


def _up_to_separator(tokens: Iterable[Token], text: str) -> Iterator[Token]:
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


def _query(text: str, source: str | None, tokens: Iterable[Token]) -> syntax.Query:
    """Parse and check one query. Raises Fault or QuerySyntaxError."""
    seen: list[Token] = []

    def remember() -> Iterator[Token]:
        for token in tokens:
            yield token
            seen.append(token)

    try:
        # lark calls its input a text whatever it is; a lexer of our own reads any iterable.
        tree = cast("syntax.Query", query_parser().parse(cast("str", remember())))
    except UnexpectedToken as unexpected:
        raise _fault(unexpected, seen, text) from None
    query = replace(tree, text=text, source=source)
    check_depth(query)
    check_restrictions(query)
    names = Names(query.prologue, text=text, source=source)
    for node in walk(query):
        if isinstance(node, syntax.PrefixedName):
            names.resolve(node)
    return query


def _fault(unexpected: UnexpectedToken, before: list[Token], text: str) -> Fault:
    """What is wrong, what was expected and, where a slip is known, how to mend it."""
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
