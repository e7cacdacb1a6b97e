"""The one exception hierarchy of the project, and the table of its error codes.

Every message a user sees carries a code, a place (line and column of a query, or file and row of the
data) and, where one is known, a hint. Codes: ``EP1xx`` syntax, ``EP2xx`` compile, ``EP3xx`` run time,
``EP4xx`` data, ``EP5xx`` arguments and set-up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from etalis_py.error_codes import ERROR_CODES

__all__ = [
    "CompileError",
    "DataError",
    "EtalisError",
    "Place",
    "QueryError",
    "QuerySyntaxError",
    "RunTimeError",
    "UsageError",
]


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is wrong: in a query text or in a data file.

    ``line`` and ``column`` count from 1, ``row`` is the data row, counted from 1 without a header line.
    ``excerpt`` is the offending line with a caret under it, ready to print.
    """

    source: str | None = None
    line: int | None = None
    column: int | None = None
    row: int | None = None
    excerpt: str | None = None

    def __str__(self) -> str:
        parts = [] if self.source is None else [self.source]
        if self.line is not None:
            parts.append(f"line {self.line}")
        if self.column is not None:
            parts.append(f"column {self.column}")
        if self.row is not None:
            parts.append(f"row {self.row}")
        return ", ".join(parts)


class EtalisError(Exception):
    """Base of all errors of etalis_py.

    ``str(error)`` is the full message: code, place, text, excerpt and hint, several lines at most.
    """

    exit_code: ClassVar[int] = 4

    def __init__(
        self, code: str, message: str, *, place: Place | None = None, hint: str | None = None
    ) -> None:
        if code not in ERROR_CODES:
            raise KeyError(f"unknown error code {code}")
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.place = place
        self.hint = hint

    def __str__(self) -> str:
        where = f" {self.place}:" if self.place and str(self.place) else ""
        lines = [f"{self.code}{where} {self.message}"]
        if self.place and self.place.excerpt:
            lines.append(self.place.excerpt)
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


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
