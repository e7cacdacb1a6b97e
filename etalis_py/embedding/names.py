"""Names in answers: UTF-8 as native code has them, a Python text when somebody looks."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from threading import RLock
from typing import Any, Final, NamedTuple, overload

__all__ = ["NameTable", "Utf8"]


class Utf8(NamedTuple):
    """Texts with a NUL behind each. ``ends`` (64 bits) has the place behind the NUL of each, and 0 before."""

    ends: bytes
    texts: bytes


class _Part(NamedTuple):
    """Names that came together, the first of which has the number ``first``."""

    first: int
    ends: bytes
    texts: bytes


_BEGIN: Final = bytes(8)


class NameTable(Sequence[str]):
    r"""A table that grows in one thread; any thread may read it.

    >>> names = NameTable()
    >>> names.add(b"urn:a\0urn:\xc3\xa4\0", array("q", [6, 13]).tobytes())
    >>> names[1], len(names), names.size
    ('urn:ä', 2, 13)
    """

    __slots__ = ("_joined", "_joined_parts", "_lock", "_made", "_made_parts", "_parts")

    def __init__(self) -> None:
        self._lock = RLock()  # whoever is broken off may have it still, and asks again
        self._parts: list[_Part] = []
        self._joined, self._joined_parts = Utf8(_BEGIN, b""), 0
        self._made: list[str] = []
        self._made_parts = 0

    def add(self, texts: bytes, ends: bytes) -> None:
        """More names in UTF-8, with a NUL behind each; ``ends`` are the places behind these in the table."""
        self._parts.append(_Part(len(self), ends, texts))

    @property
    def size(self) -> int:
        """Of all texts, in bytes."""
        return array("q", self._parts[-1].ends[-8:])[0] if self._parts else 0

    def utf8(self) -> Utf8:
        """All of them."""
        with self._lock:
            if new := self._parts[self._joined_parts :]:
                ends = b"".join([self._joined.ends, *(part.ends for part in new)])
                texts = b"".join([self._joined.texts, *(part.texts for part in new)])
                self._joined, self._joined_parts = Utf8(ends, texts), self._joined_parts + len(new)
            return self._joined

    def made(self) -> list[str]:
        """Python texts, the same list each time."""
        with self._lock:
            for part in self._parts[self._made_parts :]:
                self._made[part.first :] = _split(part)
                self._made_parts += 1
        return self._made

    def __iter__(self) -> Iterator[str]:
        return iter(self.made())

    def __len__(self) -> int:
        return self._parts[-1].first + len(self._parts[-1].ends) // 8 if self._parts else 0

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: Any) -> Any:
        return self.made()[index]


def _split(part: _Part) -> list[str]:
    texts = part.texts
    if texts.count(b"\0") == len(part.ends) // 8:
        return texts.decode("utf-8", "surrogatepass").split("\0")[:-1]
    ends = array("q", part.ends)  # a name has a NUL
    before = ends[-1] - len(texts)
    bounds = pairwise([0, *(end - before for end in ends)])
    return [texts[begin : end - 1].decode("utf-8", "surrogatepass") for begin, end in bounds]
