"""Lines of text from columns of texts, numbers and times; natively, where the library is there."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain
from typing import TypeAlias

from etalis_py.core.value_class import value_class
from etalis_py.texts.library import INTEGERS, MOMENTS, NOTHING, TEXTS, Part, text_library

__all__ = [
    "INTEGERS",
    "MOMENTS",
    "TEXTS",
    "Lines",
    "NumberedTexts",
    "TextColumn",
    "Values",
    "is_native",
    "texts_of",
    "write_lines",
]


class NumberedTexts:
    """Texts, by the order in which they are added.

    >>> texts = NumberedTexts(["a", "ä"])
    >>> len(texts), texts.bounds
    (2, array('q', [0, 1, 3]))
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.content = array("B")
        self.bounds = array("q", [0])
        self.add(texts)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def add(self, texts: Iterable[str]) -> None:
        """Add texts."""
        encoded = [text.encode() for text in texts]
        self.content.frombytes(b"".join(encoded))
        ends = accumulate(map(len, encoded), initial=self.bounds.pop())
        self.bounds.extend(ends)


@value_class
class Values:
    """A column that is written natively, a text before and behind each value.

    ``numbers`` are those of ``texts`` if the ``kind`` is TEXTS; if it is INTEGERS or MOMENTS, the values,
    moments in microseconds (UTC).
    """

    kind: int
    numbers: array[int]
    texts: NumberedTexts | None = None
    before: str = ""
    after: str = ""


TextColumn: TypeAlias = "Values | Sequence[str]"


@value_class
class Lines:
    """Some lines in UTF-8, with the place behind each in bytes."""

    content: bytes
    ends: array[int]

    def __iter__(self) -> Iterator[bytes]:
        """Each of them."""
        return map(self.content.__getitem__, map(slice, chain((0,), self.ends), self.ends))


def is_native() -> bool:
    """Whether lines are written natively."""
    return text_library() is not None


def texts_of(column: TextColumn, count: int) -> Sequence[str]:
    """The texts of a column of so many values."""
    if not isinstance(column, Values):
        return column
    return [text.decode() for text in write_lines([column], count)]


def write_lines(items: Sequence[str | TextColumn], count: int) -> Lines:
    r"""So many lines of these items one after the other: what all lines have, and columns with a value each.

    >>> found = write_lines(["<", ["a", "ä"], ">: ", ["b", "c"], "\n"], 2)
    >>> found.content.decode(), list(found)[0], found.ends
    ('<a>: b\n<ä>: c\n', b'<a>: b\n', array('q', [7, 15]))
    """
    library = text_library()
    if library is None:
        lines = [line.encode() for line in _by_python(items, count)]
        return Lines(b"".join(lines), array("q", accumulate(map(len, lines))))
    parts = _parts(items)
    described = (Part * len(parts))(*(_described(piece, values) for piece, values in parts))
    ends, length = array("q", bytes(8 * count)), ctypes.c_size_t()
    found = library.write_lines(described, len(parts), count, ends.buffer_info()[0], ctypes.byref(length))
    if not found:
        raise MemoryError
    try:
        return Lines(ctypes.string_at(found, length.value), ends)
    finally:
        library.lines_free(found)


def _parts(items: Sequence[str | TextColumn]) -> list[tuple[bytes, Values | None]]:
    """Each column with the text before it, and the text behind the last."""
    parts: list[tuple[bytes, Values | None]] = []
    piece = ""
    for item in items:
        if isinstance(item, str):
            piece += item
            continue
        values = item if isinstance(item, Values) else Values(TEXTS, array("q"), NumberedTexts(item))
        parts.append(((piece + values.before).encode(), values))
        piece = values.after
    return [*parts, (piece.encode(), None)]


def _described(piece: bytes, values: Values | None) -> Part:
    if values is None:
        return Part(piece, len(piece), NOTHING)
    numbers = values.numbers.buffer_info()[0] if len(values.numbers) else None
    about = Part(piece, len(piece), values.kind, numbers)
    if values.texts is not None:
        about.bytes, about.bounds = (
            each.buffer_info()[0] for each in (values.texts.content, values.texts.bounds)
        )
    return about


def _by_python(items: Sequence[str | TextColumn], count: int) -> Iterable[str]:
    template = "".join(item.replace("%", "%%") if isinstance(item, str) else "%s" for item in items)
    columns = [item for item in items if not isinstance(item, str)]
    if not columns:
        return ["".join(map(str, items))] * count
    return map(template.__mod__, zip(*columns, strict=True))
