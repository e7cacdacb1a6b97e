"""What could have stood in a place, in the words of who writes queries and not of the grammar."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from types import MappingProxyType

from etalis_py.compiler.parse.grammar_table import combinators, grammar_words
from etalis_py.core.value_class import value_class

__all__ = ["END", "TERM_STARTS", "describe_expected", "joined"]

END = "$END"
"""lark's terminal for the end of the text."""

_NUMBERS = frozenset({"INTEGER", "DECIMAL", "DOUBLE", "SIGNED_INTEGER", "SIGNED_DECIMAL", "SIGNED_DOUBLE"})
_IRIS = frozenset({"IRIREF", "PNAME_LN", "PNAME_NS"})
_LITERALS = _NUMBERS | {"STRING", "TRUE", "FALSE"}
TERM_STARTS = _IRIS | _LITERALS | {"VAR", "BLANK_NODE_LABEL", "ANON", "LSQB", "LPAR"}
_PATH_SIGNS = frozenset({"A", "BANG", "CIRCUMFLEX", "LPAR"})
_PATH_OPERATORS = frozenset({"SLASH", "VBAR", "STAR", "PLUS", "QMARK"})
_OPERATORS = _NUMBERS | {
    *("AND_OPERATOR", "EQUAL", "NOT_EQUAL", "LESSTHAN", "MORETHAN", "AT_MOST", "AT_LEAST", "IN", "NOT"),
    *("PLUS", "DASH", "STAR", "SLASH"),
}
_UNARY = frozenset({"BANG", "PLUS", "DASH", "LPAR", "NOT", "EXISTS", "NOW"})
_MODIFIERS = frozenset({"GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "OFFSET", "VALUES"})
_FORMS = frozenset({"SELECT", "CONSTRUCT", "ASK", "DESCRIBE"})


@value_class
class _Phrase:
    """What a set of terminals is called: said where ``needs`` are possible, and then for ``covers`` too."""

    words: tuple[str, ...]
    needs: frozenset[str]
    covers: frozenset[str] = frozenset()


_PHRASES = (
    _Phrase(("SELECT", "CONSTRUCT", "ASK", "DESCRIBE"), _FORMS, frozenset({"BASE", "PRAGMA"})),
    _Phrase(
        ("'.'", "';'", "','", "'}'"),
        frozenset({"DOT", "SEMICOLON", "COMMA", "RBRACE"}),
        frozenset({"LBRACE"}),
    ),
    _Phrase(("a triple pattern", "'{'"), TERM_STARTS | {"FILTER"}, frozenset({"LBRACE"})),
    _Phrase(("a triple pattern",), TERM_STARTS | {"RBRACE"}),
    _Phrase(("a variable", "an IRI", "a literal"), TERM_STARTS, _PATH_OPERATORS),
    _Phrase(("an expression",), _IRIS | _LITERALS | {"VAR", "BANG"}, _UNARY),
    _Phrase(("a predicate",), _IRIS | _PATH_SIGNS | {"VAR"}),
    _Phrase(("a property path",), _IRIS | {"A"}, _PATH_SIGNS),
    _Phrase(("a condition in parentheses",), _IRIS | {"STR", "LPAR"}, _UNARY),
    _Phrase(("a variable", "an IRI"), _IRIS | {"VAR"}),
    _Phrase(("an IRI", "a literal"), _IRIS | _LITERALS, frozenset({"UNDEF"})),
    _Phrase(("an IRI",), _IRIS),
    _Phrase(("a combinator such as SEQ",), frozenset({"SEQ", "UNION"}), frozenset({"OPTIONAL"})),
    _Phrase(("a solution modifier such as ORDER BY",), frozenset({"ORDER", "LIMIT"}), _MODIFIERS),
    _Phrase(("a length such as 10s",), frozenset({"DURATION", "INTEGER"})),
    _Phrase(
        ("a window such as RANGE 10s",), frozenset({"RANGE", "ELEMENTS"}), frozenset({"FROM", "NOW", "ROWS"})
    ),
    _Phrase(("an operator",), frozenset({"OR_OPERATOR"}), _OPERATORS),
    _Phrase(("an operator",), frozenset({"SLASH", "VBAR"}), _PATH_OPERATORS),
)
_TERMINALS = MappingProxyType(
    {
        END: "the end of the query",
        "NIL": "'()'",
        "DURATION": "a duration such as PT10M",
        "INTEGER": "a whole number",
        "IRIREF": "an IRI in angle brackets",
        "PNAME_NS": "a prefix with its colon",
        "PRAGMA_NAME": "the name of a pragma",
        "PRAGMA_VALUE": "the value of the pragma on the same line",
        "STRING": "a string",
        "VAR": "a variable",
        "WORD": "a name",
    }
)
_SHOWN_WORDS = frozenset(
    (
        "AS",
        "ASC",
        "BY",
        "DESC",
        "DISTINCT",
        "EXISTS",
        "FROM",
        "HAVING",
        "IN",
        "LIMIT",
        "NOW",
        "OFFSET",
        "PREFIX",
    )
) | {"RANGE", "ROWS", "SEPARATOR", "STEP", "TO", "WHERE"}
"""Keywords worth naming one by one; the others belong to a phrase or would make the list long."""


def describe_expected(accepted: AbstractSet[str]) -> str:
    """The phrases for a set of terminals of the grammar.

    >>> describe_expected({"RBRACE", "DOT", "FILTER"})
    "'.' or '}'"
    """
    rest = set(accepted) - ({"NIL"} if "LPAR" in accepted else set())
    rest.discard("GOAL")  # which a name may always be
    rest -= combinators() - {"SEQ", "UNION"}  # which stand for all of them
    if "DURATION" not in rest and not rest.isdisjoint({"STEP", "TO"}):
        rest.discard("INTEGER")  # a length may go on, as in 1h 30m
    phrases: list[str] = []
    for phrase in _PHRASES:
        if phrase.needs <= rest:
            phrases += (word for word in phrase.words if word not in phrases)
            rest -= phrase.needs | phrase.covers
    marks = {terminal: written for written, terminal in grammar_words().items() if not written[0].isalpha()}
    signs = [f"'{marks[terminal]}'" for terminal in rest if terminal in marks]
    words = [terminal for terminal in rest if terminal in _SHOWN_WORDS]
    names = [_TERMINALS[terminal] for terminal in rest if terminal in _TERMINALS]
    return joined([*sorted(signs), *phrases, *sorted(names), *sorted(words)] or sorted(accepted))


def joined(phrases: Iterable[str]) -> str:
    """The phrases with commas and "or".

    >>> joined(["a", "b", "c"])
    'a, b or c'
    """
    *first, last = phrases
    return f"{', '.join(first)} or {last}" if first else last
