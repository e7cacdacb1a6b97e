"""From what Prolog answers to matches, and on to whoever wants them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from etalis_py.collection import without_collection
from etalis_py.compiler.compile import QueryForm
from etalis_py.matches import Match
from etalis_py.prolog import encoded
from etalis_py.vocabulary import XSD_DOUBLE, XSD_INTEGER

__all__ = ["Deliveries", "Receiver"]


class Receiver(NamedTuple):
    """What becomes of the answers of one query: without ``on_match`` they wait to be taken."""

    name: str
    variables: tuple[str, ...]
    form: QueryForm
    on_match: Callable[[Match], object] | None


class Deliveries:
    """The matches of one engine that nobody has got yet."""

    def __init__(self) -> None:
        self.receivers: dict[int, Receiver] = {}
        self._waiting: deque[Match] = deque()
        self._calls: deque[tuple[Callable[[Match], object], Match]] = deque()

    def add(self, answers: list[list[Any]]) -> None:
        """Make matches of answers: lists of query number, start, end, and values or triples."""
        with without_collection():
            for answer in answers:
                self._add(answer)

    def _add(self, answer: list[Any]) -> None:
        number, start, end, *values = answer
        name, variables, form, on_match = self.receivers[number]
        if form == "select":
            columns = [value if value.__class__ is str else _encoded(value) for value in values]
            match = Match(name, start, end, variables, tuple(columns))
        elif form == "ask":
            match = Match(name, start, end, boolean=True)
        else:
            triples = tuple((s, p, encoded(o)) for s, p, o in values)
            match = Match(name, start, end, encoded_triples=triples)
        if on_match is None:
            self._waiting.append(match)
        else:
            self._calls.append((on_match, match))

    def take(self, name: str | None) -> list[Match]:
        """The matches that wait, of one query or of all; they do not wait any more."""
        kept: deque[Match] = deque()
        taken: list[Match] = []
        for match in self._waiting:
            (taken if name is None or match.query == name else kept).append(match)
        self._waiting = kept
        return taken

    @contextmanager
    def calling_back(self) -> Iterator[None]:
        """Call back when all is done, so that a callback that raises loses no other match."""
        try:
            yield
        finally:
            while self._calls:
                on_match, match = self._calls.popleft()
                on_match(match)


def _encoded(value: Any) -> Any:
    """The encoded term for a value of an answer (``rules/answers.pl``): a number is a usual literal."""
    if value.__class__ is int:
        return (value, XSD_INTEGER)
    if value.__class__ is float:
        return (value, XSD_DOUBLE)
    return encoded(value)
