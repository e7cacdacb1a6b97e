"""The triples of CONSTRUCT and DESCRIBE queries in N-Quads, so that they can be read as a stream again.

Each match is one named graph, its time given by PROV about the graph's name in the default graph:
``prov:generatedAtTime`` for a point, ``prov:startedAtTime`` and ``prov:endedAtTime`` for an interval. The
time comes first, so that a reader of a pipe has all of a match when the next begins. A graph's name is
``urn:etalis:QUERY:START-END:N``: microseconds, and the number of the match in this output. With ``at_mode``
the triples stand in the default graph, each once, without times.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import eq
from typing import Any, BinaryIO, Final
from urllib.parse import quote

from etalis_py.core.terms import ntriples
from etalis_py.core.times import format_time
from etalis_py.core.vocabulary import (
    PROV_ENDEDATTIME,
    PROV_GENERATEDATTIME,
    PROV_STARTEDATTIME,
    XSD_DATETIME,
    XSD_INTEGER,
)
from etalis_py.embedding.cells import flat_graphs
from etalis_py.results.base import ColumnWriter, TimeTexts, as_int64
from etalis_py.results.blocks import AnswerBlocks, Block
from etalis_py.results.heads import QueryHead, wrong_form
from etalis_py.results.term_texts import TermTexts
from etalis_py.texts.lines import INTEGERS, TextColumn, Values, is_native, write_lines

__all__ = ["NQUADS_INTEGER", "NquadsWriter", "graph_names", "time_quads"]

NQUADS_INTEGER: Final = f'"%d"^^<{XSD_INTEGER}>'
"""The text that `ntriples` gives for an xsd:integer, as a template."""
_GENERATED: Final = f'<{PROV_GENERATEDATTIME}> "'
_STARTED: Final = f'<{PROV_STARTEDATTIME}> "'
_ENDED: Final = f'<{PROV_ENDEDATTIME}> "'
_MOMENT: Final = f'"^^<{XSD_DATETIME}>'


def graph_names(block: Block) -> Iterator[str]:
    """The IRIs of the graphs that hold the answers of a query, but for their numbers.

    >>> list(graph_names(Block(QueryHead("my query", "construct"), [1], [2], [])))
    ['urn:etalis:my%20query:1-2:']
    """
    first = _first_of_name(block.head)
    return (f"{first}{start}-{end}:" for start, end in zip(block.starts, block.ends, strict=True))


def _first_of_name(head: QueryHead) -> str:
    return f"urn:etalis:{quote(head.name, safe='')}:"


def time_quads(graph: str, start: int, end: int) -> list[str]:
    """The lines that tell the time of a graph, whose name is in N-Quads; times in microseconds."""
    if start == end:
        return [f"{graph} {_GENERATED}{format_time(start)}{_MOMENT} .\n"]
    return [
        f"{graph} {_STARTED}{format_time(start)}{_MOMENT} .\n",
        f"{graph} {_ENDED}{format_time(end)}{_MOMENT} .\n",
    ]


class NquadsWriter(ColumnWriter):
    """Any queries that give triples. Raises UsageError (EP526) for another form."""

    def __init__(self, file: BinaryIO, heads: tuple[QueryHead, ...], *, at_mode: bool) -> None:
        super().__init__(file)
        self._at_mode = at_mode
        self._number = 0
        self._written: set[str] = set()
        self._texts = TermTexts(ntriples, NQUADS_INTEGER)
        self._moments = TimeTexts()
        for head in heads:
            if head.form not in ("construct", "describe"):
                raise wrong_form("nquads", head)

    def _write(self, blocks: AnswerBlocks) -> None:
        """A graph for each answer; one without triples is left out."""
        for block in blocks.blocks:
            if block.head.form not in ("construct", "describe"):
                raise wrong_form("nquads", block.head)
        if not self._at_mode and blocks.order is None:
            self._put_bytes(b"".join(map(self._graphs_of, blocks.blocks)))
            return
        make = self._triples if self._at_mode else self._graphs
        self._put("".join(blocks.in_order(make)))

    def _graphs_of(self, block: Block) -> bytes:
        """The graphs of one query; column by column, if each has one triple, and all a time of one kind."""
        sizes, terms = flat_graphs(block.columns[0])
        are_points = set(map(eq, block.starts, block.ends))
        bounds = [as_int64(times) for times in (block.starts, block.ends)]
        if set(sizes) != {1} or len(are_points) > 1 or None in bounds or not is_native():
            return "".join(self._graphs(block)).encode()
        first, self._number = self._number + 1, self._number + len(block)
        numbers = array("q", range(first, self._number + 1))
        start, end, number = (Values(INTEGERS, each) for each in (*bounds, numbers) if each is not None)
        graph: list[str | TextColumn] = [f"<{_first_of_name(block.head)}", start, "-", end, ":", number, ">"]
        begins, ends = self._moments.columns(block)
        times = [*graph, f" {_GENERATED}", begins]
        if are_points == {False}:
            times = [*graph, f" {_STARTED}", begins, f"{_MOMENT} .\n", *graph, f" {_ENDED}", ends]
        s, p, o = map(self._texts.column, terms)
        items = [*times, f"{_MOMENT} .\n", s, " ", p, " ", o, " ", *graph, " .\n"]
        return write_lines(items, len(block)).content

    def _triples(self, block: Block) -> Iterator[str]:
        for lines in self._lines(block):
            new = [line for line in lines if line not in self._written]
            self._written.update(new)
            yield "".join([f"{line} .\n" for line in new])

    def _graphs(self, block: Block) -> Iterator[str]:
        times = self._moments.texts(block)
        for name, start, end, lines in zip(graph_names(block), *times, self._lines(block), strict=True):
            if not lines:
                yield ""
                continue
            self._number += 1
            graph = f"<{name}{self._number}>"
            triples = "".join([f"{line} {graph} .\n" for line in lines])
            if start == end:
                yield f"{graph} {_GENERATED}{start}{_MOMENT} .\n{triples}"
            else:
                yield f"{graph} {_STARTED}{start}{_MOMENT} .\n{graph} {_ENDED}{end}{_MOMENT} .\n{triples}"

    def _lines(self, block: Block) -> Iterable[Sequence[str]]:
        """The triples of each graph, each once."""
        sizes, columns = flat_graphs(block.columns[0])
        lines = map(" ".join, zip(*map(self._texts.texts, columns), strict=True))
        if sizes.count(1) == len(sizes):
            return zip(lines)
        return (list(dict.fromkeys(islice(lines, size))) for size in sizes)

    def state(self) -> dict[str, Any]:
        """The number of the last graph."""
        return {"number": self._number}

    def go_on_from(self, state: dict[str, Any]) -> None:
        """Number the next graphs after that."""
        self._number = state["number"]

    def close(self) -> None:
        """Nothing ends the lines."""
