"""Query files: their text, and the name under which their answers are given."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from etalis_py.compiler.languages.language_names import LANGUAGES, LanguageName
from etalis_py.core.errors import Place, UsageError

__all__ = ["QueryFile", "add_language", "read_queries", "read_query"]


@dataclass(frozen=True, slots=True)
class QueryFile:
    r"""A query file; ``name`` is the file name without its suffix, ``\xff`` for a byte that is not text."""

    path: str
    name: str
    text: str
    language: LanguageName | None = None
    """As ``--language`` says; None where the text says it."""

    @property
    def base(self) -> str:
        """The base of its relative IRIs: the file's own IRI (RFC 3986, section 5.1.3)."""
        return Path(self.path).absolute().as_uri()


def add_language(parser: argparse._ActionsContainer) -> None:
    """Give the parser the language of its query files."""
    parser.add_argument(
        "--language", choices=LANGUAGES,
        help="of the queries (default: spaseq for files .spaseq and for what has DEFINE GPM, else ep-sparql)",
    )  # fmt: skip


def read_queries(paths: Sequence[str], language: LanguageName | None = None) -> list[QueryFile]:
    """All query files of a run, in the ``language`` of the command line.

    Raises:
        UsageError: EP502 a file that cannot be read, EP503 two files with one name.
    """
    files = [read_query(path, language) for path in paths]
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
    name = os.fsencode(Path(path).stem).decode(errors="backslashreplace")
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
