"""What the command line says on standard error: errors, warnings, and with --verbose what happens."""

from __future__ import annotations

import logging
import sys
import traceback
from types import TracebackType

from typing_extensions import Self

from etalis_py.errors import EtalisError

__all__ = ["Messages"]

_PROJECT = logging.getLogger("etalis_py")


class _Handler(logging.Handler):
    """Prints a record as one line on the standard error of this moment."""

    def emit(self, record: logging.LogRecord) -> None:
        prefix = "warning: " if record.levelno >= logging.WARNING else ""
        print(f"{prefix}{record.getMessage()}", file=sys.stderr)


class Messages:
    """While it is entered, the project's log goes to standard error.

    Warnings are shown unless ``quiet``, what is for information with ``verbose``.
    """

    def __init__(self, *, quiet: bool, verbose: bool) -> None:
        self._verbose = verbose
        self._level = logging.INFO if verbose else logging.ERROR if quiet else logging.WARNING
        self._handler = _Handler()

    def error(self, error: EtalisError) -> None:
        """Print an error: what is wrong, where, and a hint; with ``verbose`` then the traceback."""
        print(error, file=sys.stderr)
        if self._verbose:
            print(file=sys.stderr)
            traceback.print_exception(error)

    def __enter__(self) -> Self:
        self._before = (_PROJECT.level, _PROJECT.propagate)
        _PROJECT.addHandler(self._handler)
        _PROJECT.setLevel(self._level)
        _PROJECT.propagate = False
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _PROJECT.removeHandler(self._handler)
        level, _PROJECT.propagate = self._before
        _PROJECT.setLevel(level)
