"""``etalis demo``: demonstrations, each with queries that a user can read and change."""

from __future__ import annotations

import argparse
from typing import Final

from etalis_py.cli.arguments import Command, Parser

__all__ = ["add_arguments"]

_DEMOS: Final = {
    "tsunami": Command(
        "detect tsunamis in recordings of DART buoys, or in a simulated one",
        "etalis_py.demos.tsunami.command",
    ),
    "delivery": Command(
        "deliver goods in a city whose roads close: rules in Prolog find new routes",
        "etalis_py.demos.delivery.command",
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let the parser take a demo."""
    assert isinstance(parser, Parser)
    parser.add_commands(_DEMOS, "demo")
