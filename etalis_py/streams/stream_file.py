"""A file of a stream, as the word of a command line names it: ``FILE`` or ``IRI=FILE``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.connectors import is_url
from etalis_py.core.errors import UsageError
from etalis_py.core.named_files import split_name
from etalis_py.core.terms import encode_ntriples

if TYPE_CHECKING:
    from etalis_py.streams.mapping.yarrrml import StreamMap

__all__ = ["StreamFile"]


@dataclass(frozen=True, slots=True)
class StreamFile:
    """A file, ``-`` for standard input or the URL of a source, and the IRI of its stream.

    None: what is in it may name it.
    """

    path: str
    stream: str | None = None
    mapping: StreamMap | None = field(default=None, repr=False)
    """With it the file has records of any names."""
    prefixes: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    """Of prefixed names in its terms."""
    called: str | None = field(default=None, repr=False)
    """As queries may write the name of its stream: one that is no absolute IRI, or looks like ``ex:name``."""

    @classmethod
    def parse(cls, word: str, option: str, *, called: bool = False) -> StreamFile:
        """Read a word ``FILE`` or ``IRI=FILE`` (`split_name`); what is before ``=`` is an absolute IRI.

        With ``called`` it may be what queries write for it, which is looked for when they are read.

        Raises:
            UsageError: EP505, there is no IRI where one is meant.

        >>> StreamFile.parse("urn:dock=a.csv", "--stream"), StreamFile.parse("x=1.csv", "--stream")
        (StreamFile(path='a.csv', stream='urn:dock'), StreamFile(path='x=1.csv', stream=None))
        """
        named = split_name(word)
        if named is None or (is_url(word) and ("?" in word or not _seems_meant(word, named[1]))):
            return cls(word)
        iri, file = named
        try:
            stream = str(encode_ntriples(f"<{iri}>"))
            is_short = called and not word.startswith("<") and _is_prefixed(iri)
            return cls(file, stream, called=iri if is_short else None)
        except ValueError:
            if not word.startswith("<") and not _seems_meant(word, file):
                return cls(word)
            if called:
                return cls(file, called=iri)
            raise UsageError(
                "EP505",
                f"{option}: {iri!r} is not an absolute IRI",
                hint=f"a stream is named by one, such as urn:dock={file}",
            ) from None

    @property
    def is_live(self) -> bool:
        """Whether it may have no end, and events come while it is read."""
        return self.path == "-" or is_url(self.path)

    def __str__(self) -> str:
        return self.path if self.stream is None else f"<{self.stream}>={self.path}"


_is_prefixed = re.compile(r"(?!urn:)[A-Za-z][\w.\-]*:[\w.\-]+").fullmatch


def _seems_meant(word: str, file: str) -> bool:
    """Whether a word that is not a file has the name of one behind its last ``=``."""
    return not Path(word).exists() and (file == "-" or Path(file).exists())
