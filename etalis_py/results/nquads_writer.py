"""The triples of CONSTRUCT and DESCRIBE queries in N-Quads, so that they can be read as a stream again.

Each match is one named graph, its time given by PROV about the graph's name in the default graph:
``prov:generatedAtTime`` for a point, ``prov:startedAtTime`` and ``prov:endedAtTime`` for an interval. The
time comes first, so that a reader of a pipe has all of a match when the next begins. A graph's name is
``urn:etalis:QUERY:START-END:N``: microseconds, and the number of the match in this output. With ``at_mode``
the triples stand in the default graph, each once, without times.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, BinaryIO
from urllib.parse import quote

from etalis_py.core.terms import ntriples
from etalis_py.core.vocabulary import PROV_ENDEDATTIME, PROV_GENERATEDATTIME, PROV_STARTEDATTIME, XSD_DATETIME
from etalis_py.engine.matches import Match
from etalis_py.results.base import QueryHead, Writer, head_of, wrong_form

__all__ = ["NquadsWriter", "graph_name", "time_quads"]


def graph_name(match: Match, number: int) -> str:
    """The IRI of the graph that holds a match.

    >>> graph_name(Match("my query", 1, 2), 7)
    'urn:etalis:my%20query:1-2:7'
    """
    return f"urn:etalis:{quote(match.query, safe='')}:{match.start}-{match.end}:{number}"


def time_quads(graph: str, start: int, end: int) -> list[str]:
    """The lines that tell the time of a graph, whose name is in N-Quads; times in microseconds."""
    if start == end:
        times = [(PROV_GENERATEDATTIME, start)]
    else:
        times = [(PROV_STARTEDATTIME, start), (PROV_ENDEDATTIME, end)]
    return [f"{graph} <{name}> {ntriples((time, XSD_DATETIME))} .\n" for name, time in times]


class NquadsWriter(Writer):
    """Any queries that give triples. Raises UsageError (EP526) for another form."""

    def __init__(self, file: BinaryIO, heads: tuple[QueryHead, ...], *, at_mode: bool) -> None:
        super().__init__(file)
        self._at_mode = at_mode
        self._number = 0
        self._written: set[str] = set()
        for head in heads:
            if head.form not in ("construct", "describe"):
                raise wrong_form("nquads", head)

    def write_all(self, matches: Iterable[Match]) -> None:
        """Write a graph for each match; a match without triples is left out."""
        parts: list[str] = []
        for match in matches:
            if match.encoded_triples is None:
                raise wrong_form("nquads", head_of(match))
            lines = dict.fromkeys(" ".join(map(ntriples, triple)) for triple in match.encoded_triples)
            if self._at_mode:
                parts += [f"{line} .\n" for line in lines if line not in self._written]
                self._written.update(lines)
            elif lines:
                self._number += 1
                graph = ntriples(graph_name(match, self._number))
                parts += time_quads(graph, match.start, match.end)
                parts += [f"{line} {graph} .\n" for line in lines]
        self._put("".join(parts))

    def state(self) -> dict[str, Any]:
        """The number of the last graph."""
        return {"number": self._number}

    def go_on_from(self, state: dict[str, Any]) -> None:
        """Number the next graphs after that."""
        self._number = state["number"]

    def close(self) -> None:
        """Nothing ends the lines."""
