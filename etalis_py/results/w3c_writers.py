"""The result formats of the W3C: SPARQL 1.1 Query Results JSON, CSV and TSV Formats, and that of XML.

Without ``at_mode`` they have two more columns, ``start`` and ``end`` (see `interval_names` for queries that
have such variables): ``xsd:dateTime`` in JSON, XML and TSV, plain text in CSV. With it they are the W3C forms
exactly. A document belongs to one query. An ASK gives the W3C's boolean document in JSON and XML with
``at_mode``; in CSV and TSV, which leave it open, and without ``at_mode`` it is a query with the variable
``boolean``. A CONSTRUCT or DESCRIBE has none of these forms.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from itertools import chain, islice
from typing import Any, BinaryIO, Final

from etalis_py.core.terms import Encoded, lexical_form, ntriples
from etalis_py.core.vocabulary import XSD_DATETIME, XSD_INTEGER, XSD_STRING
from etalis_py.engine.answer_table import interval_names
from etalis_py.results.base import OneQueryWriter, TimeTexts
from etalis_py.results.blocks import AnswerBlocks, Block
from etalis_py.results.heads import Form, QueryHead, columns_of
from etalis_py.results.ndjson_writer import JSON_INTEGER, json_term, quote
from etalis_py.results.nquads_writer import NQUADS_INTEGER
from etalis_py.results.term_texts import TermTexts, bound_pairs
from etalis_py.texts.lines import TextColumn, texts_of, write_lines

__all__ = ["CsvWriter", "JsonWriter", "TsvWriter", "XmlWriter"]

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


class _DocumentWriter(_SolutionWriter):
    """A form with a document of its own for an ASK with ``at_mode``: its answer.

    Without one (the input ended early) it is empty.
    """

    def __init__(self, file: BinaryIO, heads: tuple[QueryHead, ...], *, at_mode: bool) -> None:
        self._names: tuple[str, ...] = ()
        super().__init__(file, heads, at_mode=at_mode)

    @property
    def _is_boolean(self) -> bool:
        return self._at_mode and self._head is not None and self._head.form == "ask"

    def _begin(self, head: QueryHead) -> str:
        return "" if self._is_boolean else super()._begin(head)

    def _header(self, names: tuple[str, ...]) -> str:
        self._names = names
        return self._opening(names)

    @abstractmethod
    def _opening(self, names: tuple[str, ...]) -> str: ...

    def _tail(self) -> str:
        return "" if self._is_boolean else self._closing

    _closing: str


class JsonWriter(_DocumentWriter):
    """SPARQL 1.1 Query Results JSON Format."""

    format = "json"
    _time = '{"type": "literal", "value": "', f'", "datatype": "{XSD_DATETIME}"}}'
    _closing = "\n]}}\n"

    def __init__(self, file: BinaryIO, heads: tuple[QueryHead, ...], *, at_mode: bool) -> None:
        self._separator = "\n"
        self._texts = TermTexts(json_term, JSON_INTEGER)
        super().__init__(file, heads, at_mode=at_mode)

    def _opening(self, names: tuple[str, ...]) -> str:
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


class XmlWriter(_DocumentWriter):
    """SPARQL Query Results XML Format (Second Edition).

    What XML cannot hold, such as the character U+0001, is U+FFFD.
    """

    format = "xml"
    _time = f'<literal datatype="{XSD_DATETIME}">', "</literal>"
    _closing = "</results>\n</sparql>\n"

    def __init__(self, file: BinaryIO, heads: tuple[QueryHead, ...], *, at_mode: bool) -> None:
        self._texts = TermTexts(_xml_term, _XML_INTEGER)
        super().__init__(file, heads, at_mode=at_mode)

    def _opening(self, names: tuple[str, ...]) -> str:
        listed = "".join(f'<variable name="{name}"/>' for name in names)
        return f"{_XML_FRONT}<head>{listed}</head>\n<results>\n"

    def _rows(self, block: Block) -> bytes:
        count = len(block)
        if self._is_boolean:
            values = [str(value).lower() for value, _ in block.columns[0]]
            before = f"{_XML_FRONT}<head/>\n<boolean>"
            return write_lines([before, values, "</boolean>\n</sparql>\n"], count).content
        texts = list(map(self._texts.column, block.columns))
        if block.has_instant:
            texts += self._interval(block, *self._time)
        columns = [
            [text and f'<binding name="{name}">{text}</binding>' for text in texts_of(column, count)]
            for name, column in zip(self._names, texts, strict=False)
        ]
        return write_lines(["<result>", *columns, "</result>\n"], count).content


_XML_FRONT: Final = '<?xml version="1.0"?>\n<sparql xmlns="http://www.w3.org/2005/sparql-results#">\n'
_XML_INTEGER: Final = f'<literal datatype="{XSD_INTEGER}">%d</literal>'
_beyond_xml = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]").sub
_ESCAPED_IN_XML: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)
"""White space, too, which readers of XML change at ends of lines and of texts."""


def _xml_text(text: str) -> str:
    return _beyond_xml("\ufffd", text).translate(_ESCAPED_IN_XML)


def _xml_term(term: Encoded) -> str:
    """A term as the value of a binding.

    >>> _xml_term(("a < b", "@en"))
    '<literal xml:lang="en">a &lt; b</literal>'
    """
    text, datatype, language = lexical_form(term)
    if language is not None:
        return f'<literal xml:lang="{language}">{_xml_text(text)}</literal>'
    if datatype is None:
        kind, name = ("bnode", text[2:]) if text.startswith("_:") else ("uri", text)
        return f"<{kind}>{_xml_text(name)}</{kind}>"
    of_type = "" if datatype == XSD_STRING else f' datatype="{_xml_text(datatype)}"'
    return f"<literal{of_type}>{_xml_text(text)}</literal>"


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
