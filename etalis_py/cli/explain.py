"""``etalis explain``: what the compiler makes of a query, stage by stage."""

from __future__ import annotations

import argparse
from typing import Final

from etalis_py.cli.query_files import QueryFile, read_query
from etalis_py.cli.values import parse_graphs
from etalis_py.engine_options import POLICIES

__all__ = ["add_arguments", "run"]

_SHOWN: Final = ("algebra", "plan", "rules")
_STAGES: Final = ("syntax", "algebra", "plan", "rules", "prolog")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the command."""
    parser.epilog = "example:\n  etalis explain fall.rq --stage plan"
    parser.add_argument("query", metavar="QUERY.rq", help="a query file")
    parser.add_argument(
        "--stage", choices=_STAGES, metavar="STAGE",
        help="syntax, algebra, plan, rules or prolog (default: algebra, plan and rules)",
    )  # fmt: skip
    add_surroundings(parser)


def add_surroundings(parser: argparse.ArgumentParser) -> None:
    """The options for what a query is compiled with."""
    parser.add_argument(
        "--background", nargs="+", action="extend", default=[], metavar="FILE",
        help="background knowledge that the query is to be run with",
    )  # fmt: skip
    parser.add_argument(
        "--graph", dest="graphs", nargs="+", action="extend", default=[], metavar="IRI=FILE",
        help="background that only GRAPH and FROM see: an RDF file as the named graph IRI",
    )  # fmt: skip
    parser.add_argument(
        "--rules", nargs="+", action="extend", default=[], metavar="FILE.pl",
        help="Prolog files with predicates that the query calls",
    )  # fmt: skip
    parser.add_argument(
        "--policy", choices=POLICIES, default="unrestricted",
        help="which combinations are answers, where the query does not say it itself (default: %(default)s)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Print the stages; the exit code."""
    file = read_query(arguments.query)
    if arguments.stage == "syntax":
        _print_syntax(file)
    else:
        _print_stages(file, arguments)
    return 0


def _print_syntax(file: QueryFile) -> None:
    from etalis_py.compiler.parser import parse_program
    from etalis_py.compiler.syntax_printer import print_syntax

    print("\n\n".join(print_syntax(query) for query in parse_program(file.text, source=file.path)))


def _print_stages(file: QueryFile, arguments: argparse.Namespace) -> None:
    from etalis_py.compiler.explain import explain
    from etalis_py.engine import Engine

    graphs = parse_graphs(arguments.graphs)
    with Engine(
        arguments.background, graphs=graphs, rules=arguments.rules, policy=arguments.policy
    ) as engine:
        names = engine.register(file.text, name=file.name, source=file.path, base=file.base)
        parts = []
        for name in names:
            query = engine.query(name)
            for stage in [arguments.stage] if arguments.stage else _SHOWN:
                title = [] if len(names) == 1 and arguments.stage else [_heading(name, stage, len(names))]
                parts.append("\n".join([*title, explain(query, stage, engine.knowledge.triggers)]))
    print("\n\n".join(parts))


def _heading(name: str, stage: str, count: int) -> str:
    comment = "% " if stage == "prolog" else ""
    return f"{comment}--- {stage}{f' of {name}' if count > 1 else ''} ---"
