"""Columns of texts of Arrow as columns of terms, without a Python text for each."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, overload

from etalis_py.texts.library import text_library
from etalis_py.texts.words import Words

__all__ = ["ArrowTexts", "texts_of_array"]


class ArrowTexts(Sequence[str]):
    """The texts of an Arrow array, none of them missing; a Python text is made of each that is looked at."""

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> ArrowTexts: ...

    def __getitem__(self, index: Any) -> Any:
        found = self._array[index]
        return ArrowTexts(found) if isinstance(index, slice) else found.as_py()

    def places(self, words: Words) -> array[int]:
        """Of each text its place among the words of this batch.

        Raises:
            ValueError: one has a line end, and is no word.
        """
        _, bounds, data = self._array.buffers()
        first = bounds.address + 4 * self._array.offset
        return words.places(first, 0 if data is None else data.address, len(self))


def texts_of_array(column: Any) -> ArrowTexts | None:
    """The texts of an Arrow array; None, if some are missing or there is no library."""
    import pyarrow as pa

    if not pa.types.is_string(column.type) or column.null_count or text_library() is None:
        return None
    return ArrowTexts(column)
