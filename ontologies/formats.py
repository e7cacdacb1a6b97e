"""Which files are background knowledge, and how each is opened; nothing is fetched from a network."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from errno import ENOENT
from pathlib import Path
from typing import IO, Final, TypeAlias
from urllib.parse import unquote, urlsplit

from etalis_py.core.errors import DataError, Place
from etalis_py.core.formats import BACKGROUND_FORMATS, by_suffix

__all__ = [
    "PROLOG",
    "GraphFiles",
    "GraphSource",
    "Source",
    "check_name",
    "find_graphs",
    "find_source",
    "find_sources",
    "open_source",
    "unreadable",
]

PROLOG: Final = "prolog"
_SUFFIXES: Final = {suffix: each.rdf or PROLOG for suffix, each in by_suffix(BACKGROUND_FORMATS).items()}
_is_url = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+://").match
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Source:
    """One background file. ``format`` is pyoxigraph's name of it, or ``PROLOG``.

    ``original`` is where it lay, if ``path`` is a copy that came from elsewhere.
    """

    path: Path
    format: str
    packed: bool
    original: Path | None = None

    @property
    def name(self) -> str:
        """What a message calls it."""
        return str(self.original or self.path)

    @property
    def base(self) -> str:
        """What relative IRIs in the file are relative to: its own ``file:`` IRI."""
        return (self.original or self.path).absolute().as_uri()


def find_sources(paths: Sequence[str | os.PathLike[str] | Source]) -> list[Source]:
    """The files by these names, each once; see `find_source`. A source stays what it is."""
    sources = (each if isinstance(each, Source) else find_source(each) for each in paths)
    found = {source.path.resolve(): source for source in sources}
    return list(found.values())


GraphFiles: TypeAlias = Mapping[str, Sequence[str | os.PathLike[str] | Source]]
"""Files by the IRI of the named graph that they are."""


@dataclass(frozen=True, slots=True)
class GraphSource:
    """The files whose triples are one named graph; none of them is a Prolog file."""

    graph: str
    sources: tuple[Source, ...]


def find_graphs(graphs: GraphFiles) -> list[GraphSource]:
    """The files of named graphs; see `find_sources`.

    Raises DataError as `find_source` does; a Prolog file is EP423.
    """
    found = [GraphSource(graph, tuple(find_sources(paths))) for graph, paths in graphs.items()]
    for each in found:
        for source in each.sources:
            if source.format == PROLOG:
                raise DataError(
                    "EP423",
                    f"the graph <{each.graph}> cannot come from a Prolog file",
                    place=Place(source=source.name),
                    hint="a graph is an RDF file; facts rdf(S, P, O, Graph) belong to --background",
                )
    return found


def find_source(name: str | os.PathLike[str]) -> Source:
    """The file by this name (or ``file:`` URL), its format given by the suffix, ``.gz`` after it allowed.

    Raises DataError: EP421 (Prolog: EP441) there is no such file, EP423 unknown suffix, EP426 a URL.
    """
    text = os.fspath(name)
    path = Path(text)
    if _is_url(text):
        parts = urlsplit(text)
        if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
            raise DataError(
                "EP426",
                "background is read from files only, never from the network",
                place=Place(source=text),
                hint="download the ontology and name the file",
            )
        path = Path(unquote(parts.path))
    packed = path.suffix.lower() == ".gz"
    suffix = Path(path.stem if packed else path.name).suffix.lower()
    rdf_format = _SUFFIXES.get(suffix)
    if rdf_format is None or (packed and rdf_format == PROLOG):
        raise _unknown(text, suffix + ".gz" * packed)
    code = "EP441" if rdf_format == PROLOG else "EP421"
    check_name(text, path, code)
    try:
        path.stat()
    except OSError as error:
        raise unreadable(text, error, code) from error
    if path.is_dir():
        raise DataError(code, "this is a folder", place=Place(source=text), hint="name the files in it")
    return Source(path, rdf_format, packed)


def check_name(text: str, path: Path, code: str) -> None:
    """Refuse a path that Prolog cannot take.

    Raises DataError (``code``).
    """
    try:
        str(path.absolute()).encode()
    except UnicodeEncodeError as error:  # bytes of a name that are not text, in the form Python has for them
        message = "the file cannot be read: its name, or that of its folder, is not UTF-8 text"
        raise DataError(code, message, place=Place(source=text), hint="rename it") from error


def _unknown(name: str, suffix: str) -> DataError:
    near = get_close_matches(suffix, _SUFFIXES, n=1)
    known = ", ".join(_SUFFIXES)
    return DataError(
        "EP423",
        f"the suffix {suffix!r} is not that of a background format" if suffix else "there is no suffix",
        place=Place(source=name),
        hint=f"{near[0]!r}?" if near else f"known are {known}, all but Prolog also with .gz",
    )


def unreadable(name: str, error: OSError, code: str = "EP421") -> DataError:
    """EP421 (or another code) for a file that cannot be opened or read."""
    message = f"the file cannot be read: {error.strerror or error}"
    hint = "check the path; it is relative to the current folder" if error.errno == ENOENT else None
    return DataError(code, message, place=Place(source=name), hint=hint)


@contextmanager
def open_source(source: Source) -> Iterator[IO[bytes]]:
    """The bytes of an RDF file, unpacked, after any byte order mark.

    Raises DataError EP421 for what goes wrong until it is closed.
    """
    try:
        with gzip.open(source.path) if source.packed else source.path.open("rb") as opened:
            start = opened.read(len(_BYTE_ORDER_MARK))
            opened.seek(len(start) if start == _BYTE_ORDER_MARK else 0)
            yield opened  # type: ignore[misc]  # GzipFile reads bytes as other binary files do
    except EOFError as error:
        raise DataError(
            "EP421", "the file is cut off: its .gz has no end", place=Place(source=source.name)
        ) from error
    except zlib.error as error:
        message = f"the .gz cannot be unpacked: {error}"
        hint = "check that the file was copied whole"
        raise DataError("EP421", message, place=Place(source=source.name), hint=hint) from error
    except OSError as error:
        raise unreadable(source.name, error) from error
