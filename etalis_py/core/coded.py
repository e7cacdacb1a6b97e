"""A column whose values repeat: each different value once, and where it stands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any, Generic, TypeVar, overload

__all__ = ["Coded", "Unmade"]

Value = TypeVar("Value")


class Unmade(ABC, Generic[Value]):
    """Values that are made when somebody looks at them."""

    @abstractmethod
    def made(self) -> Sequence[Value]:
        """The values, the same object each time."""

    def at(self, places: Iterable[int]) -> list[Value]:
        """Those at some places."""
        return list(map(self.made().__getitem__, places))


class Coded(Sequence[Value], Generic[Value]):
    """The sequence ``[values[code] for code in codes]``; what is done once for each of ``values`` is saved.

    Of a part of a column ``values`` may hold more than stand in it. ``given`` is what they are made of.

    >>> list(Coded(["a", "b"], [0, 1, 0])[1:])
    ['b', 'a']
    """

    __slots__ = ("codes", "given")

    def __init__(self, values: Sequence[Value] | Unmade[Value], codes: Sequence[int]) -> None:
        self.given = values
        self.codes = codes

    @property
    def values(self) -> Sequence[Value]:
        """Each different value once."""
        return self.given.made() if isinstance(self.given, Unmade) else self.given

    def values_at(self, codes: Iterable[int]) -> list[Value]:
        """The values of some codes; others need not be made for it."""
        return (
            self.given.at(codes)
            if isinstance(self.given, Unmade)
            else list(map(self.given.__getitem__, codes))
        )

    @classmethod
    def by_identity(cls, column: Sequence[Value]) -> Coded[Value]:
        """A column in which equal values are mostly one object; that keeps 0.0 from -0.0, too.

        >>> Coded.by_identity(["a", "a"]).codes
        [0, 0]
        """
        if isinstance(column, Coded):
            return column
        ids = list(map(id, column))
        values = dict(zip(ids, column, strict=True))
        place = dict(zip(values, count(), strict=False))
        return cls(list(values.values()), list(map(place.__getitem__, ids)))

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[Value]:
        return map(self.values.__getitem__, self.codes)

    @overload
    def __getitem__(self, index: int) -> Value: ...

    @overload
    def __getitem__(self, index: slice) -> Coded[Value]: ...

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Coded(self.given, self.codes[index])
        return self.values[self.codes[index]]
