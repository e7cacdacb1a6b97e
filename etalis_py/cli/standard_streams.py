"""Standard streams that were closed before the command began (``2>&-``), or that take nothing more."""

from __future__ import annotations

import os
import select
import sys
from contextlib import suppress
from pathlib import Path

__all__ = ["ReaderGoneError", "hold_standard_streams", "is_reader_gone", "say"]


class ReaderGoneError(BrokenPipeError):
    """Nobody reads the answers any more."""


def hold_standard_streams() -> None:
    """Take the places of those that are closed, so that no file that is opened later gets their number.

    What goes to standard error would otherwise stand in that file, or, as ``print`` has it, among the
    answers. Reading from a closed input and writing to a closed output still fail.
    """
    for number, flags in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # the lowest number that is free, which is this one
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115


def is_reader_gone(error: BrokenPipeError) -> bool:
    """Whether the broken pipe is where answers go, or standard output; not one to a process that helps."""
    if isinstance(error, ReaderGoneError):
        return True
    try:
        output = select.poll()
        output.register(sys.stdout, 0)
        return bool(output.poll(0))
    except (AttributeError, OSError, ValueError):  # it is closed, or has no file behind it
        return True


def say(text: str) -> None:
    """Print a line on standard error; if that is full, or nobody reads it any more, work goes on without."""
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        with suppress(OSError, ValueError):  # it has no file behind it
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
