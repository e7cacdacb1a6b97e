"""Answers as Prolog gives them, column by column, and the matches that are made of them.

A match is made when somebody looks at it: to make it takes longer than all else that is done with an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, repeat
from typing import Any, NamedTuple

from typing_extensions import Self

from etalis_py.compiler.compile import QueryForm
from etalis_py.embedding.answer_values import encoded_value
from etalis_py.engine.matches import Match

__all__ = ["FEW", "Answers", "Receiver"]

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


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers in their order: for each the number of its query, its start and its end (microseconds, UTC).

    ``values`` are those of all answers one after the other, in the form of ``rules/engine/answers.pl``: an
    answer of a SELECT has one a variable (an IRI or blank node as text, an xsd:integer and an xsd:double as a
    number, other literals as lists, None: unbound), of a CONSTRUCT or DESCRIBE one, its triples, of an ASK
    none.
    """

    receivers: Mapping[int, Receiver] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.numbers)

    @staticmethod
    def width(receiver: Receiver) -> int:
        """How many values an answer of a query has here."""
        return receiver.width

    @classmethod
    def joined(cls, receivers: Mapping[int, Receiver], parts: Iterable[Answers]) -> Self:
        """All the ``parts``, one after the other."""
        whole = cls(receivers)
        for each in parts:
            whole.numbers.extend(each.numbers)
            whole.starts.extend(each.starts)
            whole.ends.extend(each.ends)
            whole.values.extend(each.values)
        return whole

    def matches(self) -> Iterator[Match]:
        """The same answers, each as a match, made when it is asked for."""
        receivers = {number: self.receivers[number] for number in set(self.numbers)}
        values = iter(each if each.__class__ is str else encoded_value(each) for each in self.values)
        if len(self) < FEW or any(receiver.form != "select" for receiver in receivers.values()):
            return map(_match, self._each(receivers), self.starts, self.ends, repeat(values))
        # What is done for each answer of a SELECT is left to builtins.
        names = self._each({number: receiver.name for number, receiver in receivers.items()})
        variables = self._each({number: receiver.variables for number, receiver in receivers.items()})
        rows = _rows(values, self._each({number: each.width for number, each in receivers.items()}))
        return map(Match, names, self.starts, self.ends, variables, rows)

    def _each(self, known: Mapping[int, Any]) -> Iterator[Any]:
        """For each answer what is known of its query."""
        if len(known) == 1:
            return repeat(next(iter(known.values())), len(self))
        return map(known.__getitem__, self.numbers)

    def only(self, numbers: Collection[int]) -> Self:
        """The answers of the queries with these numbers, in their order."""
        part = type(self)({number: self.receivers[number] for number in numbers})
        self._deal(dict.fromkeys(numbers, part))
        return part

    def by_query(self) -> Iterator[tuple[Receiver, Answers]]:
        """The answers of each query that has some."""
        several = sorted(set(self.numbers))
        if len(several) == 1:
            yield self.receivers[several[0]], self
            return
        parts = {number: type(self)({number: self.receivers[number]}) for number in several}
        self._deal(parts)
        yield from ((self.receivers[number], part) for number, part in parts.items())

    def _deal(self, parts: Mapping[int, Answers]) -> None:
        """Add each answer to the part of its query; those without a part are left out."""
        rest = iter(self.values)
        widths = {number: self.width(self.receivers[number]) for number in set(self.numbers)}
        for number, start, end in zip(self.numbers, self.starts, self.ends, strict=True):
            row = list(islice(rest, widths[number]))
            if (part := parts.get(number)) is not None:
                part.numbers.append(number)
                part.starts.append(start)
                part.ends.append(end)
                part.values.extend(row)


def _rows(values: Iterator[Any], widths: Iterator[int]) -> Iterator[tuple[Any, ...]]:
    """Rows of the values, each with its width.

    >>> list(_rows(iter([1, 2, 3, 4]), repeat(2, 2))), list(_rows(iter([1, 2, 3]), iter([1, 0, 2])))
    ([(1, 2), (3, 4)], [(1,), (), (2, 3)])
    """
    if isinstance(widths, repeat):
        width = next(widths, 0)
        return zip(*[values] * width, strict=True) if width else repeat(())
    return (tuple(islice(values, width)) for width in widths)


def _match(receiver: Receiver, start: int, end: int, values: Iterator[Any]) -> Match:
    """A match of a query of any form, of the next of ``values``."""
    if receiver.form == "select":
        row = tuple(islice(values, len(receiver.variables)))
        return Match(receiver.name, start, end, receiver.variables, row)
    if receiver.form == "ask":
        return Match(receiver.name, start, end, boolean=True)
    return Match(receiver.name, start, end, encoded_triples=next(values), stream=receiver.stream)
