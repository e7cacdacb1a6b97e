"""Matches that know what they are made of: what an engine with ``trace=True`` hands out."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from etalis_py.engine.deliveries import Deliveries
from etalis_py.engine.matches import Match

__all__ = ["TracedDeliveries", "TracedMatch"]


@dataclass(slots=True, eq=False)
class TracedMatch(Match):
    """A match with the text that Prolog packed its hidden columns into."""

    trace: str = field(default="", repr=False)


class TracedDeliveries(Deliveries):
    """Takes from each answer what it is made of: the last value of a row, the last triple of a graph."""

    def add(self, answers: list[list[Any]]) -> None:
        """As `Deliveries.add`, with one more value in each row, and one more triple in each graph."""
        shown, traces = self._split(answers)
        waited, called = len(self._waiting), len(self._calls)
        super().add(shown)
        matches = [self._waiting.pop() for _ in range(len(self._waiting) - waited)]
        calls = [self._calls.pop() for _ in range(len(self._calls) - called)]
        for number, text in zip(shown[0], traces, strict=True):
            if self.receivers[number].on_match is None:
                self._waiting.append(_traced(matches.pop(), text))
            else:
                on_match, match = calls.pop()
                self._calls.append((on_match, _traced(match, text)))

    def derived(self, answers: list[list[Any]]) -> list[tuple[int, int, int, list[list[Any]]]]:
        """As `Deliveries.derived`."""
        return super().derived(self._split(answers)[0])

    def _split(self, answers: list[list[Any]]) -> tuple[list[list[Any]], list[str]]:
        """The answers that everybody sees, and what each is made of."""
        numbers, starts, ends, values = answers
        rest = iter(values)
        shown: list[Any] = []
        traces: list[str] = []
        for number in numbers:
            receiver = self.receivers[number]
            if receiver.form in ("construct", "describe"):
                *triples, (_, _, last) = next(rest)
                shown.append(triples)
            else:
                shown += islice(rest, receiver.width)
                last = next(rest)
            traces.append(str(last[0]))
        return [numbers, starts, ends, shown], traces


def _traced(match: Match, trace: str) -> TracedMatch:
    return TracedMatch(
        match.query, match.start, match.end, match.variables, match.values, match.encoded_triples,
        match.boolean, match.stream, trace,
    )  # fmt: skip
