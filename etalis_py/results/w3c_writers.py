"""The result formats of the W3C: SPARQL 1.1 Query Results JSON, CSV and TSV Formats.

Without ``at_mode`` they have two more columns, ``start`` and ``end`` (see `interval_names` for queries that
have such variables): ``xsd:dateTime`` in JSON and TSV, plain text in CSV. With it they are the W3C forms
exactly. A document belongs to one query. An ASK gives the W3C's boolean document in JSON with ``at_mode``; in
CSV and TSV, which leave it open, and without ``at_mode`` it is a query with the variable ``boolean``. A
CONSTRUCT or DESCRIBE has none of these forms.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from itertools import chain, islice
from typing import Any, BinaryIO

from etalis_py.core.terms import Encoded, lexical_form, ntriples
from etalis_py.core.vocabulary import XSD_DATETIME
from etalis_py.engine.answer_table import interval_names
from etalis_py.results.base import OneQueryWriter, TimeTexts
from etalis_py.results.blocks import AnswerBlocks, Block
from etalis_py.results.heads import Form, QueryHead, columns_of
from etalis_py.results.ndjson_writer import JSON_INTEGER, json_term, quote
from etalis_py.results.nquads_writer import NQUADS_INTEGER
from etalis_py.results.term_texts import TermTexts, bound_pairs
from etalis_py.texts.lines import TextColumn, texts_of, write_lines

__all__ = ["CsvWriter", "JsonWriter", "TsvWriter"]

_find_special = re.compile(r'[",\r\n]').search


class _SolutionWriter(OneQueryWriter):
    """A head with the columns, then one piece of text a row."""

    forms: tuple[Form, ...] = ("select", "ask")

    def __init__(self, file: BinaryIO, heads: tuple[QueryHead, ...], *, at_mode: bool) -> None:
        self._begun = False
        self._times = TimeTexts()
        super().__init__(file, heads, at_mode=at_mode)

    def _write(self, blocks: AnswerBlocks) -> None:
        head = self._accept(blocks)
        if head is not None and blocks.blocks:
            rows = b"".join([self._begin(head).encode(), *map(self._rows, blocks.blocks)])
            self._put_bytes(rows)

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
    def _rows(self, block: Block) -> bytes: ...

    def _interval(self, block: Block, before: str = "", after: str = "") -> list[TextColumn]:
        """The texts of the columns of times, which are not there with ``at_mode``."""
        return [] if self._at_mode else self._times.columns(block, before, after)

    def _tail(self) -> str:
        return ""


class JsonWriter(_SolutionWriter):
    """SPARQL 1.1 Query Results JSON Format.

    The document of an ASK with ``at_mode`` is its answer; without one (the input ended early) it is empty.
    """

    format = "json"
    _time = '{"type": "literal", "value": "', f'", "datatype": "{XSD_DATETIME}"}}'

    def __init__(self, file: BinaryIO, heads: tuple[QueryHead, ...], *, at_mode: bool) -> None:
        self._names: tuple[str, ...] = ()
        self._separator = "\n"
        self._texts = TermTexts(json_term, JSON_INTEGER)
        super().__init__(file, heads, at_mode=at_mode)

    @property
    def _is_boolean(self) -> bool:
        return self._at_mode and self._head is not None and self._head.form == "ask"

    def _begin(self, head: QueryHead) -> str:
        return "" if self._is_boolean else super()._begin(head)

    def _header(self, names: tuple[str, ...]) -> str:
        self._names = names
        listed = ", ".join(map(quote, names))
        return f'{{"head": {{"vars": [{listed}]}}, "results": {{"bindings": ['

    def _rows(self, block: Block) -> bytes:
        columns = list(block.columns)
        if self._is_boolean:
            values = [str(value).lower() for value, _ in columns[0]]
            return write_lines(['{"head": {}, "boolean": ', values, "}\n"], len(block)).content
        texts = list(map(self._texts.column, columns))
        if block.has_instant:
            columns += [block.starts, block.ends][: 0 if self._at_mode else 2]
            texts += self._interval(block, *self._time)
        pairs = bound_pairs(self._names[: len(columns)], columns, texts, len(block))
        separator, self._separator = self._separator, ",\n"
        rows = write_lines(["{", *pairs, "},\n"], len(block)).content
        return separator.encode() + rows.removesuffix(b",\n")

    def _tail(self) -> str:
        return "" if self._is_boolean else "\n]}}\n"


class CsvWriter(_SolutionWriter):
    """SPARQL 1.1 Query Results CSV: plain IRIs and lexical forms, lines end in CR LF.

    Cells are quoted where they need it, as Python's ``csv`` does; what is done once for an IRI makes it
    faster.
    """

    format = "csv"

    def __init__(self, file: BinaryIO, heads: tuple[QueryHead, ...], *, at_mode: bool) -> None:
        self._texts = TermTexts(_cell, "%d")
        super().__init__(file, heads, at_mode=at_mode)

    def _header(self, names: tuple[str, ...]) -> str:
        return ",".join(names) + "\r\n"

    def _rows(self, block: Block) -> bytes:
        columns = [*map(self._texts.column, block.columns), *self._interval(block)]
        if len(columns) == 1:  # an empty line would be no row
            columns = [[text or '""' for text in texts_of(columns[0], len(block))]]
        return _separated(columns, ",", "\r\n", len(block))


def _cell(term: Encoded) -> str:
    text = lexical_form(term)[0]
    if _find_special(text):
        return '"' + text.replace('"', '""') + '"'
    return text


class TsvWriter(_SolutionWriter):
    """SPARQL 1.1 Query Results TSV: terms in N-Triples syntax, nothing abbreviated."""

    format = "tsv"
    _time = '"', f'"^^<{XSD_DATETIME}>'

    def __init__(self, file: BinaryIO, heads: tuple[QueryHead, ...], *, at_mode: bool) -> None:
        self._texts = TermTexts(ntriples, NQUADS_INTEGER)
        super().__init__(file, heads, at_mode=at_mode)

    def _header(self, names: tuple[str, ...]) -> str:
        return "\t".join("?" + name for name in names) + "\n"

    def _rows(self, block: Block) -> bytes:
        columns = [*map(self._texts.column, block.columns), *self._interval(block, *self._time)]
        return _separated(columns, "\t", "\n", len(block))


def _separated(columns: Sequence[TextColumn], between: str, end: str, count: int) -> bytes:
    """So many lines, with a text between two columns and one at the end."""
    items = chain.from_iterable((between, column) for column in columns)
    return write_lines([*islice(items, 1, None), end], count).content
