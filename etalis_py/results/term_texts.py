"""The terms of columns as a format writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, Final

from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import XSD_INTEGER
from etalis_py.embedding.cells import ATOM, INTEGER, UNBOUND, Cells, terms_of
from etalis_py.texts.lines import INTEGERS, TEXTS, NumberedTexts, TextColumn, Values, is_native, texts_of

__all__ = ["TermTexts", "bound_pairs"]

_USUAL: Final = range(-(1 << 63), 1 << 63)
"""Integers that surely have fewer digits than Python writes."""


class TermTexts(dict[str, str]):
    """Writes terms by ``write``; xsd:integers, which are most of the literals, by the template ``integer``.

    The texts of IRIs and blank nodes, which most answers share with others, are kept. Those of literals are
    not: -0.0 and 0.0 would share one. An unbound variable has the empty text.

    >>> from etalis_py.core.terms import ntriples
    >>> texts = TermTexts(ntriples, '"%d"^^<http://www.w3.org/2001/XMLSchema#integer>')
    >>> list(texts.texts(["urn:a", 5, None]))
    ['<urn:a>', '"5"^^<http://www.w3.org/2001/XMLSchema#integer>', '']
    """

    def __init__(self, write: Callable[[Encoded], str], integer: str) -> None:
        super().__init__()
        self._write = write
        self._integer = integer
        self._names: Sequence[str] = ()
        self._numbered = NumberedTexts()

    def __missing__(self, name: str) -> str:
        if len(self) > 10_000:
            self.clear()
        text = self[name] = self._write(name)
        return text

    def column(self, values: Sequence[Any]) -> TextColumn:
        """The texts of the values of one variable, for `write_lines`."""
        kind = values.kind if isinstance(values, Cells) and is_native() else None
        if isinstance(values, Cells) and kind == ATOM:
            return Values(TEXTS, values.data, self._of_names(values.names))
        if isinstance(values, Cells) and kind == INTEGER:
            return Values(INTEGERS, values.data, None, *self._integer.split("%d"))
        return list(self.texts(values))

    def _of_names(self, names: Sequence[str]) -> NumberedTexts:
        """The texts of a table of names, to which more may be added later."""
        if names is not self._names:
            self._names, self._numbered = names, NumberedTexts()
        if len(names) > len(self._numbered):
            self._numbered.add(map(self._write, names[len(self._numbered) :]))
        return self._numbered

    def texts(self, values: Sequence[Any]) -> Iterable[str]:
        """The texts of the values of one variable."""
        kind = values.kind if isinstance(values, Cells) else None
        if kind == ATOM:
            return map(self.__getitem__, values)
        if kind == INTEGER:
            return map(self._integer.__mod__, values)
        return ("" if term is None else self.text(term) for term in terms_of(values))

    def text(self, term: Any) -> str:
        """The text of a term, encoded or as in the graphs of `Answers.values`."""
        if term.__class__ is str:
            return self[term]
        if term[1] == XSD_INTEGER and term[0].__class__ is int and term[0] in _USUAL:
            return self._integer % term[0]
        return self._write(term)


def bound_pairs(
    names: Sequence[str], columns: Sequence[Sequence[Any]], texts: Sequence[TextColumn], count: int
) -> list[str | TextColumn]:
    """For each answer the pairs of names and texts in JSON; those left out that are unbound.

    >>> bound_pairs(["x", "y"], [["urn:a"] * 2, [None, 5]], [["1", "2"], ["", "3"]], 2)
    [['"x": 1', '"x": 2, "y": 3']]
    """
    keys = [f'"{name}": ' for name in names]
    if not any(UNBOUND in each.kinds if isinstance(each, Cells) else None in each for each in columns):
        before = [*keys[:1], *(f", {key}" for key in keys[1:])]
        return list(chain.from_iterable(zip(before, texts, strict=True)))
    pairs = [
        [text and key + text for text in texts_of(column, count)]
        for key, column in zip(keys, texts, strict=True)
    ]
    return [[", ".join(filter(None, row)) for row in zip(*pairs, strict=True)]]
