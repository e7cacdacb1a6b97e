"""Answers of one query as an Arrow table, for those who need no Python object for each answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from etalis_py.core.column_types import ColumnType, native_type
from etalis_py.core.errors import UsageError
from etalis_py.core.times import format_time
from etalis_py.embedding.cells import flat_graphs
from etalis_py.engine.answer_columns import Answers, Receiver
from etalis_py.engine.coded_terms import example_terms, int64_array, ntriples_column, typed_column

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["answer_table", "interval_names", "native_table"]

_SMALL: Final = 1000
"""Answers that came in parts with fewer rows are put together."""
_LARGE: Final = 1_000_000
"""Until they have so many rows, parts are put together that need not be looked at for it."""


def interval_names(variables: Iterable[str]) -> tuple[str, str]:
    """The names of the two columns for the interval: ``start`` and ``end``.

    Where the query has a variable of such a name, that column is ``_start`` or ``_end``, with as many
    underscores as it takes.

    >>> interval_names(["x", "start", "_start"])
    ('__start', 'end')
    """
    taken = set(variables)
    start, end = "start", "end"
    while start in taken:
        start = "_" + start
    while end in taken:
        end = "_" + end
    return start, end


def answer_table(receiver: Receiver, parts: Sequence[Answers], types: Mapping[str, ColumnType]) -> pa.Table:
    """The answers of one query, a row each: start, end, and a column for each variable.

    A column of terms is a dictionary of texts in N-Triples syntax, an unbound variable null; a variable that
    has one of the ``types`` is a column of it. A CONSTRUCT or DESCRIBE has a row for each triple, with
    columns ``s``, ``p`` and ``o``, an ASK has times only.

    Raises:
        UsageError: EP528, a time that does not fit 64 bits.
    """
    import pyarrow as pa

    terms, moment = pa.dictionary(pa.int32(), pa.string()), pa.timestamp("us", "UTC")
    names = {"select": receiver.variables, "ask": ()}.get(receiver.form, ("s", "p", "o"))
    kinds = [moment, moment, *(types[name].arrow if name in types else terms for name in names)]
    chunks = [_columns(receiver, part, types) for part in _together(part.shown() for part in parts)]
    columns = [pa.chunked_array([chunk[place] for chunk in chunks], kind) for place, kind in enumerate(kinds)]
    return pa.Table.from_arrays(columns, names=[*interval_names(names), *names]).unify_dictionaries()


def native_table(receiver: Receiver, parts: Sequence[Answers]) -> pa.Table:
    """As `answer_table`, but each variable of a SELECT has the narrowest type that holds all its values
    (`native_type`).

    Raises:
        UsageError: EP528, a time that does not fit 64 bits.
    """
    shown = [part.shown() for part in parts]
    variables = receiver.variables if receiver.form == "select" else ()
    columns = ([part.values[place :: receiver.width] for part in shown] for place, _ in enumerate(variables))
    types = (native_type(chain.from_iterable(map(example_terms, column))) for column in columns)
    return answer_table(receiver, shown, dict(zip(variables, types, strict=True)))


def _together(parts: Iterable[Answers]) -> Iterator[Answers]:
    """The same answers in fewer parts."""
    waiting: list[Answers] = []
    for part in parts:
        if waiting and not _belong_together(waiting, part):
            yield Answers.joined(part.receivers, waiting)
            waiting = []
        waiting.append(part)
    if waiting:
        yield Answers.joined(part.receivers, waiting) if len(waiting) > 1 else waiting[0]


def _belong_together(waiting: Sequence[Answers], part: Answers) -> bool:
    rows = sum(map(len, waiting))
    return (rows < _SMALL and len(part) < _SMALL) or (rows < _LARGE and waiting[-1].goes_with(part))


def _columns(receiver: Receiver, answers: Answers, types: Mapping[str, ColumnType]) -> list[pa.Array]:
    times = [_moments(answers.starts), _moments(answers.ends)]
    if receiver.form == "ask":
        return times
    if receiver.form != "select":
        return _triples(times, answers.values)
    values, width = answers.values, receiver.width
    return [
        *times,
        *(
            typed_column(values[place::width], types[name])
            if name in types
            else ntriples_column(values, place, width)
            for place, name in enumerate(receiver.variables)
        ),
    ]


def _moments(times: Sequence[int]) -> pa.Array:
    import pyarrow as pa

    try:
        return int64_array(times).view(pa.timestamp("us", "UTC"))
    except OverflowError:
        far = next(each for each in times if not -(2**63) <= each < 2**63)
        message = f"a table cannot hold the time {format_time(far)}"
        raise UsageError("EP528", message, hint="take matches(), whose times have no limit") from None


def _triples(times: Sequence[pa.Array], values: Sequence[Any]) -> list[pa.Array]:
    """A row for each triple of graphs with these times."""
    import pyarrow as pa

    sizes, columns = flat_graphs(values)
    rows = pa.array([row for row, size in enumerate(sizes) for _ in range(size)], pa.int32())
    return [*(each.take(rows) for each in times), *map(ntriples_column, columns)]
