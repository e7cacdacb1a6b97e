"""Hints for the slips that people make, tried in order where a token does not fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from itertools import pairwise
from types import MappingProxyType

from lark import Token

from etalis_py.compiler.parse.expected import END, TERM_STARTS
from etalis_py.compiler.parse.grammar_table import combinators
from etalis_py.compiler.parse.neighbour_hints import NEIGHBOUR_HINTS
from etalis_py.compiler.parse.slip import Slip
from etalis_py.compiler.parse.spelling import spelled
from etalis_py.compiler.parse.tokens import UNKNOWN, WORD
from etalis_py.compiler.parse.window_hints import WINDOW_HINTS
from etalis_py.compiler.spans import Span, place_of

__all__ = ["hint_for"]

_CLOSES = MappingProxyType({")": "(", "]": "[", "}": "{"})
_FOLLOWS = frozenset(
    {"THEN", "FOLLOWS", "FOLLOWED", "FOLLOWEDBY", "FOLLOWED_BY", "BEFORE", "PRECEDES", "SEQUENTIALLY"}
)
"""Words of other languages for SEQ."""
_looks_like_duration = re.compile(r"-?P(?=.)[0-9DHMSTWY.]+").fullmatch


def hint_for(slip: Slip) -> str | None:
    """The first hint that knows the slip."""
    return next((hint for known in _KNOWN if (hint := known(slip)) is not None), None)


def _open_bracket(slip: Slip) -> str | None:
    """``{ ... )`` or ``{ ...`` and the end."""
    if slip.found.type != END and slip.found not in _CLOSES:
        return None
    brackets: list[Token] = []
    for token in slip.before:
        if token in _CLOSES.values():
            brackets.append(token)
        elif token in _CLOSES and brackets:
            brackets.pop()
    if slip.found.type != END and _CLOSES[slip.found] not in brackets:
        return f"no '{_CLOSES[slip.found]}' is open here"
    if not brackets:
        return None
    innermost = brackets[-1]
    if _CLOSES.get(slip.found) == innermost:
        return None
    assert innermost.start_pos is not None
    place = place_of(slip.text, Span(innermost.start_pos, innermost.start_pos + 1))
    return f"the '{innermost}' of line {place.line}, column {place.column} is not closed"


def _update(slip: Slip) -> str | None:
    if (
        slip.found.upper() in ("INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE")
        and "SELECT" in slip.accepted
    ):
        return "EP-SPARQL has queries and no updates. A CONSTRUCT adds triples to the stream"
    return None


def _wrong_operator(slip: Slip) -> str | None:
    """Operators of other languages."""
    pair = f"{slip.before[-1]}{slip.found}" if slip.touches else ""
    match pair, str(slip.found):
        case "==", _:
            return "equality is written '='"
        case "=<", _:
            return "'at most' is written '<='"
        case "=>", _:
            return "'at least' is written '>='"
        case _, "<>":
            return "'not equal' is written '!='"
        case _, "&":
            return "'and' is written '&&'"
        case _, "|" if slip.in_expression:
            return "'or' is written '||'"
        case _, ("%" | "~" | "^") if slip.in_expression:
            return f"there is no operator '{slip.found}'"
        case _:
            return None


def _between_groups(slip: Slip) -> str | None:
    """``{ ... } then { ... }``, ``{ ... } -> { ... }``, ``{ ... } ; { ... }``."""
    if not slip.between_groups:
        return None
    signs = ("-", ",", "+") if END in slip.accepted else ("-", ",", "+", ";")
    if str(slip.found) in signs or slip.found.upper() in _FOLLOWS:
        return "one group after another is written { ... } SEQ { ... }"
    return None


def _steps(slip: Slip) -> str | None:
    """Words of patterns where they do not stand, and those of other engines."""
    match slip.found.upper(), slip.last:
        case "+" | "*", "RBRACE" if slip.between_groups:
            return "what comes several times is written REPEAT { ... }, or REPEAT 0 TO * { ... }"
        case ("NEXT" | "STRICT") as word, "RBRACE" if slip.between_groups:
            return f"one step after another is written {{ ... }} SEQ {word} {{ ... }}"
        case "NEXT" | "STRICT", "NEXT" | "STRICT":
            return "SEQ is followed by one of NEXT and STRICT"
        case "LONGEST", _:
            return "runs that are as long as can be are written REPEAT STRICT LONGEST { ... }"
        case "SKIP", _ if "RBRACE" in slip.accepted:
            return "SKIP stands behind the brace that ends WHERE: { ... } SKIP PAST LAST"
        case "UNTIL", _:
            return "all there are until something comes is written { ... } SEQ REPEAT { ... } SEQ { ... }"
        case "EXISTS", "NOT" if any(each.type == "SEQ" for each in slip.before[-2:]):
            return "nothing between is written { ... } SEQ NOT { ... } SEQ { ... }"
        case _:
            return None


def _window(slip: Slip) -> str | None:
    """``SELECT * { ... } WITHIN 1 HOUR``, ``WINDOW 1h``."""
    if slip.found.upper() == "WITHIN":
        return "limit the length of a match within the outer braces, or of WHERE: { ... } WITHIN PT1H"
    if slip.last == "WINDOW":
        return "a window stands in brackets: WINDOW [RANGE PT1H STEP PT15M]"
    return None


def _absence(slip: Slip) -> str | None:
    """``NOT EXISTS { ... }``."""
    if slip.found.type == "EXISTS" and (slip.last == "NOT" or "RBRACE" in slip.accepted):
        return "absence is written FILTER NOT EXISTS { ... }"
    return None


def _declaration(slip: Slip) -> str | None:
    """Turtle's ``@prefix ex: <...> .``."""
    if slip.found in ("@prefix", "@base"):
        return f"in a query it is {slip.found[1:].upper()}, without '@' and without a '.' at its end"
    if slip.found.type == "DOT" and slip.last == "IRIREF" and "PREFIX" in slip.accepted:
        return "leave out the '.' after the declaration"
    return None


def _dataset(slip: Slip) -> str | None:
    if slip.last in ("FROM", "NAMED") and slip.found.type == WORD:
        return "FROM names a graph of the background by its IRI; the stream is given where the query is run"
    return None


def _stream(slip: Slip) -> str | None:
    """``STREAM {...}``."""
    if slip.last == "STREAM" and slip.found.value == "{":
        return "STREAM <iri> {...} is one stream, STREAM ?s {...} each of them, EVENT {...} one element"
    return None


def _misplaced_clause(slip: Slip) -> str | None:
    """``?y, FILTER (...)`` and ``?y WHERE ...``."""
    if slip.last in ("COMMA", "SEMICOLON") and slip.found.type in ("FILTER", "BIND", "OPTIONAL", "MINUS"):
        return f"leave out the '{slip.before[-1]}' before {slip.found.type}"
    if slip.found.type == "WHERE" and "RBRACE" in slip.accepted:
        return "a condition is written FILTER (...)"
    return None


def _braces(slip: Slip) -> str | None:
    """``OPTIONAL ?x :p ?y``, ``OPTIONAL SEQ``, ``CONSTRUCT ?x :p ?y``."""
    if slip.last in ("OPTIONAL", "EQUALS") and slip.found.type in ("SEQ", "OPTIONAL"):
        return f"{slip.last}{slip.found.type} is one word"
    if slip.last in ("OPTIONAL", "MINUS", "EXISTS", "CONSTRUCT") and "LBRACE" in slip.accepted:
        return f"{slip.last} is followed by braces: {slip.last} {{ ... }}"
    return None


def _datatype(slip: Slip) -> str | None:
    """``"PT5M"^^duration``, and ``PT5M`` as an operand."""
    if slip.last == "TYPE_MARK" and slip.found.type == WORD:
        return f"a datatype is an IRI: ^^xsd:{slip.found}"
    if "STRING" in slip.accepted and _looks_like_duration(slip.found.upper()):
        return f'a duration in an expression is written "{slip.found.upper()}"^^xsd:duration'
    return None


def _and_or(slip: Slip) -> str | None:
    word = slip.found.upper()
    if slip.found.type != WORD or word not in ("AND", "OR"):
        return None
    if slip.in_expression:
        return f"'{word.lower()}' is written '{'&&' if word == 'AND' else '||'}'"
    return (
        "join patterns with '.' only" if word == "AND" else "alternatives are written { ... } UNION { ... }"
    )


def _small_a(slip: Slip) -> str | None:
    return (
        "the keyword for rdf:type is a lowercase 'a'" if slip.found == "A" and "A" in slip.accepted else None
    )


def _duration(slip: Slip) -> str | None:
    if "DURATION" not in slip.accepted:
        return None
    return "a duration is written as in XML Schema, in capitals: PT10M, PT0.5S, P1DT12H"


def _keyword(slip: Slip) -> str | None:
    """``SELCT``, ``SEQUENCE``: a keyword that could stand here and is like the word."""
    if slip.found.type != WORD or len(slip.found) < 2:
        return None
    word = slip.found.upper()
    keywords = sorted(each for each in slip.accepted if each.isalpha() and each not in ("VAR", "STRING", "A"))
    # A word between groups can be nothing but a keyword, so less likeness will do.
    close = get_close_matches(word, keywords, n=1, cutoff=0.6 if slip.between_groups else 0.7)
    if not close and word.startswith("SEQ") and "SEQ" in keywords:
        close = ["SEQ"]
    return f"did you mean {_as_written(close[0])}?" if close else None


def _as_written(word: str) -> str:
    written = spelled(word)
    return f"{written}()" if written.startswith("get") else written


def _prefix_colon(slip: Slip) -> str | None:
    if slip.last == "PREFIX":
        return f"a prefix ends with a colon: PREFIX {_name(slip.found, 'ex')}: <http://...>"
    return None


def _combinator(slip: Slip) -> str | None:
    """``?a ?b ?c SEQ ?d ?e ?f``: combinators stand between groups."""
    if slip.found.type in combinators():
        if slip.last == "DOT" and len(slip.before) > 1 and slip.before[-2].type == "RBRACE":
            return f"leave out the '.' before {slip.found.type}"
        word = slip.found.type
        return f"{word} joins two groups; put braces around what comes before it: {{ ... }} {word} {{ ... }}"
    if slip.last in combinators():
        return f"{slip.last} is followed by a group in braces: {{ ... }} {slip.last} {{ ... }}"
    return None


def _select_clause(slip: Slip) -> str | None:
    """Commas and bare expressions after SELECT."""
    if slip.last not in ("SELECT", "DISTINCT", "REDUCED", "VAR", "RPAR") or "VAR" not in slip.accepted:
        return None
    if not {"WHERE", "STAR"} & slip.accepted:
        return None
    if slip.found.type == "COMMA":
        return "the variables of SELECT are listed without commas: SELECT ?x ?y"
    if slip.found.type == "LBRACE":
        return "name the variables you want, or write SELECT *"
    if slip.found.type == "AS" or (slip.found.isalpha() and slip.found.type not in (WORD, END)):
        return "an expression in SELECT has parentheses and a name: (COUNT(?x) AS ?count)"
    return None


def _as_name(slip: Slip) -> str | None:
    if "AS" in slip.accepted and slip.found.type in ("RPAR", "VAR"):
        return "give the expression a name: (... AS ?name)"
    return None


def _condition(slip: Slip) -> str | None:
    """``FILTER ?x > 3``."""
    if slip.last in ("FILTER", "HAVING"):
        return f"the condition stands in parentheses: {slip.last} (?x > 3)"
    return None


def _where(slip: Slip) -> str | None:
    if slip.last == "WHERE" and "LBRACE" in slip.accepted:
        return "the pattern stands in braces: WHERE { ... }"
    return None


def _question_mark(slip: Slip) -> str | None:
    """``?box cooled ?place``: a word where a variable or a name should stand."""
    if slip.found.type != WORD:
        return None
    if slip.between_groups:
        joining = ", ".join(sorted(combinators()))
        return (
            f"join two groups with {joining} or OPTIONAL; where their order does not matter, write nothing "
            "between them"
        )
    if "VAR" not in slip.accepted:
        return None
    if "IRIREF" not in slip.accepted or slip.last == "BY":
        return f"a variable starts with a question mark: ?{slip.found}"
    prefix = _prefix_in_use(slip.before)
    if "A" in slip.accepted and slip.accepted.isdisjoint({"STRING"}):
        if slip.found == "type":
            return "ask for the type of a thing with a lowercase 'a': ?x a <http://...>"
        return f"a predicate is an IRI or has a prefix: {prefix}{slip.found}"
    return f"a variable starts with a question mark: ?{slip.found}; a name has a prefix: {prefix}{slip.found}"


def _prefix_in_use(before: Sequence[Token]) -> str:
    """The first one that the query declares."""
    declared = (after for each, after in pairwise(before) if each.type == "PREFIX")
    return str(next(declared, "ex:"))


def _separator(slip: Slip) -> str | None:
    """Two triple patterns with nothing between them."""
    if slip.accepted >= {"DOT", "SEMICOLON"} and (slip.found.type in TERM_STARTS or slip.found.type == WORD):
        return "two triple patterns are separated by '.', or by ';' where the second has the same subject"
    return None


def _same_subject(slip: Slip) -> str | None:
    """``?x :p ?y ; ?z :q ?w``."""
    if len(slip.before) > 1 and slip.before[-2].type == "SEMICOLON" and "FILTER" not in slip.accepted:
        return "after ';' comes another predicate of the same subject; a new subject comes after '.'"
    return None


def _call(slip: Slip) -> str | None:
    """``getDURATION < ...``, ``BIND ?x + 1 AS ?y``."""
    if slip.accepted and slip.accepted <= {"NIL", "LPAR"} and slip.last.isalnum():
        name = slip.before[-1]
        return f"{name} is followed by parentheses: {name}{'(...)' if 'LPAR' in slip.accepted else '()'}"
    return None


def _bare_iri(slip: Slip) -> str | None:
    """``http://...`` without angle brackets."""
    schemes = ("http:", "https:", "urn:", "mailto:", "file:")
    if str(slip.found).startswith(schemes) or (slip.touches and slip.before[-1] in schemes):
        return "an IRI stands in angle brackets: <http://...>"
    return None


def _open_iri(slip: Slip) -> str | None:
    if slip.found.type == "LESSTHAN" and "IRIREF" in slip.accepted:
        return "an IRI ends with '>' and contains no spaces, quotes or braces"
    return None


def _character(slip: Slip) -> str | None:
    """Characters that come from word processors."""
    if slip.found.type != UNKNOWN:
        return None
    if slip.found in "\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb":
        return "strings take straight quotes: \"...\" or '...'"
    if slip.found in "\u00a0\u2003\u2009\u200b\u3000":
        return f"this looks like a space but is not one (U+{ord(slip.found):04X})"
    return None


def _nameless(slip: Slip) -> str | None:
    return f"a variable has a name: {slip.found}x" if slip.found in ("?", "$") else None


def _several(slip: Slip) -> str | None:
    if slip.found.type in ("SELECT", "CONSTRUCT", "ASK", "DESCRIBE", "PREFIX") and END in slip.accepted:
        return "several queries in one text are separated by ';;'"
    if slip.found.type == "SEMICOLON" and END in slip.accepted:
        assert slip.found.end_pos is not None
        more = slip.text.startswith(";", slip.found.end_pos)
        return "only one query is allowed here, and this text has several" if more else "leave out the ';'"
    return None


def _name(token: Token, otherwise: str) -> str:
    return str(token) if token.type == WORD else otherwise


_KNOWN: tuple[Callable[[Slip], str | None], ...] = (
    *NEIGHBOUR_HINTS,
    *WINDOW_HINTS,
    _update,
    _declaration,
    _wrong_operator,
    _and_or,
    _steps,
    _between_groups,
    _window,
    _absence,
    _dataset,
    _stream,
    _misplaced_clause,
    _datatype,
    _small_a,
    _duration,
    _prefix_colon,
    _braces,
    _keyword,
    _combinator,
    _select_clause,
    _as_name,
    _call,
    _condition,
    _where,
    _question_mark,
    _separator,
    _same_subject,
    _bare_iri,
    _open_iri,
    _character,
    _nameless,
    _several,
    _open_bracket,
)
