"""``etalis shell``: queries, events and Prolog questions, one after the other, over one engine."""

from __future__ import annotations

import argparse
import sys
from datetime import timedelta
from typing import Any

from etalis_py.cli.limits import add_limits, limits_from
from etalis_py.cli.surroundings import add_surroundings, engine_options
from etalis_py.cli.values import add_time_unit, parse_count, parse_delay

__all__ = ["add_arguments", "run"]

_EPILOG = """\
examples:
  etalis shell fall.rq --background companies.ttl --rules mine.pl
  etalis shell < session.etalis

:help in the shell tells what can be said.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the command."""
    parser.epilog = _EPILOG
    parser.add_argument(
        "queries",
        nargs="*",
        metavar="FILE",
        help="files to begin with: queries, or statements, as :load takes them",
    )
    add_surroundings(parser)
    parser.add_argument(
        "--entailment", choices=("rdfs", "none"), default="rdfs",
        help="what background entails, with the stream too (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--on-late", default="error", metavar="error|drop|DURATION",
        help="an element older than what is settled: an error, dropped and counted, or re-ordered within a "
        "duration such as 5s, 100ms or PT1M (default: %(default)s)",
    )  # fmt: skip
    add_time_unit(parser)
    parser.add_argument(
        "--max-derivations", default="5000", metavar="N",
        help="most triples that CONSTRUCT queries may add within one instant (default: %(default)s)",
    )  # fmt: skip
    add_limits(parser)
    parser.add_argument(
        "--sandbox", action="store_true",
        help="admit only Prolog goals that SWI-Prolog's library(sandbox) calls safe",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Read statements until there are no more; the exit code."""
    from etalis_py.shell.answers import Printer
    from etalis_py.shell.loop import Shell
    from etalis_py.shell.session import Session

    options = _options(arguments)
    printer = Printer()
    session = Session(options, sandbox=arguments.sandbox, time_unit=arguments.time_unit)
    try:
        interactive = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        shell = Shell(session, _source(session, interactive=interactive), printer, _beginning(arguments))
        for path in arguments.queries:
            shell.load(path)
        if interactive:
            printer.line("EP-SPARQL queries, :commands, and Prolog after ?-; :help tells more, Ctrl-D ends.")
        shell.run()
    finally:
        session.close()
    return 0


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    late: Any = arguments.on_late
    if late not in ("error", "drop"):
        late = timedelta(microseconds=parse_delay(late, "--on-late"))
    return {
        **engine_options(arguments),
        "entailment": arguments.entailment,
        "on_late": late,
        "max_derivations": parse_count(arguments.max_derivations, "--max-derivations"),
        **limits_from(arguments).options,
    }


def _source(session: Any, *, interactive: bool) -> Any:
    if interactive:
        from etalis_py.shell.terminal import Terminal

        return Terminal(session)
    from io import StringIO

    from etalis_py.shell.piped import Piped

    return Piped(StringIO() if sys.stdin is None else sys.stdin)


def _beginning(arguments: argparse.Namespace) -> list[str]:
    """Statements that do what the options do, for ``:save``; a comment where there is none."""
    lines = [f":load {path}" for path in (*arguments.background, *arguments.rules)]
    if arguments.policy != "unrestricted":
        lines.append(f":policy {arguments.policy}")
    others = [f"--graph {each}" for each in arguments.graphs]
    if arguments.functions:
        others.append(f"--functions {arguments.functions}")
    if arguments.entailment != "rdfs":
        others.append(f"--entailment {arguments.entailment}")
    if arguments.time_unit is not None:
        others.append(f"--time-unit {arguments.time_unit}")
    if arguments.on_late != "error":
        others.append(f"--on-late {arguments.on_late}")
    return ([f"# etalis shell {' '.join(others)}", ""] if others else []) + lines
