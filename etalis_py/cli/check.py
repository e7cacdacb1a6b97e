"""``etalis check``: whether queries can be run. Every file is looked at, whatever the others hold."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from etalis_py.cli.query_files import read_query
from etalis_py.cli.surroundings import add_surroundings, engine_options, registered
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
    options = engine_options(arguments)
    for path in arguments.queries:
        error = _fault(path, options)
        if error is None:
            print(f"{path}: ok")
        else:
            code = error.exit_code
            sys.stdout.flush()
            print(error, file=sys.stderr)
    return code


def _fault(path: str, options: Mapping[str, Any]) -> EtalisError | None:
    """What is wrong with one query. Errors that are not the query's are raised."""
    try:
        with registered(options, [read_query(path)]):
            return None
    except (QueryError, UsageError) as error:
        return error
