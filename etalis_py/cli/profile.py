"""``etalis explain --profile``: runs a stream through the queries, and measures each rule's part in it."""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from etalis_py.cli.engine_options import add_engine_options, engine_options
from etalis_py.cli.heads import late_text
from etalis_py.cli.interrupts import Interrupts
from etalis_py.cli.progress import Progress, total_size
from etalis_py.cli.query_engines import register
from etalis_py.cli.query_files import QueryFile
from etalis_py.cli.rates import rates_for
from etalis_py.cli.request import refuse_twice
from etalis_py.cli.stream_options import add_stream_options, add_streams, streams_of
from etalis_py.core.errors import UsageError

if TYPE_CHECKING:
    from etalis_py.engine.matches import Match
    from etalis_py.profiling.engine import ProfilingEngine
    from etalis_py.profiling.report import Profile
    from etalis_py.streams import Batch

__all__ = ["add_profile_options", "refuse_without_profile", "run_profile"]

_log = logging.getLogger(__name__)
_OPTIONS = {
    "stream_format": "--stream-format",
    "map": "--map",
    "prefix": "--prefix",
    "on_late": "--on-late",
    "format": "--format",
}
"""Options that speak of the run alone."""


def add_profile_options(parser: argparse.ArgumentParser) -> None:
    """The options for a profile."""
    group = parser.add_argument_group("profile")
    add_streams(
        group,
        "run event streams through the queries, and show what each operator does and what it costs",
        "--profile",
    )
    add_stream_options(group)
    add_engine_options(group, "on_late")
    group.add_argument("--format", choices=("table", "json"), help="form of the profile (default: table)")


def refuse_without_profile(arguments: argparse.Namespace) -> None:
    """Refuse options of a profile where none is asked for.

    Raises:
        UsageError: EP501.
    """
    for name, option in _OPTIONS.items():
        if getattr(arguments, name, None) is not None:
            raise UsageError("EP501", f"{option} needs --profile", hint="add --profile STREAM")


def run_profile(arguments: argparse.Namespace, files: Sequence[QueryFile]) -> int:
    """Print the profile; the exit code. After Ctrl-C it is that of the part that was run.

    Raises:
        EtalisError: whatever is wrong with queries, arguments or data, or happens while running.
    """
    if arguments.stage is not None:
        raise UsageError("EP501", "--stage and --profile exclude each other", hint="leave out one of them")
    from etalis_py.profiling.engine import ProfilingEngine
    from etalis_py.streams import open_streams

    streamed = streams_of(arguments.profile, arguments, "--profile")
    refuse_twice(streamed, arguments.queries)
    progress = Progress(wanted=True, total=total_size(streamed, arguments.stream_format))
    streams = open_streams(
        streamed,
        format=arguments.stream_format,
        on_read=progress.on_read,
        time_unit=arguments.time_unit,
    )
    stopped = None
    options = engine_options(arguments)
    with Interrupts() as interrupts, ProfilingEngine(**options.keywords()) as engine:
        rates = rates_for(arguments.rates, engine, files, options.policy, arguments.time_unit)
        for file in files:
            register(engine, file, on_match=_forget, rates=rates)
        try:
            _feed(engine, progress.watch(streams), interrupts)
        except KeyboardInterrupt as interrupt:
            stopped = interrupt
    if engine.late:
        _log.warning("%s", late_text(engine.late))
    _print(engine.profile(), arguments.format)
    if stopped is not None:
        raise stopped
    return 0


def _feed(engine: ProfilingEngine, batches: Iterator[Batch], interrupts: Interrupts) -> None:
    for batch in engine.reading(batches):
        with interrupts.held():
            engine.send_encoded(batch)


def _forget(_match: Match) -> None:
    """Answers are counted, and not kept."""


def _print(profile: Profile, form: str | None) -> None:
    if form == "json":
        print(json.dumps(profile.as_json(), ensure_ascii=False, indent=2))
        return
    from etalis_py.cli.profile_table import print_profile

    print_profile(profile)
