"""Names in answers: UTF-8 as native code has them, a Python text when somebody looks."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from threading import Lock
from typing import Any, NamedTuple, overload

__all__ = ["NameTable", "Utf8"]


class Utf8(NamedTuple):
    """Texts with a NUL behind each. ``ends`` (64 bits) has 0, and the place behind the NUL of each."""

    ends: bytes
    texts: bytes


class NameTable(Sequence[str]):
    r"""A table that grows; any thread may read it.

    >>> names = NameTable()
    >>> names.add_texts(["urn:a", "urn:ä"])
    >>> names[1], len(names), names.utf8().texts
    ('urn:ä', 2, b'urn:a\x00urn:\xc3\xa4\x00')
    """

    __slots__ = ("_bounds", "_length", "_lock", "_made", "_texts", "_unmade", "size")

    def __init__(self) -> None:
        self.size = 0
        """Of all texts, in bytes."""
        self._lock = Lock()
        self._length = 0
        self._texts: list[bytes] = []
        self._bounds: list[bytes] = [bytes(8)]
        self._made: list[str] = []
        self._unmade: list[tuple[bytes, bytes]] = []

    def add(self, texts: bytes, ends: bytes) -> None:
        """More names in UTF-8, with a NUL behind each; ``ends`` are the places behind these in the table."""
        with self._lock:
            self._texts.append(texts)
            self._bounds.append(ends)
            self._unmade.append((texts, ends))
            self._length += len(ends) // 8
            self.size += len(texts)

    def add_texts(self, names: Sequence[str]) -> None:
        """More names."""
        texts = [name.encode("utf-8", "surrogatepass") + b"\0" for name in names]
        ends = accumulate(map(len, texts), initial=self.size)
        next(ends)
        self.add(b"".join(texts), array("q", ends).tobytes())

    def utf8(self) -> Utf8:
        """All of them."""
        with self._lock:
            for parts in (self._bounds, self._texts):
                parts[:] = [b"".join(parts)]
            return Utf8(self._bounds[0], self._texts[0])

    def made(self) -> list[str]:
        """Python texts, the same list each time."""
        with self._lock:
            for texts, ends in self._unmade:
                self._made += _split(texts, ends)
            self._unmade.clear()
        return self._made

    def __iter__(self) -> Iterator[str]:
        return iter(self.made())

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: Any) -> Any:
        return self.made()[index]


def _split(texts: bytes, ends: bytes) -> list[str]:
    count = len(ends) // 8
    if texts.count(b"\0") == count:
        return texts.decode("utf-8", "surrogatepass").split("\0")[:-1]
    places = array("q", ends)  # a name has a NUL
    first = places[-1] - len(texts)
    bounds = pairwise([0, *(place - first for place in places)])
    return [texts[begin : end - 1].decode("utf-8", "surrogatepass") for begin, end in bounds]
