"""Results in NDJSON: one line a match, flushed as it is found.

``{"query": ..., "start": ..., "end": ..., "bindings": {"x": {"type": "uri", "value": ...}}}``, terms as in
SPARQL 1.1 Query Results JSON Format, unbound variables left out. A CONSTRUCT or DESCRIBE has
``"triples": [[s, p, o]]`` in place of the bindings, an ASK ``"boolean": true``. Where there has been no
instant, a false answer has neither start nor end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from json import encoder
from typing import BinaryIO

from etalis_py.core.terms import Encoded, lexical_form
from etalis_py.core.vocabulary import XSD_STRING
from etalis_py.engine.matches import Match
from etalis_py.results.base import TimeTexts, Writer

__all__ = ["NdjsonWriter", "json_term", "quote"]

# The C function that json.dumps(..., ensure_ascii=False) uses for a text.
quote: Callable[[str], str] = encoder.encode_basestring


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


class _NameTexts(dict[str, str]):
    """The JSON text of IRIs and blank nodes, which most answers share with others.

    Literals are not kept: those of -0.0 and 0.0 would share a text.
    """

    def __missing__(self, name: str) -> str:
        if len(self) > 10_000:
            self.clear()
        text = self[name] = json_term(name)
        return text


class NdjsonWriter(Writer):
    """Any queries, of any form, in one stream of lines. ``close`` writes nothing."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        self._times = TimeTexts()
        self._texts = _NameTexts()
        self._keys: dict[tuple[str, ...], list[str]] = {}

    def write_all(self, matches: Iterable[Match]) -> None:
        """Write a line for each match."""
        self._put("".join([self._line(match) for match in matches]))

    def _line(self, match: Match) -> str:
        if match.encoded_triples is not None:
            triples = [f"[{', '.join(map(json_term, triple))}]" for triple in match.encoded_triples]
            answer = f'"triples": [{", ".join(triples)}]'
        elif match.boolean is not None:
            answer = f'"boolean": {str(match.boolean).lower()}'
        else:
            keys, names = self._keys_of(match.variables), self._texts
            pairs = [
                key + (names[term] if term.__class__ is str else json_term(term))
                for key, term in zip(keys, match.values, strict=True)
                if term is not None
            ]
            answer = f'"bindings": {{{", ".join(pairs)}}}'
        if match.interval is None:
            return f'{{"query": {quote(match.query)}, {answer}}}\n'
        start, end = self._times[match.start], self._times[match.end]
        stream = "" if match.stream is None else f'"stream": {quote(match.stream)}, '
        return f'{{"query": {quote(match.query)}, {stream}"start": "{start}", "end": "{end}", {answer}}}\n'

    def _keys_of(self, variables: tuple[str, ...]) -> list[str]:
        """What stands before the value of each variable."""
        if variables not in self._keys:
            self._keys[variables] = [f'"{name}": ' for name in variables]
        return self._keys[variables]

    def close(self) -> None:
        """Nothing ends the lines."""
