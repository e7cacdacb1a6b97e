"""RDF files read as a whole with pyoxigraph: TriG and JSON-LD as elements, any format at one instant."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.core.errors import DataError, Place
from etalis_py.core.formats import FORMATS
from etalis_py.core.terms import Encoded, encode_literal
from etalis_py.ontologies.xml_entities import check_entities
from etalis_py.streams.batch import Batch
from etalis_py.streams.elements import Elements, to_batches
from etalis_py.streams.lines import read_bytes
from etalis_py.streams.problems import OnBad

if TYPE_CHECKING:
    from pyoxigraph import Quad
from etalis_py.streams.source import Source

__all__ = ["parse_quads", "read", "read_at", "read_dataset"]

_log = logging.getLogger(__name__)
_may_be_given = re.compile(r"[0-9a-f]{24,32}|anonymous-[0-9]+").fullmatch
"""Whether pyoxigraph may have given this label, or the number may be that of another node."""


def read(source: Source) -> Iterator[Batch]:
    """Batches of the named graphs of a file, or of all its triples at the one instant of the source."""
    name, form, opened = source.name, source.format, source.opened
    scope, rows, stream = source.scope, source.batch_rows, source.stream
    if source.at is not None:
        return read_at(name, form, source.at, scope=scope, batch_rows=rows, opened=opened, stream=stream)
    return read_dataset(
        name, form, scope=scope, batch_rows=rows, opened=opened, on_bad=source.on_bad, stream=stream
    )


def read_dataset(
    path: str,
    format_name: str,
    *,
    scope: str,
    batch_rows: int,
    opened: int | bytes | None = None,
    on_bad: OnBad | None = None,
    stream: str | None = None,
) -> Iterator[Batch]:
    """Each named graph one element, in order of end times; see `etalis_py.streams.elements` for the times.

    Graphs whose times are wrong go to ``on_bad``. Nothing is read then of a file that breaks the syntax.

    Raises DataError (EP401, EP407 to EP416), without ``on_bad`` after the elements that were complete before.
    """
    elements = Elements(path, on_bad=on_bad)
    problem = None
    try:
        for row, quad in enumerate(parse_quads(path, format_name, scope, opened), 1):
            elements.add(*quad, row)
    except DataError as found:
        if on_bad is not None:
            raise
        problem = found
    done, untimed = elements.finish(broken=problem is not None)
    yield from to_batches(done, path, batch_rows, stream)
    error = problem or untimed
    if error is not None:
        raise error


def read_at(
    path: str,
    format_name: str,
    at: int,
    *,
    scope: str,
    batch_rows: int,
    opened: int | bytes | None = None,
    stream: str | None = None,
) -> Iterator[Batch]:
    """All triples of all graphs of a file as events at the instant ``at`` (microseconds).

    Raises DataError: EP401 unreadable, EP412 not in this format, after the triples before the error.
    """
    quads: list[tuple[Encoded, Encoded, Encoded, Encoded | None]] = []
    row = 1
    problem: DataError | None = None
    parsed = parse_quads(path, format_name, scope, opened)
    while True:
        try:
            for quad in parsed:
                quads.append(quad)
                if len(quads) >= batch_rows:
                    break
        except DataError as error:
            problem = error
        if not quads:
            break
        yield _instant(quads, path, at, row, stream)
        row += len(quads)
        quads = []
    if problem is not None:
        raise problem
    if row == 1:
        _log.warning("%s: there is no triple in it", path)


def _instant(
    quads: list[tuple[Encoded, Encoded, Encoded, Encoded | None]],
    path: str,
    at: int,
    row: int,
    stream: str | None,
) -> Batch:
    s, p, o, graph = (list(column) for column in zip(*quads, strict=True))
    times = [at] * len(quads)
    return Batch(
        times,
        times,
        s,
        p,
        o,
        graph if any(graph) else None,
        [path] * len(quads),
        range(row, row + len(quads)),
        None if stream is None else [stream] * len(quads),
    )


def parse_quads(
    path: str, format_name: str, scope: str, opened: int | bytes | None = None
) -> Iterator[tuple[Encoded, Encoded, Encoded, Encoded | None]]:
    """The quads of a file in their order; the graph None is the default graph.

    Raises DataError: EP401 unreadable, EP407 a term that is none of RDF 1.1, EP412 not in this format,
    EP430 XML entities that are not simple.
    """
    import pyoxigraph

    data = b"".join(read_bytes(path, opened))
    rdf_format = getattr(pyoxigraph.RdfFormat, str(FORMATS[format_name].rdf))
    if format_name == "rdfxml":
        check_entities(io.BytesIO(data), path)
    base = Path(path).absolute().as_uri() if opened is None else None
    row = 1
    labels = _Labels(scope)
    try:
        for quad in pyoxigraph.parse(data, rdf_format, base_iri=base):
            yield _encode(quad, labels)
            row += 1
    except SyntaxError as error:
        raise _no_rdf(path, format_name, error) from error
    except ValueError as error:
        place = Place(path, row=row)
        raise DataError("EP407", f"a term {error}", place=place, hint="see RDF 1.1 Concepts") from error


def _no_rdf(path: str, format_name: str, error: SyntaxError) -> DataError:
    reason = error.msg or "it cannot be read"
    place = Place(path, line=error.lineno, column=error.offset)
    if "LoadDocumentCallback" in reason:
        reason = "it names a context on the network, which is not fetched"
        hint = "write the context into the file"
    else:
        reason = reason.partition(": ")[2] or reason
        hint = "is the suffix the right one? --stream-format names another"
    return DataError("EP412", f"this is not {format_name}: {reason}", place=place, hint=hint)


class _Labels(dict[str, str]):
    """The blank nodes of one file by pyoxigraph's label of them.

    To those without a label in the file, pyoxigraph gives one by chance; here these are numbered, so that
    they are the same each time the file is read.
    """

    def __init__(self, scope: str) -> None:
        super().__init__()
        self._scope = scope
        self._numbered = 0

    def __missing__(self, label: str) -> str:
        name = label
        if _may_be_given(label):
            self._numbered += 1
            name = f"anonymous-{self._numbered}"
        self[label] = node = f"_:{self._scope}{name}"
        return node


def _encode(quad: Quad, labels: _Labels) -> tuple[Encoded, Encoded, Encoded, Encoded | None]:
    graph = quad.graph_name
    return (
        _term(quad.subject, labels),
        quad.predicate.value,
        _term(quad.object, labels),
        None if type(graph).__name__ == "DefaultGraph" else _term(graph, labels),
    )


def _term(term: object, labels: _Labels) -> Encoded:
    from pyoxigraph import BlankNode, Literal, NamedNode

    match term:
        case NamedNode():
            return term.value
        case BlankNode():
            return labels[term.value]
        case Literal():
            if term.direction is not None:
                raise ValueError("is a literal with a base direction, which is not supported")
            return encode_literal(term.value, term.datatype.value, term.language)
        case _:
            raise ValueError("is a triple, and triples as terms are not supported")
