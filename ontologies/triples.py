"""Background files read triple by triple: pyoxigraph streams them, rdflib reads what it cannot."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from etalis_py.ontologies.formats import Source, open_source

from etalis_py.errors import DataError, Place

__all__ = ["Term", "Triple", "read_triples"]

Term: TypeAlias = Any
"""A pyoxigraph NamedNode, BlankNode or Literal."""

Triple: TypeAlias = tuple[Term, Term, Term, Term]
"""Subject, predicate, object, and the graph's name or a pyoxigraph DefaultGraph."""

_find_position = re.compile(r":(\d+):(\d+): (.*)", re.DOTALL).search
_ONLY_UTF8: Final = "Only UTF-8 is supported"


def read_triples(source: Source) -> Iterator[Triple]:
    """The triples of one RDF file; a pyoxigraph ``Quad`` unpacks like a tuple.

    Raises DataError: EP421 unreadable, EP422 not in its format, EP425 not UTF-8, EP426 a JSON-LD context that
    would have to be fetched.
    """
    with open_source(source) as file:
        if source.format == "trix":
            yield from _by_rdflib(source, file, "trix")
            return
        try:
            yield from _by_pyoxigraph(source, file)
        except SyntaxError as error:
            if source.format != "RDF_XML":
                raise _no_rdf(source, error) from error
            # pyoxigraph says nothing of the place, and reads UTF-8 only
            file.seek(0)
            found = _by_rdflib(source, file, "xml")
            if _ONLY_UTF8 not in str(error):
                for _ in found:
                    pass
                raise _no_rdf(source, error) from error
            yield from found


def _by_pyoxigraph(source: Source, file: Any) -> Iterator[Triple]:
    import pyoxigraph

    rdf_format = getattr(pyoxigraph.RdfFormat, source.format)
    quads: Any = pyoxigraph.parse(file, rdf_format, base_iri=source.base)
    return iter(quads)


def _by_rdflib(source: Source, file: Any, name: str) -> Iterator[Triple]:
    from xml.sax import SAXParseException

    import pyoxigraph
    from rdflib import Dataset
    from rdflib.exceptions import ParserError

    dataset = Dataset()
    try:
        dataset.parse(file, format=name, publicID=source.base)
        # N-Quads say the same in a form that both know
        lines = dataset.serialize(format="nquads", encoding="utf-8")
        quads: Any = pyoxigraph.parse(lines, pyoxigraph.RdfFormat.N_QUADS)
        yield from quads
    except SAXParseException as error:
        place = Place(str(source.path), error.getLineNumber(), (error.getColumnNumber() or 0) + 1)
        raise _problem(source, place, error.getMessage()) from error
    except (ParserError, SyntaxError, ValueError) as error:
        position = _find_position(str(error))
        place = Place(str(source.path), *(int(each) for each in position.groups()[:2]) if position else ())
        raise _problem(source, place, position[3] if position else str(error)) from error


def _no_rdf(source: Source, error: SyntaxError) -> DataError:
    reason = error.msg or "it cannot be read"
    place = Place(str(source.path), line=error.lineno, column=error.offset)
    if "LoadDocumentCallback" in reason:
        return DataError(
            "EP426",
            "the file names a context on the network, and nothing is fetched",
            place=place,
            hint="write the context into the file",
        )
    if reason.startswith("Parser error at "):
        reason = reason.partition(": ")[2]
    return _problem(source, place, reason)


def _problem(source: Source, place: Place, reason: str) -> DataError:
    if "Invalid UTF-8" in reason:
        return DataError(
            "EP425", "the file is not UTF-8", place=place, hint="convert it, for example with iconv"
        )
    name = source.format.lower().replace("_", "-").replace("rdf-xml", "RDF/XML")
    return DataError(
        "EP422", f"this is not {name}: {reason}", place=place, hint="is the suffix the right one?"
    )
