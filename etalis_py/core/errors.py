"""The one exception hierarchy of the project, and its warnings.

Every message a user sees carries a code, a place (line and column of a query, or file and row of the
data) and, where one is known, a hint. Codes: ``EP1xx`` syntax, ``EP2xx`` compile, ``EP3xx`` run time,
``EP4xx`` data, ``EP5xx`` arguments and set-up; ``EW`` warnings, which stop nothing.
"""

from __future__ import annotations

import re
import sys
import traceback
import warnings
from collections.abc import Iterable, Mapping
from typing import ClassVar, Final

from etalis_py.core.error_codes import ERROR_CODES, WARNING_CODES
from etalis_py.core.value_class import value_class

__all__ = [
    "CompileError",
    "DataError",
    "EtalisError",
    "EtalisWarning",
    "Place",
    "QueryError",
    "QuerySyntaxError",
    "RunTimeError",
    "UsageError",
    "show",
    "warn",
]


_PASSED_OVER: Final = re.compile(
    r"[/\\](etalis_py|compiler|ontologies|spark_udfs|site-packages|lib[/\\]python3\.\d+)[/\\]"
).search
"""The files whose lines say nothing to who works in a notebook."""


@value_class
class Place:
    """Where something is wrong: in a query text or in a data file.

    ``line`` and ``column`` count from 1, ``row`` is the data row, counted from 1 without a header line.
    ``excerpt`` is the offending line with a caret under it, ready to print, ``length`` how many characters of
    the line are meant.
    """

    source: str | None = None
    line: int | None = None
    column: int | None = None
    row: int | None = None
    excerpt: str | None = None
    length: int | None = None

    def __str__(self) -> str:
        parts = [] if self.source is None else [self.source]
        if self.line is not None:
            parts.append(f"line {self.line}")
        if self.column is not None:
            parts.append(f"column {self.column}")
        if self.row is not None:
            parts.append(f"row {self.row}")
        return ", ".join(parts)


class _Coded(Exception):  # noqa: N818 - the base of errors and of warnings
    """What has a code of a table, and a message with a place and a hint."""

    _codes: ClassVar[Mapping[str, str]]

    def __init__(
        self, code: str, message: str, *, place: Place | None = None, hint: str | None = None
    ) -> None:
        if code not in self._codes:
            raise KeyError(f"unknown code {code}")
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.place = place
        self.hint = hint

    def __str__(self) -> str:
        return _full_message(self.code, self.message, self.place, self.hint)


class EtalisError(_Coded):
    """Base of all errors of etalis_py.

    ``str(error)`` is the full message: code, place, text, excerpt and hint, several lines at most.
    """

    _codes = ERROR_CODES
    exit_code: ClassVar[int] = 4

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: where the user's own lines called, and the message."""
        frames = traceback.extract_tb(self.__traceback__)
        own = [(each.lineno, each.line or "") for each in frames if not _PASSED_OVER(each.filename)]
        lines = [f"line {number}: {line}" for number, line in own if line and "get_ipython()" not in line]
        first, _, rest = str(self).partition("\n")
        return [*lines, f"\x1b[31m{first}\x1b[0m", *rest.splitlines()]


class QueryError(EtalisError):
    """A query that cannot be used, whatever the data."""

    exit_code = 2


class QuerySyntaxError(QueryError):
    """The text is not EP-SPARQL (``EP1xx``)."""


class CompileError(QueryError):
    """The text is EP-SPARQL, but cannot be compiled or is not supported (``EP2xx``)."""


class RunTimeError(EtalisError):
    """The engine could not go on (``EP3xx``): a Prolog error, a limit hit, a closed engine."""

    exit_code = 4


class DataError(EtalisError):
    """Input that cannot be read (``EP4xx``): a stream, a background file, a Prolog file."""

    exit_code = 3


class UsageError(EtalisError):
    """Arguments that do not fit, or a machine that lacks something (``EP5xx``)."""

    exit_code = 2


class EtalisWarning(_Coded, UserWarning):
    """Something that is legal and probably not meant, or a value that had to be passed over.

    Shown by Python's ``warnings``, so that a program can filter it, or make an error of it. ``str(warning)``
    is the full message, as that of an EtalisError.
    """

    _codes = WARNING_CODES


def warn(code: str, message: str, *, place: Place | None = None, hint: str | None = None) -> None:
    """Show an EtalisWarning; the command line prints it as it prints errors."""
    show([EtalisWarning(code, message, place=place, hint=hint)])


def show(found: Iterable[EtalisWarning]) -> None:
    """Show warnings, as of the line of the program that called into this package."""
    for each in found:
        warnings.warn(each, stacklevel=_levels_of_our_own())


def _levels_of_our_own() -> int:
    """How many callers of `show` there are up to the first that is not a module of ours."""
    level, frame = 1, sys._getframe(1)  # noqa: SLF001 - inspect.stack() reads source files
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("etalis_py"):
        level, frame = level + 1, frame.f_back
    return level


def _full_message(code: str, message: str, place: Place | None, hint: str | None) -> str:
    """Code, place and text on one line; below it the excerpt and the hint, where there are any."""
    where = f" {place}:" if place and str(place) else ""
    lines = [f"{code}{where} {message}"]
    if place and place.excerpt:
        lines.append(place.excerpt)
    if hint:
        lines.append(f"hint: {hint}")
    return "\n".join(lines)
