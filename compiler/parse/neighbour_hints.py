"""Hints for the words of other engines and languages, and for words of windows that are misspelt."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import Final

from etalis_py.compiler.parse.expected import END
from etalis_py.compiler.parse.slip import Slip
from etalis_py.compiler.parse.tokens import WORD

__all__ = ["NEIGHBOUR_HINTS"]

_NAMES: Final = frozenset({"IRIREF", "PNAME_LN", "PNAME_NS"})
_DECLARED: Final = "FROM NAMED WINDOW :w ON :stream [RANGE 10s STEP 5s]"
_STEPPING: Final = "FROM STREAM :stream [RANGE 10s STEP 5s]"
_WORDS: Final = frozenset(
    {
        *("NAMED", "WINDOW", "STREAM", "RANGE", "STEP", "SLIDE", "TUMBLING", "ELEMENTS", "ROWS", "TRIPLES"),
        *("UNBOUNDED", "STARTING", "QUERY", "RSTREAM", "ISTREAM", "DSTREAM", "COMPUTED", "REPORT", "EVERY"),
    }
)
"""What may be misspelt where the hints of windows would say something else."""


def _misspelt(slip: Slip) -> str | None:
    """``FROM NAMD WINDOW``, ``[RAGNE 10s]``, ``[RANGE 10s SETP 5s]``."""
    word = str(slip.found).upper()
    if slip.found.type == "PNAME_NS" and word[:-1] in slip.accepted:
        return f"leave out the ':' behind {word[:-1]}"
    if slip.found.type != WORD or len(word) < 4:
        return None
    close = get_close_matches(word, sorted(_WORDS & slip.accepted), n=1, cutoff=0.7)
    return f"did you mean {close[0]}?" if close else None


# ---- FROM and REGISTER ----------------------------------------------------------------------------------


def _before_query(slip: Slip) -> str | None:
    """``FROM STREAM :s [..] SELECT``, ``AS { SELECT .. }``, ``RULE``, ``MATCH (a)``."""
    if not slip.accepted >= {"SELECT", "CONSTRUCT"}:
        return None
    word = slip.found.upper()
    if slip.found.type in ("LBRACE", "LPAR") and slip.last == "AS":
        return "the query behind AS stands without braces: REGISTER RSTREAM :out AS SELECT ..."
    if word == "CREATE":
        return "a query is registered so: REGISTER QUERY name AS SELECT ..., and adds triples with CONSTRUCT"
    return _BEFORE.get(word)


_BEFORE: Final = {
    "FROM": "FROM stands behind what the query gives: SELECT ?x FROM ... WHERE { ... }",
    "REGISTER": "one query has one REGISTER line; several queries in one text are separated by ';;'",
    "RULE": "a rule adds triples: REGISTER STREAM :out AS CONSTRUCT { ... } FROM ... WHERE { ... }",
    "MATCH": "MATCH stands in WHERE, and joins events: SELECT * FROM ... EVENT ON :w { ... } AS A "
    "WHERE { MATCH { A } }",
}


def _register_line(slip: Slip) -> str | None:
    """``REGISTER STREAM :in FROM <file>``, ``REGISTER QUERY q UNDER ENTAILMENT REGIME <..>``."""
    if not slip.accepted >= {"AS", "EVERY", "REPORT"}:
        return None
    if slip.found.type == "FROM":
        return (
            "where a stream comes from is said where the query is run: --stream IRI=FILE (etalis run --help)"
        )
    if slip.found.upper() == "UNDER":
        return "what follows from a vocabulary is an option of the run: --entailment (docs/language.md)"
    return None


def _select(slip: Slip) -> str | None:
    """``SELECT ?x ISTREAM``, ``SELECT RSTREAM ISTREAM ?x``, ``SELECT ?x STREAM :s``, ``SELECT ?x NAMED``."""
    word, before = slip.found.upper(), {each.type for each in slip.before}
    if word in ("RSTREAM", "ISTREAM", "DSTREAM"):
        if slip.last in ("RSTREAM", "ISTREAM", "DSTREAM"):
            return "a query gives one of RSTREAM, ISTREAM and DSTREAM"
        if {"FROM", "VAR"} <= slip.accepted:
            return f"{word} stands before the variables: SELECT {word} ?x"
    if slip.found.type in ("NAMED", "WINDOW", "STREAM") and "FROM" in slip.accepted and "FROM" not in before:
        written = _STEPPING if word == "STREAM" else _DECLARED
        return f"FROM stands before it: {written}"
    if slip.last in ("RSTREAM", "ISTREAM", "DSTREAM") and "CONSTRUCT" in before and "LBRACE" in slip.accepted:
        return "the triples of a CONSTRUCT stand in braces: CONSTRUCT { ?x :p ?y }"
    return None


def _from(slip: Slip) -> str | None:
    """``FROM :s [..]``, ``FROM <g> STREAM :s``, ``FROM STATIC <g>``, ``FROM GRAPH <g>``, ``FROM Word``."""
    before = [each.type for each in slip.before[-3:]]
    word = slip.found.upper()
    if before[-2:-1] == ["FROM"] and slip.found.type == "LSQB" and before[-1] in _NAMES:
        return f"a window is of a stream: FROM STREAM {slip.before[-1]} [RANGE 10s STEP 5s]"
    if slip.found.type == "LSQB" and slip.last == "RBRACE" and END in slip.accepted:
        return f"a window stands behind its stream: {_STEPPING}, STREAM :stream [RANGE 10s] {{ ... }}"
    if slip.found.type == "STREAM" and slip.accepted >= {"FROM", "WHERE", "LBRACE"}:
        return f"each stream has its FROM: {_STEPPING}"
    if word == "WITH" and slip.accepted >= {"FROM", "WHERE", "LBRACE"}:
        return "leave it out: the background is given where the query is run, with --background FILE"
    if slip.last == "FROM" or before[-2:] == ["FROM", "NAMED"]:
        named = "NAMED " if slip.last == "NAMED" else ""
        if word in ("GRAPH", "STATIC", "DYNAMIC"):
            return f"a graph of the background is FROM {named}<iri>, a stream {_STEPPING}"
        if word == "PATTERN":
            return "a pattern of events stands in WHERE: WHERE { { ... } SEQ { ... } } WITHIN PT1M"
        if word == "TABLE":
            return f"{_NO_SQL}: {_STEPPING}"
        if slip.found.type == WORD and not named:
            given = f"the stream is given where the query is run, or is {_STEPPING}"
            return f"a graph of the background is FROM <iri>; {given}"
    if slip.found.type == "LPAR" and before[-2:-1] == ["FROM"]:
        return f"{_NO_SQL}: {_STEPPING}"
    return None


_NO_SQL: Final = "a window is declared behind its stream"


def _window_named(slip: Slip) -> str | None:
    """``WINDOW :w OF :s``, ``WINDOW :w, :v ON``, ``ON :s, :t [..]``, ``ON LOG :s``, ``ON :s [..] AS :v``."""
    before = [each.type for each in slip.before[-4:]]
    if slip.accepted >= {"ON", "LSQB"} and slip.last in _NAMES and "WINDOW" in before:
        if slip.found.type == "COMMA":
            return f"each window has its own FROM: {_DECLARED}"
        if slip.found.type in (WORD, "AS", "IN", "FROM"):
            return f"ON stands between the window and its stream: {_DECLARED}"
    if slip.found.type == "COMMA" and slip.last in _NAMES and "LSQB" in slip.accepted and "ON" in before:
        return f"a window is of one stream; declare one for each: {_DECLARED}"
    if slip.last == "ON" and slip.found.upper() == "LOG" and slip.accepted >= _NAMES:
        return "what was recorded is a stream like another: ON :stream, and --stream IRI=FILE where it is run"
    if slip.last == "RSQB" and slip.accepted == {"AS"}:
        return f"a window has a name, which is an IRI: {_DECLARED}; or none: FROM WINDOW ON :stream [...]"
    if slip.last == "RSQB" and slip.found.type == "AS" and slip.accepted >= {"FROM", "WHERE", "LBRACE"}:
        return f"the window's name stands before ON: {_DECLARED}"
    return None


# ---- the window -----------------------------------------------------------------------------------------


def _extent(slip: Slip) -> str | None:
    """``[SLIDING 10s]``, ``[COUNT 10]``, ``[10 TRIPLES]``, ``[START 0 END 10]``."""
    if not slip.accepted >= {"RANGE", "ELEMENTS"}:
        return None
    if slip.found.type == "INTEGER":
        return "the word comes first: [RANGE 10s STEP 5s], [TRIPLES 10]"
    if slip.found.type == "TUMBLING":
        return "the length comes first: [RANGE 10s TUMBLING]"
    return _EXTENTS.get(slip.found.upper())


_COUNTING: Final = (
    "so many are [TRIPLES 10], or [ELEMENTS 10] of what comes at one time, and [ELEMENTS 10 STEP 5]"
)
_EXTENTS: Final = {
    "SLIDING": "windows that slide are written [RANGE 10s STEP 5s], or [RANGE 10s]",
    **dict.fromkeys(("ITEM", "ITEMS", "COUNT", "LENGTH", "TUPLES", "SIZE", "EVENTS", "BATCH"), _COUNTING),
    **dict.fromkeys(("LATEST", "LAST", "NEWEST"), "the newest are [NOW], [TRIPLES 1], or [RANGE 10s]"),
    "START": "a part of the past is [NOW-10s TO NOW-5s]; windows begin at [RANGE 10s STARTING AT ...]",
    "SINCE": 'what came since a time is [LND "2026-01-01T08:00:00Z"]',
    "BETWEEN": "a part of the past is written [NOW-10s TO NOW-5s]",
    "TO": "a part of the past is written [NOW-10s TO NOW-5s]",
}


def _length(slip: Slip) -> str | None:
    """``RANGE 00:00:10``, ``RANGE ?r``, ``RANGE PT 10S``, ``RANGE = 10s``."""
    if slip.found.type == "PNAME_LN" and slip.touches and slip.last == "INTEGER" and "STEP" in slip.accepted:
        return "a length is a number and its unit, as in 10s, or a duration: PT10S"
    if not slip.accepted >= {"DURATION", "INTEGER"}:
        return None
    if slip.found.type == "VAR":
        return "a length is a constant: 10s, 5m, PT10S"
    if slip.found.upper() in ("PT", "P"):
        return "a duration has no spaces: PT10S"
    if slip.found.type in ("EQUAL", "LPAR"):
        return f"leave out the '{slip.found}': [RANGE 10s STEP 5s]"
    return None


def _behind_length(slip: Slip) -> str | None:
    """``[RANGE 10s STEP 5s REPORT CLOSE]``, ``[RANGE 10s / 5s]``, ``[ALL 5s]``, ``[NOW }``."""
    if "RSQB" not in slip.accepted or "LSQB" not in [each.type for each in slip.before[-12:]]:
        return None
    word = slip.found.upper()
    if word in ("REPORT", "EMIT", "COMPUTE", "COMPUTED"):
        return "when it reports stands in the REGISTER line: REGISTER RSTREAM :out REPORT CLOSE AS SELECT ..."
    if slip.last == "ALL":
        return "[ALL] holds all that came so far and has no length; what came within one is [RANGE 5s]"
    if slip.found.type in ("RBRACE", "LBRACE"):
        return "the '[' of the window is not closed"
    if "STEP" in slip.accepted and (
        str(slip.found) in "/;|-" or slip.found.type in ("BY", "SLASH", "SEMICOLON", "VBAR", "DASH")
    ):
        return "the step is written [RANGE 10s STEP 5s] or SLIDE 5s; without one the window slides"
    return None


_HELD: Final = frozenset({"RANGE", "NOW", "ALL", "TRIPLES", "ELEMENTS"})


# ---- patterns -------------------------------------------------------------------------------------------


def _pattern(slip: Slip) -> str | None:
    """``ON STREAM :s``, ``IN WINDOW :w``, ``:w { .. }``, ``STREAM s [..]``, ``{ .. } [RANGE 5s]``."""
    before = [each.type for each in slip.before[-3:]]
    if slip.found.type in ("ON", "IN") and "WINDOW" in slip.accepted and "BIND" in slip.accepted:
        return "a pattern begins with WINDOW or STREAM: WINDOW :w { ... }, STREAM :s [RANGE 10s] { ... }"
    if slip.found.type == "LBRACE" and slip.last in _NAMES and {"A", "BANG"} <= slip.accepted:
        name = slip.before[-1]
        meant = f"WINDOW {name} {{ ... }}, STREAM {name} [RANGE 10s] {{ ... }}, GRAPH {name} {{ ... }}"
        return f"say what {name} is: {meant}"
    if slip.found.type == "LSQB" and before[-2:] == ["STREAM", WORD]:
        return f"a stream is named by an IRI: STREAM <{slip.before[-1]}> [RANGE 10s] {{ ... }}"
    if before[-2:] == ["RBRACE", "LSQB"] and slip.found.type in _HELD:
        return "a window stands before its braces: STREAM :s [RANGE 10s] { ... }"
    if slip.found.type == "CONSTRUCT" and slip.last == "LBRACE":
        return "within a pattern stands a SELECT only; what a CONSTRUCT gives is a stream of its own"
    if slip.found.type == "MORETHAN" and slip.last in ("PNAME_LN", "PNAME_NS"):
        return f"leave out the '>': {slip.before[-1]} is a name with a prefix"
    if slip.last == "WINDOW" and slip.found.type in ("LPAR", WORD) and "LBRACE" not in slip.accepted:
        return "WINDOW is followed by its name, an IRI, and braces: WINDOW :w { ... }"
    return None


def _events(slip: Slip) -> str | None:
    """``MATCH { EVENT { .. } }``, ``WINDOW :w { .. } SEQ``, ``NOT( .. )``, ``FILTER(SEQ(?a ; ?b))``."""
    before = [each.type for each in slip.before[-3:]]
    if slip.last == "EVENT" and slip.found.type == "LBRACE" and "ON" not in slip.accepted:
        return "in a query with windows an event says of which it is: EVENT :w { ... }"
    if slip.found.type == "SEQ" and before[-2:] == ["FILTER", "LPAR"]:
        return "one event after another is MATCH { EVENT :w { ... } SEQ EVENT :w { ... } }"
    if slip.found.type == "SEQ" and slip.last == "RBRACE" and _looks_at_window(slip):
        return "events of a window are joined by MATCH: MATCH { EVENT :w { ... } SEQ EVENT :w { ... } }"
    if slip.last == "WINDOW" and slip.found.type == "LBRACE" and "IRIREF" in slip.accepted:
        return "WINDOW :w { ... } looks at the window :w; a pattern within a time is { ... } WITHIN PT5M"
    if slip.last == "NOT" and slip.found.type == "LPAR":
        return "nothing between is written { ... } SEQ NOT { ... } SEQ { ... }"
    return None


def _looks_at_window(slip: Slip) -> bool:
    """Whether the braces before are those of a WINDOW or of a STREAM."""
    depth = 0
    for place in range(len(slip.before) - 1, -1, -1):
        depth += {"RBRACE": 1, "LBRACE": -1}.get(slip.before[place].type, 0)
        if depth == 0:
            behind = {each.type for each in slip.before[max(place - 8, 0) : place]}
            return slip.before[place - 1].type in _NAMES | {"RSQB"} and bool(behind & {"WINDOW", "STREAM"})
    return False


def _parentheses(slip: Slip) -> str | None:
    """``SELECT (COUNT(?x) AS ?n FROM``, ``ORDER ?y``, ``SELECT TUMBLE_START(..)``."""
    if slip.accepted == {"RPAR"} and slip.last == "VAR" and slip.before[-2].type == "AS":
        return f"a ')' ends it: (... AS {slip.before[-1]})"
    if slip.last in ("ORDER", "GROUP") and slip.accepted == {"BY"}:
        return f"it is {slip.last} BY {slip.found}"
    if slip.found.type == WORD and _are_of_sql(slip.found):
        return "a window is declared in FROM, and its bounds are getWindowStart(:w) and getWindowEnd(:w)"
    return None


_are_of_sql: Final = re.compile(r"(TUMBLE|HOP|SESSION|WINDOW)_(START|END|ROWTIME)", re.IGNORECASE).fullmatch

NEIGHBOUR_HINTS: Final[tuple[Callable[[Slip], str | None], ...]] = (
    _misspelt,
    _before_query,
    _register_line,
    _select,
    _from,
    _window_named,
    _extent,
    _length,
    _behind_length,
    _pattern,
    _events,
    _parentheses,
)
"""Each knows some slips; tried in this order."""
