"""The forms in which stores and occurrences cross to Prolog."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from etalis_py.compiler.rules.rules import Store, StoreKind
from etalis_py.core.coded import Coded, Unmade
from etalis_py.core.value_class import value_class
from etalis_py.core.vocabulary import DEFAULT_STREAM
from etalis_py.embedding import prolog
from etalis_py.embedding.native_columns import address
from etalis_py.streams.batch import Batch
from etalis_py.texts.words import BatchWords

__all__ = ["Block", "block_of", "columns_of", "store_description"]


def store_description(store: Store) -> tuple[str, str, int, Any]:
    """A store as ``add_query/5`` takes it: name, kind, arity and the window or the group.

    Goals that are found by their occurrences, too, have the kind ``used_lasting`` or ``used_window``.
    """
    kind = store.kind.name.lower()
    kind = f"used_{kind}" if store.indexed else kind
    detail = store.window if store.kind is StoreKind.WINDOW else store.group
    return (store.name, kind, store.arity, detail or 0)


@value_class
class Block:
    """A batch as ``feed_block/8`` takes it: the terms that are no names, places, and ``about``: the rows, and
    where columns are.

    These are in ``columns``, which are to be kept until the call has ended.
    """

    terms: list[Any]
    places: list[list[Any]]
    about: list[int]
    columns: list[array[int] | bytes]


def block_of(batch: Batch, known: Sequence[int], *, places: bool = False) -> Block | None:
    """A batch as a block, with ``places`` if queries ask; None where a time is beyond what it can have.

    ``known`` is what ``takes_blocks/2`` says: for each column the table whose words are known, and how many
    are.
    """
    try:
        ends = _times(batch.end)
        starts = ends if batch.start is batch.end or batch.start == batch.end else _times(batch.start)
    except OverflowError:
        return None
    if not (prolog.times_fit(ends) and (starts is ends or prolog.times_fit(starts))):
        return None
    terms: list[Any] = []
    about = array("q")
    columns: list[array[int] | bytes] = [starts, ends]
    for column, table, count in zip((batch.s, batch.p, batch.o), known[::2], known[1::2], strict=True):
        coded = Coded.by_identity(column)
        described, kept, others = _described(coded.given, table, count)
        codes = _positions(coded.codes)
        about.extend([*described, _address(codes)])
        columns += [codes, *kept]
        terms += others
    positions, *named = _places(batch, 0) if places else [[]]
    from_where = _positions(positions)
    columns += [about, from_where]
    addresses = map(_address, (about, starts, ends, from_where))
    return Block(terms, named, [len(batch), *addresses], columns)


def _described(
    terms: Sequence[Any] | Unmade[Any], table: int, count: int
) -> tuple[list[int], list[array[int] | bytes], list[Any]]:
    """Different terms as ``incoming`` of ``rules/native/machine.h`` describes them, all but the last field,
    where of words of this table so many are known; what of it is to be kept; the terms that are no names.
    """
    words = terms if isinstance(terms, BatchWords) and terms.are_known else None
    if words is None:
        values = terms.made() if isinstance(terms, Unmade) else terms
        names, others = _names_of(values)
        return [0, 0, len(values), 0, _address(names), len(values), 0], [names], others
    first = count if table == words.table else 0
    kinds, texts = words.words.kinds(first), words.words.texts(first)
    others = [] if all(kinds) else list(words.words.others(first))
    addresses = address(kinds), address(texts)
    described = [words.table, first, len(kinds), *addresses, len(words.numbers), _address(words.numbers)]
    return described, [kinds, texts, words.numbers], others


def _names_of(values: Sequence[Any]) -> tuple[array[int], list[Any]]:
    """The values in UTF-8, with a NUL behind each, if all are IRIs or blank nodes; else as they are."""
    try:
        text = "\0".join([*values, ""])
        if text.count("\0") == len(values):
            return array("b", text.encode()), []
    except (TypeError, UnicodeEncodeError):  # a literal, or a character that UTF-8 does not have
        pass
    return array("b"), list(values)


def _address(column: array[int]) -> int:
    return column.buffer_info()[0] if column else 0


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
