"""Results in NDJSON: one line an answer, flushed as it is found.

``{"query": ..., "start": ..., "end": ..., "bindings": {"x": {"type": "uri", "value": ...}}}``, terms as in
SPARQL 1.1 Query Results JSON Format, unbound variables left out. A CONSTRUCT or DESCRIBE has
``"triples": [[s, p, o]]`` in place of the bindings, an ASK ``"boolean": true``. Where there has been no
instant, a false answer has neither start nor end.
"""

from __future__ import annotations

from collections.abc import Callable
from json import encoder
from typing import Any, BinaryIO, Final

from etalis_py.core.terms import Encoded, lexical_form
from etalis_py.core.vocabulary import XSD_INTEGER, XSD_STRING
from etalis_py.embedding.cells import terms_of
from etalis_py.results.base import ColumnWriter, TimeTexts
from etalis_py.results.blocks import AnswerBlocks, Block
from etalis_py.results.term_texts import TermTexts, bound_pairs
from etalis_py.texts.lines import Lines, TextColumn, write_lines

__all__ = ["JSON_INTEGER", "NdjsonWriter", "json_term", "quote"]

# The C function that json.dumps(..., ensure_ascii=False) uses for a text.
quote: Callable[[str], str] = encoder.encode_basestring

JSON_INTEGER: Final = f'{{"type": "literal", "value": "%d", "datatype": "{XSD_INTEGER}"}}'
"""The text that `json_term` gives for an xsd:integer, as a template."""


def json_term(term: Encoded) -> str:
    """The JSON text of a term, the same as that of `to_sparql_json`.

    >>> json_term("urn:a")
    '{"type": "uri", "value": "urn:a"}'
    """
    if isinstance(term, str):
        if term.startswith("_:"):
            return f'{{"type": "bnode", "value": {quote(term[2:])}}}'
        return f'{{"type": "uri", "value": {quote(term)}}}'
    text, datatype, language = lexical_form(term)
    if language is not None:
        return f'{{"type": "literal", "value": {quote(text)}, "xml:lang": "{language}"}}'
    if datatype is None or datatype == XSD_STRING:
        return f'{{"type": "literal", "value": {quote(text)}}}'
    return f'{{"type": "literal", "value": {quote(text)}, "datatype": {quote(datatype)}}}'


class NdjsonWriter(ColumnWriter):
    """Any queries, of any form, in one stream of lines. ``close`` writes nothing."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        self._times = TimeTexts()
        self._texts = TermTexts(json_term, JSON_INTEGER)

    def _write(self, blocks: AnswerBlocks) -> None:
        self._put_bytes(blocks.written(self._lines_of))

    def _lines_of(self, block: Block) -> Lines:
        """A line for each answer."""
        times: list[str | TextColumn] = []
        if block.has_instant:
            start, end = self._times.columns(block)
            stream = "" if block.stream is None else f', "stream": {quote(block.stream)}'
            times = [f'{stream}, "start": "', start, '", "end": "', end, '"']
        query = f'{{"query": {quote(block.head.name)}'
        return write_lines([query, *times, ", ", *self._answers(block), "}\n"], len(block))

    def _answers(self, block: Block) -> list[str | TextColumn]:
        """What stands behind the times."""
        head, columns = block.head, block.columns
        if head.form == "ask":
            return ['"boolean": ', [str(value).lower() for value, _ in columns[0]]]
        if head.form == "select":
            texts = list(map(self._texts.column, columns))
            return ['"bindings": {', *bound_pairs(head.variables, columns, texts, len(block)), "}"]
        return [list(map(self._triples, terms_of(columns[0])))]

    def _triples(self, graph: Any) -> str:
        triples = (f"[{', '.join(map(self._texts.text, triple))}]" for triple in graph)
        return f'"triples": [{", ".join(triples)}]'

    def close(self) -> None:
        """Nothing ends the lines."""
