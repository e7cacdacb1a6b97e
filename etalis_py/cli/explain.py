"""``etalis explain``: what the compiler makes of queries, stage by stage, or where their time goes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final

from etalis_py.cli.profile import add_profile_options, refuse_without_profile, run_profile
from etalis_py.cli.query_files import QueryFile, read_queries
from etalis_py.cli.rates import add_rates
from etalis_py.cli.surroundings import add_surroundings, engine_options, registered

__all__ = ["add_arguments", "run"]

_SHOWN: Final = ("algebra", "plan", "rules")
_STAGES: Final = ("syntax", "algebra", "plan", "rules", "prolog")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the command."""
    parser.epilog = (
        "examples:\n  etalis explain fall.rq --stage plan\n  etalis explain fall.rq --profile prices.csv"
    )
    parser.add_argument("queries", nargs="+", metavar="QUERY.rq", help="query files")
    parser.add_argument(
        "--stage", choices=_STAGES, metavar="STAGE",
        help="syntax, algebra, plan, rules or prolog (default: algebra, plan and rules)",
    )  # fmt: skip
    add_surroundings(parser)
    add_rates(parser)
    add_profile_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the stages, or the profile; the exit code."""
    files = read_queries(arguments.queries)
    if arguments.profile:
        return run_profile(arguments, files)
    refuse_without_profile(arguments)
    if arguments.stage == "syntax":
        print("\n\n".join(text for file in files for text in _syntax(file)))
    else:
        _print_stages(files, arguments)
    return 0


def _syntax(file: QueryFile) -> list[str]:
    from etalis_py.compiler.parser import parse_program
    from etalis_py.compiler.syntax_printer import print_syntax

    return [print_syntax(query) for query in parse_program(file.text, source=file.path)]


def _print_stages(files: Sequence[QueryFile], arguments: argparse.Namespace) -> None:
    from etalis_py.compiler.explain import explain
    from etalis_py.compiler.sharing_printer import sharing_text

    with registered(engine_options(arguments), files, arguments.rates) as (engine, names):
        parts = []
        queries = [*map(engine.query, names), *engine.state_queries]
        for query in queries:
            for stage in [arguments.stage] if arguments.stage else _SHOWN:
                title = [_heading(query.name, stage, len(queries))]
                title = [] if len(queries) == 1 and arguments.stage else title
                parts.append("\n".join([*title, explain(query, stage, engine.knowledge.triggers)]))
        shared = sharing_text(queries)
        if shared and arguments.stage in (None, "plan"):
            parts.append(f"--- computed once ---\n{shared}")
    print("\n\n".join(parts))


def _heading(name: str, stage: str, count: int) -> str:
    comment = "% " if stage == "prolog" else ""
    return f"{comment}--- {stage}{f' of {name}' if count > 1 else ''} ---"
