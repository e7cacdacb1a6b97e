"""Which rows of an Arrow table are needed, found column by column: no Python value is made of the others.

What is left out is looked at as far as it could be wrong: each different term is read, times are compared.
Whatever is unusual (a missing value, a row out of order, a named element, a time with a zone) is left to the
reader that looks at each row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from etalis_py.core.arrow_times import plain_times
from etalis_py.core.coded import Coded
from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import DEFAULT_STREAM
from etalis_py.streams.arrow_texts import is_same_array, texts_of_array
from etalis_py.streams.columns import RowReader
from etalis_py.streams.heard import Heard, Hearing

__all__ = ["NeededRows"]


class NeededRows:
    """Finds them for one table after the other, with what ``reader`` knows of terms and times."""

    def __init__(self, reader: RowReader) -> None:
        self._reader = reader
        self._words: dict[str, tuple[Any, Sequence[Encoded]]] = {}

    def find(self, columns: Mapping[str, Any], hearing: Hearing) -> Any:
        """The indices of the rows that are needed, an Arrow array; None where each row is to be looked at.

        ``columns`` are Arrow arrays of equal length, the rows in their order. The rows of the last instant
        are needed, and those that do not end after ``hearing.clock``.
        """
        import pyarrow as pa

        try:
            return self._find(columns, hearing)
        except (ValueError, TypeError, pa.ArrowException):  # the reader finds the row
            return None

    def _find(self, columns: Mapping[str, Any], hearing: Hearing) -> Any:
        import pyarrow.compute as pc

        if not self._reader.is_sure_of_unit:
            return None
        texts = texts_of_array(columns["p"])
        if texts is None:
            return None
        p = self._reader.texts.read_ahead("p", texts)
        heard = hearing.predicates(p.values)
        if all(each.always for each in heard):
            hearing.found(len(p), len(p))
            return None
        if "graph" in columns and columns["graph"].null_count < len(columns["graph"]):
            return None
        ends = self._ends(columns)
        s, o = (_coded(columns[name]) for name in "so")
        if ends is None or s is None or o is None:
            return None
        self._read("s", s.dictionary)
        streams = None
        if "stream" in columns:
            streams = _coded(columns["stream"], nulls=True)
            if streams is None:
                return None
        needed = self._heard(heard, p, o, streams, hearing)
        needed = pc.or_(needed, pc.equal(ends, ends[-1]))
        if hearing.clock is not None:
            needed = pc.or_(needed, pc.less_equal(ends, hearing.clock))
        rows = pc.indices_nonzero(needed)
        hearing.has_looked = True
        return rows if hearing.found(len(rows), len(ends)) else None

    def _ends(self, columns: Mapping[str, Any]) -> Any:
        """Microseconds; None where a time is missing or is unusual text, or a row is out of order."""
        import pyarrow.compute as pc

        starts = self._microseconds(columns["start"])
        ends = self._microseconds(columns["end"]) if "end" in columns else starts
        if starts is None or ends is None or not len(ends):
            return None
        if ends is not starts and pc.any(pc.less(ends, starts)).as_py():
            return None
        if pc.any(pc.less(ends[1:], ends[:-1])).as_py():
            return None
        return ends

    def _microseconds(self, column: Any) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        if column.null_count:
            return None
        if pa.types.is_timestamp(column.type):
            return column.cast(pa.timestamp("us", tz=column.type.tz)).cast(pa.int64())
        if pa.types.is_string(column.type):
            return plain_times(column)
        if not pa.types.is_signed_integer(column.type):
            return None
        column = column.cast(pa.int64())
        scale = self._reader.scale
        return column if scale == 1 else pc.multiply_checked(column, scale)

    def _heard(self, heard: list[Heard], p: Coded[Encoded], o: Any, streams: Any, hearing: Hearing) -> Any:
        """Of each row whether it is heard; ``heard`` says it of each of its predicates."""
        import pyarrow as pa
        import pyarrow.compute as pc

        predicates, objects = p.values, self._read("o", o.dictionary)
        codes = pa.Array.from_buffers(pa.int32(), len(p), [None, pa.py_buffer(p.codes)])
        needed = pa.array([each.always for each in heard], pa.bool_()).take(codes)
        names: list[Encoded] = [] if streams is None else list(self._read("stream", streams.dictionary))
        for some in {each.streams for each in heard if each.streams}:
            of_these = pa.array([each.streams == some for each in heard], pa.bool_()).take(codes)
            default = DEFAULT_STREAM in some
            if streams is not None:
                in_some = pa.array([name in some for name in names], pa.bool_()).take(streams.indices)
                needed = pc.or_(needed, pc.and_(of_these, in_some.fill_null(default)))
            elif default:
                needed = pc.or_(needed, of_these)
        for code in (code for code, each in enumerate(heard) if each.by_object):
            rows = pc.equal(codes, code)
            used = pc.unique(o.indices.filter(rows)).to_pylist()
            flags = [False] * len(objects)
            found = hearing.objects(predicates[code], [objects[each] for each in used])
            for each, is_heard in zip(used, found, strict=True):
                flags[each] = is_heard
            needed = pc.or_(needed, pc.and_(rows, pa.array(flags, pa.bool_()).take(o.indices)))
        return needed

    def _read(self, name: str, words: Any) -> Sequence[Encoded]:
        """The terms of a dictionary, which is most often that of the rows before, too.

        Raises ValueError or TypeError for one that is none.
        """
        known = self._words.get(name)
        if known is None or not is_same_array(known[0], words):
            known = self._words[name] = words, self._reader.texts.read(name, words.to_pylist())
        return known[1]


def _coded(column: Any, *, nulls: bool = False) -> Any:
    """A dictionary array of a column of text; None where a text is missing, unless ``nulls`` may be."""
    import pyarrow as pa

    if column.null_count and not nulls:
        return None
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = column.dictionary_encode()
    if not pa.types.is_dictionary(column.type) or column.dictionary.null_count:
        return None
    return column
