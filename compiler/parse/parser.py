"""From EP-SPARQL text to the syntax tree.

``parse`` refuses what is not EP-SPARQL, also where no grammar can tell (scopes, prefixes). It does not
refuse what this version cannot run: that is for the later stages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import cast

from lark import Token

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.escapes import DecodedText, decode_codepoints
from etalis_py.compiler.parse.event_names import with_events
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.grammar_table import grammar_words, query_parser
from etalis_py.compiler.parse.names import Names
from etalis_py.compiler.parse.reading import read_tokens, recorded, up_to_separator
from etalis_py.compiler.parse.restrictions import check_restrictions
from etalis_py.compiler.parse.syntax_walk import check_depth, check_width, walk
from etalis_py.compiler.parse.tokens import tokenize
from etalis_py.core.errors import QuerySyntaxError

__all__ = ["checked", "parse", "parse_each", "parse_program"]

_SEPARATOR_LINE = re.compile(r"^[ \t]*(;;)[ \t]*\r?$", re.MULTILINE)
_UNREADABLE = frozenset({"EP104", "EP105"})
"""Faults of tokens, behind which the tokens end."""


def parse(text: str, *, source: str | None = None) -> syntax.Query:
    """The syntax tree of one query; ``source`` is the name of its file, for messages.

    >>> parse("SELECT ?x WHERE { ?x a <urn:Storm> } SEQ { ?x a <urn:Flood> }").form.where.elements[0].operator
    'SEQ'

    Raises:
        QuerySyntaxError: EP101 to EP120, the text is not EP-SPARQL.
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
        QuerySyntaxError: EP101 to EP120, one of them is not EP-SPARQL, or there is none.
    """
    queries = []
    try:
        for each in _trees(text, source):
            if isinstance(each, Fault):
                raise each
            queries.append(checked(each, text, source))
        return queries or [_query(text, source, [])]
    except Fault as fault:
        raise fault.error(text, source) from None


def parse_each(text: str, source: str | None = None) -> Iterator[syntax.Query | QuerySyntaxError]:
    """As `parse_program`, but a query that cannot be parsed gives its error, and the next one is looked at.

    Of each query the first error only: what a parser makes of the rest depends on how it takes what is wrong.
    What no grammar can tell (EP107, EP106, EP110 to EP120) is not looked for.
    """
    for each in _trees(text, source):
        yield each.error(text, source) if isinstance(each, Fault) else each


def _trees(text: str, source: str | None) -> Iterator[syntax.Query | Fault]:
    """The tree of each query, or what is wrong with it.

    A query with a fault ends at the first ``;;`` on a line of its own, whatever is open there: it is rather a
    bracket that was forgotten than two semicolons that were meant for the next query's words.
    """
    try:
        decoded = decode_codepoints(text)
    except Fault as fault:
        yield fault
        return
    start: int | None = 0
    while start is not None:
        tokens, start, skips = tokenize(decoded, grammar_words(), start), None, False
        try:
            for first in tokens:
                if first == ";":
                    continue
                read: list[Token] = []
                own = up_to_separator(recorded(chain([first], tokens), read), text)
                try:
                    yield _tree(text, source, own)
                except Fault as fault:
                    end = next((place for place, each in enumerate(read) if _is_alone(each, text)), None)
                    if end is not None:
                        yield _fault_within(read[:end], text, source) or fault
                        start = _separator(decoded, cast("int", read[end].start_pos))
                        break
                    yield fault
                    if fault.code in _UNREADABLE:
                        start = _separator(decoded, fault.span.end)
                        break
                    skips = True
                    _skip(own, text)
                    skips = False
        except Fault as fault:  # the first token of a query, or one that is skipped, cannot be read
            if not skips:
                yield fault
            start = _separator(decoded, fault.span.end)


def _fault_within(tokens: Iterable[Token], text: str, source: str | None) -> Fault | None:
    try:
        _tree(text, source, tokens)
    except Fault as fault:
        return fault
    return None


def _separator(decoded: DecodedText, offset: int) -> int | None:
    """Where a ``;;`` on a line of its own first stands in the decoded text, from an offset of the text on."""
    places = (found.start(1) for found in _SEPARATOR_LINE.finditer(decoded.text))
    return next((place for place in places if decoded.offset(place) >= offset), None)


def _is_alone(mark: Token, text: str) -> bool:
    """Whether a mark is the ``;;`` of a line that has nothing else."""
    if mark != ";":
        return False
    assert mark.start_pos is not None
    line_start = text.rfind("\n", 0, mark.start_pos) + 1
    return text[line_start:].partition("\n")[0].strip() == ";;"


def _skip(tokens: Iterator[Token], text: str) -> None:
    """Go on to the next query: brackets that are not closed do not hide a ``;;`` on a line of its own."""
    next((each for each in tokens if _is_alone(each, text)), None)


def _query(text: str, source: str | None, tokens: Iterable[Token]) -> syntax.Query:
    """Parse and check one query. Raises Fault or QuerySyntaxError."""
    return checked(_tree(text, source, tokens), text, source)


def checked(query: syntax.Query, text: str, source: str | None) -> syntax.Query:
    """A query in which nothing is wrong that no grammar can tell. Raises Fault or QuerySyntaxError."""
    query = with_events(query)
    check_depth(query)
    check_width(query)
    check_restrictions(query)
    names = Names(query.prologue, text=text, source=source)
    for node in walk(query):
        if isinstance(node, syntax.PrefixedName):
            names.resolve(node)
    return query


def _tree(text: str, source: str | None, tokens: Iterable[Token]) -> syntax.Query:
    """Parse one query. Raises Fault."""
    tree = cast("syntax.Query", read_tokens(query_parser(), tokens, text))
    return replace(tree, text=text, source=source)
