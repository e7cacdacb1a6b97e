"""Results as aligned text for readers: one block a query, IRIs short by the query's prefixes.

What a term holds cannot steer a terminal: control, bidirectional and other invisible characters are shown
as escapes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Any, BinaryIO, Final

from etalis_py.core.terms import Encoded, lexical_form, ntriples
from etalis_py.core.vocabulary import (
    XSD,
    XSD_BOOLEAN,
    XSD_DATETIME,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_DURATION,
    XSD_INTEGER,
)
from etalis_py.embedding.cells import terms_of
from etalis_py.engine.answer_table import interval_names
from etalis_py.results.base import ColumnWriter, TimeTexts
from etalis_py.results.blocks import AnswerBlocks, Block
from etalis_py.results.heads import QueryHead, columns_of
from etalis_py.results.term_texts import TermTexts

__all__ = ["TableWriter", "short_term"]

_BLOCK_ROWS: Final = 1000
_BARE: Final = {XSD_INTEGER, XSD_DECIMAL, XSD_DOUBLE, XSD_BOOLEAN, XSD_DATETIME, XSD_DURATION}
_match_local = re.compile(r"[\w\-]*(?:\.[\w\-]+)*").fullmatch
_Row = tuple[str, ...]


def short_term(term: Encoded, prefixes: Mapping[str, str]) -> str:
    """A term for a reader: prefixed names, numbers and times bare, everything printable.

    >>> short_term("http://example.org/a", {"ex": "http://example.org/"})
    'ex:a'
    """
    text, datatype, _ = lexical_form(term)
    if isinstance(term, str):
        shown = term if term.startswith("_:") else _short_iri(term, prefixes)
    elif datatype in _BARE and len(term) == 2 and not isinstance(term[0], str):
        shown = text
    elif datatype is not None and datatype != XSD + "string":
        shown = f"{ntriples((text, XSD + 'string'))}^^{_short_iri(datatype, prefixes)}"
    else:
        shown = ntriples(term)
    if shown.isprintable():
        return shown
    return "".join(char if char.isprintable() else _escape(char) for char in shown)


def _escape(char: str) -> str:
    return f"\\u{ord(char):04X}" if ord(char) < 0x10000 else f"\\U{ord(char):08X}"


def _short_iri(iri: str, prefixes: Mapping[str, str]) -> str:
    best = ""
    for prefix, namespace in prefixes.items():
        if namespace and iri.startswith(namespace) and _match_local(iri, len(namespace)):
            short = f"{prefix}:{iri[len(namespace) :]}"
            best = short if not best or len(short) < len(best) else best
    if not best and iri.startswith(XSD):
        best = f"xsd:{iri[len(XSD) :]}"
    return best or ntriples(iri)


def _width(text: str) -> int:
    """Columns of a terminal that the text takes."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


class TableWriter(ColumnWriter):
    """Any queries. A block is written at `close`, or when it has 1,000 rows.

    With ``live`` each match is written at once, in columns as wide as the first needs. ``terminal`` lets
    headings stand out.
    """

    def __init__(
        self,
        file: BinaryIO,
        heads: tuple[QueryHead, ...],
        *,
        at_mode: bool,
        live: bool = False,
        terminal: bool = False,
    ) -> None:
        super().__init__(file)
        self._at_mode = at_mode
        self._live = live
        self._terminal = terminal
        self._heads = {head.name: head for head in heads}
        self._rows: dict[str, list[_Row]] = {head.name: [] for head in heads}
        self._counts: dict[str, int] = dict.fromkeys(self._heads, 0)
        self._asked: dict[str, str] = {}  # answers of ASK queries with ``at_mode``
        self._times = TimeTexts()
        self._texts: dict[str, TermTexts] = {}
        self._last: tuple[str, list[int]] | None = None  # the block that goes on: its query and widths

    def _write(self, blocks: AnswerBlocks) -> None:
        """Take answers; write them if they are to be seen now, or are many."""
        for name, rows in blocks.in_order(self._rows_of):
            if self._at_mode and self._heads[name].form == "ask":
                self._asked[name] = "yes" if rows[0] == ("true",) else "no"
                continue
            waiting = self._rows[name]
            waiting += rows
            self._counts[name] += 1
            if self._live or len(waiting) >= _BLOCK_ROWS:
                self._write_rows(name)

    def _rows_of(self, block: Block) -> Iterator[tuple[str, list[_Row]]]:
        """For each answer its query and its rows."""
        name = block.head.name
        if name not in self._heads:
            self._heads[name], self._rows[name], self._counts[name] = block.head, [], 0
        if name not in self._texts:
            self._texts[name] = TermTexts(partial(short_term, prefixes=self._heads[name].prefixes), "%d")
        texts = self._texts[name]
        times = [] if self._at_mode else self._times.texts(block)
        if block.head.form not in ("construct", "describe"):
            columns = [*times, *map(texts.texts, block.columns)]
            rows = zip(*columns, strict=True) if columns else repeat((), len(block))
            yield from ((name, [row]) for row in rows)
            return
        intervals = zip(*times, strict=True) if times else repeat((), len(block))
        graphs: Iterable[Any] = terms_of(block.columns[0])
        for interval, graph in zip(intervals, graphs, strict=True):
            triples = [tuple(map(texts.text, triple)) for triple in graph]
            blank = ("",) * len(times)
            yield name, [(*(blank if place else interval), *each) for place, each in enumerate(triples)]

    def _names(self, head: QueryHead) -> _Row:
        variables = columns_of(head)
        return variables if self._at_mode else (*interval_names(variables), *variables)

    def _write_rows(self, name: str) -> None:
        rows, self._rows[name] = self._rows[name], []
        names = self._names(self._heads[name])
        columns = list(zip(*rows, strict=True))
        text = ""
        if self._last is None or self._last[0] != name:
            widths = [max(map(_width, (each, *column))) for each, column in zip(names, columns, strict=True)]
            between = "" if self._last is None else "\n"
            rule = _line(["-" * width for width in widths], widths)
            text = f"{between}{self._strong(name)}\n{self._strong(_line(names, widths))}\n{rule}\n"
            self._last = name, widths
        self._put(text + _lines(columns, self._last[1], len(rows)))

    def close(self) -> None:
        """Write the rows that wait, and how many answers each query has."""
        for name, count in self._counts.items():
            head = self._heads[name]
            if head.form == "ask" and self._at_mode:
                if name in self._asked:
                    self._put(f"{self._gap(name)}{name}: {self._asked[name]}\n")
                continue
            if self._rows[name]:
                self._write_rows(name)
            if not (count or self.is_whole):
                continue
            total = {0: "no answers", 1: "1 answer"}.get(count, f"{count} answers")
            several = len(self._counts) > 1 or count == 0
            self._put(f"{self._gap(name)}{f'{name}: ' if several else ''}{total}\n")

    def _gap(self, name: str) -> str:
        """A block that ended before this one is set apart."""
        previous, self._last = self._last, (name, [])
        return "\n" if previous is not None and previous[0] != name else ""

    def _strong(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self._terminal else text


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return _lines([(cell,) for cell in cells], widths, 1).removesuffix("\n")


def _lines(columns: Sequence[Sequence[str]], widths: Sequence[int], count: int) -> str:
    """So many lines of the cells of columns, which are of these widths."""
    padded = [_padded(column, width) for column, width in zip(columns, widths, strict=True)]
    lines = map("  ".join, zip(*padded, strict=True)) if padded else repeat("", count)
    return "".join([f"{line.rstrip()}\n" for line in lines])


def _padded(column: Sequence[str], width: int) -> Iterable[str]:
    if "".join(column).isascii():
        return map(str.ljust, column, repeat(width))
    return (cell + " " * (width - _width(cell)) for cell in column)
