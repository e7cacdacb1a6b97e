"""``etalis explain``: what the compiler makes of queries, or where their time goes; what a code means."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from textwrap import indent
from typing import TYPE_CHECKING, Final

from etalis_py.cli.engine_options import SURROUNDINGS, add_engine_options, engine_options
from etalis_py.cli.messages import add_warnings
from etalis_py.cli.profile import add_profile_options, refuse_without_profile, run_profile
from etalis_py.cli.query_engines import registered
from etalis_py.cli.query_files import QueryFile, add_queries, read_queries
from etalis_py.cli.rates import add_rates
from etalis_py.core.errors import UsageError

if TYPE_CHECKING:
    from etalis_py.engine.engine import Engine

__all__ = ["add_arguments", "run"]

_EPILOG: Final = """\
examples:
  etalis explain fall.rq --stage plan
  etalis explain fall.rq --profile prices.csv
  etalis explain fall.rq --svg > plan.svg
  etalis explain EP413
"""
_is_code: Final = re.compile(r"E[PW][0-9]+", re.IGNORECASE).fullmatch
_STAGES: Final = ("syntax", "algebra", "plan", "rules", "prolog", "lars", "stages", "spark", "threads")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the command."""
    parser.epilog = _EPILOG
    add_queries(parser, "query files, or codes of messages")
    parser.add_argument(
        "--stage", choices=_STAGES, metavar="STAGE",
        help="syntax, algebra, plan, rules or prolog (default: the plan on one screen); lars: the query as "
        "rules of LARS, with window operators; stages: what runs together on Spark, and by which key; spark: "
        "that, and the plan that Spark makes of it; threads: how --threads of etalis run shares the work",
    )  # fmt: skip
    drawing = parser.add_mutually_exclusive_group()
    drawing.add_argument(
        "--svg", action="store_true", help="draw the plan as an SVG picture on standard output"
    )
    drawing.add_argument(
        "--mermaid",
        action="store_true",
        help="draw the plan as a Mermaid flow chart, which Markdown viewers show",
    )
    add_engine_options(parser, *SURROUNDINGS)
    add_warnings(parser)
    add_rates(parser)
    add_profile_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the stages, or the profile; the exit code."""
    if any(map(_is_code, arguments.queries)):
        _print_codes(arguments.queries)
        return 0
    files = read_queries(arguments.queries, arguments.texts, arguments.language)
    if arguments.profile:
        return run_profile(arguments, files)
    refuse_without_profile(arguments)
    if arguments.svg or arguments.mermaid:
        _draw(files, arguments)
    elif arguments.stage == "syntax":
        print("\n\n".join(text for file in files for text in _syntax(file)))
    elif arguments.stage in ("stages", "spark"):
        _print_on_spark(files, arguments)
    elif arguments.stage == "lars":
        with _registered(arguments, files) as (engine, names):
            print(engine.explain(names).lars())
    elif arguments.stage == "threads":
        _print_threads(files, arguments)
    elif arguments.stage is None:
        _print_overview(files, arguments)
    else:
        _print_stage(files, arguments)
    return 0


def _print_codes(words: Sequence[str]) -> None:
    """What codes of messages mean."""
    from etalis_py.core.explanations import explanation

    others = [word for word in words if not _is_code(word)]
    if others:
        raise UsageError("EP501", f"{others[0]} is not a code", hint="explain codes and queries separately")
    print("\n\n".join(str(explanation(word)) for word in words))


def _print_on_spark(files: Sequence[QueryFile], arguments: argparse.Namespace) -> None:
    """How Spark runs the queries together."""
    from etalis_py.compiler.explain.explain import program_stages
    from etalis_py.spark_udfs.planning.explain import spark_plan

    with _registered(arguments, files) as (engine, names):
        compiled = [engine.query(name) for name in names]
        states = engine.state_queries
        print(program_stages(compiled, states, engine.knowledge.triggers))
        if arguments.stage == "spark":
            plan = spark_plan(compiled, states, engine.knowledge)
            print(f"\n--- plan of Spark ---\n{plan}")


def _print_threads(files: Sequence[QueryFile], arguments: argparse.Namespace) -> None:
    """How ``--threads`` deals the events out."""
    from etalis_py.compiler.explain.explain import shared_work
    from etalis_py.engine.threads import one_thread_because

    with _registered(arguments, files) as (engine, names):
        compiled, triggers = [engine.query(name) for name in names], engine.knowledge.triggers
        reasons = one_thread_because(engine_options(arguments), compiled, triggers)
        title = "one thread does all the work:" if reasons else "several threads may share the work:"
        print(f"{title}\n{indent(chr(10).join(reasons) or shared_work(compiled, triggers), '  ')}")


def _draw(files: Sequence[QueryFile], arguments: argparse.Namespace) -> None:
    if arguments.stage not in (None, "plan"):
        raise UsageError(
            "EP501", f"there is no picture of the stage {arguments.stage}", hint="leave out --stage"
        )
    with _registered(arguments, files) as (engine, names):
        plan = engine.explain(names)
        print((plan.mermaid() if arguments.mermaid else plan.svg()).rstrip())


def _syntax(file: QueryFile) -> list[str]:
    from etalis_py.compiler.explain.syntax_printer import print_syntax
    from etalis_py.compiler.languages.languages import read_program

    return [print_syntax(each.query) for each in read_program(file.text, file.path, file.language)]


def _print_overview(files: Sequence[QueryFile], arguments: argparse.Namespace) -> None:
    """The plans, on one screen where that is possible, and where there is more."""
    with _registered(arguments, files) as (engine, names):
        print(engine.explain(names))
    print("more: --stage algebra, plan, rules or prolog; --svg draws the plan")


def _print_stage(files: Sequence[QueryFile], arguments: argparse.Namespace) -> None:
    from etalis_py.compiler.explain.explain import explain
    from etalis_py.compiler.explain.sharing_printer import sharing_text

    with _registered(arguments, files) as (engine, names):
        queries = [*map(engine.query, names), *engine.state_queries]
        parts = [explain(query, arguments.stage, engine.knowledge.triggers) for query in queries]
        if len(queries) > 1:
            comment = "% " if arguments.stage == "prolog" else ""
            titles = (f"{comment}--- {arguments.stage} of {query.name} ---" for query in queries)
            parts = ["\n".join(pair) for pair in zip(titles, parts, strict=True)]
        if arguments.stage == "plan" and (shared := sharing_text(queries)):
            parts.append(f"--- computed once ---\n{shared}")
    print("\n\n".join(parts))


def _registered(
    arguments: argparse.Namespace, files: Sequence[QueryFile]
) -> AbstractContextManager[tuple[Engine, list[str]]]:
    return registered(engine_options(arguments), files, arguments.rates, arguments.time_unit)
