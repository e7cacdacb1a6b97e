"""What two sides gave, interval by interval, and where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from etalis_py.compiler.algebra.stream_windows import Grid
from etalis_py.compiler.explain.readable import Readable
from etalis_py.core.terms import Encoded
from etalis_py.core.times import format_time
from etalis_py.engine.matches import Match

__all__ = ["Agreement", "Comparison", "Difference", "Row", "Said", "row_of"]

Row: TypeAlias = tuple[tuple[str, Encoded], ...]
"""Variables with their values, as far as they have some; of a CONSTRUCT the parts of a triple."""

_PLAIN = Readable({})


def row_of(match: Match) -> Iterator[Row]:
    """What a match tells beside its time: a row, or of a CONSTRUCT one for each triple."""
    if match.encoded_triples is not None:
        yield from (tuple(zip("spo", triple, strict=True)) for triple in match.encoded_triples)
    elif match.boolean is None:
        known = zip(match.variables, match.values, strict=True)
        yield tuple((name, value) for name, value in known if value is not None)


def row_text(row: Row) -> str:
    """``?e=<urn:b> ?n=5``."""
    return " ".join(f"?{name}={_PLAIN.term(value)}" for name, value in row) or "a row of no variable"


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that only one side has, ``times`` more often than the other; ``why`` may be empty."""

    side: str
    row: Row
    times: int = 1
    why: str = ""

    def __str__(self) -> str:
        often = f" ({self.times} times)" if self.times > 1 else ""
        return f"{self.side}-only {row_text(self.row)}{often}{f' ({self.why})' if self.why else ''}"


@dataclass(frozen=True, slots=True)
class Said:
    """What both sides gave after ``begin``, up to ``end``, microseconds; of an instant ``begin`` is None."""

    begin: int | None
    end: int
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """The intervals, or instants, in which there is something, and how their times are written.

    ``remarks`` tell what may be different on other streams.
    """

    said: tuple[Said, ...]
    time_text: Callable[[int], str] = format_time
    remarks: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether there is no difference."""
        return not any(each.differences for each in self.said)

    def __str__(self) -> str:
        lines = [self._line(each) for each in self.said if each.begin is not None or each.differences]
        return "\n".join((*lines, *self.remarks, self._summary()))

    def _line(self, said: Said) -> str:
        end = self.time_text(said.end)
        where = f"at {end}" if said.begin is None else f"({self.time_text(said.begin)},{end}]"
        return f"{where} {'; '.join(map(str, said.differences)) or 'agree'}"

    def _summary(self) -> str:
        what = "instant" if self.said and self.said[0].begin is None else "interval"
        number = f"{len(self.said)} {what}{'' if len(self.said) == 1 else 's'}"
        differing = [each for each in self.said if each.differences]
        if not differing:
            return f"they agree in {number}" if what == "interval" else f"they agree at {number}"
        return f"they differ in {len(differing)} of {number}, first at {self.time_text(differing[0].end)}"


@dataclass
class Comparison:
    """Collects what two sides give, and what they are called."""

    sides: tuple[str, str]
    grid: Grid | None
    """The intervals end at its instants; None: instants are compared, and bags of rows."""
    _found: dict[int, tuple[Counter[Row], Counter[Row]]] = field(default_factory=dict)

    def arrival(self, time: int) -> None:
        """Something of the streams ended then."""
        if self.grid is not None:
            self._at(time)

    def given(self, side: int, time: int, row: Row) -> None:
        """One side gave a row."""
        self._at(time)[side][row] += 1

    def end_of(self, time: int) -> int:
        """The end of the interval that a time belongs to; that time, where instants are compared."""
        if self.grid is None:
            return time
        first = self.grid.first or 0
        return time + (first - time) % self.grid.period

    def _at(self, time: int) -> tuple[Counter[Row], Counter[Row]]:
        return self._found.setdefault(self.end_of(time), (Counter(), Counter()))

    def said(self, why: Callable[[int, int, Row], str]) -> tuple[Said, ...]:
        """The intervals by time; ``why`` tells of a side, an interval's end and a row why it is alone."""
        found = []
        for end, rows in sorted(self._found.items()):
            begin = None if self.grid is None else end - self.grid.period
            first, second = rows if self.grid is None else (Counter(set(each)) for each in rows)
            alone = ((0, first - second), (1, second - first))
            differences = tuple(
                Difference(self.sides[side], row, times, why(side, end, row))
                for side, more in alone
                for row, times in sorted(more.items(), key=repr)
            )
            found.append(Said(begin, end, differences))
        return tuple(found)
