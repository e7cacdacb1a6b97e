"""The values of answers as the native library writes them: a kind and 64 bits for each."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, chain, repeat
from operator import sub
from typing import Any, Final, overload

from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import XSD_DECIMAL, XSD_INTEGER
from etalis_py.embedding.answer_values import encoded_value
from etalis_py.embedding.names import NameTable

__all__ = [
    "ATOM",
    "DECIMAL",
    "DOUBLE",
    "GRAPH",
    "INTEGER",
    "OTHER",
    "QUOTIENT",
    "UNBOUND",
    "Cells",
    "Decimals",
    "Graphs",
    "flat_graphs",
    "places_before",
    "taken_at",
    "terms_of",
]

ATOM, INTEGER, DOUBLE, UNBOUND, OTHER, GRAPH, DECIMAL, QUOTIENT = range(8)
"""The kinds of values, as ``rules/native/answer_columns.h`` numbers them."""
_MOST: Final = 1 << 63

_POWERS = [10**places for places in range(19)]
"""Decimals in a column have no more places."""
_ENDING_BITS: Final = 18
"""Of a quotient, ``ENDING_BITS`` of ``rules/native/native.h``."""


class Cells(Sequence[Any]):
    """Values of answers, in the form of ``rules/engine/answers.pl``, in two columns.

    ``kinds`` has a byte a value, and ``data`` its 64 bits: an integer; a double; a decimal as a quotient of
    integers, the lower 18 bits of which are one less than the divisor; or a position in ``names``
    (IRIs and blank nodes), in ``others`` (values that have no column), in ``graphs`` or in ``decimals``. An
    unbound value has none.

    >>> cells = Cells(bytes([ATOM, INTEGER] * 2), array("q", [0, 7, 1, 8]), ["urn:a", "urn:b"])
    >>> list(cells), cells[0], list(cells[1::2]), cells[1::2].kind == INTEGER
    (['urn:a', 7, 'urn:b', 8], 'urn:a', [7, 8], True)
    >>> Cells(bytes([QUOTIENT]), array("q", [-7 << 18 | 1]))[0][0]
    Fraction(-7, 2)
    """

    __slots__ = ("data", "decimals", "graphs", "kinds", "others", "table")

    def __init__(
        self,
        kinds: bytes,
        data: array[int],
        names: Sequence[str] = (),
        others: Sequence[Any] = (),
        graphs: Graphs | None = None,
        decimals: Decimals | None = None,
    ) -> None:
        self.kinds = kinds
        self.data = data
        self.table = names
        self.others = others
        self.graphs = graphs
        self.decimals = decimals

    @property
    def names(self) -> Sequence[str]:
        """The Python texts of the table of names."""
        return self.table.made() if isinstance(self.table, NameTable) else self.table

    @property
    def kind(self) -> int | None:
        """The kind of all values; None where they are of several kinds, or there are none."""
        kinds = self.kinds
        return kinds[0] if kinds and kinds == kinds[:1] * len(kinds) else None

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
            return self.with_cells(self.kinds[index], self.data[index])
        kind, value = self.kinds[index], self.data[index]
        if kind == ATOM:
            return self.names[value]
        if kind == DOUBLE:
            return _as_doubles(array("q", (value,)))[0]
        if kind == OTHER:
            return self.others[value]
        if kind == GRAPH:
            assert self.graphs is not None
            return self.graphs[value]
        if kind == DECIMAL:
            assert self.decimals is not None
            return self.decimals[value]
        if kind == QUOTIENT:
            return _quotient(value)
        return value if kind == INTEGER else None

    def with_cells(self, kinds: bytes, data: array[int]) -> Cells:
        """Other values, in the same tables."""
        return Cells(kinds, data, self.table, self.others, self.graphs, self.decimals)

    def at(self, places: Sequence[int]) -> Cells:
        """The values at these places."""
        kinds = bytes(map(self.kinds.__getitem__, places))
        return self.with_cells(kinds, array("q", map(self.data.__getitem__, places)))

    def __iter__(self) -> Iterator[Any]:
        kind = self.kind
        if kind == ATOM:
            return map(self.names.__getitem__, self.data)
        if kind == INTEGER:
            return iter(self.data)
        if kind == OTHER:
            return map(self.others.__getitem__, self.data)
        if kind == GRAPH and self.graphs is not None:
            return map(self.graphs.__getitem__, self.data)
        if kind == DECIMAL and self.decimals is not None:
            return map(self.decimals.__getitem__, self.data)
        if kind == QUOTIENT:
            return map(_quotient, self.data)
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
            elif kind == GRAPH:
                assert self.graphs is not None
                yield self.graphs[value]
            elif kind == DECIMAL:
                assert self.decimals is not None
                yield self.decimals[value]
            elif kind == QUOTIENT:
                yield _quotient(value)
            else:
                yield real if kind == DOUBLE else others[value]

    @classmethod
    def of(cls, values: Sequence[Any]) -> Cells:
        """Values in two columns, whatever they were in.

        >>> Cells.of(["urn:a", "urn:a"]).kind == ATOM, list(Cells.of([1, 0.5, None, ["a", "@en"]]))
        (True, [1, 0.5, None, ['a', '@en']])
        """
        if isinstance(values, Cells):
            return values
        kinds, data = bytearray(), array("q")
        names: dict[str, int] = {}
        others: list[Any] = []
        for value in values:
            kind, number = OTHER, len(others)
            if value.__class__ is str:
                kind, number = ATOM, names.setdefault(value, len(names))
            elif value.__class__ is int and -_MOST <= value < _MOST:
                kind, number = INTEGER, value
            elif value.__class__ is float:
                kind, number = DOUBLE, array("q", array("d", (value,)).tobytes())[0]
            elif value is None:
                kind, number = UNBOUND, 0
            else:
                others.append(value)
            kinds.append(kind)
            data.append(number)
        return cls(bytes(kinds), data, list(names), others)

    def goes_with(self, others: Cells) -> bool:
        """Whether what the cells say means the same behind those of the others, and the other way round."""
        return self.table is others.table and not (
            self.others or others.others or self.graphs is not None or others.graphs is not None
        )

    @classmethod
    def joined(cls, parts: Sequence[Cells]) -> Cells:
        """All values, one after the other.

        >>> parts = [Cells(bytes([ATOM]), array("q", [0]), ["urn:a"]), Cells.of([5, None])]
        >>> list(Cells.joined([*parts, *parts]))
        ['urn:a', 5, None, 'urn:a', 5, None]
        >>> halves = Decimals(array("i", [0, 3]), b"0.5"), Decimals(array("i", [0, 3]), b"1.5")
        >>> parts = [Cells(bytes([INTEGER, DECIMAL]), array("q", [-1, 0]), decimals=each) for each in halves]
        >>> [each if isinstance(each, int) else each[0] for each in Cells.joined(parts)]
        [-1, Fraction(1, 2), -1, Fraction(3, 2)]
        """
        data = array("q")
        tables = list({id(part.table): part.table for part in parts if part.table}.values())
        firsts = dict(zip(map(id, tables), accumulate(map(len, tables), initial=0), strict=False))
        for part, before in zip(parts, places_before(parts), strict=True):
            shifts = {ATOM: firsts.get(id(part.table), 0), **before}
            is_moved = any(shift and kind in part.kinds for kind, shift in shifts.items())
            data.extend(_moved(part, shifts) if is_moved else part.data)
        names = tables[0] if len(tables) == 1 else list(chain.from_iterable(tables))
        return cls.over(b"".join(part.kinds for part in parts), data, names, parts)

    @classmethod
    def over(cls, kinds: bytes, data: array[int], names: Sequence[str], parts: Sequence[Cells]) -> Cells:
        """Cells whose values are places in ``names``, or in what the ``parts`` have, one behind the other."""
        graphs = [part.graphs for part in parts if part.graphs is not None]
        decimals = [part.decimals for part in parts if part.decimals is not None]
        return cls(
            kinds,
            data,
            names,
            list(chain.from_iterable(part.others for part in parts)),
            Graphs.joined(graphs) if graphs else None,
            Decimals.joined(decimals) if decimals else None,
        )


def places_before(parts: Iterable[Cells]) -> Iterator[dict[int, int]]:
    """By kinds, how many things are before those of each part, where all parts stand one behind the other."""
    before = dict.fromkeys((OTHER, GRAPH, DECIMAL), 0)
    for part in parts:
        yield dict(before)
        for kind, table in ((OTHER, part.others), (GRAPH, part.graphs), (DECIMAL, part.decimals)):
            before[kind] += 0 if table is None else len(table)


class Decimals(Sequence["tuple[int | Fraction, str]"]):
    """Decimals in their canonical form: ``ends`` has 0 and the place behind each in ``texts`` (ASCII).

    >>> decimals = Decimals(array("i", [0, 3, 4]), b"0.57")
    >>> decimals[0]
    (Fraction(1, 2), 'http://www.w3.org/2001/XMLSchema#decimal')
    >>> decimals[1][0], len(Decimals.joined([decimals, decimals]))
    (7, 4)
    """

    __slots__ = ("_text", "ends", "texts")

    def __init__(self, ends: array[int], texts: bytes) -> None:
        self.ends = ends
        self.texts = texts
        self._text = texts.decode("ascii")

    def __len__(self) -> int:
        return len(self.ends) - 1

    @overload
    def __getitem__(self, index: int) -> tuple[int | Fraction, str]: ...

    @overload
    def __getitem__(self, index: slice) -> list[tuple[int | Fraction, str]]: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        return self.term(self._text[self.ends[index] : self.ends[index + 1]])

    @staticmethod
    def term(text: str) -> tuple[int | Fraction, str]:
        """The encoded term of a decimal."""
        whole, _, fraction = text.partition(".")
        if not fraction:
            return int(whole), XSD_DECIMAL
        return Fraction(int(whole + fraction), _POWERS[len(fraction)]), XSD_DECIMAL

    @staticmethod
    def joined(parts: Sequence[Decimals]) -> Decimals:
        """All decimals, one after the other."""
        import pyarrow as pa
        import pyarrow.compute as pc

        ends = array("i", [0])
        for part in parts:
            own = pa.Array.from_buffers(pa.int32(), len(part.ends), [None, pa.py_buffer(part.ends)])
            ends.frombytes(pc.add(own, pa.scalar(ends[-1], pa.int32())).buffers()[1][4:])
        return Decimals(ends, b"".join(part.texts for part in parts))


class Graphs(Sequence["tuple[tuple[Encoded, Encoded, Encoded], ...]"]):
    """The graphs of a CONSTRUCT: ``terms`` has three a triple, ``ends`` the place behind the last triple of
    each graph.

    >>> terms = Cells(bytes([ATOM, ATOM, INTEGER] * 2), array("q", [0, 1, 7, 0, 1, 8]), ["urn:a", "urn:p"])
    >>> Graphs(array("q", [0, 2]), terms)[1][0]
    ('urn:a', 'urn:p', (7, 'http://www.w3.org/2001/XMLSchema#integer'))
    """

    def __init__(self, ends: array[int], terms: Cells) -> None:
        self.ends = ends
        self.terms = terms
        self._triples: list[Any] | None = None

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> Any: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        if self._triples is None:
            columns = (terms_of(self.terms[place::3]) for place in range(3))
            self._triples = list(zip(*columns, strict=True))
        return tuple(self._triples[self.ends[index - 1] if index else 0 : self.ends[index]])

    @staticmethod
    def joined(parts: Sequence[Graphs]) -> Graphs:
        """All graphs, one after the other."""
        ends = array("q")
        for part in parts:
            last = ends[-1] if ends else 0
            ends.extend(last + end for end in part.ends)
        return Graphs(ends, Cells.joined([part.terms for part in parts]))


def flat_graphs(values: Sequence[Any]) -> tuple[Sequence[int], list[Sequence[Any]]]:
    """How many triples each of some graphs has, and the columns of subjects, predicates and objects.

    >>> flat_graphs([[["urn:a", "urn:p", "urn:b"]], [["urn:c", "urn:p", 1], ["urn:d", "urn:p", 2]]])
    ([1, 2], [['urn:a', 'urn:c', 'urn:d'], ['urn:p', 'urn:p', 'urn:p'], ['urn:b', 1, 2]])
    """
    if isinstance(values, Cells) and values.kind == GRAPH and values.graphs is not None:
        first, last, ends = values.data[0], values.data[-1], values.graphs.ends
        if values.data == array("q", range(first, last + 1)):
            bounds = [ends[first - 1] if first else 0, *ends[first : last + 1]]
            terms = values.graphs.terms[3 * bounds[0] : 3 * bounds[-1]]
            sizes = list(map(sub, bounds[1:], bounds))
            return sizes, [terms[place::3] for place in range(3)]
    graphs: list[Any] = list(terms_of(values))
    return list(map(len, graphs)), [
        [triple[place] for graph in graphs for triple in graph] for place in range(3)
    ]


def _moved(cells: Cells, shifts: Mapping[int, int]) -> array[int]:
    """The data, to each of which is added what its kind says."""
    import pyarrow as pa
    import pyarrow.compute as pc

    data = pa.Array.from_buffers(pa.int64(), len(cells), [None, pa.py_buffer(cells.data)])
    kinds = pa.Array.from_buffers(pa.uint8(), len(cells), [None, pa.py_buffer(cells.kinds)])
    by_kind = pa.array([shifts.get(kind, 0) for kind in range(QUOTIENT + 1)], pa.int64())
    moved = array("q")
    moved.frombytes(pc.add(data, by_kind.take(kinds)).buffers()[1])
    return moved


def _quotient(value: int) -> tuple[int | Fraction, str]:
    """The encoded term: a decimal of 18 places, rounded half to even."""
    up, down = value >> _ENDING_BITS, (value & (1 << _ENDING_BITS) - 1) + 1
    number, rest = divmod(up * _POWERS[-1], down)
    number += 2 * rest > down or (2 * rest == down and number % 2)
    whole, rest = divmod(number, _POWERS[-1])
    return (Fraction(number, _POWERS[-1]) if rest else whole), XSD_DECIMAL


def _as_doubles(data: array[int]) -> array[float]:
    return array("d", data.tobytes())


def taken_at(column: Sequence[Any], places: Sequence[int]) -> Sequence[Any]:
    """What is at these places of a column."""
    if isinstance(column, Cells):
        return column.at(places)
    found = map(column.__getitem__, places)
    return array(column.typecode, found) if isinstance(column, array) else list(found)


def terms_of(values: Sequence[Any]) -> Iterable[Encoded | None]:
    """Values of one variable, native or not, as encoded terms.

    >>> list(terms_of(["urn:a", 5, None]))
    ['urn:a', (5, 'http://www.w3.org/2001/XMLSchema#integer'), None]
    """
    if isinstance(values, Cells):
        kind = values.kind
        if kind in (ATOM, GRAPH, DECIMAL, QUOTIENT):
            return iter(values)
        if kind == INTEGER:
            return zip(values.data, repeat(XSD_INTEGER))
    return (each if each.__class__ is str else encoded_value(each) for each in values)
