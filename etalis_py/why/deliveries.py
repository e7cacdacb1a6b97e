"""Matches that know what they are made of: what an engine with ``trace=True`` hands out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from etalis_py.engine.answer_columns import Answers, Receiver, Receivers
from etalis_py.engine.deliveries import Deliveries
from etalis_py.engine.matches import Match

__all__ = ["TracedDeliveries", "TracedMatch"]

_GRAPHS = ("construct", "describe")


class TracedMatch(Match):
    """A match with the text that Prolog packed its hidden columns into."""

    __slots__ = ("trace",)

    def __init__(self, *fields: Any, trace: str) -> None:
        super().__init__(*fields)
        self.trace = trace

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(TracedMatch, trace=self.trace), self.fields


class _TracedAnswers(Answers):
    """Each answer has what it is made of: the last value of a row, the last triple of a graph."""

    __slots__ = ()

    @staticmethod
    def width(receiver: Receiver) -> int:
        """With what the answer is made of; in a graph that is one of the triples."""
        return receiver.width + (receiver.form not in _GRAPHS)

    def matches(self) -> Iterator[Match]:
        """As `Answers.matches`."""
        shown, traces = self.split()
        return map(_traced, shown.matches(), traces)

    def shown(self) -> Answers:
        """Without what the answers are made of."""
        return self.split()[0]

    def split(self) -> tuple[Answers, list[str]]:
        """The answers that everybody sees, and what each is made of."""
        rest = iter(self.values)
        shown: list[Any] = []
        traces: list[str] = []
        for number in self.numbers:
            receiver = self.receivers[number]
            if receiver.form in _GRAPHS:
                *triples, (_, _, last) = next(rest)
                shown.append(triples)
            else:
                shown += islice(rest, receiver.width)
                last = next(rest)
            traces.append(str(last[0]))
        return Answers(self.receivers, self.numbers, self.starts, self.ends, shown), traces


class TracedDeliveries(Deliveries):
    """Those of an engine whose answers have what they are made of."""

    form = _TracedAnswers

    def derived(self, answers: Sequence[Sequence[Any]]) -> list[tuple[int, int, int, list[list[Any]]]]:
        """As `Deliveries.derived`."""
        shown, _ = _TracedAnswers(Receivers(self.receivers), *answers).split()
        return super().derived([shown.numbers, shown.starts, shown.ends, shown.values])


def _traced(match: Match, trace: str) -> TracedMatch:
    return TracedMatch(*match.fields, trace=trace)
