"""Errors that several readers of stream files have in common."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Final, TypeAlias

from etalis_py.core.errors import DataError, Place
from etalis_py.core.terms import Encoded, ntriples
from etalis_py.core.times import format_time
from etalis_py.streams.batch import COLUMNS, REQUIRED

__all__ = [
    "ONE_TIME",
    "OnBad",
    "check_columns",
    "cut_off",
    "empty",
    "missing_columns",
    "named_twice",
    "nearest_column",
    "refuse",
    "two_times",
]

OnBad: TypeAlias = Callable[[DataError, "str | None"], None]
"""Takes the error of a bad record and its text; None stands for all that is left of a file."""

ONE_TIME: Final = "a graph has one time; for a thing that happens twice, use two graphs"
_MEANT: Final = {
    "start": ("time", "timestamp", "begin", "datetime", "date", "ts", "t", "at", "when", "start_time"),
    "s": ("subject", "subj", "sub", "entity"),
    "p": ("predicate", "pred", "property", "prop", "verb"),
    "o": ("object", "obj", "value"),
}
"""What the columns are called elsewhere."""
_MOSTLY: Final = 3
"""So many columns that are only called otherwise are a stream file; fewer are rows of another kind."""
_log = logging.getLogger(__name__)


def refuse(on_bad: OnBad | None, error: DataError, record: str | None) -> None:
    """Hand a bad record on, so that reading goes on behind it; where nobody takes it, raise its error."""
    if on_bad is None:
        raise error
    on_bad(error, record)


def empty(source: str) -> DataError:
    """EP402: there is not one byte (or not even a header) in a file."""
    return DataError(
        "EP402",
        "the stream is empty",
        place=Place(source=source),
        hint="a CSV without events has a header line; if the file should have events, check the program that "
        "writes it",
    )


def cut_off(error: DataError) -> DataError:
    """EP411 instead of the error of a last line that lacks its line end: it is probably not all there."""
    place = None if error.place is None else replace(error.place, column=None)
    result = DataError(
        "EP411",
        f"the stream ends in the middle of a line: {error.message}",
        place=place,
        hint="the events before it were read; perhaps the writer or the copy was interrupted",
    )
    result.__cause__ = error
    return result


def named_twice(stream: str, place: Place) -> DataError:
    """EP419: the stream with the IRI ``stream`` has a column that names streams."""
    return DataError(
        "EP419",
        f"the column 'stream' names a stream, and the events belong to <{stream}> already",
        place=place,
        hint="leave out the column; or give the file without a name: --stream FILE",
    )


def two_times(graph: Encoded, known: tuple[int, int], other: tuple[int, int], place: Place) -> DataError:
    """EP414: rows of one graph have the times ``known`` and ``other`` (microseconds)."""
    first, second = (" to ".join(dict.fromkeys(map(format_time, each))) for each in (known, other))
    return DataError(
        "EP414",
        f"the graph {ntriples(graph)} has two times: {first} and {second}",
        place=place,
        hint=ONE_TIME,
    )


def check_columns(names: Sequence[str], source: str, stream: str | None = None) -> dict[str, int]:
    """Where each of our columns stands among the columns of a file; others are left out, and logged.

    ``stream`` is the IRI of the stream, where it has one.

    Raises DataError: EP404 if one that is needed is missing or one is there twice, EP419 if there is one of
    streams, and the stream has an IRI already.
    """
    places: dict[str, int] = {}
    for index, name in enumerate(names):
        if name in places:
            raise DataError(
                "EP404",
                f"the column {name!r} appears twice",
                place=Place(source=source),
                hint="rename or remove one of the two",
            )
        if name in COLUMNS:
            places[name] = index
    if stream is not None and "stream" in places:
        raise named_twice(stream, Place(source=source))
    others = [name for name in names if name not in COLUMNS]
    missing = [name for name in REQUIRED if name not in places]
    if missing:
        named = ", ".join(map(repr, missing))
        hint = missing_columns(missing, others, names)
        raise DataError("EP404", f"no column {named}", place=Place(source=source), hint=hint)
    if others:
        _log.warning("%s: columns not used: %s", source, ", ".join(map(repr, others)))
    return places


def nearest_column(missing: str, names: Sequence[str]) -> str | None:
    """The name that is most likely meant by those who left a column out; None where none is like it."""
    lowered = {name.lower(): name for name in names}
    near = [name for name in _MEANT.get(missing, ()) if name in lowered]
    near += get_close_matches(missing, lowered, n=1, cutoff=0.5)
    return lowered[near[0]] if near else None


def missing_columns(
    missing: Sequence[str], others: Sequence[str], names: Sequence[str], kind: str = "columns"
) -> str:
    """The hint where names are missing: which to rename, all at once; else which there are, or a mapping."""
    if any(name[:1] in ("<", '"') for name in names):
        return "is the first line with the column names missing? start,s,p,o"
    near: dict[str, str] = {}
    for wanted in missing:
        found = nearest_column(wanted, [name for name in others if name not in near.values()])
        if found is not None:
            near[wanted] = found
    there = f"the {kind} are {', '.join(map(repr, names)) or 'none'}; needed are start, s, p, o"
    if len(missing) == len(REQUIRED) and len(near) < _MOSTLY:
        return f"{there}, or a mapping of these: etalis map FILE proposes one, --map or map= takes it"
    if near:
        renamed = ", ".join(f"{found!r} to {wanted!r}" for wanted, found in near.items())
        return f"rename {renamed}? The {kind} are start, s, p, o; end, stream and graph are optional"
    return there
