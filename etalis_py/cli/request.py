"""What a user asks of ``etalis run``, checked as far as can be without reading a file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from etalis_py.cli.engine_options import engine_options
from etalis_py.cli.stream_options import streams_of
from etalis_py.connectors import is_url
from etalis_py.core.errors import UsageError
from etalis_py.core.times import TimeUnit
from etalis_py.core.value_class import value_class
from etalis_py.engine.option_values import parse_delay
from etalis_py.engine.options import EngineOptions
from etalis_py.streams import StreamFile

if TYPE_CHECKING:
    from etalis_py.compiler.languages.language_names import LanguageName

__all__ = ["Request", "refuse_twice", "request_of"]


@value_class
class Request:
    """One run of queries in files, and of ``texts`` of queries. Times and durations are microseconds.

    ``options`` are those of the engine. ``output`` None is standard output. ``results`` None: chosen by where
    the output goes. ``rates``: as it was written. ``final``: only the last rows of each query, when all is
    read. ``why``: with what each answer is made of, of the queries with these names, or of all;
    ``pictures``: the folder for pictures of that.
    ``progress``: tell what was counted. ``state``: the folder that the run is kept in, every ``state_every``.
    ``warnings``: what becomes of warnings, where that was said. ``language``: that of the queries, likewise.
    """

    queries: tuple[str, ...]
    texts: tuple[str, ...]
    streams: tuple[StreamFile, ...]
    options: EngineOptions
    stream_format: str | None
    time_unit: TimeUnit | None
    rates: str | None
    results: str | None
    output: str | None
    final: bool
    why: tuple[str, ...] | None
    pictures: str | None
    progress: bool
    state: str | None
    state_every: int | None
    quiet: bool
    verbose: bool
    warnings: str | None = None
    language: LanguageName | None = None

    @property
    def is_live(self) -> bool:
        """Whether a stream may have no end."""
        return any(file.is_live for file in self.streams)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files of the streams; ``-`` for standard input."""
        return tuple(file.path for file in self.streams)


def request_of(arguments: argparse.Namespace) -> Request:
    """Check the arguments of ``etalis run``.

    Raises:
        DataError: EP401 a folder or a pattern without files, EP431 to EP434 for --map.
        UsageError: EP501, EP516 arguments that exclude each other, EP505 a value that cannot be read, EP510
            and EP511 for functions.
    """
    options = engine_options(arguments)
    if not arguments.streams and options.at is None:
        hint = "--stream FILE; or --at TIME, to ask the background alone"
        if len(arguments.queries) > 1 and not arguments.queries[-1].endswith((".rq", ".sparql")):
            hint = f"--stream {arguments.queries[-1]}?"
        raise UsageError("EP501", "there is no stream to read", hint=hint)
    streams = streams_of(arguments.streams, arguments)
    refuse_twice(streams, arguments.queries)
    return Request(
        queries=tuple(arguments.queries),
        texts=tuple(arguments.texts),
        language=arguments.language,
        streams=tuple(streams),
        options=options,
        stream_format=arguments.stream_format,
        time_unit=arguments.time_unit,
        rates=arguments.rates,
        results=arguments.results,
        output=arguments.output,
        final=arguments.final,
        why=_why(arguments),
        pictures=arguments.pictures,
        progress=arguments.progress,
        state=_state(arguments, options, streams),
        state_every=None
        if arguments.state_every is None
        else parse_delay(arguments.state_every, "--state-every"),
        quiet=arguments.quiet,
        warnings=arguments.warnings,
        verbose=arguments.verbose,
    )


def _why(arguments: argparse.Namespace) -> tuple[str, ...] | None:
    if arguments.why is None:
        return None if arguments.pictures is None else ()
    return tuple(arguments.why)


def _state(
    arguments: argparse.Namespace, options: EngineOptions, streams: Sequence[StreamFile]
) -> str | None:
    """The folder of ``--state``.

    Raises:
        UsageError: EP501, EP516, an option that does not go with it.
    """
    state: str | None = arguments.state
    if state is None:
        if arguments.state_every is not None:
            raise UsageError(
                "EP501", "--state-every needs --state FOLDER", hint="leave it out, or add --state"
            )
        return None
    if arguments.output is None:
        hint = "add --output FILE: what was written after the last checkpoint is cut off and written again"
        raise UsageError("EP516", "--state needs a file for the results", hint=hint)
    refused = {
        "--engine spark": arguments.engine == "spark",
        "--at": options.at is not None,
        "--why": arguments.why is not None or arguments.pictures is not None,
        "a source of messages": any(is_url(file.path) for file in streams),
        "--rates measure": (arguments.rates or "").partition(":")[0] == "measure",
    }
    for option, given in refused.items():
        if given:
            raise UsageError("EP516", f"{option} does not go with --state", hint="leave out one of them")
    return state


def refuse_twice(streams: Sequence[StreamFile], queries: Sequence[str]) -> None:
    """Refuse standard input where it is named twice, for streams and queries.

    Raises:
        UsageError: EP501.
    """
    if [*(file.path for file in streams), *queries].count("-") > 1:
        raise UsageError(
            "EP501", "standard input can be read only once", hint="give one --stream - or query -"
        )
