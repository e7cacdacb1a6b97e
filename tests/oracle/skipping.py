"""SKIP: which of the answers that overlap are given (docs/semantics.md#patterns)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from etalis_py.compiler.parse import syntax
from etalis_py.core.terms import Encoded
from tests.oracle.orders import standard_key
from tests.oracle.solutions import Interval, Solution
from tests.oracle.triples import is_hidden

__all__ = ["skipped"]


def skipped(skip: syntax.Skip, found: Iterable[Solution]) -> Iterator[Solution]:
    """What is given of the answers, for each key by itself; timeless ones are in nobody's way."""
    by_key: dict[tuple[Encoded | None, ...], list[tuple[Interval, Solution]]] = {}
    for each in found:
        if each.interval is None:
            yield each
        else:
            key = tuple(each.mapping.get(variable.name) for variable in skip.per)
            by_key.setdefault(key, []).append((each.interval, each))
    for some in by_key.values():
        yield from first_to_end(some) if skip.to_next else past_last(some)


def past_last(found: Sequence[tuple[Interval, Solution]]) -> Iterator[Solution]:
    """In the order of (end, start, bindings, end of the last occurrence): drops an answer whose start is no
    later than the end of the last occurrence in the last one given.
    """
    names = sorted({name for _, each in found for name in each.mapping if not is_hidden(name)})

    def place(answer: tuple[Interval, Solution]) -> tuple[object, ...]:
        (start, end), solution = answer
        values = [standard_key(solution.mapping.get(name)) for name in names]
        return end, start, values, solution.last_occurrence

    last = None
    for (start, _), each in sorted(found, key=place):
        if last is None or start > last:
            last = each.last_occurrence
            yield each


def first_to_end(found: Sequence[tuple[Interval, Solution]]) -> Iterator[Solution]:
    """Of answers with one start, those that end first."""
    ends = dict[int, int]()
    for (start, end), _ in found:
        ends[start] = min(end, ends.get(start, end))
    for (start, end), each in found:
        if end == ends[start]:
            yield each
