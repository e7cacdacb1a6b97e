"""Deals the occurrences of a batch to parts by the terms that make their key, column by column."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from operator import le
from typing import TYPE_CHECKING, Any, Final, overload
from zlib import crc32

from etalis_py.compiler.partition.routes import Positions, Routes
from etalis_py.core.coded import Coded
from etalis_py.core.terms import Encoded, ntriples
from etalis_py.streams.arrow import integers
from etalis_py.streams.batch import Batch

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ANY_POSITION", "Dealer", "is_sorted"]

ANY_POSITION: Final[Positions] = "s"
"""By which occurrences are dealt that no query can use: a later one may."""
_FACTOR: Final = 31
_FORMS: Final = {"b": "int8", "h": "int16", "i": "int32", "q": "int64"}


class Dealer:
    """Deals to ``count`` parts, as ``routes`` say. Equal keys go to one part, whichever process deals."""

    def __init__(self, routes: Routes, count: int) -> None:
        self.routes = routes
        self._count = count

    def position(self, predicate: Encoded) -> Positions:
        """The positions that are the key of the occurrences of a predicate."""
        found = self.routes.positions.get(str(predicate), self.routes.other)
        return ANY_POSITION if found is None else found

    def shares(self, batch: Batch) -> list[Batch]:
        """What each part gets of a batch, in the same order."""
        import pyarrow.compute as pc

        columns = {name: Coded.by_identity(getattr(batch, name)) for name in "spo"}
        codes = {name: _arrow(column.codes) for name, column in columns.items()}
        keys = self._keys(columns, codes)
        numbers = pc.subtract(keys, pc.multiply(pc.divide(keys, self._count), self._count))
        found = (pc.indices_nonzero(pc.equal(numbers, part)) for part in range(self._count))
        return [_share(batch, columns, codes, rows) for rows in found]

    def _keys(self, columns: Mapping[str, Coded[Encoded]], codes: Mapping[str, pa.Array]) -> pa.Array:
        """A number for each row, the same for equal keys."""
        import pyarrow as pa
        import pyarrow.compute as pc

        predicates = columns["p"].values
        ways = list(map(self.position, predicates))
        first, *others = dict.fromkeys(ways) or [ANY_POSITION]
        keys = self._numbers(first, columns, codes)
        for other in others:
            is_other = pa.array([way == other for way in ways], pa.bool_()).take(codes["p"])
            keys = pc.if_else(is_other, self._numbers(other, columns, codes), keys)
        return keys

    @staticmethod
    def _numbers(
        positions: Positions, columns: Mapping[str, Coded[Encoded]], codes: Mapping[str, pa.Array]
    ) -> pa.Array:
        import pyarrow as pa
        import pyarrow.compute as pc

        keys = None
        for name in positions:
            own = pa.array(list(map(_number, columns[name].values)), pa.int64()).take(codes[name])
            keys = own if keys is None else pc.add(pc.multiply(keys, _FACTOR), own)
        return keys


def is_sorted(numbers: Sequence[int]) -> bool:
    """Whether none is less than the one before it."""
    if not isinstance(numbers, array):
        return all(map(le, numbers, numbers[1:]))
    import pyarrow.compute as pc

    column = _arrow(numbers)
    return pc.all(pc.less_equal(column[:-1], column[1:])).as_py() is not False


def _number(term: Encoded) -> int:
    text = term if isinstance(term, str) else ntriples(term)
    return crc32(text.encode("utf-8", "surrogatepass"))


def _share(
    batch: Batch, columns: Mapping[str, Coded[Encoded]], codes: Mapping[str, pa.Array], rows: pa.Array
) -> Batch:
    """The occurrences at some rows."""
    places = integers(rows.cast("int64"))
    end = _taken(batch.end, rows, places)
    start = end if batch.start is batch.end else _taken(batch.start, rows, places)
    s, p, o = (_taken_terms(columns[name].values, codes[name].take(rows)) for name in "spo")
    graph, stream = (
        None if column is None else list(map(column.__getitem__, places))
        for column in (batch.graph, batch.stream)
    )
    return Batch(
        start, end, s, p, o, graph, _Places(batch.sources, places), _Places(batch.rows, places), stream
    )


def _taken(column: Sequence[int], rows: pa.Array, places: Sequence[int]) -> Sequence[int]:
    if isinstance(column, array):
        return integers(_arrow(column).take(rows))
    return list(map(column.__getitem__, places))


def _taken_terms(values: Sequence[Encoded], codes: pa.Array) -> Coded[Encoded]:
    """A column of terms; each part has those that it uses, where they are many."""
    if 2 * len(values) <= len(codes):
        return Coded(values, integers(codes))
    used = codes.dictionary_encode()
    return Coded([values[code] for code in used.dictionary.to_pylist()], integers(used.indices))


def _arrow(numbers: Sequence[int]) -> pa.Array:
    import pyarrow as pa

    if isinstance(numbers, array):
        form = getattr(pa, _FORMS[numbers.typecode])()
        return pa.Array.from_buffers(form, len(numbers), [None, pa.py_buffer(numbers)])
    return pa.array(numbers, pa.int64())


class _Places(Sequence[Any]):
    """What stands at some places of a column, looked up when it is asked for."""

    __slots__ = ("_column", "_places")

    def __init__(self, column: Sequence[Any], places: Sequence[int]) -> None:
        self._column = column
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Any]:
        return map(self._column.__getitem__, self._places)

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> _Places: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return _Places(self._column, self._places[index])
        return self._column[self._places[index]]
