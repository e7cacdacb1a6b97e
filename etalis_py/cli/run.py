"""``etalis run``: queries over event streams, answers as they are found."""

from __future__ import annotations

import argparse

from etalis_py.cli.engine_options import LIMITS, add_engine_options
from etalis_py.cli.messages import add_warnings
from etalis_py.cli.query_files import add_queries
from etalis_py.cli.rates import add_rates
from etalis_py.cli.request import request_of
from etalis_py.cli.stream_options import add_stream_options, add_streams
from etalis_py.connectors import is_url
from etalis_py.core.errors import UsageError
from etalis_py.core.formats import RESULT_FORMATS

__all__ = ["add_arguments", "run"]

_EPILOG = """\
stream files, recognised by their suffix or by --stream-format:
  .csv .ndjson .parquet    columns start, s, p, o, and optional end, stream, graph; terms in N-Triples
                           syntax, times as 2011-03-11T05:46:23Z or whole microseconds since 1970
  .nq .trig .jsonld        each named graph is one element; prov:generatedAtTime gives its time
  .ttl .nt .rdf ...        with --at TIME
  -                        standard input; answers come while it is read (ndjson, nquads, csv)

exit codes: 0, 2 a bad query or bad arguments, 3 bad data, 4 a failure while running.

example:
  etalis run fall.rq --stream prices.csv --background companies.ttl
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the command."""
    parser.epilog = _EPILOG
    parser.usage = "etalis run QUERY.rq ... --stream FILE ... [options]"
    add_queries(parser, "query files; answers carry the file's name without its suffix")
    data = parser.add_argument_group("data")
    add_streams(
        data,
        "event streams, merged by time; - is standard input; mqtt://..., kafka://... and other sources "
        "(docs/sources.md); IRI=FILE names the stream, also as a query writes it; optional with --at",
        dest="streams",
    )
    data.add_argument(
        "--follow", action="store_true", help="go on with lines that are added to the files, as tail -F does"
    )
    add_stream_options(data)
    add_engine_options(data, "at", "background", "graphs", "rules", "functions")
    _add_ways(parser.add_argument_group("how to run"))
    _add_results(parser.add_argument_group("results"))


def _add_ways(group: argparse._ArgumentGroup) -> None:
    add_engine_options(group, "entailment", "on_late", "policy", "starting_at", "at_end", *LIMITS, "threads")
    group.add_argument(
        "--engine", choices=("local", "spark"), default="local",
        help="in this process, or on Spark (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--progress", action="store_true",
        help="with --engine spark: report how many events came in and were left out, and the matches and "
        "waiting goals of each query",
    )  # fmt: skip
    group.add_argument(
        "--state", metavar="FOLDER",
        help="save the run in a folder: if it is killed, the same command continues it, and each answer "
        "comes once (docs/state-folder.md)",
    )  # fmt: skip
    group.add_argument(
        "--state-every", metavar="DURATION",
        help="time between two checkpoints (default: 10s, and at most 5 %% of the time in all)",
    )  # fmt: skip
    add_rates(group, "; measure, or measure:N: the first events of this run")


def _add_results(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--results", choices=RESULT_FORMATS, metavar="FORMAT",
        help=f"{', '.join(RESULT_FORMATS)} (default: by the suffix of --output; else table on a terminal, "
        "ndjson elsewhere)",
    )  # fmt: skip
    group.add_argument("--output", metavar="FILE", help="write the results to a file")
    group.add_argument(
        "--final", action="store_true",
        help="write only the last rows of each query, those of its latest instant that had any, at the end",
    )  # fmt: skip
    group.add_argument(
        "--why", nargs="*", metavar="NAME",
        help="show what each answer is made of, of all queries or only these: as trees of text, or in ndjson "
        "as one more key (docs/why.md)",
    )  # fmt: skip
    group.add_argument(
        "--why-pictures",
        dest="pictures",
        metavar="FOLDER",
        help="the same, and draw each as a picture (SVG) in a folder",
    )
    group.add_argument("--quiet", action="store_true", help="write nothing but errors to standard error")
    add_warnings(group)


def run(arguments: argparse.Namespace) -> int:
    """Do what the arguments say; the exit code. Raises EtalisError for every error that a user can fix."""
    request = request_of(arguments)
    if arguments.engine == "spark":
        if request.rates is not None:
            raise UsageError(
                "EP506", "--rates does not work with --engine spark", hint="leave out one of them"
            )
        if request.why is not None:
            raise UsageError("EP506", "--why does not work with --engine spark", hint="leave out one of them")
        if any(is_url(path) for path in request.paths):
            hint = "Spark has sources of its own (docs/spark-sources.md)"
            raise UsageError("EP506", "--engine spark does not read sources of messages", hint=hint)
        if request.options.at_end != "all":
            raise UsageError(
                "EP506", "--at-end does not work with --engine spark", hint="leave out one of them"
            )
        if request.options.threads > 1:
            raise UsageError(
                "EP506", "--threads does not work with --engine spark", hint="leave out one of them"
            )
        from etalis_py.cli.spark_engine import run_on_spark

        return run_on_spark(request)
    if request.progress:
        hint = "a local run shows its progress anyway; etalis explain --profile counts goals"
        raise UsageError("EP506", "--progress needs --engine spark", hint=hint)
    from etalis_py.cli.local_engine import run_here

    return run_here(request)
