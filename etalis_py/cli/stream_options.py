"""How the streams of a command are read."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from etalis_py.cli.called_streams import with_iris
from etalis_py.cli.query_files import QueryFile, read_queries
from etalis_py.core.errors import UsageError
from etalis_py.core.formats import STREAM_FORMATS
from etalis_py.core.terms import encode_ntriples
from etalis_py.core.times import SCALES
from etalis_py.core.vocabulary import RDF, RDFS, XSD

if TYPE_CHECKING:
    from etalis_py.streams import StreamFile
    from etalis_py.streams.mapping.yarrrml import StreamMap

__all__ = ["add_map", "add_stream_options", "add_streams", "add_time_unit", "map_of", "streams_of"]


def add_streams(group: argparse._ActionsContainer, help_: str, option: str = "--stream", **more: Any) -> None:
    """The option that names files of streams; what it takes is a list of `StreamFile`."""

    def stream_file(word: str) -> StreamFile:
        from etalis_py.streams import StreamFile

        return StreamFile.parse(word, option, called=True)

    group.add_argument(
        option, nargs="+", action="extend", default=[], type=stream_file, metavar="FILE", help=help_, **more
    )


def add_stream_options(group: argparse._ActionsContainer) -> None:
    """The options that say what the streams are."""
    group.add_argument(
        "--stream-format", metavar="FORMAT",
        help=f"format of all streams (default: by their suffix): {', '.join(STREAM_FORMATS)}",
    )  # fmt: skip
    add_map(group)
    group.add_argument(
        "--prefix", action="append", metavar="NAME=IRI",
        help="let terms of csv, ndjson and parquet be prefixed names: NAME:local",
    )  # fmt: skip
    add_time_unit(group)


def add_map(group: argparse._ActionsContainer) -> None:
    """The option that names a mapping for streams of records."""
    group.add_argument(
        "--map", metavar="FILE",
        help="a mapping in YARRRML: which triples a row of CSV, JSON or Parquet makes (docs/data.md)",
    )  # fmt: skip


def map_of(arguments: argparse.Namespace) -> StreamMap | None:
    """The mapping that was named. Raises DataError (EP431 to EP434)."""
    if arguments.map is None:
        return None
    from etalis_py.streams.mapping.yarrrml import read_mapping

    return read_mapping(arguments.map)


def streams_of(
    files: Sequence[StreamFile], arguments: argparse.Namespace, option: str = "--stream"
) -> list[StreamFile]:
    """The files of streams of an ``option``, those in folders one by one, with the mapping that was named.

    Raises:
        DataError: EP401, EP431 to EP434.
        QuerySyntaxError: a query that calls a stream by something else than its IRI cannot be read.
        UsageError: EP501, EP502 for such queries, EP505 for --prefix and names of streams.
    """
    from etalis_py.streams.finding import found_files

    if any(file.called is not None for file in files):
        files = with_iris(files, _queries(arguments), option)
    mapping, prefixes = map_of(arguments), _prefixes(arguments)
    if mapping is not None and prefixes:
        hint = "the prefixes of the mapping are in its file"
        raise UsageError("EP501", "--prefix does not go with --map", hint=hint)
    found = found_files(replace(file, mapping=mapping, prefixes=prefixes) for file in files)
    if getattr(arguments, "follow", False):
        return [each if each.is_live else replace(each, path=f"follow:{each.path}") for each in found]
    return found


def _queries(arguments: argparse.Namespace) -> list[QueryFile]:
    """Those of the command line that can be read again."""
    paths = [path for path in arguments.queries if path != "-"]
    return read_queries(paths, getattr(arguments, "texts", ()), arguments.language)


def _prefixes(arguments: argparse.Namespace) -> dict[str, str]:
    """The prefixes that were named; with one of them ``rdf``, ``rdfs`` and ``xsd`` are known, too.

    Raises:
        UsageError: EP505.
    """
    found: dict[str, str] = {}
    for word in arguments.prefix or ():
        name, equals, iri = word.partition("=")
        name, iri = name.removesuffix(":"), iri.removeprefix("<").removesuffix(">")
        namespace = _iri(iri)
        if not equals or namespace is None or not re.fullmatch(r"(?:[A-Za-z][\w.\-]*)?", name):
            hint = "--prefix ex=http://example.org/"
            raise UsageError("EP505", f"--prefix {word}: this is not NAME=IRI", hint=hint)
        found[name] = namespace
    return {"rdf": RDF, "rdfs": RDFS, "xsd": XSD} | found if found else {}


def _iri(text: str) -> str | None:
    try:
        return str(encode_ntriples(f"<{text}>"))
    except ValueError:
        return None


def add_time_unit(group: argparse._ActionsContainer) -> None:
    """The option that says what times count that are numbers."""
    group.add_argument(
        "--time-unit", choices=tuple(SCALES), metavar="s|ms|us",
        help="the unit of numeric times, counted from 1970 (default: us, and an "
        "error where they look like something else)",
    )  # fmt: skip
