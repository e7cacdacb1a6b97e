"""One call: the matches of a query in events that are all there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from typing_extensions import Unpack

from etalis_py.core.times import TimeUnit
from etalis_py.engine.engine import Engine
from etalis_py.engine.match_sequence import Matches
from etalis_py.engine.option_values import FileNames, check_time_unit
from etalis_py.engine.options import EngineKeywords
from etalis_py.streams.finding import found_files
from etalis_py.streams.mapping.mapped_tables import MapFile, mapping_of
from etalis_py.streams.opening import open_streams
from etalis_py.streams.stream_file import StreamFile

__all__ = ["run", "send_events"]


def run(
    query: str,
    events: Any,
    background: FileNames = (),
    *,
    map: MapFile | None = None,  # noqa: A002 - the word of the command line
    time_unit: TimeUnit | None = None,
    **options: Unpack[EngineKeywords],
) -> Matches:
    """The matches of the query or queries of a text in ``events``: a table as ``Engine.send_batch`` takes it,
    the path of a stream file, of a folder of them or a pattern, or several, whose events are merged by their
    ends. ``IRI=FILE`` names the stream of a file.

    ``map`` is a file in YARRRML (docs/data.md), for files and tables with other columns. ``time_unit``
    (``"s"``, ``"ms"``, ``"us"``) is that of times that are numbers. The other options are those of
    `EngineOptions`.

    >>> events = {
    ...     "start": [1, 5], "s": ["<urn:a>"] * 2, "p": ["<urn:heat>"] * 2, "o": ['"20"', '"35"'],
    ... }
    >>> len(run("SELECT ?x { ?x <urn:heat> '20' } SEQ { ?x <urn:heat> '35' }", events))
    1

    Raises:
        QuerySyntaxError, CompileError: for the query.
        DataError: EP4xx for events that cannot be read. An `Engine` keeps the matches before them.
        UsageError: for an option, or a file of no known format (EP521).
        RunTimeError: EP3xx.
    """
    check_time_unit(time_unit)
    with Engine(background, **options) as engine:
        engine.register(query)
        for _ in send_events(engine, events, map=map, time_unit=time_unit):
            pass
        engine.finish()
        return engine.matches()


def send_events(
    engine: Engine,
    events: Any,
    *,
    map: MapFile | None = None,  # noqa: A002 - as of `run`
    time_unit: TimeUnit | None = None,
) -> Iterator[int]:
    """Send events as `run` takes them, and say how many there were so far; 0 after a table.

    Raises:
        DataError, UsageError, RunTimeError: as `run`. What came before is sent.
    """
    files = _files(events, map)
    if files is None:
        engine.send_batch(events, time_unit=time_unit, map=map)
        yield 0
        return
    sent = 0
    for batch in open_streams(files, time_unit=time_unit):
        engine.send_encoded(batch)
        sent += len(batch)
        yield sent


def _files(events: Any, mapping: MapFile | None) -> list[StreamFile] | None:
    """The files of which the events are; None, if these are a table."""
    files = events if isinstance(events, (list, tuple)) and events else [events]
    if not all(isinstance(each, (str, os.PathLike, StreamFile)) for each in files):
        return None
    said = None if mapping is None else mapping_of(mapping)
    given = [
        each if isinstance(each, StreamFile) else StreamFile.parse(os.fspath(each), "events")
        for each in files
    ]
    return found_files(given if said is None else [replace(each, mapping=said) for each in given])
