"""The different texts of a column, each handed out once."""

from __future__ import annotations

import ctypes
import weakref
from array import array
from typing import Any, Final

from etalis_py.texts.library import WordTable

__all__ = ["Words"]

_MOST_WORDS: Final = 100_000
_MOST_BYTES: Final = 1 << 24


class Words:
    """A table of words of the native library, and what its user has made of each word.

    >>> from etalis_py.texts.library import text_library
    >>> words = Words(text_library())
    >>> words.made, words.new()
    ([], ([], b''))
    """

    def __init__(self, library: ctypes.PyDLL) -> None:
        self.table: Any = library.words_new()
        if not self.table:
            raise MemoryError
        self.made: list[Any] = []
        """What was made of the words, by their numbers; whoever takes `new` words adds to it."""
        self._library = library
        self._read = 0
        weakref.finalize(self, library.words_free, self.table)

    @property
    def address(self) -> int:
        """Where the table is."""
        return ctypes.addressof(self.table.contents)

    def begin_batch(self) -> None:
        """Places of words count from 0 again; forget the words, where they are many."""
        table: WordTable = self.table.contents
        if table.count > _MOST_WORDS or table.length > _MOST_BYTES:
            self.forget()
        self._library.next_batch(self.table)

    def forget(self) -> None:
        """Forget all words."""
        self._library.words_clear(self.table)
        self.made.clear()
        self._read = 0

    def new(self) -> tuple[list[str], bytes]:
        """The words nothing was made of yet; for each 1 if it is that of an absolute IRI, 0 for any other."""
        table: WordTable = self.table.contents
        first = len(self.made)
        if table.count == first:
            return [], b""
        text = ctypes.string_at(table.bytes + self._read, table.length - self._read)
        self._read = table.length
        kinds = ctypes.string_at(table.kinds + first, table.count - first)
        return text.decode().split("\n")[:-1], kinds

    def of_batch(self) -> list[Any]:
        """What was made of the words of this batch, by their places."""
        table: WordTable = self.table.contents
        used = array("i")
        if table.used_count:
            used.frombytes(ctypes.string_at(table.used, used.itemsize * table.used_count))
        return list(map(self.made.__getitem__, used))
