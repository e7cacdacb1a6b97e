"""What has come of each stream: how much, and the last of it."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any, Final

from etalis_py.core.terms import Encoded, ntriples
from etalis_py.core.times import format_time
from etalis_py.streams import Batch

__all__ = ["StreamsSeen"]

_LAST: Final = 20
_MOST_STREAMS: Final = 100
"""Streams that are told of; those that come after them are not."""


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

    def note(self, batch: Batch) -> None:
        """These events came."""
        counts = {None: len(batch)} if batch.stream is None else Counter(batch.stream)
        for stream, count in counts.items():
            if stream in self._streams or len(self._streams) < _MOST_STREAMS:
                self._streams.setdefault(stream, _Seen()).events += count
        for place in range(max(0, len(batch) - _LAST), len(batch)):
            seen = self._streams.get(None if batch.stream is None else batch.stream[place])
            if seen is not None:
                triple = batch.s[place], batch.p[place], batch.o[place]
                seen.last.append((batch.start[place], batch.end[place], triple))

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
