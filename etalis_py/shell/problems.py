"""Errors in a text that was given a line of prefixes: told as if it had not been."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from etalis_py.errors import EtalisError

__all__ = ["in_own_lines"]


@contextmanager
def in_own_lines(prefixes: str) -> Iterator[None]:
    """Within, a text that begins with a line of ``prefixes`` may be read; errors count the lines after it."""
    try:
        yield
    except EtalisError as error:
        if prefixes and error.place is not None and error.place.line is not None:
            error.place = replace(error.place, line=error.place.line - 1)
        raise
