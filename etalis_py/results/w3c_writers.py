"""The result formats of the W3C: SPARQL 1.1 Query Results JSON, CSV and TSV Formats.

Without ``at_mode`` they have two more columns, ``start`` and ``end`` (see `interval_names` for queries that
have such variables): ``xsd:dateTime`` in JSON and TSV, plain text in CSV. With it they are the W3C forms
exactly. A document belongs to one query. An ASK gives the W3C's boolean document in JSON with ``at_mode``; in
CSV and TSV, which leave it open, and without ``at_mode`` it is a query with the variable ``boolean``. A
CONSTRUCT or DESCRIBE has none of these forms.
"""

from __future__ import annotations

import csv
import io
from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, BinaryIO

from etalis_py.core.terms import lexical_form, ntriples
from etalis_py.engine.answer_table import interval_names
from etalis_py.engine.matches import Match
from etalis_py.results.base import (
    Form,
    OneQueryWriter,
    QueryHead,
    TimeTexts,
    cells_of,
    columns_of,
    interval_terms,
)
from etalis_py.results.ndjson_writer import json_term, quote

__all__ = ["CsvWriter", "JsonWriter", "TsvWriter"]


class _SolutionWriter(OneQueryWriter):
    """A head with the columns, then one piece of text a row."""

    forms: tuple[Form, ...] = ("select", "ask")

    def __init__(self, file: BinaryIO, heads: tuple[QueryHead, ...], *, at_mode: bool) -> None:
        self._begun = False
        super().__init__(file, heads, at_mode=at_mode)

    def write_all(self, matches: Iterable[Match]) -> None:
        """Write a row for each match."""
        parts: list[str] = []
        for match in matches:
            parts += (self._begin(self._accept(match)), self._row(match))
        self._put("".join(parts))

    def close(self) -> None:
        """Write what is missing to a whole document; without a match, its head."""
        head = self._head or QueryHead("query")
        self._put(self._begin(head) + self._tail())

    def state(self) -> dict[str, Any]:
        """Whether the head is written."""
        return {"begun": self._begun}

    def go_on_from(self, state: dict[str, Any]) -> None:
        """Go on with rows where it is."""
        self._begun = state["begun"]

    def _begin(self, head: QueryHead) -> str:
        if self._begun:
            return ""
        self._begun = True
        variables = columns_of(head)
        interval = () if self._at_mode else interval_names(variables)
        return self._header((*variables, *interval))

    @abstractmethod
    def _header(self, names: tuple[str, ...]) -> str: ...

    @abstractmethod
    def _row(self, match: Match) -> str: ...

    def _tail(self) -> str:
        return ""


class JsonWriter(_SolutionWriter):
    """SPARQL 1.1 Query Results JSON Format.

    The document of an ASK with ``at_mode`` is its answer; without one (the input ended early) it is empty.
    """

    format = "json"
    _names: tuple[str, ...] = ()
    _separator = "\n"

    @property
    def _is_boolean(self) -> bool:
        return self._at_mode and self._head is not None and self._head.form == "ask"

    def _begin(self, head: QueryHead) -> str:
        return "" if self._is_boolean else super()._begin(head)

    def _header(self, names: tuple[str, ...]) -> str:
        self._names = names
        listed = ", ".join(map(quote, names))
        return f'{{"head": {{"vars": [{listed}]}}, "results": {{"bindings": ['

    def _row(self, match: Match) -> str:
        if self._is_boolean:
            return f'{{"head": {{}}, "boolean": {str(match.boolean).lower()}}}\n'
        terms = cells_of(match)
        if not self._at_mode:
            terms = (*terms, *interval_terms(match))
        bound = zip(self._names, terms, strict=True)
        pairs = [f'"{name}": {json_term(term)}' for name, term in bound if term is not None]
        separator, self._separator = self._separator, ",\n"
        return f"{separator}{{{', '.join(pairs)}}}"

    def _tail(self) -> str:
        return "" if self._is_boolean else "\n]}}\n"


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
        cells = ["" if term is None else lexical_form(term)[0] for term in cells_of(match)]
        if not self._at_mode:
            cells += map(self._times.__getitem__, match.interval) if match.interval else ("", "")
        return self._text(cells)

    def _text(self, cells: Iterable[str]) -> str:
        self._csv.writerow(cells)
        text = self._buffer.getvalue()
        self._buffer.seek(0)
        self._buffer.truncate()
        return text


class TsvWriter(_SolutionWriter):
    """SPARQL 1.1 Query Results TSV: terms in N-Triples syntax, nothing abbreviated."""

    format = "tsv"

    def _header(self, names: tuple[str, ...]) -> str:
        return "\t".join("?" + name for name in names) + "\n"

    def _row(self, match: Match) -> str:
        terms = cells_of(match)
        if not self._at_mode:
            terms = (*terms, *interval_terms(match))
        return "\t".join("" if term is None else ntriples(term) for term in terms) + "\n"
