"""``etalis agree``: whether two ways to evaluate, two dialects or two queries give the same rows."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from etalis_py.cli.engine_options import SURROUNDINGS, add_engine_options, engine_options
from etalis_py.cli.messages import add_warnings
from etalis_py.cli.query_files import QueryFile, add_queries, read_queries
from etalis_py.cli.request import refuse_twice
from etalis_py.cli.stream_options import add_stream_options, add_streams, streams_of
from etalis_py.compiler.parse.dialect_names import DIALECTS, DialectName
from etalis_py.core.errors import UsageError

if TYPE_CHECKING:
    from etalis_py.agreement.agree import Question

__all__ = ["add_arguments", "run"]

_EPILOG: Final = """\
examples:
  etalis agree warm.rq --stream ex:readings=readings.csv --period 10s
  etalis agree warm.rq warm.cqels.rq --stream ex:readings=readings.csv
  etalis agree warm.rq --dialects csparql sparqlstream --stream ex:readings=readings.csv
"""
_UNITS: Final = {"ms": 10**3, "s": 10**6, "m": 6 * 10**7, "min": 6 * 10**7, "h": 36 * 10**8, "d": 864 * 10**8}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the command."""
    parser.epilog = _EPILOG
    add_queries(parser, "one query, or two to compare")
    parser.add_argument(
        "--period", metavar="DURATION",
        help="compare what is given in each such interval: of one query what it has at the end (pull) with "
        "what it had whenever something came (push); 10s: times are told in seconds, PT10S: as dates",
    )  # fmt: skip
    parser.add_argument(
        "--dialects", nargs=2, choices=DIALECTS, metavar="NAME", help="compare one query in two dialects"
    )
    add_streams(parser, "event streams, as of etalis run", dest="streams", required=True)
    add_stream_options(parser)
    add_engine_options(parser, *SURROUNDINGS, "on_late")
    add_warnings(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the intervals, or where two queries differ, and a summary; the exit code."""
    from etalis_py.agreement.agree import two_modes, two_queries
    from etalis_py.engine.option_values import parse_delay
    from etalis_py.streams import open_streams

    files = read_queries(arguments.queries, arguments.texts, arguments.language)
    questions = _questions(files, arguments.dialects)
    period = None if arguments.period is None else parse_delay(arguments.period, "--period")
    streamed = streams_of(arguments.streams, arguments)
    refuse_twice(streamed, arguments.queries)
    streams = open_streams(streamed, format=arguments.stream_format, time_unit=arguments.time_unit)
    options, time_text = engine_options(arguments), _time_text(arguments.period)
    first, *others = questions
    if others:
        print(two_queries(first, others[0], streams, period, options, time_text))
        return 0
    if period is None:
        hint = "say how often it is pulled, --period 10s; or name a second query, or --dialects"
        raise UsageError("EP501", "one query needs --period", hint=hint)
    print(two_modes(first, streams, period, options, time_text))
    return 0


def _questions(files: list[QueryFile], dialects: list[DialectName] | None) -> list[Question]:
    from etalis_py.agreement.agree import Question

    if dialects is not None:
        if len(files) != 1:
            raise UsageError("EP501", "--dialects compares one query", hint="name one query file")
        file = files[0]
        return [Question(file.text, name, file.path, file.base, name) for name in dialects]
    if len(files) > 2:
        raise UsageError("EP501", "more than two queries", hint="compare them two by two")
    return [Question(file.text, file.name, file.path, file.base, file.language) for file in files]


def _time_text(period: str | None) -> Callable[[int], str]:
    """Times in the unit of the period, or as dates."""
    from etalis_py.core.times import format_time

    found = re.fullmatch(r"[0-9]+\s*([a-z]+)", period or "")
    size = None if found is None else _UNITS.get(found[1])
    if size is None:
        return format_time
    return lambda time: _decimal(Fraction(time, size))


def _decimal(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else str(float(number))
