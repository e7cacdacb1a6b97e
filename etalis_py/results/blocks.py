"""Answers in columns, as writers take them: blocks of one query each, and in which order they go.

Answers of an engine are in columns already; those that are matches, such as Spark's, are put into columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, TypeVar

from etalis_py.core.value_class import value_class
from etalis_py.core.vocabulary import XSD_BOOLEAN
from etalis_py.engine.answer_columns import Answers, Receiver
from etalis_py.engine.matches import Match
from etalis_py.results.heads import QueryHead
from etalis_py.texts.lines import Lines

__all__ = ["AnswerBlocks", "Block"]

Item = TypeVar("Item")
_TRUE = (True, XSD_BOOLEAN)


@value_class
class Block:
    """Answers of one query: their times in microseconds, and a column of terms for each variable.

    The terms are as those of `Answers.values`, or encoded. An ASK has a column of booleans, a CONSTRUCT or
    DESCRIBE one of graphs: triples of encoded terms. Where there has been no instant (`Match.no`), the times
    mean nothing.
    """

    head: QueryHead
    starts: Sequence[int]
    ends: Sequence[int]
    columns: Sequence[Sequence[Any]]
    stream: str | None = None
    has_instant: bool = True

    def __len__(self) -> int:
        return len(self.starts)


@value_class
class AnswerBlocks:
    """Blocks whose answers go one after the other; or with ``order``, which names the block of each answer,
    in turn.
    """

    blocks: Sequence[Block]
    order: Sequence[int] | None = None

    @classmethod
    def of_answers(cls, answers: Answers) -> AnswerBlocks:
        """Those of an engine: a block for each query."""
        parts = list(answers.by_query()) if len(answers) else []
        blocks = [_block(receiver, part) for receiver, part in parts]
        if len(blocks) < 2:
            return cls(blocks)
        places = {part.numbers[0]: place for place, (_, part) in enumerate(parts)}
        return cls(blocks, list(map(places.__getitem__, answers.numbers)))

    @classmethod
    def of_matches(cls, matches: Iterable[Match]) -> AnswerBlocks:
        """Those of matches: a block as long as they are of one kind."""
        return cls([_block_of_matches(list(same)) for _, same in groupby(matches, _kind)])

    def written(self, write: Callable[[Block], Lines]) -> bytes:
        """The lines of all answers, one for each; ``write`` gives those of a block."""
        if self.order is None:
            return b"".join([write(block).content for block in self.blocks])
        return b"".join(self.in_order(write))

    def in_order(self, make: Callable[[Block], Iterable[Item]]) -> Iterator[Item]:
        """What ``make`` gives for each block, an item an answer, in the order of the answers.

        Where it is a generator, its items are made in that order, too.
        """
        if self.order is None:
            return chain.from_iterable(map(make, self.blocks))
        items = [iter(make(block)) for block in self.blocks]
        return map(next, map(items.__getitem__, self.order))


def _block(receiver: Receiver, answers: Answers) -> Block:
    width = receiver.width
    head = QueryHead(receiver.name, receiver.form, receiver.variables if receiver.form == "select" else ())
    if receiver.form == "ask":
        columns: list[Sequence[Any]] = [[_TRUE] * len(answers)]
    elif receiver.form == "select":
        columns = [answers.values[place::width] for place in range(width)]
    else:
        columns = [answers.values]
    return Block(head, answers.starts, answers.ends, columns, receiver.stream)


def _kind(match: Match) -> tuple[object, ...]:
    is_graph = match.encoded_triples is not None
    return match.query, match.variables, is_graph, match.boolean, match.stream, match.start > match.end


_times = attrgetter("start", "end")
_values = attrgetter("values")


def _block_of_matches(matches: Sequence[Match]) -> Block:
    first = matches[0]
    if first.encoded_triples is not None:
        head = QueryHead(first.query, "construct")
        columns: list[Sequence[Any]] = [[match.encoded_triples for match in matches]]
    elif first.boolean is not None:
        head = QueryHead(first.query, "ask")
        columns = [[(first.boolean, XSD_BOOLEAN)] * len(matches)]
    else:
        head = QueryHead(first.query, "select", first.variables)
        columns = list(zip(*map(_values, matches), strict=True))
    starts, ends = zip(*map(_times, matches), strict=True)
    return Block(head, starts, ends, columns, first.stream, first.interval is not None)
