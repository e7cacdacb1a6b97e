"""``etalis rewrite``: queries with windows on streams, written in another dialect."""

from __future__ import annotations

import argparse
from typing import Final

from etalis_py.cli.query_files import add_queries, read_queries
from etalis_py.compiler.parse.dialect_names import DIALECTS

__all__ = ["add_arguments", "run"]

_EPILOG: Final = """\
examples:
  etalis rewrite warm.rq --to cqels
  etalis rewrite warm.rq --to csparql --brave > warm.csparql.rq
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the command."""
    parser.epilog = _EPILOG
    add_queries(parser, "query files")
    parser.add_argument("--to", choices=DIALECTS, required=True, help="the dialect that they are written in")
    parser.add_argument(
        "--brave", action="store_true",
        help="let patterns of one window look at all windows and the background, where the dialect has no "
        "other way: the same while none of these has what the patterns ask for",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Print the queries; the exit code."""
    from etalis_py.compiler.rewriting.rewrite import rewrite

    files = read_queries(arguments.queries, arguments.texts, arguments.language)
    texts = [
        rewrite(
            file.text,
            arguments.to,
            language=file.language,
            brave=arguments.brave,
            source=file.path,
            base=file.base,
        )
        for file in files
    ]
    print("\n;;\n".join(text.rstrip() for text in texts))
    return 0
