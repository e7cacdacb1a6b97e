"""The open instant of rules that run without Prolog: native code closes it, and no predicate is called.

Rows are numbers of terms, and so are answers, where there are few of them and all of their terms are known
(``rules/native/direct.c``). Other answers are in columns, as those of a batch.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from etalis_py.core.terms import Encoded
from etalis_py.embedding import prolog
from etalis_py.engine.known_terms import KnownTerms

__all__ = ["DirectInstant", "Few", "Many"]

_COLUMNS: Final = -1
_ROW: Final = 5
_ROOM: Final = 1_000
"""Numbers of answers that are few."""
_FEW_ROWS: Final = 100
_MOST_TIME: Final = 1 << 60
"""Times of rules that run without Prolog are below it."""


class Few(NamedTuple):
    """Answers that end at one time, as ``numbers``: for each the number of its query, its start, how many
    terms it has, and the numbers of these in ``terms``.
    """

    end: int
    numbers: list[int]
    terms: Sequence[Encoded | None]


class Many(NamedTuple):
    """Answers as columns, or the ``problem`` that there was; ``is_cut``: they are more than a portion."""

    answers: Sequence[Sequence[Any]]
    problem: str
    is_cut: bool


class DirectInstant:
    """That of the engine in ``module``, whose rules ``machine`` (an address) runs."""

    def __init__(self, module: str, machine: int) -> None:
        self.known = KnownTerms(module, machine)
        self._module = module
        self._machine = machine
        self.rows = array("q")
        """Five numbers each: of subject, predicate, object and place, and the start."""
        self._found = array("q", bytes(8 * _ROOM))
        library = prolog.unlocked_library()
        self._close = library.close_directly
        library.set_direct(machine, self._found.buffer_info()[0], _ROOM)

    def is_of(self, machine: int, known: int) -> bool:
        """Whether it is that of this machine, which knows so many terms."""
        return machine == self._machine and known == len(self.known.terms)

    @staticmethod
    def takes(time: int) -> bool:
        """Whether a row may have this time."""
        return -_MOST_TIME < time < _MOST_TIME

    def add(self, terms: Iterable[int], start: int, *place: Encoded) -> None:
        """A row of terms that are known by numbers, and its stream and graph, if a query asks."""
        self.rows.extend((*terms, self.known.place(*place) if place else 0, start))

    def add_encoded(self, terms: Iterable[Encoded], start: int, *place: Encoded) -> None:
        """The same of terms that may be new."""
        if self.known.is_full and len(self.rows) < _FEW_ROWS * _ROW:
            rows = list(self.taken())
            self.known.forget()
            for s, p, o, *rest in rows:
                self.add_encoded((s, p, o), *rest)
        self.add(map(self.known.number, terms), start, *place)

    def taken(self) -> Iterator[tuple[Any, ...]]:
        """The rows, encoded, as those of `OpenInstant`; they are here no more."""
        rows, self.rows = self.rows, array("q")
        terms, named = self.known.terms, self.known.named
        for first in range(0, len(rows), _ROW):
            s, p, o, place, start = rows[first : first + _ROW]
            yield terms[s], terms[p], terms[o], start, *named(place)

    def close(self, time: int, most: int) -> Few | Many:
        """What the rows bring about at their instant; they are here no more. If there are more answers than
        ``most``, they are in order in parts of so many.
        """
        rows, self.rows = self.rows, array("q")
        place, count = rows.buffer_info()
        count = prolog.native(self._close, self._machine, time, place, count // _ROW, most)
        if count >= 0:
            return Few(time, self._found[:count].tolist(), self.known.terms)
        if count == _COLUMNS:
            others, is_cut = self._found[:2]
            encoded = prolog.call("etalis_feed", "others_of_instant", self._module) if others else [[]]
            return Many(prolog.answers_taken(encoded), "", bool(is_cut))
        return Many([[], [], [], []], prolog.call("etalis_feed", "problem_of_instant", self._module), False)
