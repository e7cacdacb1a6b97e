"""What a user asks of ``etalis run``, checked as far as can be without reading a file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from etalis_py.cli.values import parse_count, parse_delay, parse_graphs, parse_moment
from etalis_py.engine_options import PolicyName
from etalis_py.errors import UsageError

__all__ = ["Entailment", "Request", "refuse_twice", "request_of"]

Entailment = Literal["rdfs", "none"]


@dataclass(frozen=True, slots=True)
class Request:
    """One run. Times and durations are microseconds.

    ``on_late`` is what happens to an element that is late even so after re-ordering within ``delay`` (0: no
    re-ordering). ``output`` None is standard output. ``results`` None: told by where the output goes.
    ``graphs``: files by the IRI of their graph. ``rates``: as it was written. ``final``: only the last rows
    of each query, when all is read. ``why``: with what each answer is made of, of the
    queries with these names, or of all; ``pictures``: the folder for pictures of that.
    ``progress``: tell what was counted.
    """

    queries: tuple[str, ...]
    streams: tuple[str, ...]
    background: tuple[str, ...]
    graphs: dict[str, tuple[str, ...]]
    rules: tuple[str, ...]
    entailment: Entailment
    policy: PolicyName
    on_late: Literal["error", "drop"]
    delay: int
    stream_format: str | None
    at: int | None
    max_derivations: int
    rates: str | None
    results: str | None
    output: str | None
    final: bool
    why: tuple[str, ...] | None
    pictures: str | None
    progress: bool
    quiet: bool
    verbose: bool


def request_of(arguments: argparse.Namespace) -> Request:
    """Check the arguments of ``etalis run``.

    Raises:
        UsageError: EP501 arguments that exclude each other, EP505 a value that cannot be read.
    """
    if not arguments.streams and arguments.at is None:
        hint = "--stream FILE; or --at TIME, to ask the background alone"
        raise UsageError("EP501", "there is no stream to read", hint=hint)
    refuse_twice(arguments.streams)
    delay = 0 if arguments.on_late in ("error", "drop") else parse_delay(arguments.on_late, "--on-late")
    return Request(
        queries=tuple(arguments.queries),
        streams=tuple(arguments.streams),
        background=tuple(arguments.background),
        graphs=parse_graphs(arguments.graphs),
        rules=tuple(arguments.rules),
        entailment=cast("Entailment", arguments.entailment),
        policy=cast("PolicyName", arguments.policy),
        on_late="drop" if arguments.on_late == "drop" else "error",
        delay=delay,
        stream_format=arguments.stream_format,
        at=None if arguments.at is None else parse_moment(arguments.at, "--at"),
        max_derivations=parse_count(arguments.max_derivations, "--max-derivations"),
        rates=arguments.rates,
        results=arguments.results,
        output=arguments.output,
        final=arguments.final,
        why=_why(arguments),
        pictures=arguments.pictures,
        progress=arguments.progress,
        quiet=arguments.quiet,
        verbose=arguments.verbose,
    )


def _why(arguments: argparse.Namespace) -> tuple[str, ...] | None:
    if arguments.why is None:
        return None if arguments.pictures is None else ()
    return tuple(arguments.why)


def refuse_twice(streams: Sequence[str]) -> None:
    """Refuse standard input where it is named twice.

    Raises:
        UsageError: EP501.
    """
    if streams.count("-") > 1:
        raise UsageError("EP501", "standard input can be read once only", hint="give one --stream -")
