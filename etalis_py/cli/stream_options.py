"""How the streams of a command are read."""

from __future__ import annotations

import argparse

from etalis_py.core.formats import STREAM_FORMATS
from etalis_py.core.times import SCALES

__all__ = ["add_stream_options", "add_time_unit"]


def add_stream_options(group: argparse._ActionsContainer) -> None:
    """The options that say what the streams are."""
    group.add_argument(
        "--stream-format", metavar="FORMAT",
        help=f"format of all streams (default: by their suffix): {', '.join(STREAM_FORMATS)}",
    )  # fmt: skip
    add_time_unit(group)


def add_time_unit(group: argparse._ActionsContainer) -> None:
    """The option that says what times count that are numbers."""
    group.add_argument(
        "--time-unit", choices=tuple(SCALES), metavar="s|ms|us",
        help="the unit of numeric times, counted from 1970 (default: us, and an "
        "error where they look like something else)",
    )  # fmt: skip
