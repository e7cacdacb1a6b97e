"""The values of answers as the native library writes them: a kind and 64 bits for each."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, repeat
from typing import Any, overload

from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import XSD_INTEGER
from etalis_py.embedding.answer_values import encoded_value

__all__ = ["ATOM", "DOUBLE", "INTEGER", "OTHER", "UNBOUND", "Cells", "taken_at", "terms_of"]

ATOM, INTEGER, DOUBLE, UNBOUND, OTHER = range(5)
"""The kinds of values, as ``rules/native/answers.c`` numbers them."""


class Cells(Sequence[Any]):
    """Values of answers, in the form of ``rules/engine/answers.pl``, in two columns.

    ``kinds`` has a byte a value, and ``data`` its 64 bits: an integer; a double; or a position in ``names``
    (IRIs and blank nodes), or in ``others`` (values that have no column). An unbound value has none.

    >>> cells = Cells(bytes([ATOM, INTEGER] * 2), array("q", [0, 7, 1, 8]), ["urn:a", "urn:b"])
    >>> list(cells), cells[0], list(cells[1::2]), cells[1::2].kind == INTEGER
    (['urn:a', 7, 'urn:b', 8], 'urn:a', [7, 8], True)
    """

    __slots__ = ("data", "kinds", "names", "others")

    def __init__(
        self, kinds: bytes, data: array[int], names: Sequence[str] = (), others: Sequence[Any] = ()
    ) -> None:
        self.kinds = kinds
        self.data = data
        self.names = names
        self.others = others

    @property
    def kind(self) -> int | None:
        """The kind of all values; None where they are of several kinds, or there are none."""
        kinds = self.kinds
        return kinds[0] if kinds and kinds.count(kinds[0]) == len(kinds) else None

    @property
    def doubles(self) -> array[float]:
        """The data read as doubles; it means something only where the kind is DOUBLE."""
        return _as_doubles(self.data)

    def __len__(self) -> int:
        return len(self.kinds)

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> Cells: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return Cells(self.kinds[index], self.data[index], self.names, self.others)
        kind, value = self.kinds[index], self.data[index]
        if kind == ATOM:
            return self.names[value]
        if kind == DOUBLE:
            return _as_doubles(array("q", (value,)))[0]
        if kind == OTHER:
            return self.others[value]
        return value if kind == INTEGER else None

    def __iter__(self) -> Iterator[Any]:
        kind = self.kind
        if kind == ATOM:
            return map(self.names.__getitem__, self.data)
        if kind == INTEGER:
            return iter(self.data)
        if kind == OTHER:
            return map(self.others.__getitem__, self.data)
        return self._mixed()

    def _mixed(self) -> Iterator[Any]:
        names, others = self.names, self.others
        for kind, value, real in zip(self.kinds, self.data, self.doubles, strict=True):
            if kind == ATOM:
                yield names[value]
            elif kind == INTEGER:
                yield value
            elif kind == UNBOUND:
                yield None
            else:
                yield real if kind == DOUBLE else others[value]

    @classmethod
    def of(cls, values: Sequence[Any]) -> Cells:
        """Values in two columns, whatever they were in."""
        if isinstance(values, Cells):
            return values
        kinds = bytes(UNBOUND if value is None else OTHER for value in values)
        return cls(kinds, array("q", range(len(values))), (), values)

    @classmethod
    def joined(cls, parts: Sequence[Cells]) -> Cells:
        """All values, one after the other.

        >>> parts = [Cells(bytes([ATOM]), array("q", [0]), ["urn:a"]), Cells.of([5, None])]
        >>> list(Cells.joined([*parts, *parts]))
        ['urn:a', 5, None, 'urn:a', 5, None]
        """
        data = array("q")
        tables = list({id(part.names): part.names for part in parts if part.names}.values())
        firsts = dict(zip(map(id, tables), accumulate(map(len, tables), initial=0), strict=False))
        others: list[Any] = []
        for part in parts:
            shifts = {ATOM: firsts.get(id(part.names), 0), OTHER: len(others)}
            if any(shift and kind in part.kinds for kind, shift in shifts.items()):
                cells = zip(part.kinds, part.data, strict=True)
                data.extend(value + shifts.get(kind, 0) for kind, value in cells)
            else:
                data.extend(part.data)
            others.extend(part.others)
        names = tables[0] if len(tables) == 1 else list(chain.from_iterable(tables))
        return cls(b"".join(part.kinds for part in parts), data, names, others)


def _as_doubles(data: array[int]) -> array[float]:
    return array("d", data.tobytes())


def taken_at(column: Sequence[Any], places: Sequence[int]) -> Sequence[Any]:
    """What is at these places of a column."""
    if isinstance(column, Cells):
        kinds = bytes(map(column.kinds.__getitem__, places))
        data = array("q", map(column.data.__getitem__, places))
        return Cells(kinds, data, column.names, column.others)
    found = map(column.__getitem__, places)
    return array(column.typecode, found) if isinstance(column, array) else list(found)


def terms_of(values: Sequence[Any]) -> Iterable[Encoded | None]:
    """Values of one variable, native or not, as encoded terms.

    >>> list(terms_of(["urn:a", 5, None]))
    ['urn:a', (5, 'http://www.w3.org/2001/XMLSchema#integer'), None]
    """
    if isinstance(values, Cells):
        kind = values.kind
        if kind == ATOM:
            return iter(values)
        if kind == INTEGER:
            return zip(values.data, repeat(XSD_INTEGER))
    return (each if each.__class__ is str else encoded_value(each) for each in values)
