"""How the streams of a command are read."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from etalis_py.core.formats import STREAM_FORMATS
from etalis_py.core.times import SCALES

if TYPE_CHECKING:
    from etalis_py.streams import StreamFile

__all__ = ["add_stream_options", "add_streams", "add_time_unit"]


def add_streams(group: argparse._ActionsContainer, help_: str, option: str = "--stream", **more: Any) -> None:
    """The option that names files of streams; what it takes is a list of `StreamFile`."""

    def stream_file(word: str) -> StreamFile:
        from etalis_py.streams import StreamFile

        return StreamFile.parse(word, option)

    group.add_argument(
        option, nargs="+", action="extend", default=[], type=stream_file, metavar="FILE", help=help_, **more
    )


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
