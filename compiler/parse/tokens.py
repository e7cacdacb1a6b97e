"""From the query text to tokens.

The terminals of SPARQL 1.1, section 19.8, productions 139 to 173, with the word and the punctuation of
grammar.lark. A word that is not a keyword, a character that starts no token and the like become tokens that
the grammar does not know, so that the parser can say what it expected in their place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from lark import Token

from etalis_py.compiler.parse.escapes import DecodedText, check_string
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.relation_to_stream import RELATIONS_TO_STREAM
from etalis_py.compiler.spans import Span

__all__ = ["UNKNOWN", "WORD", "tokenize"]

WORD = "WORD"
"""The type of a word that is not a keyword."""

UNKNOWN = "UNKNOWN"
"""The type of a character that starts no token."""

_BASE = (  # PN_CHARS_BASE [164]
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = f"{_BASE}_0-9\u00b7\u0300-\u036f\u203f\u2040"  # PN_CHARS [167] but for "-"
_ESCAPE = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"  # PLX [170]
_EXPONENT = r"[eE][+-]?[0-9]+"  # [155]
_SKIPPED = re.compile(r"(?:[ \t\r\n]+|#[^\r\n]*)+")


@lru_cache(maxsize=2)
def _token_pattern(*, ascii_only: bool) -> re.Pattern[str]:
    """What a token looks like. Most queries are ASCII: they need no sets that take 30 ms to make."""
    base, name = ("A-Za-z", "A-Za-z_0-9") if ascii_only else (_BASE, _NAME)
    prefix = rf"[{base}][{name}-]*(?:\.+[{name}-]+)*"  # PN_PREFIX [168]
    local = (  # PN_LOCAL [169]
        rf"(?:[{base}_:0-9]|{_ESCAPE})(?:[{name}:-]|{_ESCAPE})*(?:\.+(?:[{name}:-]|{_ESCAPE})+)*"
    )
    return re.compile(
        "|".join(
            (
                rf"(?P<VAR>[?$][{base}_0-9][{name}]*)",  # [143] [144] [166]
                rf"(?P<PNAME>(?:{prefix})?:(?P<LOCAL>{local})?)",  # [140] [141]
                rf"(?P<BLANK_NODE_LABEL>_:[{base}_0-9][{name}-]*(?:\.+[{name}-]+)*)",  # [142]
                r"(?P<DURATION>P(?=T?[0-9])(?:[0-9A-Za-z]|\.[0-9])*)",  # [EP7]
                r"(?P<WORD>[^\W\d]\w*)",
                r"(?P<IRIREF><[^<>\"{}|^`\\\x00-\x20]*>)",  # [139]
                r'(?P<LONG>"""[^"\\]*(?:(?:\\.|"{1,2}(?!"))[^"\\]*)*"""' + "|"  # [159]
                r"'''[^'\\]*(?:(?:\\.|'{1,2}(?!'))[^'\\]*)*''')",  # [158]
                r'(?P<STRING>(?!"""|\'\'\')(?:"[^"\\\r\n]*(?:\\[^\r\n][^"\\\r\n]*)*"' + "|"  # [157]
                r"'[^'\\\r\n]*(?:\\[^\r\n][^'\\\r\n]*)*'))",  # [156]
                r"(?P<LANGTAG>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)",  # [145]
                rf"(?P<DOUBLE>[+-]?(?:[0-9]+\.[0-9]*|\.?[0-9]+){_EXPONENT})",  # [148] [151] [154]
                r"(?P<DECIMAL>[+-]?[0-9]*\.[0-9]+)",  # [147] [150] [153]
                r"(?P<INTEGER>[+-]?[0-9]+)",  # [146] [149] [152]
                r"(?P<NIL>\([ \t\r\n]*\))",  # [161]
                r"(?P<ANON>\[[ \t\r\n]*\])",  # [163]
                r"(?P<SYMBOL>\^\^|\|\||&&|[!<>]=|[{}()\[\].,;*/|^?+\-!=<>])",
            )
        ),
        re.DOTALL,
    )


_REGISTERED = frozenset({"QUERY", "STREAM", *RELATIONS_TO_STREAM})
"""What stands before the name of a query, which may be a keyword."""

_PRAGMA = re.compile(r"""[ \t]+(?P<NAME>[A-Za-z][\w-]*)(?:[ \t]+(?P<VALUE>"[^"\r\n]*"|[^\s#"]+))?""")


def tokenize(
    decoded: DecodedText,
    words: Mapping[str, str],
    start: int = 0,
    *,
    on_gap: Callable[[int, int], None] | None = None,
) -> Iterator[Token]:
    """The tokens of a text from ``start`` on, with offsets into what the user wrote.

    ``words`` gives the type of every keyword (in capitals) and of every punctuation mark. It is lazy: what
    stands behind the first syntax error is never read. ``on_gap`` is told where in the decoded text blanks
    and comments begin and end.

    Raises:
        Fault: EP104 for a string that is not closed, EP105 for a wrong escape in a string.
    """
    text, position = decoded.text, start or int(decoded.text.startswith("\ufeff"))
    pattern = _token_pattern(ascii_only=text.isascii())
    before = ("", "")
    while True:
        if skipped := _SKIPPED.match(text, position):
            if on_gap is not None:
                on_gap(position, skipped.end())
            position = skipped.end()
        if position >= len(text):
            return
        found = pattern.match(text, position)
        if found is None or found.lastgroup is None:
            _refuse_open_string(decoded, position)
            yield _token(UNKNOWN, decoded, position, position + 1)
            position += 1
            continue
        kind = _kind(found, words)
        if kind == "PNAME_LN" and found[0].startswith("prolog:") and text.startswith("(", found.end()):
            kind = "GOAL"
        is_named = before[0] == "REGISTER" and before[1] in _REGISTERED
        if is_named and found.lastgroup == "WORD" and kind != "AS":
            kind = WORD  # REGISTER QUERY count AS
        before = before[1], kind
        if kind == "STRING":
            _refuse_wrong_escape(decoded, position, found[0])
        yield _token(kind, decoded, position, found.end())
        position = found.end()
        if kind == "PRAGMA" and (pragma := _PRAGMA.match(text, position)):
            yield _token("PRAGMA_NAME", decoded, *pragma.span("NAME"))
            position = pragma.end("NAME")
            if pragma["VALUE"] is not None:
                yield _token("PRAGMA_VALUE", decoded, *pragma.span("VALUE"))
                position = pragma.end()


def _kind(found: re.Match[str], words: Mapping[str, str]) -> str:
    """The terminal of the grammar that a token is."""
    written = found[0]
    match found.lastgroup:
        case "WORD":
            return words.get(written) or words.get(written.upper(), WORD)
        case "SYMBOL":
            return words[written]
        case "INTEGER" | "DECIMAL" | "DOUBLE" as kind:
            return f"SIGNED_{kind}" if written[0] in "+-" else kind
        case "PNAME":
            return "PNAME_LN" if found["LOCAL"] is not None else "PNAME_NS"
        case "LONG":
            return "STRING"
        case kind:
            assert kind is not None
            return kind


def _token(kind: str, decoded: DecodedText, start: int, end: int) -> Token:
    return Token(kind, decoded.text[start:end], start_pos=decoded.offset(start), end_pos=decoded.offset(end))


def _refuse_wrong_escape(decoded: DecodedText, start: int, written: str) -> None:
    wrong = check_string(written)
    if wrong is None:
        return
    escape = written[wrong[0] : wrong[0] + 2]
    what = (
        "needs hexadecimal digits: four after \\u, eight after \\U"
        if escape in ("\\u", "\\U")
        else ("is not an escape sequence")
    )
    span = Span(decoded.offset(start + wrong[0]), decoded.offset(start + wrong[1]))
    raise Fault("EP105", f"'{escape}' {what}", span, "a backslash itself is written '\\\\'")


def _refuse_open_string(decoded: DecodedText, start: int) -> None:
    text = decoded.text
    if text[start] not in "\"'":
        return
    quote = text[start]
    hint = f"end it with {quote}; inside, {quote} is written \\{quote}"
    end = len(text)
    if text.startswith(quote * 3, start):
        hint = f"end it with {quote * 3}"
    else:
        line = re.compile(r"[^\r\n]*").match(text, start)
        end = line.end() if line else end
        if end < len(text):
            hint += f"; put a string of several lines between {quote * 3} and {quote * 3}"
    raise Fault("EP104", "this string is not closed", Span(decoded.offset(start), decoded.offset(end)), hint)
