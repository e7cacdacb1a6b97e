"""``etalis map``: a mapping in YARRRML for a file of ordinary data, to begin with."""

from __future__ import annotations

import argparse
from pathlib import Path

from etalis_py.core.formats import MAPPED_FORMATS

__all__ = ["add_arguments", "run"]

_EPILOG = """\
The mapping goes to standard output: types, the time, and what the rows are about, as the first 1,000 rows
have them. Read it and change it; docs/data.md describes it.

example:
  etalis map readings.csv > readings.yml
  etalis run warmer.rq --stream readings.csv --map readings.yml
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the command."""
    parser.epilog = _EPILOG
    parser.add_argument("file", metavar="FILE", help="a file of CSV, JSON, Parquet or Arrow")
    parser.add_argument(
        "--stream-format", metavar="FORMAT",
        help=f"format of the file (default: by its suffix): {', '.join(MAPPED_FORMATS)}",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Print the mapping; the exit code."""
    from etalis_py.streams.lines import without_packing
    from etalis_py.streams.mapping.proposal import proposed_mapping
    from etalis_py.streams.mapping.samples import first_columns
    from etalis_py.streams.opening import choose_format

    form = choose_format(arguments.file, arguments.stream_format, is_mapped=True)
    columns = first_columns(arguments.file, form)
    rows = max(map(len, columns.values()))
    print(proposed_mapping(Path(without_packing(arguments.file)).stem, columns, rows))
    return 0
