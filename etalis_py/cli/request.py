"""What a user asks of ``etalis run``, checked as far as can be without reading a file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from etalis_py.cli.limits import limits_from
from etalis_py.cli.surroundings import functions_of
from etalis_py.cli.values import parse_count, parse_delay, parse_graphs, parse_moment
from etalis_py.compiler.algebra.policies import PolicyName
from etalis_py.core.errors import UsageError
from etalis_py.core.times import TimeUnit
from etalis_py.engine.functions import FunctionTable
from etalis_py.engine.limits import Limits

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
    ``progress``: tell what was counted. ``state``: the folder that the run is kept in, every ``state_every``.
    ``warnings``: what becomes of warnings, where that was said.
    """

    queries: tuple[str, ...]
    streams: tuple[str, ...]
    background: tuple[str, ...]
    graphs: dict[str, tuple[str, ...]]
    rules: tuple[str, ...]
    functions: FunctionTable
    entailment: Entailment
    policy: PolicyName
    on_late: Literal["error", "drop"]
    delay: int
    stream_format: str | None
    time_unit: TimeUnit | None
    at: int | None
    max_derivations: int
    limits: Limits
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


def request_of(arguments: argparse.Namespace) -> Request:
    """Check the arguments of ``etalis run``.

    Raises:
        UsageError: EP501, EP516 arguments that exclude each other, EP505 a value that cannot be read, EP510
            and EP511 for functions.
    """
    if not arguments.streams and arguments.at is None:
        hint = "--stream FILE; or --at TIME, to ask the background alone"
        if len(arguments.queries) > 1 and not arguments.queries[-1].endswith((".rq", ".sparql")):
            hint = f"--stream {arguments.queries[-1]}?"
        raise UsageError("EP501", "there is no stream to read", hint=hint)
    refuse_twice(arguments.streams)
    delay = 0 if arguments.on_late in ("error", "drop") else parse_delay(arguments.on_late, "--on-late")
    return Request(
        queries=tuple(arguments.queries),
        streams=tuple(arguments.streams),
        background=tuple(arguments.background),
        graphs=parse_graphs(arguments.graphs),
        rules=tuple(arguments.rules),
        functions=functions_of(arguments),
        entailment=cast("Entailment", arguments.entailment),
        policy=cast("PolicyName", arguments.policy),
        on_late="drop" if arguments.on_late == "drop" else "error",
        delay=delay,
        stream_format=arguments.stream_format,
        time_unit=arguments.time_unit,
        at=None if arguments.at is None else parse_moment(arguments.at, "--at"),
        max_derivations=parse_count(arguments.max_derivations, "--max-derivations"),
        limits=limits_from(arguments),
        rates=arguments.rates,
        results=arguments.results,
        output=arguments.output,
        final=arguments.final,
        why=_why(arguments),
        pictures=arguments.pictures,
        progress=arguments.progress,
        state=_state(arguments),
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


def _state(arguments: argparse.Namespace) -> str | None:
    """The folder of ``--state``.

    Raises:
        UsageError: EP501, EP516, an option that does not go with it.
    """
    state: str | None = arguments.state
    if state is None:
        if arguments.state_every is not None:
            raise UsageError(
                "EP501", "--state-every is for --state FOLDER", hint="leave it out, or add --state"
            )
        return None
    if arguments.output is None:
        hint = (
            "add --output FILE: what was written after the last checkpoint is cut off there, and written anew"
        )
        raise UsageError("EP516", "--state needs a file for the results", hint=hint)
    refused = {
        "--engine spark": arguments.engine == "spark",
        "--at": arguments.at is not None,
        "--why": arguments.why is not None or arguments.pictures is not None,
        "--rates measure": (arguments.rates or "").partition(":")[0] == "measure",
    }
    for option, given in refused.items():
        if given:
            raise UsageError("EP516", f"{option} does not go with --state", hint="leave out one of them")
    return state


def refuse_twice(streams: Sequence[str]) -> None:
    """Refuse standard input where it is named twice.

    Raises:
        UsageError: EP501.
    """
    if streams.count("-") > 1:
        raise UsageError("EP501", "standard input can be read once only", hint="give one --stream -")
