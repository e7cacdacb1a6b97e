"""N-Quads, TriG and JSON-LD read past what is wrong in them; what one record is, `tolerant` says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from etalis_py.core.errors import DataError, Place
from etalis_py.core.terms import Encoded, ntriples
from etalis_py.spark_udfs.sources.tolerant import PutAside, read_lines_past
from etalis_py.streams import Batch
from etalis_py.streams.elements import Element, Elements, to_batches
from etalis_py.streams.nquads_reader import QuadReader
from etalis_py.streams.opening import BATCH_ROWS
from etalis_py.streams.rdf_reader import parse_quads

__all__ = ["read_graphs_past"]


def read_graphs_past(path: str, format_name: str, scope: str, put_aside: PutAside) -> Iterator[Batch]:
    """The good elements of a file, by end time.

    Raises DataError (EP401) where the file cannot be read.
    """
    by_line = format_name == "nquads"
    graphs = _Graphs(Elements(path, rows_are_lines=by_line))
    if by_line:
        _read_quads(path, scope, graphs, put_aside)
    elif not _parse(path, format_name, scope, graphs, put_aside):
        return
    yield from to_batches(graphs.finish(put_aside), path, BATCH_ROWS)


class _Graphs:
    """Elements, of which some have times that cannot be."""

    def __init__(self, elements: Elements) -> None:
        self._elements = elements
        self._wrong: dict[Encoded, DataError] = {}

    def add(self, s: Encoded, p: Encoded, o: Encoded, graph: Encoded | None, row: int) -> None:
        try:
            self._elements.add(s, p, o, graph, row)
        except DataError as error:
            self._wrong.setdefault(s if graph is None else graph, error)

    def finish(self, put_aside: PutAside) -> list[Element]:
        """The elements that are well, by end time; the others are put aside."""
        done, _ = self._elements.finish()
        refused = {element.name: element for element in done if element.name in self._wrong}
        for element, error in self._elements.untimed():
            refused[element.name] = element
            self._wrong.setdefault(element.name, error)
        for name, error in self._wrong.items():  # of some only a time was told
            put_aside(error, _quads(refused[name]) if name in refused else None)
        return [element for element in done if element.name not in self._wrong]


def _read_quads(path: str, scope: str, graphs: _Graphs, put_aside: PutAside) -> None:
    reader = QuadReader(path, scope)
    for text in read_lines_past(path, put_aside):
        for line, number in reader.lines(text):
            try:
                quad = reader.quad(line, number)
            except DataError as error:
                put_aside(error, line)
            else:
                graphs.add(*quad, number)


def _parse(path: str, format_name: str, scope: str, graphs: _Graphs, put_aside: PutAside) -> bool:
    try:
        for row, quad in enumerate(parse_quads(path, format_name, scope), 1):
            graphs.add(*quad, row)
    except DataError as error:
        if error.code == "EP401":
            raise
        place = replace(error.place or Place(), row=None)
        put_aside(DataError(error.code, error.message, place=place, hint=error.hint), None)
        return False
    return True


def _quads(element: Element) -> str:
    """The triples of a graph in N-Quads; its times are in the reason."""
    name = ntriples(element.name)
    return "\n".join(f"{' '.join(map(ntriples, triple[:3]))} {name} ." for triple in element.triples)
