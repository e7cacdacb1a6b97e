"""From what Prolog answers to matches, and on to whoever wants them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice, repeat
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

    @property
    def width(self) -> int:
        """How many values an answer has."""
        return len(self.variables) if self.form == "select" else int(self.form != "ask")


class Deliveries:
    """The matches of one engine that nobody has got yet."""

    def __init__(self) -> None:
        self.receivers: dict[int, Receiver] = {}
        self._waiting: deque[Match] = deque()
        self._calls: deque[tuple[Callable[[Match], object], Match]] = deque()

    def add(self, answers: list[list[Any]]) -> None:
        """Make matches of answers, column by column: query numbers, starts, ends, and the values of all
        rows one after the other (``rules/answers.pl``).
        """
        numbers, starts, ends, values = answers
        if not numbers:
            return
        with without_collection():
            if numbers.count(numbers[0]) == len(numbers):
                self._deliver(self.receivers[numbers[0]], starts, ends, values)
                return
            rest = iter(values)
            for number, start, end in zip(numbers, starts, ends, strict=True):
                receiver = self.receivers[number]
                self._deliver(receiver, [start], [end], list(islice(rest, receiver.width)))

    def derived(self, answers: list[list[Any]]) -> list[tuple[int, int, list[list[Any]]]]:
        """Start, end and triples of those answers that are new triples of the stream."""
        numbers, starts, ends, values = answers
        rest = iter(values)
        found = []
        for number, start, end in zip(numbers, starts, ends, strict=True):
            receiver = self.receivers[number]
            row = list(islice(rest, receiver.width))
            if receiver.form == "construct":
                found.append((start, end, row[0]))
        return found

    def _deliver(self, receiver: Receiver, starts: list[int], ends: list[int], values: list[Any]) -> None:
        """Matches of one query. What is done for each of them is left to builtins."""
        name, variables, form, on_match = receiver
        matches: Iterable[Match]
        if form == "select":
            encoded_values = [value if value.__class__ is str else _encoded(value) for value in values]
            rows = _rows(encoded_values, len(variables))
            matches = map(Match, repeat(name), starts, ends, repeat(variables), rows)
        elif form == "ask":
            matches = [Match(name, start, end, boolean=True) for start, end in zip(starts, ends, strict=True)]
        else:
            matches = [
                Match(name, start, end, encoded_triples=tuple((s, p, encoded(o)) for s, p, o in triples))
                for start, end, triples in zip(starts, ends, values, strict=True)
            ]
        if on_match is None:
            self._waiting.extend(matches)
        else:
            self._calls.extend((on_match, match) for match in matches)

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


def _rows(values: list[Any], width: int) -> Iterable[tuple[Any, ...]]:
    """
    >>> list(_rows([1, 2, 3, 4], 2))
    [(1, 2), (3, 4)]
    """
    return zip(*[iter(values)] * width, strict=True) if width else repeat(())


def _encoded(value: Any) -> Any:
    """The encoded term for a value of an answer (``rules/answers.pl``): a number is a usual literal."""
    if value.__class__ is int:
        return (value, XSD_INTEGER)
    if value.__class__ is float:
        return (value, XSD_DOUBLE)
    return encoded(value)
