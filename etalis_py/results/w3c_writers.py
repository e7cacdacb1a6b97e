"""The result formats of the W3C: SPARQL 1.1 Query Results JSON, CSV and TSV Formats.

Without ``at_mode`` they have two more columns, ``start`` and ``end`` (see `interval_names` for queries that
have such variables): ``xsd:dateTime`` in JSON and TSV, plain text in CSV. With it they are the W3C forms
exactly. A document belongs to one query. An ASK gives the W3C's boolean document in JSON with ``at_mode``,
and a column ``boolean`` in CSV and TSV, which the W3C leaves open; without ``at_mode`` its rows are the
intervals at which the answer is yes. A CONSTRUCT has none of these forms.
"""

from __future__ import annotations

import csv
import io
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import BinaryIO

from etalis_py.matches import Match
from etalis_py.results.base import Form, OneQueryWriter, QueryHead, TimeTexts, interval_names
from etalis_py.results.ndjson_writer import json_term, quote
from etalis_py.terms import Encoded, lexical_form, ntriples
from etalis_py.vocabulary import XSD_DATETIME

__all__ = ["CsvWriter", "JsonWriter", "TsvWriter"]


class _SolutionWriter(OneQueryWriter):
    """A head with the columns, then one piece of text a row."""

    forms: tuple[Form, ...] = ("select", "ask")

    def __init__(self, file: BinaryIO, heads: tuple[QueryHead, ...], *, at_mode: bool) -> None:
        self._begun = False
        self._found = False
        super().__init__(file, heads, at_mode=at_mode)

    def write_all(self, matches: Iterable[Match]) -> None:
        """Write a row for each match; of an ASK with ``at_mode`` only that there was one is kept."""
        parts = []
        for match in matches:
            head = self._accept(match)
            parts.append(self._begin(head))
            self._found = True
            if not (head.form == "ask" and self._at_mode):
                parts.append(self._row(match))
        self._put("".join(parts))

    def close(self) -> None:
        """Write what is missing to a whole document; without a match, its head."""
        head = self._head or QueryHead("query")
        text = self._begin(head)
        if head.form == "ask" and self._at_mode:
            self._put(text + self._boolean(self._found))
        else:
            self._put(text + self._tail())

    def _terms(self, match: Match) -> Sequence[Encoded | None]:
        return () if self._head is not None and self._head.form == "ask" else match.values

    def _begin(self, head: QueryHead) -> str:
        if self._begun:
            return ""
        self._begun = True
        if head.form == "ask" and self._at_mode:
            return self._boolean_header()
        variables = head.variables if head.form == "select" else ()
        interval = () if self._at_mode else interval_names(variables)
        return self._header((*variables, *interval))

    @abstractmethod
    def _header(self, names: tuple[str, ...]) -> str: ...

    @abstractmethod
    def _row(self, match: Match) -> str: ...

    def _tail(self) -> str:
        return ""

    def _boolean_header(self) -> str:
        return ""

    @abstractmethod
    def _boolean(self, value: bool) -> str: ...


class JsonWriter(_SolutionWriter):
    """SPARQL 1.1 Query Results JSON Format."""

    format = "json"
    _names: tuple[str, ...] = ()
    _separator = "\n"

    def _header(self, names: tuple[str, ...]) -> str:
        self._names = names
        listed = ", ".join(map(quote, names))
        return f'{{"head": {{"vars": [{listed}]}}, "results": {{"bindings": ['

    def _row(self, match: Match) -> str:
        terms = self._terms(match)
        if not self._at_mode:
            terms = (*terms, (match.start, XSD_DATETIME), (match.end, XSD_DATETIME))
        bound = zip(self._names, terms, strict=True)
        pairs = [f'"{name}": {json_term(term)}' for name, term in bound if term is not None]
        separator, self._separator = self._separator, ",\n"
        return f"{separator}{{{', '.join(pairs)}}}"

    def _tail(self) -> str:
        return "\n]}}\n"

    def _boolean(self, value: bool) -> str:
        return f'{{"head": {{}}, "boolean": {str(value).lower()}}}\n'


class CsvWriter(_SolutionWriter):
    """SPARQL 1.1 Query Results CSV: plain IRIs and lexical forms, lines end in CR LF."""

    format = "csv"

    def __init__(self, file: BinaryIO, heads: tuple[QueryHead, ...], *, at_mode: bool) -> None:
        self._buffer = io.StringIO(newline="")
        self._csv = csv.writer(self._buffer)
        self._times = TimeTexts()
        super().__init__(file, heads, at_mode=at_mode)

    def _header(self, names: tuple[str, ...]) -> str:
        return self._text(names)

    def _row(self, match: Match) -> str:
        cells = ["" if term is None else lexical_form(term)[0] for term in self._terms(match)]
        if not self._at_mode:
            cells += (self._times[match.start], self._times[match.end])
        return self._text(cells)

    def _text(self, cells: Iterable[str]) -> str:
        self._csv.writerow(cells)
        text = self._buffer.getvalue()
        self._buffer.seek(0)
        self._buffer.truncate()
        return text

    def _boolean_header(self) -> str:
        return "boolean\r\n"

    def _boolean(self, value: bool) -> str:
        return f"{str(value).lower()}\r\n"


class TsvWriter(_SolutionWriter):
    """SPARQL 1.1 Query Results TSV: terms in N-Triples syntax, nothing abbreviated."""

    format = "tsv"

    def _header(self, names: tuple[str, ...]) -> str:
        return "\t".join("?" + name for name in names) + "\n"

    def _row(self, match: Match) -> str:
        cells = ["" if term is None else ntriples(term) for term in self._terms(match)]
        if not self._at_mode:
            cells += (ntriples((match.start, XSD_DATETIME)), ntriples((match.end, XSD_DATETIME)))
        return "\t".join(cells) + "\n"

    def _boolean_header(self) -> str:
        return "?boolean\n"

    def _boolean(self, value: bool) -> str:
        return f"{str(value).lower()}\n"
