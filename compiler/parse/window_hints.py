"""Hints for the slips of those who write windows on streams, and the words of other engines for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from etalis_py.compiler.parse.expected import END
from etalis_py.compiler.parse.relation_to_stream import RELATIONS_TO_STREAM
from etalis_py.compiler.parse.slip import Slip
from etalis_py.compiler.parse.tokens import WORD

__all__ = ["WINDOW_HINTS"]

_NAMES: Final = frozenset({"IRIREF", "PNAME_LN", "PNAME_NS"})
_COUNTED: Final = frozenset({"ELEMENTS", "ROWS", "TRIPLES"})
_EXTENTS: Final = _COUNTED | {"RANGE", "TUMBLING", "NOW", "ALL", "LND", "STEP", "SLIDE"}
"""Words that a window begins with, or is thought to."""
_DECLARED: Final = "FROM NAMED WINDOW :w ON :stream [RANGE 10s STEP 5s]"
_REGISTERED: Final = "REGISTER RSTREAM :out AS SELECT ..."
_looks_like_length = re.compile(r"""["']?(P[0-9DHMSTWY.]+|[0-9.]+ ?\w+)["']?""", re.IGNORECASE).fullmatch


# ---- REGISTER -------------------------------------------------------------------------------------------


def _registered(slip: Slip) -> str | None:
    """``REGISTER :out AS``, ``REGISTER QUERY AS``, ``REGISTER QUERY a-b AS``, ``REGISTER QUERY q SELECT``."""
    registers = [each.type for each in slip.before[-3:]]
    if slip.last == "REGISTER":
        return f"say what it gives: {_REGISTERED}, or STREAM, ISTREAM, DSTREAM, QUERY"
    if "REGISTER" in registers[-2:] and "WORD" in slip.accepted:
        what = slip.before[-1].upper()
        return f"{what} is followed by a name, which is an IRI or a word: REGISTER {what} :out AS"
    if "REGISTER" in registers and "AS" in slip.accepted and slip.touches:
        return "a name is an IRI, or one word of letters, digits and '_'"
    if slip.accepted >= {"AS", "EVERY", "REPORT"} and slip.found.type in _FORMS:
        return f"AS stands before the query: {_REGISTERED}"
    return None


_FORMS: Final = frozenset({"SELECT", "CONSTRUCT", "ASK", "DESCRIBE", "PREFIX"})


def _to_stream(slip: Slip) -> str | None:
    """``RSTREAM SELECT ?x``, ``SELECT ISTREAM(?x)``."""
    if slip.found.type in RELATIONS_TO_STREAM and "SELECT" in slip.accepted:
        word = slip.found.upper()
        return f"{word} stands behind SELECT, or before a name: SELECT {word} ?x, REGISTER {word} :out AS"
    if slip.last == "VAR" and len(slip.before) > 2 and slip.before[-3].type in RELATIONS_TO_STREAM:
        word = slip.before[-3].upper()
        return f"{word} is of whole rows: SELECT {word} {slip.before[-1]}"
    return None


def _when(slip: Slip) -> str | None:
    """``REPORT`` and ``EVERY`` behind a query, ``REPORT ON CLOSE``, ``STARTING AT`` behind a window."""
    word = slip.found.upper()
    if slip.last == "REPORT":
        return "it is REPORT CLOSE, CHANGE or ARRIVAL, with NONEMPTY or without, or REPORT NONEMPTY"
    if word == "STARTING":
        if slip.accepted & {"STEP", "RSQB"}:
            return "only a window of RANGE begins at a time: [RANGE 10s STARTING AT ...]"
        return "STARTING AT stands in the brackets of a window, or in the REGISTER line"
    if word in ("REPORT", "EVERY", "COMPUTED") and (END in slip.accepted or "WHERE" in slip.accepted):
        example = {"REPORT": "REPORT CHANGE", "EVERY": "EVERY 5s", "COMPUTED": "COMPUTED EVERY 5s"}[word]
        return f"{word} stands in the REGISTER line: REGISTER RSTREAM :out {example} AS SELECT ..."
    return None


def _moment(slip: Slip) -> str | None:
    """``STARTING AT 8:00``, ``STARTING "2026-01-01T00:00:00Z"``, ``[LND]``."""
    at = {each.type for each in slip.before[-2:]} & {"AT", "LND"}
    if slip.last == "STARTING":
        return 'it is STARTING AT "2026-01-01T00:00:00Z"'
    if at and (slip.touches or {"STRING", "INTEGER"} <= slip.accepted):
        word = "STARTING AT" if "AT" in at else "LND"
        return f'a time stands in quotes: {word} "2026-01-01T08:00:00Z", or is microseconds since 1970'
    return None


# ---- FROM -----------------------------------------------------------------------------------------------


def _declared(slip: Slip) -> str | None:
    """``FROM WINDOW :w ON :s``, ``FROM NAMED :w ON :s``, ``FROM NAMED WINDOW ON :s``, ``ON [...]``."""
    before = [each.type for each in slip.before[-3:]]
    if before[-2:] == ["NAMED", "WINDOW"]:
        return f"a window has a name, which is an IRI: {_DECLARED}; or none: FROM WINDOW ON :stream [...]"
    if slip.found.type == "ON" and before[:2] == ["FROM", "WINDOW"]:
        return f"a window with a name is NAMED: {_DECLARED}"
    if before[:2] == ["FROM", "NAMED"] and slip.found.type in ("ON", "WINDOW"):
        if slip.found.type == "WINDOW":
            return f"it is {_DECLARED}, or FROM NAMED :stream WIN [RANGE 10s] AS :w"
        return f"it is {_DECLARED}"
    if slip.found.type == "FROM" and END in slip.accepted:
        return "FROM stands before WHERE: SELECT ... FROM ... WHERE { ... }"
    return None


def _of_stream(slip: Slip) -> str | None:
    """``ON ?s``, ``ON STREAM [...]``, ``WINDOW :w [...]`` of no stream."""
    before = [each.type for each in slip.before[-3:]]
    if slip.last == "ON" and slip.found.type == "VAR":
        return "a window is of one stream; STREAM ?s [RANGE 10s] { ... } looks at each"
    if before[-2:] == ["ON", "STREAM"] and slip.accepted >= _NAMES:
        return f"STREAM is followed by the stream's IRI: {_DECLARED}"
    if slip.last == "RSQB" and slip.accepted == {"ON"}:
        return f"say of which stream it is: {_DECLARED}"
    if "WIN" in {each.type for each in slip.before[-8:]} and slip.accepted & {"AS", "LSQB", "IRIREF"}:
        return "a window of RSEP-QL has its name behind: FROM NAMED :stream WIN [RANGE 10s] AS :w"
    if slip.last == "ON" and slip.accepted >= _NAMES:
        return f"ON is followed by the stream's IRI: {_DECLARED}"
    if slip.last == "STREAM" and "FROM" in before and slip.accepted >= _NAMES:
        return "the stream's IRI comes first: FROM STREAM :stream [RANGE 10s STEP 5s]"
    return None


# ---- the window -----------------------------------------------------------------------------------------


def _brackets(slip: Slip) -> str | None:
    """``ON :s RANGE 10s``, ``ON :s (RANGE 10s)``, ``STREAM :s []``."""
    if slip.last not in _NAMES | {"VAR"} or "LSQB" not in slip.accepted:
        return None
    if slip.found.type == "ANON":
        return "say what the window holds: [RANGE 10s], [NOW], [ALL], [TRIPLES 10]"
    if slip.found.type in _EXTENTS or (slip.found.type == "LPAR" and slip.accepted <= {"LSQB", "LBRACE"}):
        return "a window stands in brackets: [RANGE 10s STEP 5s]"
    return None


def _extent(slip: Slip) -> str | None:
    """``[10s]``, ``[STEP 5s RANGE 10s]``, ``[TUMBLING 10s]``, ``[LAST 10s]``."""
    if not slip.accepted >= {"RANGE", "ELEMENTS"}:
        return None
    if slip.found.upper() in _OF_OTHERS:
        return _OF_OTHERS[slip.found.upper()]
    match slip.found.type:
        case "STEP" | "SLIDE":
            return "the range comes first: [RANGE 10s STEP 5s]"
        case "TUMBLING":
            return "the length comes first: [RANGE 10s TUMBLING]"
        case _ if slip.found.upper() in ("TRIPLE", "ELEMENT", "ROW"):
            return f"did you mean {slip.found.upper()}S?"
        case _:
            return "a window says what it holds: [RANGE 10s STEP 5s], [TRIPLES 10], [NOW-10s TO NOW-5s]"


_OF_OTHERS: Final = {
    "LANDMARK": 'what came since a time is [LND "2026-01-01T08:00:00Z"]',
    "TUMBLE": "windows that follow each other are written [RANGE 10s TUMBLING]",
    "HOP": "windows that overlap are written [RANGE 10s STEP 5s]",
    "SESSION": "a window has a length; REPEAT finds runs without a pause (docs/language.md)",
    "PAST": "what came within a time is [RANGE 10s]",
    "FUTURE": "a window looks back; what comes within a time after something is { A } SEQ { B } WITHIN PT10S",
}
"""Windows of Flink SQL and of later versions of CQELS."""


def _length(slip: Slip) -> str | None:
    """``RANGE "PT10S"``, ``RANGE 1.5s``, ``RANGE -10s``, ``RANGE ALL``, ``STEP ]``."""
    if not slip.accepted >= {"DURATION", "INTEGER"}:
        return None
    found = slip.found.type
    if slip.found.upper() == "INTERVAL":
        return "a length is a number and its unit: INTERVAL '5' MINUTE is 5m"
    if found == "ALL":
        return "all that came so far is [RANGE UNBOUNDED], in CQELS [ALL]"
    if found in _COUNTED:
        return f"so many are [{found} 10]"
    if found == "STRING" and _looks_like_length(slip.found):
        return f"a length stands without quotes: {slip.found[1:-1].replace(' ', '')}"
    if found in ("DECIMAL", "DOUBLE"):
        return "a length is a whole number of a unit, or a duration: 1500ms, PT1.5S"
    if found.startswith("SIGNED"):
        return "a length has no sign: 10s"
    return "a length is written 10s, 500ms, 5m, 2h, or as a duration: PT10S"


def _counted(slip: Slip) -> str | None:
    """``[TRIPLES]``, ``[ELEMENTS 5s]``, ``[ELEMENTS 5 TUMBLING]``, ``[ELEMENTS 5 STEP 2s]``."""
    behind = [each.type for each in slip.before[-4:]]
    word = next((each for each in reversed(slip.before[-4:]) if each.type in _COUNTED), None)
    if word is None or slip.found.type in _BEHIND_WINDOWS:
        return None
    match behind[len(behind) - behind[::-1].index(word.type) :]:
        case []:
            return f"say how many: [{word.upper()} 10]" if slip.accepted == {"INTEGER"} else None
        case ["INTEGER"] if "STEP" in slip.accepted:
            if slip.found.type in ("TUMBLING", "COMMA", "EVERY"):
                step = slip.before[-1] if slip.found.type == "TUMBLING" else 2
                return f"it moves by so many with STEP: [{word.upper()} {slip.before[-1]} STEP {step}]"
            return f"{word.upper()} counts; a window of a time is [RANGE 10s]"
        case ["INTEGER", "STEP" | "SLIDE", *_]:
            return f"its step counts, too: [{word.upper()} 5 STEP 2]"
        case _:
            return None


def _within(slip: Slip) -> str | None:
    """``[RANGE 10s SLIDING 5s]``, ``[RANGE 10s, 5s]``, ``[RANGE 5 ELEMENTS]``."""
    if slip.last == "UNBOUNDED" and slip.accepted == {"RSQB"}:
        return "what has no length has no step: write [RANGE UNBOUNDED], and EVERY 5s in the REGISTER line"
    if not slip.accepted & {"RSQB", "STEP", "TO"} or "LSQB" not in {each.type for each in slip.before[-9:]}:
        return None
    if slip.found.type in _BEHIND_WINDOWS and "RSQB" in slip.accepted:
        return "the '[' of the window is not closed"
    if slip.accepted == {"STEP", "SLIDE"}:
        return "the second length is that of the step: [RANGE 10s STEP 5s]"
    if slip.accepted >= {"RSQB", "TO"}:
        return "a part of the past is written [NOW-10s TO NOW-5s]"
    if slip.found.type in _COUNTED:
        return f"so many are [{slip.found.upper()} {slip.before[-1]}]"
    if slip.found.upper() == "LATENESS":
        return "how late events may be is an option of the run: --on-late 2s"
    if "STEP" in slip.accepted and (slip.found.type in (WORD, "EVERY", "COMMA")):
        return "the step is written [RANGE 10s STEP 5s] or SLIDE 5s; without one the window slides"
    return None


_BEHIND_WINDOWS: Final = frozenset({"WHERE", "LBRACE", "FROM", "EVENT", "ON", "AS"})


# ---- patterns -------------------------------------------------------------------------------------------


def _looks(slip: Slip) -> str | None:
    """``WINDOW :w ?x :p ?y``, ``STREAM :s [...] ?x``, ``STREAM`` behind the braces."""
    before = [each.type for each in slip.before]
    if slip.accepted == {"LBRACE"} and before[-2:-1] == ["WINDOW"]:
        return f"WINDOW is followed by braces: WINDOW {slip.before[-1]} {{ ... }}"
    if before[-1:] == ["RSQB"] and "STREAM" in before and slip.accepted == {"LBRACE"}:
        return "a window is followed by braces: STREAM :s [RANGE 10s] { ... }"
    if slip.found.type in ("STREAM", "WINDOW") and slip.last == "RBRACE" and END in slip.accepted:
        return f"{slip.found.upper()} stands within the braces of WHERE"
    return None


def _events(slip: Slip) -> str | None:
    """``EVENT :w {..} AS A``, ``EVENT ON :w {..}`` without a name, ``MATCH A``, ``A SEQ B`` without MATCH."""
    if slip.last == "EVENT" and slip.accepted == {"ON"}:
        return "an event is declared so: EVENT ON :w { ... } AS Name"
    if slip.last == "RBRACE" and slip.accepted == {"AS"}:
        return "an event has a name: EVENT ON :w { ... } AS Name"
    if slip.last == "AS" and slip.accepted == {"WORD"}:
        if slip.found.isalpha():
            return f"{slip.found} is a word of the language: name the event otherwise"
        return f"an event's name is a word: AS {slip.found.lstrip('?$:').capitalize() or 'Name'}"
    if slip.last in ("FIRST", "LAST") and slip.accepted >= {"LBRACE", "WORD"}:
        word = slip.before[-1].upper()
        return f"{word} is of an event, or of a pattern in braces: {word} A, {word} {{ A SEQ B }}"
    if slip.last == "MATCH":
        return "the pattern of a MATCH stands in braces: MATCH { A SEQ B }"
    declared = {
        str(name) for name, word in zip(slip.before[1:], slip.before, strict=False) if word.type == "AS"
    }
    if slip.found.type == WORD and slip.found in declared and "LBRACE" in slip.accepted:
        return "events stand in MATCH: MATCH { A SEQ B }"
    return None


# ---- words of others ------------------------------------------------------------------------------------


def _of_csparql(slip: Slip) -> str | None:
    """``AGGREGATE { ... }`` of its first versions, ``timestamp(?x)``."""
    if slip.found.type == "AGGREGATE":
        return "AGGREGATE stands behind the braces of WHERE: WHERE { ... } AGGREGATE { (?n, COUNT, {?x}) }"
    if "AGGREGATE" in (each.type for each in slip.before[-12:]):
        return "it reads AGGREGATE { (?n, COUNT, {?x}) FILTER (?n > 1) }, or SUM(?y) in the place of COUNT"
    if slip.found.lower() == "timestamp":
        return "it is f:timestamp(?s, :p, ?o), with PREFIX f: <http://larkc.eu/csparql/sparql/jena/ext#>"
    return None


def _template(slip: Slip) -> str | None:
    """``CONSTRUCT { GRAPH ?g { ... } }``."""
    before = [each.type for each in slip.before[-3:]]
    if slip.found.type == "GRAPH" and before[-1:] == ["LBRACE"] and "CONSTRUCT" in before:
        return (
            "what a CONSTRUCT makes at one time is one element without a name: leave out GRAPH and its braces"
        )
    return None


def _described(slip: Slip) -> str | None:
    """``DESCRIBE FROM``, ``DESCRIBE ISTREAM ?x``, ``DESCRIBE DISTINCT ?x``, ``DESCRIBE (?x AS ?y)``."""
    if slip.last != "DESCRIBE":
        return None
    match slip.found.type:
        case word if word in RELATIONS_TO_STREAM:
            return f"what it gives stands before it: REGISTER {slip.found.upper()} :out AS DESCRIBE ..."
        case "DISTINCT" | "REDUCED":
            return "DESCRIBE has each triple once: leave it out"
        case _:
            return "say what: DESCRIBE ?x, DESCRIBE <urn:a>, or * for all that its pattern binds"


def _window_function(slip: Slip) -> str | None:
    """``getWINDOWEND()``."""
    if slip.last in ("GETWINDOWSTART", "GETWINDOWEND") and slip.found.type == "NIL":
        return f"name the window: {slip.before[-1]}(:w)"
    return None


def _compared(slip: Slip) -> str | None:
    """``HAVING COUNT(?x) > 3``."""
    if slip.found.type not in _COMPARISONS or slip.in_expression or slip.last not in ("RPAR", "NIL"):
        return None
    words = (each.type for each in reversed(slip.before) if each.type in ("HAVING", "FILTER"))
    word = next(words, None)
    return word and f"the condition stands in parentheses: {word} (... {slip.found} ...)"


_COMPARISONS: Final = frozenset({"EQUAL", "NOT_EQUAL", "LESSTHAN", "MORETHAN", "AT_MOST", "AT_LEAST"})

WINDOW_HINTS: Final[tuple[Callable[[Slip], str | None], ...]] = (
    _registered,
    _to_stream,
    _when,
    _moment,
    _declared,
    _of_stream,
    _brackets,
    _extent,
    _length,
    _counted,
    _within,
    _looks,
    _events,
    _of_csparql,
    _template,
    _described,
    _window_function,
    _compared,
)
"""Each knows some slips; tried in this order."""
