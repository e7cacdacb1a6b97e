"""``etalis shell``: queries, events and Prolog questions, one after the other, over one engine."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from etalis_py.cli.engine_options import LIMITS, SURROUNDINGS, add_engine_options, engine_options
from etalis_py.cli.stream_options import add_map, add_time_unit, map_of
from etalis_py.engine.options import OPTIONS

__all__ = ["add_arguments", "run"]

_EPILOG = """\
examples:
  etalis shell fall.rq --background companies.ttl --rules mine.pl
  etalis shell < session.etalis

:help in the shell lists the commands.
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
    add_engine_options(parser, *SURROUNDINGS, "entailment", "on_late", *LIMITS)
    add_map(parser)
    add_time_unit(parser)
    parser.add_argument(
        "--sandbox", action="store_true",
        help="admit only Prolog goals that SWI-Prolog's library(sandbox) calls safe",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Read statements until there are no more; the exit code."""
    from etalis_py.shell.answers import Printer
    from etalis_py.shell.loop import Shell
    from etalis_py.shell.session import Session

    printer = Printer()
    session = Session(
        engine_options(arguments),
        sandbox=arguments.sandbox,
        time_unit=arguments.time_unit,
        mapping=map_of(arguments),
    )
    try:
        interactive = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        shell = Shell(session, _source(session, interactive=interactive), printer, _beginning(arguments))
        for path in arguments.queries:
            shell.load(path)
        if interactive:
            printer.line(
                "EP-SPARQL queries, :commands, and Prolog after ?-; :help lists the commands, Ctrl-D ends."
            )
        shell.run()
    finally:
        session.close()
    return 0


def _source(session: Any, *, interactive: bool) -> Any:
    if interactive:
        from etalis_py.shell.terminal import Terminal

        return Terminal(session)
    from io import StringIO

    from etalis_py.shell.piped import Piped

    return Piped(StringIO() if sys.stdin is None else sys.stdin)


def _beginning(arguments: argparse.Namespace) -> list[str]:
    """Statements that do what the options do, for ``:save``; a comment for an option without one."""
    given = {name: words for name, words in vars(arguments).items() if name in OPTIONS}
    lines = [f":load {path}" for name in ("background", "rules") for path in given.pop(name, ())]
    if "policy" in given:
        lines.append(f":policy {given.pop('policy')}")
    others = [f"{OPTIONS[name].flag} {_words(words)}" for name, words in given.items()]
    if arguments.map is not None:
        others.append(f"--map {arguments.map}")
    if arguments.time_unit is not None:
        others.append(f"--time-unit {arguments.time_unit}")
    return ([f"# etalis shell {' '.join(others)}", ""] if others else []) + lines


def _words(words: str | list[str]) -> str:
    return words if isinstance(words, str) else " ".join(words)
