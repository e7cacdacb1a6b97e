"""How much one client may ask of a server."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

__all__ = ["SIZES", "Limits", "Rates"]

SIZES: Final = ("body", "text", "background", "pace", "arriving", "kept")
"""Limits that are bytes."""
_MOST_CLIENTS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Limits:
    """``body``, ``text``, ``background``: most bytes of events, of a query or a question, of background.

    ``rate``: requests a second of one client, ten seconds' worth at once. ``idle``: seconds that a
    connection, a body or who reads may stand still. ``pace``: bytes a second, which a body has to come with
    after those. ``arriving``: most bytes of bodies that are on their way at one time. ``clients``:
    connections at one time. ``questions``: those that wait at one time. ``seconds``, ``inferences`` and
    ``answers``: those of one question. ``ahead``: seconds that times may be ahead of the machine's clock.
    ``kept``: bytes of memory for the newest answers of an engine, for whoever reads them later.
    """

    body: int = 16 << 20
    text: int = 1 << 20
    background: int = 256 << 20
    rate: float = 1000.0
    idle: int = 30
    pace: int = 16 << 10
    arriving: int = 512 << 20
    clients: int = 1000
    questions: int = 20
    seconds: float = 5.0
    inferences: int = 10_000_000
    answers: int = 10_000
    ahead: int = 366 * 24 * 3600
    kept: int = 64 << 20


class Rates:
    """Counts the requests of clients: each has a bucket that fills at ``rate`` a second."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._most = 10 * rate
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str) -> float:
        """Count a request; the seconds to wait before it may be served, 0 where it may be now."""
        now = time.monotonic()
        left, then = self._left.get(client, (self._most, now))
        left = min(self._most, left + (now - then) * self._rate)
        allowed = left >= 1.0
        self._left[client] = (left - 1.0 if allowed else left, now)
        self._left.move_to_end(client)
        if len(self._left) > _MOST_CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1.0 - left) / self._rate
