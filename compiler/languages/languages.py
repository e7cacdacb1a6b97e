"""Which language a text is written in, and its queries as syntax trees of EP-SPARQL.

A file ``.spaseq`` is SPAseq, and so is a text with ``DEFINE GPM``, as every query of SPAseq has and none of
EP-SPARQL can have. A file ``.event`` is ETALIS; a text without a file is where it is said to be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar

from etalis_py.compiler.languages.language_names import LanguageName
from etalis_py.compiler.languages.remarks import ReadQuery
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.dialect_names import DIALECTS
from etalis_py.compiler.parse.parser import parse_program

__all__ = ["in_dialect", "language_of", "read_program"]

_Read = TypeVar("_Read")

_DEFINITION: Final = re.compile(r"\bDEFINE\s+GPM\b", re.IGNORECASE)
_NOT_WORDS: Final = re.compile(
    r'#[^\r\n]*|<[^<>\s]*>|"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\''
    r"|\"(?:\\.|[^\"\\\r\n])*\"|'(?:\\.|[^'\\\r\n])*'",
    re.DOTALL,
)
"""Comments, IRIs and strings."""


def language_of(text: str, source: str | None = None) -> LanguageName:
    """The language of a text; ``source`` is the name of its file.

    >>> language_of("ASK { ?x ?y 'DEFINE GPM' }"), language_of("ASK", "fall.spaseq")
    ('ep-sparql', 'spaseq')
    >>> language_of("a <- b.", "a.event")
    'etalis'
    """
    suffix = "" if source is None else Path(source).suffix.lower()
    if suffix == ".event":
        return "etalis"
    return "spaseq" if suffix == ".spaseq" or _is_spaseq(text) else "ep-sparql"


def read_program(
    text: str, source: str | None = None, language: LanguageName | None = None
) -> list[ReadQuery]:
    """The queries of a text, which are separated by ``;;``; without ``language`` the text says which it is.

    Raises:
        QuerySyntaxError: EP1xx, the text is not of that language.
    """
    match language or language_of(text, source):
        case "spaseq":
            from etalis_py.compiler.languages.spaseq.reader import read_spaseq

            return read_spaseq(text, source)
        case "etalis":
            from etalis_py.compiler.languages.etalis.reader import read_etalis

            return read_etalis(text, source)
        case read:
            return [ReadQuery(each) for each in in_dialect(parse_program(text, source), read)]


def in_dialect(queries: Iterable[_Read], language: LanguageName) -> Iterator[_Read]:
    """What was read of EP-SPARQL, whose queries are of a dialect if ``language`` is one."""
    dialects = [each for each in DIALECTS if each == language]
    for each in queries:
        yield replace(each, dialect=dialects[0]) if dialects and isinstance(each, syntax.Query) else each


def _is_spaseq(text: str) -> bool:
    return _DEFINITION.search(text) is not None and _DEFINITION.search(_NOT_WORDS.sub(" ", text)) is not None
