"""Plain Python as a contender: for each row of the table a loop that somebody would write for this one job.

Each takes a window in microseconds and lists of times, subjects, predicates and objects (plain text, or
integers), and gives rows. They know nothing of instants or wrong data.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar

import pyarrow as pa

from tests.benchmarks.peers.place import plain
from tests.benchmarks.workload import Contender, Outcome, Row, Run

__all__ = [
    "absence",
    "all_between",
    "classes",
    "consuming",
    "deadline",
    "mean",
    "next_step",
    "python",
    "seq2",
    "seq2_of_queries",
    "seq3",
    "strict",
]

Columns: TypeAlias = tuple[list[int], list[str], list[str], list[Any]]
Option = TypeVar("Option")


def python(table: pa.Table, loop: Callable[[Option, Columns], list[Row]], option: Option) -> Contender:
    """The loop over a table; the clock takes the reading of its columns, too."""

    @contextmanager
    def ready(keep: bool) -> Iterator[Run]:
        def run() -> Outcome:
            rows = loop(option, _columns_of(table))
            return Outcome(len(rows), rows=rows if keep else None)

        yield run

    return Contender(ready)


def _columns_of(table: pa.Table) -> Columns:
    """Terms are read once each, by Arrow's dictionaries."""
    read = []
    for name in ("s", "p", "o"):
        column = table.column(name).combine_chunks().dictionary_encode()
        terms = [
            int(plain(text)) if text[0] == '"' else plain(text) for text in column.dictionary.to_pylist()
        ]
        read.append([terms[code] for code in column.indices.to_pylist()])
    return (table.column("start").to_pylist(), *read)


def _value(text: str) -> str | int:
    return int(plain(text)) if text[0] == '"' else plain(text)


def seq2(window: int, columns: Columns) -> list[Row]:
    """First steps wait by key; the oldest are dropped when a second step comes."""
    waiting: defaultdict[str, deque[tuple[int, int]]] = defaultdict(deque)
    rows: list[Row] = []
    for time, key, predicate, value in zip(*columns, strict=True):
        if predicate[-1] == "p":
            waiting[key].append((time, value))
        else:
            queue = waiting[key]
            while queue and time - queue[0][0] >= window:
                queue.popleft()
            for began, first in queue:
                rows.append((key, first, value, began, time))
    return rows


def seq2_of_queries(window: int, columns: Columns) -> list[Row]:
    """As `seq2` for each of many queries: what waits is found by the query's number and the key."""
    waiting: defaultdict[tuple[str, str], deque[tuple[int, int]]] = defaultdict(deque)
    place = len("urn:bench:")
    rows: list[Row] = []
    for time, key, predicate, value in zip(*columns, strict=True):
        queue = waiting[predicate[place + 1 :], key]
        if predicate[place] == "p":
            queue.append((time, value))
        else:
            while queue and time - queue[0][0] >= window:
                queue.popleft()
            for began, first in queue:
                rows.append((key, first, value, began, time))
    return rows


def next_step(window: int, columns: Columns) -> list[Row]:
    """First steps wait by key; a second one takes them all."""
    waiting: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    rows: list[Row] = []
    for time, key, predicate, value in zip(*columns, strict=True):
        if predicate[-1] == "p":
            waiting[key].append((time, value))
        else:
            for began, first in waiting.pop(key, ()):
                if time - began < window:
                    rows.append((key, first, value, began, time))
    return rows


def strict(window: int, columns: Columns) -> list[Row]:
    """The last event of a key, if it is a first step."""
    last: dict[str, tuple[int, int]] = {}
    rows: list[Row] = []
    for time, key, predicate, value in zip(*columns, strict=True):
        if predicate[-1] == "p":
            last[key] = (time, value)
            continue
        found = last.pop(key, None)
        if predicate[-1] == "q" and found is not None and time - found[0] < window:
            rows.append((key, found[1], value, found[0], time))
    return rows


def deadline(length: int, columns: Columns) -> list[Row]:
    """First steps wait in the order of their deadlines, and by key; a second step takes those of its key."""
    waiting: defaultdict[str, set[tuple[int, int]]] = defaultdict(set)
    due: deque[tuple[int, str, int]] = deque()
    rows: list[Row] = []
    for time, key, predicate, value in zip(*columns, strict=True):
        while due and due[0][0] + length < time:
            began, other, first = due.popleft()
            if (began, first) in waiting[other]:
                waiting[other].remove((began, first))
                rows.append((other, first, began, began + length))
        if predicate[-1] == "p":
            waiting[key].add((time, value))
            due.append((time, key, value))
        else:
            waiting.pop(key, None)
    return rows


def all_between(window: int, columns: Columns) -> list[Row]:
    """How many came to each open session, and their sum."""
    open_sessions: dict[tuple[str, int], list[int]] = {}
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    rows: list[Row] = []
    for time, key, predicate, value in zip(*columns, strict=True):
        if predicate[-1] == "p":
            open_sessions[key, value] = [time, 0, 0]
            numbers[key].append(value)
        elif predicate[-1] == "r":
            for number in numbers[key]:
                session = open_sessions[key, number]
                session[1] += 1
                session[2] += value
        else:
            began, count, total = open_sessions.pop((key, value))
            numbers[key].remove(value)
            if count and time - began < window:
                rows.append((key, value, count, total, began, time))
    return rows


def consuming(window: int, columns: Columns) -> list[Row]:
    """As `seq2`, and the oldest partner is used up."""
    waiting: defaultdict[str, deque[tuple[int, int]]] = defaultdict(deque)
    rows: list[Row] = []
    for time, key, predicate, value in zip(*columns, strict=True):
        if predicate[-1] == "p":
            waiting[key].append((time, value))
        else:
            queue = waiting[key]
            while queue and time - queue[0][0] >= window:
                queue.popleft()
            if queue:
                began, first = queue.popleft()
                rows.append((key, first, value, began, time))
    return rows


def absence(window: int, columns: Columns) -> list[Row]:
    """As `seq2`, and what must not come between empties the queue of its key."""
    waiting: defaultdict[str, deque[tuple[int, int]]] = defaultdict(deque)
    rows: list[Row] = []
    for time, key, predicate, value in zip(*columns, strict=True):
        step = predicate[-1]
        if step == "p":
            waiting[key].append((time, value))
        elif step == "r":
            waiting[key].clear()
        else:
            queue = waiting[key]
            while queue and time - queue[0][0] >= window:
                queue.popleft()
            for began, first in queue:
                rows.append((key, first, value, began, time))
    return rows


def seq3(window: int, columns: Columns) -> list[Row]:
    """First steps wait by their key, pairs of first and second by the key that the second hands over to."""
    waiting: defaultdict[str, deque[tuple[int, int]]] = defaultdict(deque)
    pairs: defaultdict[str, deque[tuple[int, int, str, int]]] = defaultdict(deque)
    rows: list[Row] = []
    for time, key, predicate, value in zip(*columns, strict=True):
        step = predicate[-1]
        if step == "p":
            waiting[key].append((time, value))
        elif step == "q":
            queue = waiting[key]
            while queue and time - queue[0][0] >= window:
                queue.popleft()
            for began, first in queue:
                pairs[value].append((time, began, key, first))
        else:
            line = pairs[key]
            while line and time - line[0][0] >= window:
                line.popleft()
            for _, began, first_key, first in line:
                if time - began < window:
                    rows.append((first_key, first, key, value, began, time))
    return rows


def mean(window: int, columns: Columns) -> list[Row]:
    """A queue and a sum for each key; only the key that came is looked at."""
    queues: defaultdict[str, deque[tuple[int, int]]] = defaultdict(deque)
    sums: defaultdict[str, int] = defaultdict(int)
    rows: list[Row] = []
    for time, key, _, value in zip(*columns, strict=True):
        queue = queues[key]
        queue.append((time, value))
        total = sums[key] + value
        while time - queue[0][0] >= window:
            total -= queue.popleft()[1]
        sums[key] = total
        rows.append((key, value, total / len(queue), time, time))
    return rows


def classes(below: Collection[str], columns: Columns) -> list[Row]:
    """A set of the classes below the one that is asked for."""
    return [(subject, time, time) for time, subject, _, name in zip(*columns, strict=True) if name in below]
