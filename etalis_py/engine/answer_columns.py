"""Answers as Prolog gives them, column by column, for callers that want columns.

No `Match` is made, which would take longer than all else that is done with an answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from etalis_py.engine.deliveries import Deliveries, Receiver
from etalis_py.engine.matches import Match

__all__ = ["Answers", "ColumnDeliveries"]


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers in their order: for each the number of its query, its start and its end (microseconds, UTC).

    ``values`` are those of all answers one after the other, in the form of ``rules/engine/answers.pl``: an
    answer of a SELECT has one a variable (an IRI or blank node as text, an xsd:integer and an xsd:double as a
    number, other literals as lists, None: unbound), of a CONSTRUCT or DESCRIBE one, its triples, of an ASK
    none.
    """

    receivers: Mapping[int, Receiver] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.numbers)

    def matches(self) -> list[Match]:
        """The same answers, each as a match."""
        deliveries = Deliveries()
        deliveries.receivers.update(self.receivers)
        deliveries.add([self.numbers, self.starts, self.ends, self.values])
        return deliveries.take(None)

    def by_query(self) -> Iterator[tuple[Receiver, Answers]]:
        """The answers of each query that has some."""
        several = sorted(set(self.numbers))
        if len(several) == 1:
            yield self.receivers[several[0]], self
            return
        parts = {number: Answers({number: self.receivers[number]}) for number in several}
        rest = iter(self.values)
        widths = {number: self.receivers[number].width for number in several}
        for number, start, end in zip(self.numbers, self.starts, self.ends, strict=True):
            part = parts[number]
            part.numbers.append(number)
            part.starts.append(start)
            part.ends.append(end)
            part.values.extend(islice(rest, widths[number]))
        yield from ((self.receivers[number], part) for number, part in parts.items())


class ColumnDeliveries(Deliveries):
    """Keeps answers as they come; no query may have a callback."""

    def __init__(self) -> None:
        super().__init__()
        self._columns: list[list[list[Any]]] = []

    def add(self, answers: list[list[Any]]) -> None:
        """Keep answers."""
        if answers[0]:
            self._columns.append(answers)

    @property
    def count(self) -> int:
        """How many answers nobody has got yet."""
        return sum(len(numbers) for numbers, *_ in self._columns) + super().count

    def take_columns(self) -> Answers:
        """All answers that wait; they do not wait any more."""
        taken, self._columns = self._columns, []
        if len(taken) == 1:
            return Answers(self.receivers, *taken[0])
        whole = Answers(self.receivers)
        for numbers, starts, ends, values in taken:
            whole.numbers.extend(numbers)
            whole.starts.extend(starts)
            whole.ends.extend(ends)
            whole.values.extend(values)
        return whole

    def take(self, name: str | None) -> list[Match]:
        """The matches that wait, of one query or of all."""
        for answers in self._columns:
            super().add(answers)
        self._columns.clear()
        return super().take(name)
