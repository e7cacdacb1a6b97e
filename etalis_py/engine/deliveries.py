"""From what Prolog answers to matches, and on to their receivers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice, repeat
from typing import Any, NamedTuple

from etalis_py.compiler.compile import QueryForm
from etalis_py.core.collection import without_collection
from etalis_py.embedding.answer_values import encoded_value
from etalis_py.engine.matches import Match

__all__ = ["Deliveries", "Receiver"]

FEW = 8
"""Answers, for which columns do not pay."""


class Receiver(NamedTuple):
    """What becomes of the answers of one query: without ``on_match`` they wait to be taken."""

    name: str
    variables: tuple[str, ...]
    form: QueryForm
    on_match: Callable[[Match], object] | None
    stream: str | None = None
    """Where the triples of a CONSTRUCT go; None is the default stream."""

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
        self._raised: BaseException | None = None

    @property
    def waiting(self) -> bool:
        """Whether there are matches that nobody has got yet."""
        return self.count > 0

    @property
    def count(self) -> int:
        """How many they are."""
        return len(self._waiting) + len(self._calls)

    def add(self, answers: list[list[Any]]) -> None:
        """Make matches of answers, column by column: query numbers, starts, ends, and the values of all
        rows one after the other (``rules/engine/answers.pl``).
        """
        numbers, starts, ends, values = answers
        if len(numbers) < FEW:
            self._add_few(numbers, starts, ends, values)
            return
        with without_collection():
            receivers = {number: self.receivers[number] for number in set(numbers)}
            each = list(map(receivers.__getitem__, numbers))
            encoded_values = iter([each if each.__class__ is str else encoded_value(each) for each in values])
            if all(receiver.form == "select" for receiver in receivers.values()):
                # What is done for each answer is left to builtins.
                names = [receiver.name for receiver in each]
                variables = [receiver.variables for receiver in each]
                widths = {len(receiver.variables) for receiver in receivers.values()}
                rows = _rows(encoded_values, widths.pop() if len(widths) == 1 else list(map(len, variables)))
                matches = map(Match, names, starts, ends, variables, rows)
            else:
                matches = map(_match, each, starts, ends, repeat(encoded_values))
            if all(receiver.on_match is None for receiver in receivers.values()):
                self._waiting.extend(matches)
                return
            for receiver, match in zip(each, matches, strict=True):
                if receiver.on_match is None:
                    self._waiting.append(match)
                else:
                    self._calls.append((receiver.on_match, match))

    def _add_few(self, numbers: list[int], starts: list[int], ends: list[int], values: list[Any]) -> None:
        """The same one by one, which takes less time where there are few."""
        encoded_values = map(encoded_value, values)
        for number, start, end in zip(numbers, starts, ends, strict=True):
            receiver = self.receivers[number]
            match = _match(receiver, start, end, encoded_values)
            if receiver.on_match is None:
                self._waiting.append(match)
            else:
                self._calls.append((receiver.on_match, match))

    def derived(self, answers: list[list[Any]]) -> list[tuple[int, int, int, list[list[Any]]]]:
        """The query's number, start, end and triples of those answers that are new triples of a stream."""
        numbers, starts, ends, values = answers
        rest = iter(values)
        found = []
        for number, start, end in zip(numbers, starts, ends, strict=True):
            receiver = self.receivers[number]
            row = list(islice(rest, receiver.width))
            if receiver.form == "construct":
                found.append((number, start, end, row[0]))
        return found

    def take(self, name: str | None) -> list[Match]:
        """The matches that wait, of one query or of all; they do not wait any more."""
        if name is None:
            taken, self._waiting = self._waiting, deque()
            return list(taken)
        kept: deque[Match] = deque()
        wanted: list[Match] = []
        for match in self._waiting:
            (wanted if match.query == name else kept).append(match)
        self._waiting = kept
        return wanted

    def call_back(self) -> None:
        """Call back amid the work of the engine; after a callback that raises, when the work is done."""
        if self._raised is None:
            try:
                self._call_all()
            except BaseException as error:
                self._raised = error
                if not isinstance(error, Exception):
                    raise

    @contextmanager
    def calling_back(self) -> Iterator[None]:
        """Call back when all is done, so that a callback that raises loses no other match.

        A callback that KeyboardInterrupt or the like interrupts gets its match once more from the next call.
        """
        try:
            yield
        finally:
            self.end_calls()

    def end_calls(self) -> None:
        """Call back, all being done, or raise what a callback has raised amid the work."""
        raised, self._raised = self._raised, None
        if raised is None:
            self._call_all()
        elif isinstance(raised, Exception):
            raise raised

    def _call_all(self) -> None:
        while self._calls:
            self._call_back(self._calls[0])

    def _call_back(self, call: tuple[Callable[[Match], object], Match]) -> None:
        on_match, match = call
        try:
            self._calls.popleft()  # before: the callback may use the engine, which then calls back as well
            on_match(match)
        except Exception:
            raise
        except BaseException:
            if not (self._calls and self._calls[0] is call):
                self._calls.appendleft(call)
            raise


def _rows(values: Iterator[Any], widths: int | list[int]) -> Iterable[tuple[Any, ...]]:
    """Rows of the values; ``widths`` of each, or of all.

    >>> list(_rows(iter([1, 2, 3, 4]), 2)), list(_rows(iter([1, 2, 3]), [1, 0, 2]))
    ([(1, 2), (3, 4)], [(1,), (), (2, 3)])
    """
    if not isinstance(widths, int):
        return [tuple(islice(values, width)) for width in widths]
    return zip(*[values] * widths, strict=True) if widths else repeat(())


def _match(receiver: Receiver, start: int, end: int, values: Iterator[Any]) -> Match:
    """A match of a query of any form, of the next of ``values``."""
    if receiver.form == "select":
        row = tuple(islice(values, len(receiver.variables)))
        return Match(receiver.name, start, end, receiver.variables, row)
    if receiver.form == "ask":
        return Match(receiver.name, start, end, boolean=True)
    return Match(receiver.name, start, end, encoded_triples=next(values), stream=receiver.stream)
