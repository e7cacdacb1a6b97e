"""Where the rows of the open instant are from, so long as no query asks: one that is added then may.

Prolog keeps these rows without their places then, in the order in which they came.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, TypeAlias

from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import DEFAULT_STREAM
from etalis_py.embedding import prolog
from etalis_py.streams.batch import Batch

__all__ = ["OpenPlaces", "PlaceOf", "place_of"]

PlaceOf: TypeAlias = "tuple[Encoded, Encoded]"
"""A stream, and the name of an element or ""."""

_DEFAULT: PlaceOf = (DEFAULT_STREAM, "")


def place_of(stream: Encoded | None, graph: Encoded | None) -> PlaceOf:
    """Where something is from that may name no stream and no element."""
    return (DEFAULT_STREAM if stream is None else stream, "" if graph is None else graph)


class OpenPlaces:
    """Those of the engine in ``module``."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._end: int | None = None
        self._runs: list[tuple[int, PlaceOf]] = []
        """How many rows, one after the other, are from one place."""

    def note(self, batch: Batch, taken: int, late: Collection[int], clock: int) -> None:
        """Prolog took so many rows of a batch, without those that were late; ``clock`` is open now."""
        ends = batch.end
        first = taken
        if late:
            first = next((row for row in range(taken) if ends[row] == clock), taken)
        else:
            while first and ends[first - 1] == clock:
                first -= 1
        if batch.stream is None and batch.graph is None:
            self._add(clock, _DEFAULT, sum(ends[row] == clock for row in range(first, taken)))
            return
        for row in range(first, taken):
            if ends[row] == clock:
                stream = None if batch.stream is None else batch.stream[row]
                graph = None if batch.graph is None else batch.graph[row]
                self._add(clock, place_of(stream, graph))

    def note_rows(self, rows: Sequence[tuple[Any, ...]], clock: int) -> None:
        """Prolog got rows of the instant ``clock`` back: terms and a start, and a place if one was said."""
        for _, _, _, _, *place in rows:
            stream, graph = place or _DEFAULT
            self._add(clock, (stream, graph))

    def _add(self, clock: int, place: PlaceOf, count: int = 1) -> None:
        if clock != self._end:
            self._end, self._runs = clock, []
        if self._runs and self._runs[-1][1] == place:
            self._runs[-1] = self._runs[-1][0] + count, place
        elif count:
            self._runs.append((count, place))

    def tell(self) -> None:
        """Queries ask for places from now on: Prolog learns those of the open instant."""
        if self._runs:
            runs = [(count, stream, graph) for count, (stream, graph) in self._runs]
            prolog.do("etalis_feed", "place_open_instant", self._module, self._end, runs)
            self._end, self._runs = None, []

    def state(self, clock: int | None) -> list[Any] | None:
        """As JSON has it, if the instant ``clock`` is open; None where nothing is known of it."""
        if self._end != clock or not self._runs:
            return None
        return [self._end, [[count, *place] for count, place in self._runs]]

    def go_on_from(self, state: Sequence[Any] | None) -> None:
        """Be in a state."""
        self._end, runs = state or (None, [])
        self._runs = [(count, (stream, graph)) for count, stream, graph in runs]
