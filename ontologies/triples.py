"""Background files read triple by triple by pyoxigraph; it keeps no file in memory."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import IO, Any, Final, TypeAlias

from etalis_py.core.errors import DataError, Place
from etalis_py.core.formats import FORMATS
from etalis_py.ontologies.formats import Source, open_source
from etalis_py.ontologies.xml_entities import check_entities

__all__ = ["Term", "Triple", "read_triples"]

Term: TypeAlias = Any
"""A pyoxigraph NamedNode, BlankNode or Literal."""

Triple: TypeAlias = tuple[Term, Term, Term, Term]
"""Subject, predicate, object, and the graph's name or a pyoxigraph DefaultGraph."""

_ENCODING: Final = re.compile(rb"""(<\?xml[^>]*?encoding\s*=\s*["'])([A-Za-z0-9._\-]+)""")
_find_place = re.compile(r":(\d+):(\d+): (.*)", re.DOTALL).search
_NAMES: Final = {each.rdf: each.title for each in FORMATS.values()}


def read_triples(source: Source) -> Iterator[Triple]:
    """The triples of one RDF file; a pyoxigraph ``Quad`` unpacks like a tuple.

    Raises DataError: EP421 unreadable, EP422 not in its format, EP425 not UTF-8, EP426 a JSON-LD context that
    would have to be fetched, EP430 XML entities that are not simple.
    """
    import pyoxigraph

    with open_source(source) as file:
        rdf_format = getattr(pyoxigraph.RdfFormat, source.format)
        readable = _in_utf8(file) if source.format == "RDF_XML" else file
        if source.format == "RDF_XML":
            check_entities(readable, source.name)
        quads: Any = pyoxigraph.parse(readable, rdf_format, base_iri=source.base)
        try:
            yield from quads
        except SyntaxError as error:
            file.seek(0)
            raise _no_rdf(source, file, error) from error


def _in_utf8(file: IO[bytes]) -> IO[bytes]:
    """An XML file as pyoxigraph wants it: in UTF-8, whatever its first line says it is in."""
    start = file.read(200)
    file.seek(0)
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    else:
        match = _ENCODING.match(start)
        encoding = match[2].decode() if match else "utf-8"
    if encoding.lower() in ("utf-8", "utf8", "us-ascii", "ascii"):
        return file
    try:
        data = file.read().decode(encoding).encode()
    except (LookupError, UnicodeError):
        file.seek(0)
        return file
    return io.BytesIO(_ENCODING.sub(rb"\1utf-8", data, count=1))


def _no_rdf(source: Source, file: IO[bytes], error: SyntaxError) -> DataError:
    reason = error.msg or "it cannot be read"
    if reason.startswith("Parser error at "):
        reason = reason.partition(": ")[2]
    place = Place(source.name, line=error.lineno, column=error.offset)
    if "LoadDocumentCallback" in reason:
        return DataError(
            "EP426",
            "the file names a context on the network, which is not fetched",
            place=place,
            hint="write the context into the file",
        )
    if "Invalid UTF-8" in reason or "Only UTF-8" in reason:
        return DataError(
            "EP425", "the file is not UTF-8", place=place, hint="convert it, for example with iconv"
        )
    if source.format == "RDF_XML":
        place, reason = _place_in_xml(source, file, reason)
    message = f"this is not {_NAMES[source.format]}: {reason}"
    return DataError("EP422", message, place=place, hint="is the suffix the right one?")


def _place_in_xml(source: Source, file: IO[bytes], reason: str) -> tuple[Place, str]:
    """Where an RDF/XML file is wrong: pyoxigraph does not tell, rdflib does."""
    from xml.sax import SAXParseException

    from rdflib import Graph

    name = source.name
    try:
        Graph().parse(file, format="xml", publicID=source.base)
    except SAXParseException as error:
        column = error.getColumnNumber()
        return Place(name, error.getLineNumber(), None if column is None else column + 1), error.getMessage()
    except Exception as error:  # noqa: BLE001 - rdflib raises what it happens to meet; ours is the first error
        found = _find_place(str(error))
        if found:
            return Place(name, int(found[1]), int(found[2]) + 1), found[3]
    return Place(name), reason
