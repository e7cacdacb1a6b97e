"""``etalis bench``: how fast the engine is on this machine, beside Prolog written by hand or other engines.

The workloads are tests/benchmarks of a checkout. Does not measure itself.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from etalis_py.core.errors import UsageError

if TYPE_CHECKING:
    from tests.benchmarks.peers.comparison import Comparison
    from tests.benchmarks.workload import Workload

__all__ = ["add_arguments", "run"]

PROJECT = Path(__file__).resolve().parents[2]

_EPILOG = """\
The ratio is the engine's speed divided by that of the yardstick, measured in turn. Quote it, since absolute
speed is the machine's. "kernel" takes the same Arrow table and gives rows; "loop" is Prolog alone.
--peers measures beside Esper and Flink (built by Maven, once, with a JDK), rsp-js (by npm), DuckDB and plain
Python, on one core.
"paper" are the experiments of the EP-SPARQL paper, some of them beside Esper (docs/evaluation.md).

exit codes: 0, 2 for bad arguments, 4 where answers differ (with --peers: their number or their checksum).

examples:
  etalis bench seq2
  etalis bench 'seq?-recent-*' --runs 5 --output figures.ndjson
  etalis bench --peers two-steps
  etalis bench paper
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the command."""
    parser.epilog = _EPILOG
    parser.add_argument(
        "names", nargs="*", metavar="NAME",
        help="workloads: a name, its beginning up to a hyphen, or a pattern (default: all but paper)",
    )  # fmt: skip
    parser.add_argument("--peers", action="store_true", help="measure beside other engines")
    parser.add_argument("--list", action="store_true", help="list the workloads and exit")
    parser.add_argument("--runs", default="3", metavar="N", help="runs of each (default: %(default)s)")
    parser.add_argument("--events", metavar="N", help="events of each run (default: the workload's own)")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="do one small run of each, to see that it works; of some, without names",
    )
    parser.add_argument("--output", metavar="FILE", help="write a JSON record for each workload to a file")


def run(arguments: argparse.Namespace) -> int:
    """Print the table, workload by workload; 4 if answers differ. Raises UsageError."""
    chosen = _choose(arguments.names, peers=arguments.peers, quick=arguments.quick and not arguments.list)
    if arguments.list:
        width = max(len(each.name) for each in chosen)
        for each in chosen:
            print(f"{each.name:<{width}}  {each.purpose}")
        return 0
    runs = 1 if arguments.quick else _count("--runs", arguments.runs)
    events = None if arguments.events is None else _count("--events", arguments.events)
    with ExitStack() as stack:
        out = None
        if arguments.output is not None:
            try:
                out = stack.enter_context(Path(arguments.output).open("w", encoding="utf-8"))
            except OSError as error:
                raise UsageError("EP507", f"cannot write {arguments.output}: {error.strerror}") from error
        records: list[dict[str, Any]] = []
        headed: type | None = None
        for each in chosen:
            size = events or (each.quick if arguments.quick else each.events)
            record = _measured(each, size, runs, headed=type(each) is headed, quick=arguments.quick)
            if record is None:
                continue
            headed = type(each)
            records.append(record)
            if out is not None:
                out.write(json.dumps(record) + "\n")
                out.flush()
    return 0 if all(record["agree"] for record in records) else 4


def _choose(names: list[str], *, peers: bool, quick: bool) -> Sequence[Workload | Comparison]:
    if not (PROJECT / "tests" / "benchmarks").is_dir():
        raise UsageError(
            "EP508",
            "the benchmarks are not installed: they are the folder tests/benchmarks of a checkout",
            hint="run etalis bench, or make bench, in a checkout of etalis_py",
        )
    if str(PROJECT) not in sys.path:
        sys.path.insert(0, str(PROJECT))
    from tests.benchmarks.paper.experiments import EXPERIMENTS
    from tests.benchmarks.peers.rows import ROWS
    from tests.benchmarks.suite import QUICK, WORKLOADS, NoSuchWorkloadError, choose

    own = (*WORKLOADS, *EXPERIMENTS) if names else WORKLOADS
    if quick and not names and not peers:
        names = list(QUICK)
    try:
        return choose(names, ROWS) if peers else choose(names, own)
    except NoSuchWorkloadError as error:
        lister = "etalis bench --peers --list" if peers else "etalis bench --list"
        hint = f"did you mean {error.near}?" if error.near else f"{lister} lists them"
        raise UsageError("EP501", f"there is no benchmark {error.args[0]!r}", hint=hint) from None


def _measured(
    chosen: Workload | Comparison, events: int, runs: int, *, headed: bool, quick: bool
) -> dict[str, Any] | None:
    """Measure and print the lines, below a head if need be; None where the data is not on this machine."""
    from tests.benchmarks.measure import measure
    from tests.benchmarks.peers.comparison import WARM, Comparison, compare
    from tests.benchmarks.peers.report import peers_head, peers_lines, skipped_line
    from tests.benchmarks.report import table_head, table_lines
    from tests.benchmarks.workload import Unavailable

    try:
        if isinstance(chosen, Comparison):
            record = compare(chosen, events, runs, warm=0 if quick else WARM)
            head, lines = peers_head(record), peers_lines(record)
        else:
            record = measure(chosen, events, runs)
            head, lines = table_head(record["machine"]), iter(table_lines(record))
    except Unavailable as reason:
        print(skipped_line(chosen.name, reason), flush=True)
        return None
    for line in (*(() if headed else head), *lines):
        print(line, flush=True)
    return record


def _count(option: str, text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise UsageError("EP505", f"{option} {text} is not a number of at least 1")
    return int(text)
