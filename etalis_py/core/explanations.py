"""What a code means, a message with it as an example, and how to fix what it reports.

``etalis explain EP413`` and the editor show it, and docs/errors.md is made from it. The messages are whole
ones, which tests provoke and compare; they say themselves how to fix it (their hint), or `_REMEDIES` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from etalis_py.core.error_codes import ERROR_CODES, WARNING_CODES
from etalis_py.core.errors import UsageError

__all__ = ["CODES", "MESSAGES", "Explanation", "explanation", "explanations"]

CODES: Final = MappingProxyType({**ERROR_CODES, **WARNING_CODES})
MESSAGES: Final = Path(__file__).with_name("messages")
"""One file a code."""
_HINT: Final = "\nhint: "
_REMEDIES: Final = MappingProxyType(
    {
        "EP109": "write a smaller number",
        "EP203": "docs/language.md has the functions with their arguments",
        "EP206": "give one of the two another name",
        "EP211": "name what is to be described, DESCRIBE ex:a, or use a variable in the pattern",
        "EP303": "open a new engine; a snapshot or a state folder has what the old one knew",
        "EP427": "remove what RDF 1.1 does not have, or write it as triples",
        "EP442": "correct the rules file at that line",
        "EP444": "correct the directive, or remove it",
        "EP448": "name each file separately, or write out what the directive does",
        "EP461": "check the path and the permissions of the file",
        "EP463": "correct the value at that line",
        "EP504": "give each column one value for each event",
        "EP631": "see what the server says: the user, the password, the topic, the path",
        "EW20": "the arrow is at the step that held for nothing: correct it, or the data it looks at",
    }
)
"""For codes whose message has no hint."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is known of a code."""

    code: str
    meaning: str
    message: str
    """A whole message as an example, as a user sees it."""

    @property
    def remedy(self) -> str | None:
        """How to fix it, where the message does not say so."""
        return None if _HINT in self.message else _REMEDIES[self.code]

    def __str__(self) -> str:
        example, _, hint = self.message.partition(_HINT)
        parts = [
            f"{self.code}: {self.meaning}",
            f"For example:\n\n{_indented(example)}",
            f"To fix it:\n\n{_indented(self.remedy or hint)}",
        ]
        return "\n\n".join(parts)


def explanation(code: str) -> Explanation:
    """What is known of a code, which may be in small letters.

    >>> print(explanation("ep109").meaning)
    a number that is too large

    Raises:
        UsageError: EP501, there is no such code.
    """
    wanted = code.upper()
    if wanted not in CODES:
        raise UsageError("EP501", f"there is no code {code}", hint="docs/errors.md lists all codes")
    message = (MESSAGES / f"{wanted}.txt").read_text(encoding="utf-8").strip("\n")
    return Explanation(wanted, CODES[wanted], message)


def explanations() -> Iterator[Explanation]:
    """All codes, in the order of their tables."""
    return map(explanation, CODES)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.splitlines())
