"""What a reader is told of the rows that are needed, so that it need not make the others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from etalis_py.core.terms import Encoded
from etalis_py.core.value_class import value_class

__all__ = ["Heard", "Hearing"]


MOST_NEEDED = 0.5
"""Where more of the rows are needed, it is faster to take all of them."""
MOST_PORTIONS = 31
"""So many portions go by between two looks that do not pay."""


@value_class
class Heard:
    """Which rows with one predicate are heard: all if ``how`` is 1, those of some objects (classes) if it is
    2; in any case those of some ``streams``, by IRI.
    """

    how: int
    streams: frozenset[Encoded]

    @property
    def always(self) -> bool:
        """Whether all of them are."""
        return self.how == 1

    @property
    def by_object(self) -> bool:
        """Whether it depends on the object."""
        return self.how == 2


class Hearing(ABC):
    """Whoever takes the rows: which of them matter. Those that end no later than ``clock`` do.

    To look costs time, too. After looks that found most rows needed, some portions of rows go by without one.
    """

    clock: int | None = None
    pays = False
    """Whether the last look paid."""
    has_looked = False
    """Whether the reader looked at the rows that come next."""
    _pause = 0
    _left = 0

    def looks(self) -> bool:
        """Whether to look at the next portion of rows, some thousand."""
        if self.hears_anything:
            return False
        self._left -= 1
        return self._left < 0

    def found(self, needed: int, rows: int) -> bool:
        """Take note that a look found so many of the rows needed; whether the others are to be left out."""
        self.pays = needed <= MOST_NEEDED * rows
        self._pause = 0 if self.pays else min(2 * self._pause + 1, MOST_PORTIONS)
        self._left = self._pause
        return self.pays

    @property
    @abstractmethod
    def hears_anything(self) -> bool:
        """Whether each row may matter."""

    @abstractmethod
    def predicates(self, values: Sequence[Encoded]) -> list[Heard]:
        """Of each predicate which rows with it are heard."""

    @abstractmethod
    def objects(self, predicate: Encoded, values: Sequence[Encoded]) -> list[bool]:
        """Of each object whether rows with it and ``predicate`` are heard, where that depends on it."""
