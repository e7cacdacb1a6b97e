"""Opens a stream by its name: suffix or ``--stream-format`` says what it is, ``-`` is standard input."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from etalis_py.connectors import is_url
from etalis_py.core.errors import DataError, UsageError
from etalis_py.core.formats import FORMATS, MAPPED_FORMATS, STREAM_FORMATS, by_suffix
from etalis_py.core.times import TimeUnit
from etalis_py.core.vocabulary import DEFAULT_STREAM
from etalis_py.streams.batch import Batch
from etalis_py.streams.lines import unreadable, without_packing
from etalis_py.streams.merge import merge
from etalis_py.streams.positions import Track
from etalis_py.streams.problems import OnBad, empty, refuse
from etalis_py.streams.source import Reader, Source
from etalis_py.streams.stream_file import StreamFile
from etalis_py.streams.term_texts import TermTexts

if TYPE_CHECKING:
    from etalis_py.streams.mapping.yarrrml import StreamMap

__all__ = ["BATCH_ROWS", "choose_format", "open_bytes", "open_stream", "open_streams"]

_log = logging.getLogger(__name__)
BATCH_ROWS: Final = 8192
STDIN: Final = 0
_FROM_PATHS: Final = ("parquet", "arrow")
_AT_INSTANT: Final = "etalis_py.streams.rdf_reader"
_MAPPED: Final = "etalis_py.streams.mapping.mapped_source"
_OF_NO_RECORD: Final = frozenset({"EP401", "EP418"})
"""A file that cannot be read, and times that all seem to be in another unit."""

_MEANT: Final = {
    ".json": "JSON with one object a line is --stream-format ndjson, JSON-LD is --stream-format jsonld; "
    "any other JSON can be read with --map",
    ".tsv": "write it with commas as .csv; or read it with --map",
    ".txt": "columns with commas are --stream-format csv, one JSON object a line is --stream-format ndjson",
    ".zip": "unpack it; only .gz and .zst are unpacked while reading",
    ".xlsx": "save it as .csv",
    ".rq": "this is a query: etalis run QUERY.rq --stream FILE",
    ".sparql": "this is a query: etalis run QUERY.sparql --stream FILE",
}
"""Hints for suffixes of other files."""
_ALIASES: Final = {alias: name for name in STREAM_FORMATS for alias in FORMATS[name].aliases}


def open_stream(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the word of the command line
    at: int | None = None,
    batch_rows: int = BATCH_ROWS,
    scope: str = "",
    stdin: int = STDIN,
    on_read: Callable[[int], None] | None = None,
    track: Track | None = None,
    time_unit: TimeUnit | None = None,
    on_bad: OnBad | None = None,
    stream: str | None = None,
    mapping: StreamMap | None = None,
    prefixes: Mapping[str, str] | None = None,
) -> Iterator[Batch]:
    """Batches of one stream: a file, or standard input for ``-``.

    ``stream`` is the IRI of the stream (None: the default stream, or what the file's column ``stream`` says).
    With a ``mapping`` the file has records of any names; its format may be any of `MAPPED_FORMATS`, and the
    errors are also EP434 to EP436. With ``prefixes`` terms of csv, ndjson and parquet may be prefixed names.

    ``format`` is one of `STREAM_FORMATS` (default: by suffix; a ``.gz`` or ``.zst`` after it is unpacked).
    ``at`` (microseconds) puts all triples of an RDF file at one instant, whatever times are in it. ``scope``
    is put before blank node labels. From a pipe, ndjson and nquads are given as they come. ``stdin`` is the
    file descriptor that ``-`` reads. ``on_read`` is called with the number of bytes read, in csv, ndjson and
    nquads. With a ``track`` the stream continues where that was. ``time_unit`` is the unit of numeric times
    in csv, ndjson and parquet; None is microseconds, and EP418 if they seem to be something else.

    Arguments are checked at once (UsageError EP521 to EP524); DataError EP401 to EP419 comes while reading,
    after all good rows before the bad one. With ``on_bad`` reading goes on behind a bad record: a row; a line
    of N-Quads; a named graph whose time is missing or contradictory. Its error and its text go there, or with
    no text the error by which all the rest of a file is lost: a TriG or JSON-LD file that breaks the syntax,
    or CSV from where its quotes do not close, for what a row is there nobody can say. Raised is only what is
    about no record: EP401, EP418.
    """
    name = os.fspath(path)
    chosen = choose_format(name, format, is_mapped=mapping is not None)
    if at is not None and (mapping is not None or FORMATS[chosen].stream == "rows"):
        raise UsageError(
            "EP523",
            f"{name}: a time for all triples is for RDF files; {chosen} has its own times",
            hint="leave out --at",
        )
    if at is None and mapping is None and FORMATS[chosen].stream == "timeless":
        raise UsageError(
            "EP522",
            f"{name}: {chosen} has no times",
            hint="put all its triples at one instant with --at TIME, or give it as --background",
        )
    if prefixes and FORMATS[chosen].stream != "rows":
        hint = "leave it out: names are as the format has them"
        raise UsageError(
            "EP505", f"{name}: prefixes are for csv, ndjson and parquet, not {chosen}", hint=hint
        )
    if (name == "-" or is_url(name)) and chosen in _FROM_PATHS:
        where = "standard input" if name == "-" else "a source of messages"
        raise UsageError("EP524", f"{chosen.title()} cannot be read from {where}", hint="name the file")
    find = partial(
        _find,
        name,
        chosen,
        stdin=stdin,
        at=at,
        batch_rows=batch_rows,
        scope=scope,
        on_read=on_read,
        track=track,
        unit=time_unit,
        on_bad=on_bad,
        stream=None if stream == DEFAULT_STREAM else stream,
        mapping=mapping,
        prefixes=prefixes or {},
    )
    return _read(find, on_bad)


def open_streams(
    files: Sequence[str | os.PathLike[str] | StreamFile],
    *,
    format: str | None = None,  # noqa: A002
    at: int | None = None,
    batch_rows: int = BATCH_ROWS,
    stdin: int = STDIN,
    on_read: Callable[[int], None] | None = None,
    tracks: Sequence[Track] = (),
    time_unit: TimeUnit | None = None,
) -> Iterator[Batch]:
    """Batches of several files merged by end time; their blank nodes are kept apart.

    A `StreamFile` tells the IRI of the stream, too; several may be of one stream. With one file labels stay
    as they are, with more the ``n``-th gets the scope ``f<n>-``.
    There is one of ``tracks`` for each file, or none: they tell how far each was read.
    """
    several = len(files) > 1
    return merge(
        [
            open_stream(
                file.path if isinstance(file, StreamFile) else file,
                format=format,
                at=at,
                batch_rows=batch_rows,
                scope=f"f{number}-" if several else "",
                stdin=stdin,
                on_read=on_read,
                track=track,
                time_unit=time_unit,
                stream=file.stream if isinstance(file, StreamFile) else None,
                mapping=file.mapping if isinstance(file, StreamFile) else None,
                prefixes=file.prefixes if isinstance(file, StreamFile) else None,
            )
            for number, (file, track) in enumerate(zip_longest(files, tracks), 1)
        ],
        tracks,
    )


def open_bytes(
    content: bytes,
    format: str,  # noqa: A002
    *,
    name: str,
    stream: str | None = None,
    time_unit: TimeUnit | None = None,
    mapping: StreamMap | None = None,
    texts: TermTexts | None = None,
) -> Iterator[Batch]:
    """As `open_stream`, of bytes that messages call ``name``; not in a format that is read from a path.

    ``texts`` are those of bytes that were read before.
    """
    chosen = choose_format(name, format, is_mapped=mapping is not None)
    if chosen in _FROM_PATHS or (mapping is None and FORMATS[chosen].stream == "timeless"):
        hint = "send ndjson, csv, nquads or trig"
        raise UsageError("EP521", f"events cannot be sent in {chosen}", hint=hint)

    def find() -> Source:
        return Source(
            name,
            chosen,
            content,
            pipe=False,
            at=None,
            batch_rows=BATCH_ROWS,
            scope="",
            on_read=None,
            track=None,
            unit=time_unit,
            on_bad=None,
            stream=None if stream == DEFAULT_STREAM else stream,
            mapping=mapping,
            texts=texts,
        )

    return _read(find, None)


def choose_format(name: str, wanted: str | None, *, is_mapped: bool = False) -> str:
    """The format that a stream is in, of those for a mapping if it ``is_mapped``: the one that is wanted, or
    what its suffix tells.

    Raises UsageError (EP521) where there is no such format, or no such suffix.
    """
    formats = MAPPED_FORMATS if is_mapped else STREAM_FORMATS
    if wanted is not None:
        chosen = _ALIASES.get(wanted, wanted)
        if chosen not in formats:
            near = get_close_matches(wanted, [*formats, *_ALIASES], n=1)
            hint = f"{near[0]!r}?" if near else f"known are {', '.join(formats)}"
            raise UsageError("EP521", f"there is no stream format {wanted!r}", hint=hint)
        return chosen
    if is_url(name) and not name.startswith("follow:"):
        return "ndjson"
    if name == "-":
        *names, last = [name for name in formats if FORMATS[name].in_pieces]
        hint = f"add --stream-format {', '.join(names)} or {last}"
        raise UsageError("EP521", "standard input has no suffix to show its format", hint=hint)
    if Path(name).is_dir():
        raise unreadable(name, IsADirectoryError())
    suffix = Path(without_packing(name)).suffix.lower()
    suffixes = by_suffix(formats)
    if suffix not in suffixes:
        hint = _MEANT.get(suffix, f"use --stream-format with one of {', '.join(formats)}")
        raise UsageError("EP521", f"{name}: the suffix {suffix!r} is not that of a stream file", hint=hint)
    return suffixes[suffix].name


def _read(find: Callable[[], Source], on_bad: OnBad | None) -> Iterator[Batch]:
    try:
        yield from _all_of(find())
    except DataError as error:
        if error.code in _OF_NO_RECORD:
            raise
        refuse(on_bad, error, None)


def _all_of(source: Source) -> Iterator[Batch]:
    module = _AT_INSTANT if source.at is not None else FORMATS[source.format].reader
    if source.mapping is not None:
        module = _MAPPED
    batches = cast("Reader", import_module(module)).read(source)
    count = 0
    if source.track is not None:
        count = source.track.rows
        batches = source.track.stream(batches, source.name)
    for batch in batches:
        count += len(batch)
        yield batch
    if count == 0:
        _log.warning("%s: there is no event in it", source.name)


def _find(name: str, chosen: str, *, stdin: int, at: int | None, **options: Any) -> Source:
    if name == "-":
        return Source("standard input", chosen, stdin, pipe=True, at=at, **options)
    if is_url(name):
        from etalis_py.connectors.pipe import open_pipe

        return Source(name, chosen, open_pipe(name), pipe=True, at=at, **options)
    try:
        found = Path(name).stat()
    except OSError as error:
        raise unreadable(name, error) from error
    regular = stat.S_ISREG(found.st_mode)
    if regular and found.st_size == 0 and at is None:
        raise empty(name)
    return Source(name, chosen, None, pipe=not regular, at=at, **options)
