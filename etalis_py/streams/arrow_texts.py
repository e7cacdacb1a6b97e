"""Columns of texts of Arrow as columns of terms, without a Python text for each."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, overload

from etalis_py.core.errors import UsageError
from etalis_py.texts.library import text_library
from etalis_py.texts.words import Entries, MalformedError, Texts, Words

__all__ = ["ArrowTexts", "Dictionaries", "is_same_array", "texts_of_array"]


class Dictionaries:
    """The dictionary of each column that came last: what was found of its texts serves the next rows."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Any, Any, Entries]] = {}

    def entries(self, column: str, dictionary: Any) -> Entries | None:
        """Those of an Arrow array; None where it cannot be one of strings with bounds of 32 bits."""
        import pyarrow as pa

        known = self._known.get(column)
        if known is None or not is_same_array(known[0], dictionary):
            try:
                strings = dictionary.cast(pa.string())
            except pa.ArrowInvalid:
                return None
            entries = Entries(_texts(strings), len(strings))
            known = self._known[column] = dictionary, strings, entries  # their memory is kept
        return known[2]


class ArrowTexts(Sequence[str]):
    """The texts of an Arrow array of strings, or of a dictionary of them, none of them missing; a Python text
    is made of each that is looked at.
    """

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

    def is_same(self, other: ArrowTexts) -> bool:
        """Whether both are the same part of the same memory."""
        return is_same_array(self._array, other._array)

    def places(self, words: Words, column: str, dictionaries: Dictionaries) -> array[int]:
        """Of each text its place among the words of this batch.

        Raises:
            ValueError: one has a line end, and is no word.
            UsageError: EP504, the array is malformed.
        """
        import pyarrow as pa

        try:
            if not pa.types.is_dictionary(self._array.type):
                return words.places(_texts(self._array), len(self))
            entries = dictionaries.entries(column, self._array.dictionary)
            if entries is None:
                raise ValueError("texts of more than 31 bits")
            indices = self._array.indices.cast(pa.int32())
            return words.coded_places(entries, indices.buffers()[1].address + 4 * indices.offset, len(self))
        except (MalformedError, pa.ArrowInvalid) as error:
            message = f"the column {column!r} is a malformed array of Arrow"
            raise UsageError("EP504", message, hint="validate(full=True) of the array says more") from error


def texts_of_array(column: Any) -> ArrowTexts | None:
    """The texts of an Arrow array; None, if some are missing, they are none, or there is no library."""
    import pyarrow as pa

    if column.null_count or text_library() is None:
        return None
    if pa.types.is_dictionary(column.type):
        has_texts = _is_text(column.type.value_type) and not column.dictionary.null_count
    else:
        has_texts = pa.types.is_string(column.type)
    return ArrowTexts(column) if has_texts else None


def is_same_array(one: Any, other: Any) -> bool:
    """Whether two Arrow arrays are the same part of the same memory."""
    if len(one) != len(other) or one.offset != other.offset or one.type != other.type:
        return False
    return [each and each.address for each in one.buffers()] == [
        each and each.address for each in other.buffers()
    ]


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _texts(strings: Any) -> Texts:
    """Where the texts of an array of strings are."""
    _, bounds, data = strings.buffers()
    first = 0 if bounds is None else bounds.address + 4 * strings.offset
    return Texts(first, *((0, 0) if data is None else (data.address, data.size)))
