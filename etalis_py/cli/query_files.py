"""Query files: their text, and the name under which their answers are given."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path
from typing import Final

from etalis_py.compiler.languages.language_names import LANGUAGES, LanguageName
from etalis_py.compiler.parse.dialect_names import DIALECTS
from etalis_py.core.errors import Place, UsageError
from etalis_py.core.value_class import value_class

__all__ = ["QueryFile", "add_language", "add_queries", "read_queries", "read_query"]

_STDIN: Final = "-"
_INLINE: Final = "-c"
_NAME: Final = "query"
"""That of a query that is in no file; the second is ``query-2``."""


@value_class
class QueryFile:
    r"""A query file; ``name`` is the file name without its suffix, ``\xff`` for a byte that is not text.

    A query that is in no file is called ``query``; its ``path`` is ``-`` or ``-c``.
    """

    path: str
    name: str
    text: str
    language: LanguageName | None = None
    """As ``--language`` says; None where the text says it."""

    @property
    def base(self) -> str:
        """The base of its relative IRIs: the file's own IRI (RFC 3986, section 5.1.3); else the folder's."""
        if self.path in (_STDIN, _INLINE):
            return f"{Path.cwd().as_uri()}/"
        return Path(self.path).absolute().as_uri()


def add_language(parser: argparse._ActionsContainer) -> None:
    """Give the parser the language of its query files."""
    parser.add_argument(
        "--language", choices=LANGUAGES,
        help="of the queries (default: spaseq for files .spaseq and what has DEFINE GPM, etalis for files "
        ".event, else ep-sparql)",
    )  # fmt: skip
    parser.add_argument(
        "--dialect", choices=DIALECTS, dest="language",
        help="of queries with windows on streams (default: what their words say, else rspql)",
    )  # fmt: skip


def add_queries(parser: argparse.ArgumentParser, help_: str) -> None:
    """Give the parser the query files, and the option for queries that stand on the command line."""
    parser.add_argument("queries", nargs="*", metavar="QUERY.rq", help=f"{help_}; - is standard input")
    parser.add_argument(
        "-c", "--query", action="append", default=[], dest="texts", metavar="TEXT",
        help="a query, in the place of a file",
    )  # fmt: skip
    add_language(parser)


def read_queries(
    paths: Sequence[str], texts: Sequence[str] = (), language: LanguageName | None = None
) -> list[QueryFile]:
    """All queries of a run, in files or as ``texts``, in the ``language`` of the command line.

    Raises:
        UsageError: EP502 a file that cannot be read, EP503 two files with one name.
    """
    files = [
        _query(path, sys.stdin.buffer.read(), language) if path == _STDIN else read_query(path, language)
        for path in paths
    ]
    names = chain([_NAME], (f"{_NAME}-{number}" for number in count(2)))
    free = (name for name in names if name not in {file.name for file in files})
    files += [QueryFile(_INLINE, next(free), text, language) for text in texts]
    first: dict[str, QueryFile] = {}
    for file in files:
        other = first.setdefault(file.name, file)
        if other is not file:
            raise UsageError(
                "EP503",
                f"{other.path} and {file.path} both give answers the name {file.name!r}",
                hint="rename one of them: answers carry the name of their query file",
            )
    return files


def read_query(path: str, language: LanguageName | None = None) -> QueryFile:
    """One query file, in UTF-8.

    Raises:
        UsageError: EP502, it cannot be read.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error
    return _query(path, data, language)


def _query(path: str, data: bytes, language: LanguageName | None) -> QueryFile:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(
            "EP502",
            f"the query is not UTF-8 text: it has the byte 0x{data[error.start]:02X}",
            place=Place(path, line=line),
            hint="convert it with: iconv -f LATIN1 -t UTF-8",
        ) from error
    name = _NAME if path == _STDIN else os.fsencode(Path(path).stem).decode(errors="backslashreplace")
    return QueryFile(path, name, text, language)


def _unreadable(path: str, error: OSError) -> UsageError:
    match error:
        case FileNotFoundError():
            reason, hint = "there is no such file", "check the path; it is relative to the current folder"
        case IsADirectoryError():
            reason, hint = "it is a folder", f"name the queries in it: {Path(path) / '*.rq'}"
        case _:
            reason, hint = error.strerror or str(error), "check the permissions of the file"
    return UsageError("EP502", f"the query cannot be read: {reason}", place=Place(path), hint=hint)
