"""What has come of each stream: how much, the last of it, and the numbers that things had."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import repeat
from typing import Any, Final

from etalis_py.core.coded import Coded
from etalis_py.core.terms import Encoded, ntriples
from etalis_py.core.times import format_time
from etalis_py.streams import Batch

__all__ = ["StreamsSeen"]

_LAST: Final = 20
_MOST_STREAMS: Final = 100
"""Streams that are told of; those that come after them are not."""
_NOTED: Final = 500
"""Rows of a batch, the last ones, whose numbers are noted."""
_POINTS: Final = 240
_MOST_CURVES: Final = 500
"""Pairs of a subject and a predicate whose numbers are kept, of those that came first."""

_MOST_PREDICATES: Final = 500


@dataclass(slots=True)
class _Seen:
    events: int = 0
    last: deque[tuple[int, int, tuple[Encoded, Encoded, Encoded]]] = field(
        default_factory=lambda: deque(maxlen=_LAST)
    )


class StreamsSeen:
    """That of one engine, since the server began; None is the default stream."""

    def __init__(self) -> None:
        self._streams: dict[Encoded | None, _Seen] = {}
        self._curves: dict[tuple[Encoded, Encoded], deque[tuple[int, float]]] = {}
        self._predicates: dict[str, None] = {}

    def note(self, batch: Batch) -> None:
        """These events came."""
        counts = {None: len(batch)} if batch.stream is None else Counter(batch.stream)
        for stream, count in counts.items():
            if stream in self._streams or len(self._streams) < _MOST_STREAMS:
                self._streams.setdefault(stream, _Seen()).events += count
        self._note_last(batch.part(max(0, len(batch) - _LAST), len(batch)))
        self._note_numbers(batch.part(max(0, len(batch) - _NOTED), len(batch)))

    def _note_last(self, batch: Batch) -> None:
        streams = repeat(None) if batch.stream is None else batch.stream
        triples = zip(batch.s, batch.p, batch.o, strict=True)
        for stream, start, end, triple in zip(streams, batch.start, batch.end, triples, strict=False):
            if (seen := self._streams.get(stream)) is not None:
                seen.last.append((start, end, triple))

    def _note_numbers(self, batch: Batch) -> None:
        predicates, objects = Coded.by_identity(batch.p), Coded.by_identity(batch.o)
        for predicate in predicates.values_at(sorted(set(predicates.codes))):
            if len(self._predicates) < _MOST_PREDICATES:
                self._predicates[str(predicate)] = None
        codes = sorted(set(objects.codes))
        values = dict(zip(codes, map(_number, objects.values_at(codes)), strict=True))
        if set(values.values()) == {None}:
            return
        for row, code in enumerate(objects.codes):
            value = values[code]
            if value is not None:
                self._note_number((batch.s[row], batch.p[row]), batch.end[row], value)

    def _note_number(self, what: tuple[Encoded, Encoded], time: int, value: float) -> None:
        points = self._curves.get(what)
        if points is None:
            if len(self._curves) >= _MOST_CURVES:
                return
            points = self._curves[what] = deque(maxlen=_POINTS)
        points.append((time, value))

    def predicates(self) -> list[str]:
        """Those of events, the first that came."""
        return list(self._predicates)

    def curves(self) -> list[dict[str, Any]]:
        """The newest numbers of each subject and predicate, with their times in milliseconds since 1970."""
        return [
            {
                "subject": subject,
                "predicate": predicate,
                "points": [[time // 1000, value] for time, value in list(points)],
            }
            for (subject, predicate), points in list(self._curves.items())
        ]

    def shown(self) -> list[dict[str, Any]]:
        """All of them, as JSON has it."""
        return [
            {
                "stream": stream,
                "events": seen.events,
                "last": [
                    {
                        "start": format_time(start),
                        "end": format_time(end),
                        "triple": list(map(ntriples, triple)),
                    }
                    for start, end, triple in list(seen.last)
                ],
            }
            for stream, seen in list(self._streams.items())
        ]


def _number(term: Encoded) -> float | None:
    """The value of a numeric literal."""
    value = term[0] if isinstance(term, tuple) else term
    return float(value) if isinstance(value, (int, float, Fraction)) and not isinstance(value, bool) else None
