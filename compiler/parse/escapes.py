r"""Escape sequences: ``\uXXXX`` anywhere in a query, ``\n`` in strings, ``\-`` in prefixed names.

SPARQL 1.1, sections 19.2 (codepoints), 19.7 (strings) and the production PN_LOCAL_ESC.
"""

from __future__ import annotations

import re
from types import MappingProxyType

from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class

__all__ = ["DecodedText", "check_string", "decode_codepoints", "unescape_local", "unescape_string"]

_STRING_ESCAPES = MappingProxyType(
    {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
)
_CODEPOINT = re.compile(r"\\\\|\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WRONG_STRING_ESCAPE = re.compile(r"""(?:[^\\]|\\[tnrbf"'\\])*(\\(?:u.{0,4}|U.{0,8}|.))""", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@value_class
class DecodedText:
    r"""A query text without ``\u`` escapes, and where each of its characters stood."""

    text: str
    offsets: tuple[int, ...] | None
    """One more than there are characters; None where nothing moved."""

    def offset(self, position: int) -> int:
        """Where the character at ``position`` stands in the text the user wrote."""
        return position if self.offsets is None else self.offsets[position]


def decode_codepoints(text: str) -> DecodedText:
    r"""Replace ``\uXXXX`` and ``\UXXXXXXXX``, once and before anything else is read.

    A backslash that is escaped itself starts no such sequence.

    >>> decode_codepoints(r"\u0041\U00000042 \\u0043").text
    'AB \\\\u0043'

    Raises:
        Fault: EP105 for half of a surrogate pair and for numbers above 10FFFF, EP103 for a lone surrogate.
    """
    if found := _SURROGATE.search(text):
        raise Fault("EP103", "half of a surrogate pair is not a character", Span(*found.span()))
    if "\\u" not in text and "\\U" not in text:
        return DecodedText(text, None)
    parts: list[str] = []
    offsets: list[int] = []
    end = 0
    for escape in _CODEPOINT.finditer(text):
        digits = escape[1] or escape[2]
        if digits is None:
            continue
        codepoint = int(digits, 16)
        if 0xD800 <= codepoint <= 0xDFFF or codepoint > 0x10FFFF:
            raise Fault("EP105", f"U+{codepoint:04X} is not a character", Span(*escape.span()))
        parts += (text[end : escape.start()], chr(codepoint))
        offsets.extend(range(end, escape.start() + 1))
        end = escape.end()
    parts.append(text[end:])
    offsets.extend(range(end, len(text) + 1))
    return DecodedText("".join(parts), tuple(offsets))


def check_string(written: str) -> tuple[int, int] | None:
    r"""Start and end of the first escape sequence in ``written`` that no string can have.

    >>> check_string(r'"a\n\q"')
    (4, 6)
    """
    if "\\" not in written:
        return None
    wrong = _WRONG_STRING_ESCAPE.match(written)
    return None if wrong is None or wrong[1][1] in _STRING_ESCAPES else wrong.span(1)


def unescape_string(written: str) -> str:
    r"""The text of a string, without its quotes and with its escapes undone.

    >>> unescape_string(r"'''it\'s'''"), unescape_string('""')
    ("it's", '')
    """
    quotes = 3 if len(written) >= 6 and written[:3] in ('"""', "'''") else 1
    text = written[quotes:-quotes]
    return _ESCAPED.sub(lambda escape: _STRING_ESCAPES[escape[1]], text) if "\\" in text else text


def unescape_local(written: str) -> str:
    r"""The local part of a prefixed name with its backslashes taken off.

    >>> unescape_local(r"a\-b%20c")
    'a-b%20c'
    """
    return _ESCAPED.sub(r"\1", written) if "\\" in written else written
