"""How the words of the language are written where people read them."""

from __future__ import annotations

from typing import Final

__all__ = ["spelled"]

_MIXED: Final = {
    each.upper(): each
    for each in (
        *(
            "a",
            "true",
            "false",
            "isIRI",
            "isURI",
            "isBlank",
            "isLiteral",
            "isNumeric",
            "sameTerm",
            "langMatches",
        ),
        *("getDURATION", "getSTARTTIME", "getENDTIME", "getWINDOWSTART", "getWINDOWEND"),
    )
}
"""Words that are not written in capitals."""


def spelled(word: str) -> str:
    """A word of the language as it is to be written.

    >>> spelled("seq"), spelled("ISIRI"), spelled("TRUE")
    ('SEQ', 'isIRI', 'true')
    """
    return _MIXED.get(word.upper(), word.upper())
