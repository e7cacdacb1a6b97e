"""Which entity declarations an RDF/XML file may have: short names for texts, as OWL editors write them.

    <!ENTITY owl "http://www.w3.org/2002/07/owl#">

An entity that is made of others grows exponentially (600 bytes take all memory), and one that is a file or a
URL would be read: neither is let through to a parser. What is let through can make a text longer by a
constant factor at most. Does not look at anything else of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Final

from etalis_py.core.errors import DataError, Place

__all__ = ["LONGEST_ENTITY", "MOST_ENTITIES", "check_entities"]

LONGEST_ENTITY: Final = 256
"""Bytes of an entity's text."""

MOST_ENTITIES: Final = 1000
"""Entities of a file."""

_BLOCK: Final = 1 << 20
_MARK: Final = b"<!ENTITY"
_ROOM: Final = 4 * LONGEST_ENTITY
_is_simple = re.compile(rb'<!ENTITY\s+[^\s%&<>"\']{1,256}\s+"([^"%&<]*)"\s*>').match


def check_entities(file: IO[bytes], name: str) -> None:
    """Refuse the RDF/XML ``file``, called ``name``, if its entities are not simple; leaves it where it was.

    A parser may heed declarations wherever they stand, so all of the file is looked at.

    Raises:
        DataError: EP430.
    """
    start = file.tell()
    for count, (declaration, line) in enumerate(_declarations(file)):
        simple = _is_simple(declaration)
        if simple is None or len(simple[1]) > LONGEST_ENTITY or count >= MOST_ENTITIES:
            raise DataError(
                "EP430",
                "the file declares XML entities that are not plain text, too long or too many",
                place=Place(name, line=line),
                hint=f'up to {MOST_ENTITIES} are allowed, written <!ENTITY name "text">, '
                f"each of at most {LONGEST_ENTITY} bytes without & and %; "
                "expand others, for example with xmllint --noent",
            )
    file.seek(start)


def _declarations(file: IO[bytes]) -> Iterator[tuple[bytes, int]]:
    """Each declaration, with what follows it, and its line."""
    line, rest, at_end = 1, b"", False
    while not at_end:
        block = file.read(_BLOCK)
        at_end = not block
        data, at = rest + block, 0
        while (found := data.find(_MARK, at)) >= 0 and (at_end or found + _ROOM <= len(data)):
            yield data[found : found + _ROOM], line + data.count(b"\n", 0, found)
            at = found + len(_MARK)
        keep = found if found >= 0 else max(at, len(data) - len(_MARK) + 1)
        line += data.count(b"\n", 0, keep)
        rest = data[keep:]
