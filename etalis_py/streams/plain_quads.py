"""N-Quads files in columns, where they are as plain as most are; others are left to the reader of lines.

In a plain file (``texts/quads.c``) each named graph has one time, and the default graph has no other quads.
"""

from __future__ import annotations

import ctypes
import weakref
from array import array
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from etalis_py.core.coded import Coded
from etalis_py.core.terms import Position, TermCache, encode_column
from etalis_py.streams.batch import Batch
from etalis_py.streams.lines import Text
from etalis_py.texts.library import text_library
from etalis_py.texts.words import Words

__all__ = ["MOST_GRAPHS", "PlainQuads"]

MOST_GRAPHS = 1_000_000
"""The reader of lines refuses a file with more of them."""
_POSITIONS: Final[tuple[Position, ...]] = ("subject", "predicate", "object", "graph")


class PlainQuads:
    """The quads of one file, as long as they are plain; ``scope`` is put before labels (see `TermCache`)."""

    def __init__(self, scope: str) -> None:
        self._library = text_library()
        if self._library is None:
            return
        self._quads: Any = self._library.quads_new()
        if not self._quads:
            raise MemoryError
        weakref.finalize(self, self._library.quads_free, self._quads)
        self._words = [Words(self._library) for _ in _POSITIONS]
        self._caches = [TermCache(position, scope) for position in _POSITIONS]
        self._tables = (ctypes.c_void_p * len(_POSITIONS))(*(words.address for words in self._words))
        self._lines = 0

    def add(self, text: Text) -> bool:
        """Take the next lines; False where one is not plain, or the file is cut off."""
        library = self._library
        if library is None or text.unfinished or text.line != self._lines + 1:
            return False
        data = text.text.encode()
        taken = library.quads_read(self._quads, self._tables, data, len(data))
        if taken < 0:
            raise MemoryError
        self._lines += data.count(b"\n")
        return bool(taken) and self._read_terms()

    def _read_terms(self) -> bool:
        """Read the terms that are new; False where one is none."""
        try:
            for words, cache in zip(self._words, self._caches, strict=True):
                words.read_new(partial(encode_column, cache=cache), literals=cache.position == "object")
        except ValueError:
            return False
        return True

    def batches(self, source: str, batch_rows: int, stream: str | None) -> Iterator[Batch] | None:
        """The elements in the order of their ends; None where times or graphs are not plain."""
        if self._library is None or len(self._words[-1].made) > MOST_GRAPHS:
            return None
        if not self._library.quads_order(self._quads):
            return None
        return self._batches(self._library, source, batch_rows, stream)

    def _batches(
        self, library: ctypes.PyDLL, source: str, batch_rows: int, stream: str | None
    ) -> Iterator[Batch]:
        while count := library.quads_next(self._quads, batch_rows):
            codes = [array("i", bytes(4 * count)) for _ in _POSITIONS]
            starts, ends, lines = (array("q", bytes(8 * count)) for _ in range(3))
            for words in self._words:
                words.begin_batch()
            places = (ctypes.c_void_p * len(codes))(*(each.buffer_info()[0] for each in codes))
            addresses = (each.buffer_info()[0] for each in (starts, ends, lines))
            if library.quads_take(self._quads, self._tables, count, places, *addresses) < 0:
                raise MemoryError
            s, p, o, graph = (
                Coded(words.of_batch(), each) for words, each in zip(self._words, codes, strict=True)
            )
            streams = None if stream is None else [stream] * count
            starts = ends if starts == ends else starts
            yield Batch(starts, ends, s, p, o, graph, [source] * count, lines, streams)
