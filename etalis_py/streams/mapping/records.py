"""Records of a source, column by column, before a mapping makes events of them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from typing import Any, Final, Protocol

from etalis_py.core.coded import Coded
from etalis_py.core.errors import DataError, Place
from etalis_py.core.times import likely_unit
from etalis_py.streams.problems import nearest_column
from etalis_py.streams.source import Source

__all__ = ["RecordReader", "Records", "Wanted", "coded_by_value", "no_column", "unit_check"]


_NUMBERS: Final = frozenset({int, float, bool, Decimal})


@dataclass(frozen=True, slots=True)
class Records:
    """Some records: by the references of a mapping the values, each different one once; None is missing.

    A value is text, or what the source has: an int, float, Decimal, bool, datetime, date or timedelta, a list
    or a dict. ``times`` are columns of microseconds that the source has read itself, of its plain times.
    ``numbers`` count the records from 1, ``lines`` physical lines. ``wrong`` are by their indices those that
    are no records, ``unfinished`` whether the source stops within the last one, ``text`` the text of one.
    """

    columns: Mapping[str, Coded[Any]]
    numbers: Sequence[int]
    lines: Sequence[int] | None = None
    times: Mapping[str, array[int]] = field(default_factory=dict)
    wrong: Mapping[int, DataError] = field(default_factory=dict)
    unfinished: bool = False
    text: Callable[[int], str] | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    def place(self, index: int, source: str, excerpt: str | None = None) -> Place:
        """Where a record stands."""
        line = None if self.lines is None else self.lines[index]
        return Place(source, line, None, self.numbers[index], excerpt)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a mapping wants of records: the references ``names``.

    ``times`` are those of the start and the end, if they are for times alone; numbers count the unit of the
    source. ``path`` are the keys that lead to the records of a document.
    """

    names: Sequence[str]
    times: Sequence[str] = ()
    path: Sequence[str] = ()


class RecordReader(Protocol):
    """What the module of a format has that a mapping can be applied to."""

    @staticmethod
    def records(source: Source, wanted: Wanted) -> Iterator[Records]:
        """The records of a source.

        Raises:
            DataError: EP401 to EP406, EP415, EP435 a column that is not there.
        """


def unit_check(source: Source, number: int) -> Callable[[int], bool]:
    """What `PlainLines` asks of times: those of the first record have to seem to be in their unit."""
    is_sure = number > 1 or (source.track is not None and source.track.rows > 0)
    return lambda time: is_sure or likely_unit(time, source.unit) is None


def coded_by_value(column: Sequence[Any]) -> Coded[Any]:
    """A column of values of any kinds, each different one once.

    >>> coded_by_value(["a", 1, True, 1.0, "a", [1]]).codes
    array('i', [0, 1, 2, 3, 0, 4])
    """
    kinds = set(map(type, column))
    if kinds.isdisjoint((list, dict)) and not _has_equals(kinds, column):
        values = list(dict.fromkeys(column))
        numbers = dict(zip(values, count(), strict=False))
        return Coded(values, array("i", map(numbers.__getitem__, column)))
    first: dict[Any, Any] = {}
    keys = [value if value.__class__ is str else (value.__class__, repr(value)) for value in column]
    for key, value in zip(keys, column, strict=True):
        first.setdefault(key, value)
    numbers = dict(zip(first, count(), strict=False))
    return Coded(list(first.values()), array("i", map(numbers.__getitem__, keys)))


def _has_equals(kinds: set[type], column: Sequence[Any]) -> bool:
    """Whether values may be equal that make different terms: 1, 1.0 and True; 0.0 and -0.0."""
    return len(kinds & _NUMBERS) > 1 or (float in kinds and 0.0 in column)


def no_column(source: str, missing: str, names: Sequence[str], what: str = "column") -> DataError:
    """EP435: a mapping names a column that is not there."""
    near = nearest_column(missing, names)
    known = ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")
    hint = f"$({near})? " if near is not None else ""
    return DataError(
        "EP435",
        f"the mapping names the {what} {missing!r}, which is not there",
        place=Place(source),
        hint=f"{hint}The {what}s are {known or 'none'}",
    )
