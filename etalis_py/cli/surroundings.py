"""What a query is compiled with besides its text: the options for it, and an engine that has it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from etalis_py.cli.query_files import QueryFile
from etalis_py.cli.rates import rates_for
from etalis_py.cli.values import parse_graphs
from etalis_py.compiler.algebra.policies import POLICIES
from etalis_py.engine.functions import Function, load_functions

if TYPE_CHECKING:
    from etalis_py.core.times import TimeUnit
    from etalis_py.engine.engine import Engine

__all__ = ["add_functions", "add_surroundings", "engine_options", "functions_of", "register", "registered"]


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
    add_functions(parser)
    parser.add_argument(
        "--policy", choices=POLICIES, default="unrestricted",
        help="which combinations are answers, where the query does not say it itself (default: %(default)s)",
    )  # fmt: skip


def add_functions(parser: argparse._ActionsContainer) -> None:
    """The option for Python functions."""
    parser.add_argument(
        "--functions", metavar="MODULE:NAME",
        help="Python functions that the query calls by IRI: a dictionary NAME in a module",
    )  # fmt: skip


def functions_of(arguments: argparse.Namespace) -> dict[str, Function]:
    """The functions that ``--functions`` names.

    Raises:
        UsageError: EP510, EP511.
    """
    return load_functions(arguments.functions) if arguments.functions else {}


def engine_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The arguments of an `Engine`.

    Raises:
        UsageError: EP505, a value that cannot be read; EP510, EP511 for functions.
    """
    return {
        "background": arguments.background,
        "graphs": parse_graphs(arguments.graphs),
        "rules": arguments.rules,
        "functions": functions_of(arguments),
        "policy": arguments.policy,
    }


@contextmanager
def registered(
    options: Mapping[str, Any],
    files: Sequence[QueryFile],
    rates: str | None = None,
    time_unit: TimeUnit | None = None,
) -> Iterator[tuple[Engine, list[str]]]:
    """An engine, opened with ``options``, with the queries of the files, and their names.

    ``rates`` is what ``--rates`` says, ``time_unit`` that of a stream it names.
    """
    from etalis_py.engine.engine import Engine

    with Engine(**options) as engine:
        known = rates_for(rates, engine, files, options["policy"], time_unit)
        yield engine, [name for file in files for name in register(engine, file, rates=known)]


def register(engine: Engine, file: QueryFile, **options: Any) -> list[str]:
    """Register the queries of a file, ``options`` as those of `Engine.register`; their names."""
    return engine.register(file.text, name=file.name, source=file.path, base=file.base, **options)
