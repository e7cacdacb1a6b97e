"""Answers of the engines that share one stream, in the order in which one engine would give them.

That is by end, start and query, and then by their terms in Prolog's order (`answer_order`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Any

from etalis_py.core.terms import Encoded
from etalis_py.embedding.merging import LEFT_OUT, MOST_PARTS, Names, merge, merged_order
from etalis_py.embedding.native_columns import Columns
from etalis_py.engine.answer_columns import Answers, Receivers
from etalis_py.engine.answer_order import row_order, term_order
from etalis_py.engine.matches import Match

__all__ = ["MergedAnswers"]


class MergedAnswers:
    """Makes one sequence of the answers of parts. ``sets`` are the numbers of queries whose equal answers, of
    different parts, are one.
    """

    def __init__(self) -> None:
        self.sets: Collection[int] = ()
        self._names = Names()

    def columns(self, parts: Sequence[Answers]) -> Sequence[Sequence[Any]]:
        """Query numbers, starts, ends and values of all answers; each of ``parts`` is in its order."""
        if len(parts) < 2:
            part = parts[0] if parts else Answers()
            return part.columns
        if len(parts) <= MOST_PARTS:
            with suppress(OverflowError):
                columns = [Columns.of(*part.columns) for part in parts]
                order, ties = merged_order(columns)
                self._decide(parts, order, ties)
                widths = dict(each for part in parts for each in part.receivers.widths.items())
                return merge(columns, order, widths, self._names)
        return self._by_python(parts)

    def _decide(self, parts: Sequence[Answers], order: bytearray, ties: Sequence[tuple[int, int]]) -> None:
        """Put the answers of each tie in their order."""
        taken, done = [0] * len(parts), 0
        tied: list[list[tuple[Match, int]]] = []
        are_sets: list[bool] = []
        for first, last in ties:
            is_set = False
            rows: list[tuple[Match, int]] = []
            for number, part in enumerate(parts):
                begin = taken[number] + order.count(number, done, first)
                taken[number] = begin + order.count(number, first, last)
                if taken[number] > begin:
                    is_set = part.numbers[begin] in self.sets
                    rows += ((match, number) for match in part.part(begin, taken[number]).made())
            tied.append(rows)
            are_sets.append(is_set)
            done = last
        ranks = _ranks(match for rows in tied for match, _ in rows)
        for (first, last), rows, is_set in zip(ties, tied, are_sets, strict=True):
            order[first:last] = _ordered(rows, ranks, is_set=is_set)

    def _by_python(self, parts: Sequence[Answers]) -> Sequence[Sequence[Any]]:
        """The same, for times beyond 64 bits or very many parts."""
        matches = [(part, row, match) for part in parts for row, match in enumerate(part.made())]
        keyed = [
            ((part.ends[row], part.starts[row], part.numbers[row]), row_order(match), part, row)
            for part, row, match in matches
        ]
        keyed.sort(key=lambda each: each[:2])
        rows: list[Answers] = []
        before = None
        for key, terms, part, row in keyed:
            if not (key[2] in self.sets and (key, terms) == before):
                rows.append(part.part(row, row + 1))
            before = key, terms
        receivers = Receivers(each for part in parts for each in part.receivers.items())
        whole = Answers.joined(receivers, rows)
        return whole.numbers, whole.starts, whole.ends, whole.values


def _ordered(rows: list[tuple[Match, int]], ranks: Mapping[Any, int], *, is_set: bool) -> bytes:
    """The parts of answers of one interval and query, in their order."""
    keyed = [([ranks[_known_by(term)] for term in match.values], number) for match, number in rows]
    keyed.sort(key=itemgetter(0))  # rows of one part that are equal stay as they are
    ordered, before = bytearray(), None
    for key, number in keyed:
        ordered.append(number | LEFT_OUT if is_set and key == before else number)
        before = key
    return bytes(ordered)


def _ranks(matches: Iterable[Match]) -> dict[Any, int]:
    """The place of each term among all that the matches have."""
    terms = {_known_by(term): term for match in matches for term in match.values}
    ordered = sorted(terms.items(), key=lambda each: term_order(each[1]))
    return {key: rank for rank, (key, _) in enumerate(ordered)}


def _known_by(term: Encoded | None) -> Any:
    """Numbers that are equal may be different terms: 0.0 and -0.0."""
    return repr(term) if isinstance(term, tuple) and isinstance(term[0], float) else term
