"""The forms in which stores and occurrences cross to Prolog."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from etalis_py.compiler.rules.rules import Store, StoreKind
from etalis_py.core.coded import Coded
from etalis_py.core.vocabulary import DEFAULT_STREAM
from etalis_py.embedding import prolog
from etalis_py.streams.batch import Batch

__all__ = ["Block", "block_of", "columns_of", "store_description"]


def store_description(store: Store) -> tuple[str, str, int, Any]:
    """A store as ``add_query/5`` takes it: name, kind, arity and the window or the group.

    Goals that are found by their occurrences, too, have the kind ``used_lasting`` or ``used_window``.
    """
    kind = store.kind.name.lower()
    kind = f"used_{kind}" if store.indexed else kind
    detail = store.window if store.kind is StoreKind.WINDOW else store.group
    return (store.name, kind, store.arity, detail or 0)


@dataclass(frozen=True, slots=True)
class Block:
    """A batch as ``feed_block/7`` takes it: its different terms and places, but for the names that come
    before them, and what ``about`` says of names and columns.

    These are in ``columns``, which are to be kept until the call has ended.
    """

    terms: list[Any]
    places: list[list[Any]]
    about: list[int]
    columns: list[array[int]]


def block_of(batch: Batch, *, places: bool = False) -> Block | None:
    """A batch as a block, with ``places`` if queries ask; None where a time is beyond what it can have."""
    try:
        ends = _times(batch.end)
        starts = ends if batch.start is batch.end or batch.start == batch.end else _times(batch.start)
    except OverflowError:
        return None
    if not (prolog.times_fit(ends) and (starts is ends or prolog.times_fit(starts))):
        return None
    coded = [Coded.by_identity(column) for column in (batch.s, batch.p, batch.o)]
    codes = [_positions(each.codes) for each in coded]
    names, count, others = _names_first([each.values for each in coded])
    first_p = len(coded[0].values)
    first_o = first_p + len(coded[1].values)
    first_place = first_o + len(coded[2].values)
    column, *named = _places(batch, 0) if places else [[]]
    columns = [*codes, starts, ends, _positions(column)]
    addresses = [each.buffer_info()[0] for each in columns]
    about = [len(batch), *addresses, first_p, first_o, first_place, names.buffer_info()[0], count]
    return Block(others, named, about, [*columns, names])


def _names_first(columns: Sequence[Sequence[Any]]) -> tuple[array[int], int, list[Any]]:
    """The IRIs and blank nodes of the first columns, as far as these have nothing else, in UTF-8 with a NUL
    behind each; how many they are; and the terms of the columns behind.
    """
    for last in range(len(columns), 0, -1):
        names: list[Any] = list(chain.from_iterable(columns[:last]))
        try:
            text = "\0".join([*names, ""])
            if text.count("\0") == len(names):
                return array("b", text.encode()), len(names), list(chain.from_iterable(columns[last:]))
        except (TypeError, UnicodeEncodeError):  # a literal, or a character that UTF-8 does not have
            pass
    return array("b"), 0, list(chain.from_iterable(columns))


def _times(column: Sequence[int]) -> array[int]:
    return column if isinstance(column, array) and column.typecode == "q" else array("q", column)


def _positions(codes: Sequence[int]) -> array[int]:
    return codes if isinstance(codes, array) and codes.typecode == "i" else array("i", codes)


def columns_of(batch: Batch, *, places: bool = False) -> tuple[list[Any], list[list[Any]]]:
    """The different terms of each column of a batch, and the columns as positions in them, counted from 1.

    The column of starts is empty where all events are points; the last one, where each row is from, unless
    queries ask for ``places``.
    """
    terms: list[Any] = []
    columns = []
    for column in (batch.s, batch.p, batch.o):
        coded = Coded.by_identity(column)
        before = len(terms) + 1
        terms += coded.values
        columns.append([before + code for code in coded.codes])
    starts = [] if batch.start == batch.end else list(batch.start)
    return terms, [*columns, starts, list(batch.end), _places(batch, len(terms) + 1) if places else []]


def _places(batch: Batch, first: int) -> list[list[Any]]:
    """For each row the number of its place, from ``first`` on; the stream and the graph of each place."""
    rows = len(batch)
    streams = [None] * rows if batch.stream is None else batch.stream
    graphs = [None] * rows if batch.graph is None else batch.graph
    numbers: dict[tuple[Any, Any], int] = {}
    column = [numbers.setdefault(place, first + len(numbers)) for place in zip(streams, graphs, strict=True)]
    return [
        column,
        [DEFAULT_STREAM if stream is None else stream for stream, _ in numbers],
        ["" if graph is None else graph for _, graph in numbers],
    ]
