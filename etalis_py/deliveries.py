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
        with without_collection():
            # What is done for each answer is left to builtins: the makers share their columns, and each takes
            # the next of them when it is its turn.
            encoded_values = [value if value.__class__ is str else _encoded(value) for value in values]
            columns = (iter(starts), iter(ends), iter(encoded_values))
            receivers = {number: self.receivers[number] for number in set(numbers)}
            makers = {number: _maker(receiver, *columns) for number, receiver in receivers.items()}
            matches = map(next, map(makers.__getitem__, numbers))
            if all(receiver.on_match is None for receiver in receivers.values()):
                self._waiting.extend(matches)
                return
            for number, match in zip(numbers, matches, strict=True):
                on_match = receivers[number].on_match
                if on_match is None:
                    self._waiting.append(match)
                else:
                    self._calls.append((on_match, match))

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

    def take(self, name: str | None) -> list[Match]:
        """The matches that wait, of one query or of all; they do not wait any more."""
        if name is None:
            taken = list(self._waiting)
            self._waiting.clear()
            return taken
        kept: deque[Match] = deque()
        taken = []
        for match in self._waiting:
            (taken if match.query == name else kept).append(match)
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


def _maker(
    receiver: Receiver, starts: Iterator[int], ends: Iterator[int], values: Iterator[Any]
) -> Iterator[Match]:
    """Makes matches of the next start, end and values, one after the other."""
    if receiver.form == "ask":
        return (Match(receiver.name, start, next(ends), boolean=True) for start in starts)
    if receiver.form != "select":
        return (
            Match(receiver.name, start, next(ends), encoded_triples=triples)
            for start, triples in zip(starts, values)  # noqa: B905 - the columns go on with other queries
        )
    width = len(receiver.variables)
    rows: Iterable[tuple[Any, ...]] = repeat(())
    if width:
        rows = zip(*[values] * width)  # noqa: B905
    return map(Match, repeat(receiver.name), starts, ends, repeat(receiver.variables), rows)


def _encoded(value: Any) -> Any:
    """The encoded term, or triples, for a value of an answer (``rules/answers.pl``): a number is a usual
    literal.
    """
    if value.__class__ is int:
        return (value, XSD_INTEGER)
    if value.__class__ is float:
        return (value, XSD_DOUBLE)
    if value.__class__ is list and value[-1].__class__ is list:  # the last item of a term is its type
        return tuple((s, p, encoded(o)) for s, p, o in value)
    return encoded(value)
