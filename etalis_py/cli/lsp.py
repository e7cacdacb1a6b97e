"""``etalis lsp``: help for editors, over the Language Server Protocol."""

from __future__ import annotations

import argparse
import importlib.util

from etalis_py.cli.engine_options import SURROUNDINGS, add_engine_options, engine_options
from etalis_py.core.errors import UsageError

__all__ = ["add_arguments", "run"]

_EPILOG = """\
An editor starts it and speaks with it over standard input and output; docs/editor.md says how.

example:
  etalis lsp --background ontology.ttl
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the command."""
    parser.epilog = _EPILOG
    parser.add_argument("--stdio", action="store_true", help="what editors add; it is so anyway")
    add_engine_options(parser, *SURROUNDINGS)


def run(arguments: argparse.Namespace) -> int:
    """Serve until the editor says goodbye."""
    options = engine_options(arguments)
    if importlib.util.find_spec("pygls") is None:
        hint = "pip install 'etalis_py[lsp]'"
        raise UsageError("EP543", "etalis lsp needs the package pygls", hint=hint)
    from etalis_py.editors.server import serve

    serve(options)
    return 0
