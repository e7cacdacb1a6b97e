"""``etalis check``: whether queries can be run. Every file is looked at, whatever the others hold."""

from __future__ import annotations

import argparse
import sys

from etalis_py.cli.explain import add_surroundings
from etalis_py.cli.query_files import read_query
from etalis_py.cli.values import parse_graphs
from etalis_py.errors import EtalisError, QueryError, UsageError

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the command."""
    parser.epilog = "example:\n  etalis check queries/*.rq"
    parser.add_argument(
        "queries", nargs="+", metavar="QUERY.rq", help="query files; each is checked by itself"
    )
    add_surroundings(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print ``ok`` for each good file, its error for any other; 2 if there was one."""
    code = 0
    for path in arguments.queries:
        error = _fault(path, arguments)
        if error is None:
            print(f"{path}: ok")
        else:
            code = error.exit_code
            sys.stdout.flush()
            print(error, file=sys.stderr)
    return code


def _fault(path: str, arguments: argparse.Namespace) -> EtalisError | None:
    """What is wrong with one query. Errors that are not the query's are raised."""
    from etalis_py.engine import Engine

    graphs = parse_graphs(arguments.graphs)
    try:
        file = read_query(path)
        with Engine(
            arguments.background, graphs=graphs, rules=arguments.rules, policy=arguments.policy
        ) as engine:
            engine.register(file.text, name=file.name, source=file.path, base=file.base)
    except (QueryError, UsageError) as error:
        return error
    return None
