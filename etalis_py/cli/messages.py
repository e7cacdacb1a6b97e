"""What the command line says on standard error: errors, warnings, and with --verbose what happens."""

from __future__ import annotations

import argparse
import logging
import re
import traceback
import warnings
from types import TracebackType
from typing import TextIO

from typing_extensions import Self

from etalis_py.cli.standard_streams import say
from etalis_py.core.errors import EtalisError, EtalisWarning

__all__ = ["Messages", "add_warnings", "as_options"]

_find_options = re.compile(r"\b(on_late|time_unit)\b(?:='(\w+)')?").sub
_PROJECT = logging.getLogger("etalis_py")


def add_warnings(parser: argparse._ActionsContainer) -> None:
    """The option for what becomes of warnings."""
    parser.add_argument(
        "-W", dest="warnings", choices=("none", "error"), metavar="none|error",
        help="show no warnings (EW), or treat the first as an error; a query can ignore some with a "
        "comment: # etalis: ignore EW08",
    )  # fmt: skip


class _Handler(logging.Handler):
    """Prints a record as one line on the standard error of this moment."""

    def emit(self, record: logging.LogRecord) -> None:
        prefix = "warning: " if record.levelno >= logging.WARNING else ""
        say(f"{prefix}{record.getMessage()}")
        if record.exc_info is not None:
            say("".join(traceback.format_exception(*record.exc_info)).rstrip())


def as_options(hint: str) -> str:
    """A hint that names arguments as Python has them, with the options of the command line.

    >>> as_options("on_late='drop', or a duration as on_late")
    '--on-late drop, or a duration as --on-late'
    """
    return _find_options(
        lambda found: f"--{found[1].replace('_', '-')}" + (f" {found[2]}" if found[2] else ""), hint
    )


class Messages:
    """While it is entered, the project's log and its warnings go to standard error.

    Warnings are shown unless ``quiet``, what is for information with ``verbose``.
    """

    def __init__(self, *, quiet: bool, verbose: bool) -> None:
        self._verbose = verbose
        self._level = logging.INFO if verbose else logging.ERROR if quiet else logging.WARNING
        self._handler = _Handler()

    def treat_warnings(self, way: str | None) -> None:
        """What becomes of warnings, as ``-W`` says it; None: they are shown."""
        if way is not None:
            warnings.simplefilter("ignore" if way == "none" else "error", EtalisWarning)

    def error(self, error: EtalisError | EtalisWarning) -> None:
        """Print an error: what is wrong, where, and a hint; with ``verbose`` then the traceback."""
        if error.hint is not None:
            error.hint = as_options(error.hint)
        say(str(error))
        if self._verbose:
            say("\n" + "".join(traceback.format_exception(error)).rstrip())

    def __enter__(self) -> Self:
        self._before = (_PROJECT.level, _PROJECT.propagate)
        _PROJECT.addHandler(self._handler)
        _PROJECT.setLevel(self._level)
        _PROJECT.propagate = False
        self._warnings = warnings.catch_warnings()
        self._warnings.__enter__()
        warnings.simplefilter("default", EtalisWarning)
        self._others = warnings.showwarning
        warnings.showwarning = self._show_warning
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
        self._warnings.__exit__(kind, error, trace)

    def _show_warning(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if not isinstance(message, EtalisWarning):
            self._others(message, category, filename, lineno, file, line)
        elif self._level <= logging.WARNING:
            say(f"warning: {message}")
