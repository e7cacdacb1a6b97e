"""Keeps recent occurrences of an engine where questions ask for them; nothing is done where they do not."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.plan.own_nodes import own_nodes
from etalis_py.compiler.plan.plan import ConstructPlan, Scan
from etalis_py.embedding import prolog
from etalis_py.engine.crossing import columns_of
from etalis_py.streams.batch import Batch

__all__ = ["Recall", "recall_of"]


def recall_of(module: str, recall: bool | timedelta) -> Recall | None:
    """What keeps occurrences for the engine in ``module``; None if nothing does."""
    if recall is False:
        return None
    return Recall(module, None if recall is True else recall // timedelta(microseconds=1))


class Recall:
    """Tells Prolog which occurrences to keep (``rules/stores/recall.pl``): those of the stream, and derived
    ones.

    They are kept for ``duration`` microseconds, or with None for the longest window of a triple pattern;
    where a pattern has none, as long as there is room.
    """

    def __init__(self, module: str, duration: int | None) -> None:
        self._module = module
        self._duration = duration
        self._known = -1
        self._window: int | str = "inf"
        prolog.do("etalis_recall", "open_recall", module)

    def keep(
        self,
        batch: Batch | None,
        taken: int,
        late: list[int],
        derived: list[tuple[int, int, int, list[list[Any]]]],
        queries: Collection[CompiledQuery],
    ) -> None:
        """Keep the first ``taken`` rows but those in ``late``, and the triples of CONSTRUCT answers."""
        if len(queries) != self._known:
            self._known = len(queries)
            self._window = self._duration or _longest_window(queries)
        if batch is not None and taken:
            self._remember(batch, taken, late)
        if derived:
            streams = {query.plan.number: _stream_of(query) for query in queries}
            made = _derived_batch(derived, streams)
            self._remember(made, len(made), [])

    def _remember(self, batch: Batch, taken: int, late: list[int]) -> None:
        terms, columns = columns_of(batch, places=True)
        prolog.do("etalis_recall", "remember", self._module, terms, columns, taken, late, self._window)


def _longest_window(queries: Collection[CompiledQuery]) -> int | str:
    longest = 0
    for query in queries:
        for node in own_nodes(query.plan):
            if isinstance(node, Scan) and node.eventful:
                if node.window is None:
                    return "inf"
                longest = max(longest, node.window)
    return longest or "inf"


def _stream_of(query: CompiledQuery) -> str | None:
    """The stream that a query adds triples to; None is the default stream."""
    return query.plan.stream if isinstance(query.plan, ConstructPlan) else None


def _derived_batch(
    answers: list[tuple[int, int, int, list[list[Any]]]], streams: Mapping[int, str | None]
) -> Batch:
    rows = [
        (start, end, *triple, streams[number])
        for number, start, end, triples in answers
        for triple in triples
    ]
    starts, ends, subjects, predicates, objects, in_streams = zip(*rows, strict=True)
    objects = tuple(map(prolog.encoded, objects))
    sources, numbers = [""] * len(rows), list(range(1, len(rows) + 1))
    return Batch(starts, ends, subjects, predicates, objects, None, sources, numbers, in_streams)
