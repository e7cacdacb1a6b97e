"""The different texts of a column, each handed out once."""

from __future__ import annotations

import ctypes
import weakref
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from threading import Lock
from typing import Any, Final, NamedTuple

from etalis_py.core.coded import Unmade
from etalis_py.core.terms import encode_ntriples
from etalis_py.texts.library import WordTable, text_library

__all__ = ["BatchWords", "Entries", "MalformedError", "Texts", "Words", "new_words"]

_MOST_WORDS: Final = 100_000
_MOST_BYTES: Final = 1 << 24
_tables = count(1)
"""Each begins to count its words from 0; a table that forgets them is another one."""

_NO_WORD, _MALFORMED = -1, -3
_OTHER, _IRI = 0, 1
"""As ``texts.h`` has them. Words of other kinds are literals that the rules can read by themselves."""


class MalformedError(Exception):
    """Texts are not where their column says."""


class Texts(NamedTuple):
    """Addresses of the bounds of texts (32 bits) and of their bytes, and how many bytes these are."""

    bounds: int
    data: int
    length: int


@dataclass(slots=True)
class Entries:
    """The texts of a dictionary, and which words of a ``table`` they are (-1: nobody has looked)."""

    texts: Texts
    size: int
    table: int = 0
    numbers: array[int] = field(default_factory=lambda: array("i"))


class _New(NamedTuple):
    """Words with a line end behind each, their kinds, and what was made of those that are of no kind."""

    texts: bytes
    kinds: bytes
    others: Sequence[Any]

    def values(self) -> list[Any]:
        """IRIs themselves, and literals."""
        texts = self.texts.decode().split("\n")[:-1]
        if set(self.kinds) == {_IRI}:
            return texts
        others = iter(self.others)
        return [
            text if kind == _IRI else next(others) if kind == _OTHER else encode_ntriples(text)
            for text, kind in zip(texts, self.kinds, strict=True)
        ]


class _Made:
    """What was made of the words of a table. IRIs and literals are made when somebody looks, in any thread.

    ``others`` are those that were made at once.
    """

    __slots__ = ("_lock", "_new", "_values", "others")

    def __init__(self) -> None:
        self.others: list[Any] = []
        self._lock = Lock()
        self._values: list[Any] = []
        self._new: list[_New] = []
        """Of words behind the values."""

    def add(self, new: _New) -> None:
        """The next words are these."""
        self._new.append(new)
        self.others += new.others

    def values(self) -> list[Any]:
        """By the numbers of the words."""
        while self._new:
            with self._lock:
                for new in self._new[:1]:
                    self._values += new.values()
                    del self._new[0]
        return self._values


class BatchWords(Unmade[Any]):
    """What was made of the words of a batch, whose ``numbers`` in their ``table`` stand beside it."""

    __slots__ = ("_made", "_of_table", "numbers", "table", "words")

    def __init__(self, words: Words, numbers: array[int]) -> None:
        self.words = words
        self.numbers = numbers
        self.table = words.number
        self._of_table = words.of_table
        self._made: list[Any] | None = None

    def made(self) -> list[Any]:
        """By the places in the batch."""
        if self._made is None:
            self._made = list(map(self._of_table.values().__getitem__, self.numbers))
        return self._made

    def at(self, places: Iterable[int]) -> list[Any]:
        """Those at some places."""
        values = self._of_table.values()
        return [values[self.numbers[place]] for place in places]

    @property
    def are_known(self) -> bool:
        """Whether the table still has the words."""
        return self.table == self.words.number


class Words:
    """A table of words of the native library, and what its user has made of each word.

    >>> from etalis_py.texts.library import text_library
    >>> words = Words(text_library())
    >>> words.made, words.of_batch().made()
    ([], [])
    """

    def __init__(self, library: ctypes.PyDLL) -> None:
        self.table: Any = library.words_new()
        if not self.table:
            raise MemoryError
        self.number = next(_tables)
        """Of the table; of what it has forgotten it is another one."""
        self.of_table = _Made()
        self._library = library
        self._count = 0
        self._read = 0
        weakref.finalize(self, library.words_free, self.table)

    @property
    def made(self) -> list[Any]:
        """What was made of the words that were read, by their numbers: of an absolute IRI its text."""
        return self.of_table.values()

    @property
    def count(self) -> int:
        """How many words there are."""
        return int(self.table.contents.count)

    @property
    def address(self) -> int:
        """Where the table is."""
        return ctypes.addressof(self.table.contents)

    def begin_batch(self) -> None:
        """Places of words count from 0 again."""
        self._library.next_batch(self.table)

    def forget_many(self) -> None:
        """Forget the words, where they are many."""
        table: WordTable = self.table.contents
        if table.count > _MOST_WORDS or table.length > _MOST_BYTES:
            self.forget()

    def forget(self) -> None:
        """Forget all words."""
        self._library.words_clear(self.table)
        self.number = next(_tables)
        self.of_table = _Made()  # batches that came before have the other one
        self._count = self._read = 0

    def places(self, texts: Texts, count: int) -> array[int]:
        """Of each of so many texts its place in this batch.

        Raises:
            ValueError: one has a line end, and is no word. All words are forgotten then.
            MalformedError: one is not where the texts are.
        """
        found = array("i", bytes(4 * count))
        return self._checked(found, self._library.find_words(self.table, *texts, count, _address(found)))

    def coded_places(self, entries: Entries, indices: int, count: int) -> array[int]:
        """Of each of so many rows, whose indices (32 bits) are at this address, the place in this batch of
        its entry of a dictionary.

        Raises:
            ValueError, MalformedError: as `places`.
        """
        if entries.table != self.number:
            entries.table = self.number
            entries.numbers = array("i", b"\xff" * (4 * entries.size))
        found, numbers = array("i", bytes(4 * count)), _address(entries.numbers)
        about = (*entries.texts, entries.size, numbers, indices, count, _address(found))
        return self._checked(found, self._library.find_coded_words(self.table, *about))

    def _checked(self, found: array[int], done: int) -> array[int]:
        if done == len(found):
            return found
        self.forget()
        if done == _NO_WORD:
            raise ValueError("a text has a line end")
        if done == _MALFORMED:
            raise MalformedError
        raise MemoryError

    def read_new(self, read: Callable[[list[str]], Sequence[Any]], *, literals: bool = False) -> None:
        """Make something of the words that are new; ``read`` does it of those that are no absolute IRIs.

        Where these are terms, ``literals`` that are plain are made when somebody looks.
        """
        table: WordTable = self.table.contents
        first, begin, self._count, self._read = self._count, self._read, table.count, table.length
        if first == self._count:
            return
        if literals:
            self._library.find_literals(self.table, first)
        kinds, texts = self.kinds(first), ctypes.string_at(table.bytes + begin, self._read - begin)
        others: Sequence[Any] = ()
        if _OTHER in kinds:
            pairs = zip(texts.decode().split("\n"), kinds, strict=False)
            others = read([text for text, kind in pairs if kind == _OTHER])
        self.of_table.add(_New(texts, kinds, others))
        if not texts.isascii():
            self.of_table.values()  # they are no words if they are not in UTF-8

    def keep_texts(self, read: Callable[[list[str]], Sequence[Any]] = list) -> None:
        """Make of the words that are new their texts, also of IRIs; of others what ``read`` makes of them."""
        first = self._count
        self.read_new(read)
        kinds = self.kinds(first)
        if any(kinds):
            for place, kind in enumerate(kinds, first):
                if kind == _IRI:
                    self.made[place] = f"<{self.made[place]}>"

    def kinds(self, first: int) -> bytes:
        """Of each word that was read, from number ``first`` on, its kind (``texts.h``)."""
        table: WordTable = self.table.contents
        count = self._count - first
        return ctypes.string_at(table.kinds + first, count) if count else b""

    def others(self, first: int) -> Sequence[Any]:
        """What was made of those of these words that are of no kind."""
        return self.of_table.others[self.kinds(0)[:first].count(_OTHER) :]

    def texts(self, first: int) -> bytes:
        """These words, each with a line end behind it; IRIs without their brackets."""
        table: WordTable = self.table.contents
        begin = self._library.word_begins(self.table, first)
        return ctypes.string_at(table.bytes + begin, self._read - begin) if begin < self._read else b""

    def of_batch(self) -> BatchWords:
        """What was made of the words of this batch, by their places."""
        table: WordTable = self.table.contents
        used = array("i")
        if table.used_count:
            used.frombytes(ctypes.string_at(table.used, used.itemsize * table.used_count))
        return BatchWords(self, used)


def new_words() -> Words | None:
    """A table; None where there is no native library."""
    library = text_library()
    return None if library is None else Words(library)


def _address(column: array[int]) -> int:
    return column.buffer_info()[0]
