"""From what Prolog answers to matches, and on to their receivers."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, TypeVar

from etalis_py.core.collection import without_collection
from etalis_py.embedding.by_query import different_queries
from etalis_py.engine.answer_columns import Answers, Receiver, Receivers
from etalis_py.engine.direct_instant import Few
from etalis_py.engine.matches import Content, FoundMatch, Kind, Match

__all__ = ["Deliveries"]

Made = TypeVar("Made")


class Deliveries:
    """The answers of one engine that nobody has got yet."""

    form: ClassVar[type[Answers]] = Answers

    def __init__(self) -> None:
        self.receivers: dict[int, Receiver] = {}
        self._all: Receivers | None = None
        self._last = Receivers()
        """Those of the answers that came last: the next ones are mostly of the same queries."""
        self._waiting: list[_Waiting] = []
        self._calls: deque[tuple[Callable[[Match], object], Match]] = deque()
        self._raised: BaseException | None = None

    def receive(self, receivers: Mapping[int, Receiver]) -> None:
        """More queries give answers, by their numbers."""
        self.receivers.update(receivers)
        self._all = None

    def receive_only(self, receivers: Mapping[int, Receiver]) -> None:
        """These queries give answers, and no others."""
        self.receivers.clear()
        self.receive(receivers)

    def forget(self, numbers: Iterable[int]) -> None:
        """The queries with these numbers give no more answers; what waits can still be taken."""
        waiting = self.numbers()
        for each in numbers:
            if each not in waiting:
                self.receivers.pop(each, None)
        self._all, self._last = None, Receivers()

    @property
    def waiting(self) -> bool:
        """Whether there are answers that nobody has got yet."""
        return self.count > 0

    @property
    def count(self) -> int:
        """How many they are."""
        return sum(each.count for each in self._waiting) + len(self._calls)

    @property
    def calls_back(self) -> bool:
        """Whether a query has a callback for its matches."""
        return bool(self.all_receivers.called)

    def add(self, answers: Sequence[Sequence[Any]]) -> None:
        """Take answers, column by column: query numbers, starts, ends, and the values of all
        rows one after the other (``rules/engine/answers.pl``).
        """
        several = _different(answers[0])
        if not several:
            return
        new = self.form(self._those(several), *answers)
        called = new.receivers.called
        if called:
            with without_collection():
                for each in (new,) if called == several else (new.only(called),):
                    self._calls.extend(
                        (on_match, match)
                        for number, match in zip(each.numbers, each.matches(), strict=True)
                        if (on_match := self.receivers[number].on_match) is not None
                    )
        if called != several:
            rest = new.only(several - called) if called else new
            self._waiting.append(_Waiting(rest, several - called, len(rest)))

    def add_few(self, few: Few) -> None:
        """Take answers that end at one instant."""
        source = _ContentsOfFew(few)
        others = []
        end, numbers, place = few.end, few.numbers, 0
        while place < len(numbers):
            receiver = self.receivers[numbers[place]]
            if receiver.on_match is None:
                others.append(place)
            else:
                match = FoundMatch(receiver, numbers[place + 1], end, source, place)
                self._calls.append((receiver.on_match, match))
            place += 3 + numbers[place + 2]
        if others:
            queries = [numbers[place] for place in others]
            starts = [numbers[place + 1] for place in others]
            values = [
                value
                for query, place in zip(queries, others, strict=True)
                for value in source.values(self.receivers[query], place)
            ]
            answers = self.form(self._those(set(queries)), queries, starts, [end] * len(others), values)
            self._waiting.append(_Waiting(answers, set(queries), len(others)))

    def _those(self, numbers: set[int]) -> Receivers:
        if self._last.keys() != numbers:
            self._last = Receivers((number, self.receivers[number]) for number in numbers)
        return self._last

    @property
    def all_receivers(self) -> Receivers:
        """Those of all queries."""
        if self._all is None:
            self._all = Receivers(self.receivers)
        return self._all

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

    def numbers(self) -> set[int]:
        """The numbers of the queries whose answers wait."""
        return {number for each in self._waiting for number in each.left}

    def take_columns(self, number: int | None = None) -> list[Answers]:
        """The answers that wait, of one query or of all; they do not wait any more."""
        return self.taken_as(list, number)

    def taken_as(self, make: Callable[[list[Answers]], Made], number: int | None = None) -> Made:
        """What ``make`` makes of the answers that wait, of one query or of all.

        They do not wait any more, unless it raises.
        """
        made = make([part for each in self._waiting for part in each.of(number)])
        for each in self._waiting:
            each.drop(number)
        self._waiting = [each for each in self._waiting if each.left]
        return made

    def joined(self, parts: Sequence[Answers]) -> Answers:
        """Parts of the answers as one."""
        if len(parts) == 1:
            return parts[0]
        return self.form.joined(Receivers(self.receivers), parts)

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


def _different(numbers: Sequence[int]) -> set[int]:
    """The different ones of the query numbers of some answers; mostly it is one."""
    if not isinstance(numbers, array) or numbers.typecode != "i":
        return set(numbers)
    if numbers.tobytes() == numbers[:1].tobytes() * len(numbers):
        return set(numbers[:1])
    return different_queries(numbers)


@dataclass(slots=True)
class _Waiting:
    """Answers that were found together; those of the queries in ``left`` wait, ``count`` of them."""

    answers: Answers
    left: set[int]
    count: int
    dealt: dict[int, Answers] | None = None
    """By query; made when those of one query are taken, and others wait on."""

    def of(self, number: int | None) -> Iterator[Answers]:
        """Those of one query, or of all, if there are some."""
        if number is None:
            whole = self.answers
            yield whole if self.left == whole.receivers.keys() else whole.only(self.left)
        elif number in self.left:
            yield self._of_each()[number] if len(self.answers.receivers) > 1 else self.answers

    def drop(self, number: int | None) -> None:
        """Those of one query, or all, do not wait any more."""
        if number is None:
            self.left.clear()
        elif number in self.left:
            self.left.remove(number)
            self.count -= len(self._of_each()[number]) if self.left else self.count

    def _of_each(self) -> dict[int, Answers]:
        if self.dealt is None:
            self.dealt = {part.numbers[0]: part for _, part in self.answers.by_query()}
        return self.dealt


class _ContentsOfFew:
    """What is in the matches of few answers, by the places where these begin."""

    __slots__ = ("_few",)

    def __init__(self, few: Few) -> None:
        self._few = few

    def values(self, kind: Kind, place: int) -> Sequence[Any]:
        """The values of an answer."""
        _, numbers, terms = self._few
        first = place + 3
        return kind.values([terms[each] for each in numbers[first : first + numbers[place + 2]]])

    def content(self, kind: Kind, place: int) -> Content:
        """That of one match."""
        return kind.content(self.values(kind, place))
