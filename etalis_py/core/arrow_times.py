"""Times as most streams write them, read by Arrow a column at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

__all__ = ["plain_times", "read_plain_times"]

_PLAIN: Final = r"^[12][0-9]{3}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,6})?Z$"
"""What Arrow reads as `etalis_py.core.times.parse_time` does, or refuses: the 30th of February, 24:00."""


def read_plain_times(texts: Sequence[object]) -> list[int] | None:
    """Microseconds since 1970 of texts such as ``2011-03-11T05:46:23.5Z``; None where one is not like that.

    >>> read_plain_times(["1970-01-01T00:00:01Z", "1969-12-31T23:59:59.5Z"]), read_plain_times(["7"])
    ([1000000, -500000], None)
    """
    import pyarrow as pa

    try:
        moments = plain_times(pa.array(texts, pa.string()))
    except (ValueError, TypeError, pa.ArrowException):  # no text
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


def _numbers(column: Any) -> list[int]:
    data = memoryview(column.buffers()[1]).cast("q")  # without the pace of one Python call a value
    return data[column.offset : column.offset + len(column)].tolist()
