"""From what Prolog answers to matches, and on to their receivers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, ClassVar, TypeVar

from etalis_py.core.collection import without_collection
from etalis_py.engine.answer_columns import Answers, Receiver
from etalis_py.engine.matches import Match

__all__ = ["Deliveries"]

Made = TypeVar("Made")


class Deliveries:
    """The answers of one engine that nobody has got yet."""

    form: ClassVar[type[Answers]] = Answers

    def __init__(self) -> None:
        self.receivers: dict[int, Receiver] = {}
        self._waiting: list[Answers] = []
        self._calls: deque[tuple[Callable[[Match], object], Match]] = deque()
        self._raised: BaseException | None = None

    @property
    def waiting(self) -> bool:
        """Whether there are answers that nobody has got yet."""
        return self.count > 0

    @property
    def count(self) -> int:
        """How many they are."""
        return sum(map(len, self._waiting)) + len(self._calls)

    def add(self, answers: Sequence[Sequence[Any]]) -> None:
        """Take answers, column by column: query numbers, starts, ends, and the values of all
        rows one after the other (``rules/engine/answers.pl``).
        """
        several = set(answers[0])
        if not several:
            return
        new = self.form({number: self.receivers[number] for number in several}, *answers)
        called = {number for number in several if self.receivers[number].on_match is not None}
        if called:
            with without_collection():
                for each in (new,) if called == several else (new.only(called),):
                    self._calls.extend(
                        (on_match, match)
                        for number, match in zip(each.numbers, each.matches(), strict=True)
                        if (on_match := self.receivers[number].on_match) is not None
                    )
        if called != several:
            self._waiting.append(new.only(several - called) if called else new)

    def derived(self, answers: Sequence[Sequence[Any]]) -> list[tuple[int, int, int, list[list[Any]]]]:
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

    def take(self, name: str | None) -> Iterator[Match]:
        """The matches that wait, of one query or of all; they do not wait any more."""
        taken = self.take_columns(name)
        return chain.from_iterable(each.matches() for each in taken)

    def take_columns(self, name: str | None = None) -> list[Answers]:
        """The answers that wait, of one query or of all; they do not wait any more."""
        return self.taken_as(list, name)

    def taken_as(self, make: Callable[[list[Answers]], Made], name: str | None = None) -> Made:
        """What ``make`` makes of the answers that wait, of one query or of all.

        They do not wait any more, unless it raises.
        """
        taken, others = (self._waiting, []) if name is None else self._parted(name)
        made = make(taken)
        self._waiting = others
        return made

    def joined(self, parts: Sequence[Answers]) -> Answers:
        """Parts of the answers as one."""
        return self.form.joined(self.receivers, parts)

    def _parted(self, name: str) -> tuple[list[Answers], list[Answers]]:
        """The answers of the query, and those of others."""
        taken, rest = [], []
        for each in self._waiting:
            wanted = {number for number, receiver in each.receivers.items() if receiver.name == name}
            others = each.receivers.keys() - wanted
            if wanted:
                taken.append(each.only(wanted) if others else each)
            if others:
                rest.append(each.only(others) if wanted else each)
        return taken, rest

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
