"""The texts of terms in columns of events, each read once, and checked for where it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from etalis_py.core.coded import Coded
from etalis_py.core.terms import Encoded, Position, TermCache, encode_column
from etalis_py.streams.arrow_texts import ArrowTexts, Dictionaries
from etalis_py.texts.words import Words, new_words

__all__ = ["NAMES", "TermTexts"]

NAMES: Final = ("stream", "graph")
"""Columns that may be left out, and whose values may be."""
_POSITIONS: Final[dict[str, Position]] = {
    "s": "subject",
    "p": "predicate",
    "o": "object",
    "stream": "stream",
    "graph": "graph",
}


class TermTexts:
    """What is known of the texts of one source, or of several that are read one after the other.

    ``scope`` is put before blank node labels (see `TermCache`). With ``prefixes`` IRIs may be prefixed names.
    """

    def __init__(self, scope: str = "", prefixes: Mapping[str, str] | None = None) -> None:
        self.scope = scope
        self.terms = {
            name: TermCache(position, scope, prefixes or {}) for name, position in _POSITIONS.items()
        }
        """By columns."""
        self._words: dict[str, Words] = {}
        self._dictionaries = Dictionaries()
        self._ahead: dict[str, tuple[ArrowTexts, Coded[Encoded]]] = {}

    def words(self, column: str) -> Words | None:
        """The table of a column; None where there is no native library."""
        if column not in self._words and (new := new_words()) is not None:
            self._words[column] = new
        return self._words.get(column)

    @property
    def most(self) -> int:
        """How many texts of one column are known, of that which has most."""
        return max(*map(len, self.terms.values()), *(each.count for each in self._words.values()))

    def read(self, column: str, texts: Sequence[object]) -> Sequence[Encoded]:
        """The terms of texts. Raises ValueError or TypeError where one is none."""
        return encode_column(texts, self.terms[column])

    def read_arrow(self, column: str, texts: ArrowTexts, words: Words) -> Sequence[Encoded]:
        """The same, by the numbers of the texts in a table. Raises ValueError or TypeError."""
        ahead = self._ahead.pop(column, None)
        if ahead is not None and texts.is_same(ahead[0]):
            return ahead[1]
        try:
            return self._coded(column, texts, words)
        except (ValueError, TypeError):  # they are read again, for the row
            return self.read(column, texts)

    def read_ahead(self, column: str, texts: ArrowTexts) -> Coded[Encoded]:
        """The terms of a column of rows that are likely to be read next: it is not read again then.

        Raises ValueError or TypeError where a text is no term.
        """
        words = self.words(column)
        assert words is not None, "there are texts of Arrow"
        terms = self._coded(column, texts, words)
        self._ahead[column] = texts, terms
        return terms

    def _coded(self, column: str, texts: ArrowTexts, words: Words) -> Coded[Encoded]:
        words.forget_many()
        words.begin_batch()
        try:
            places = texts.places(words, column, self._dictionaries)
            words.read_new(partial(self.read, column), literals=column == "o")
        except (ValueError, TypeError):
            words.forget()
            raise
        return Coded(words.of_batch(), places)

    def read_names(self, column: str, texts: Sequence[Any] | None) -> list[Encoded | None] | None:
        """Those of a column of which all, or some, may be left out."""
        if texts is None or not any(texts):
            return None
        cache = self.terms[column]
        if len(cache) > cache.limit:
            cache.clear()
        return [None if text is None or text == "" else cache[text] for text in texts]
