"""Times as most streams write them, read by Arrow a column at once."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any, Final, overload

__all__ = ["TimeTexts", "plain_times", "read_plain_times"]

_PLAIN: Final = r"^[12][0-9]{3}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,6})?Z$"
"""What Arrow reads as `etalis_py.core.times.parse_time` does, or refuses: the 30th of February, 24:00."""


class TimeTexts(Sequence["str | None"]):
    """The texts of an Arrow array of times; Python makes those that it is asked for."""

    def __init__(self, column: Any) -> None:
        self._column = column

    def __len__(self) -> int:
        return len(self._column)

    def __iter__(self) -> Iterator[str | None]:
        return iter(self._column.to_pylist())

    @overload
    def __getitem__(self, index: int) -> str | None: ...

    @overload
    def __getitem__(self, index: slice) -> TimeTexts: ...

    def __getitem__(self, index: int | slice) -> Any:
        found = self._column[index]
        return TimeTexts(found) if isinstance(index, slice) else found.as_py()

    def microseconds(self) -> Sequence[int] | None:
        """Since 1970; None where one is missing, or not as `read_plain_times` takes it."""
        return None if self._column.null_count else _read(self._column)


def read_plain_times(texts: Sequence[object]) -> Sequence[int] | None:
    """Microseconds since 1970 of texts such as ``2011-03-11T05:46:23.5Z``; None where one is not like that.

    >>> read_plain_times(["1970-01-01T00:00:01Z", "1969-12-31T23:59:59.5Z"]), read_plain_times(["7"])
    (array('q', [1000000, -500000]), None)
    """
    import pyarrow as pa

    try:
        column = pa.array(texts, pa.string())
    except (ValueError, TypeError, pa.ArrowException):  # no text
        return None
    return _read(column)


def _read(column: Any) -> Sequence[int] | None:
    import pyarrow as pa

    try:
        moments = plain_times(column)
    except pa.ArrowInvalid:
        return None
    return None if moments is None else _numbers(moments)


def plain_times(texts: Any) -> Any:
    """The same of an Arrow array without nulls, as an array.

    Raises ArrowInvalid where a text is like that, and no time.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pc.all(pc.match_substring_regex(texts, _PLAIN)).as_py():
        return None
    return texts.cast(pa.timestamp("us", tz="UTC")).cast(pa.int64())


def _numbers(column: Any) -> array[int]:
    numbers = array("q")
    numbers.frombytes(memoryview(column.buffers()[1])[8 * column.offset : 8 * (column.offset + len(column))])
    return numbers
