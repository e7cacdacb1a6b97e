"""Errors as HTTP tells them: RFC 9457, Problem Details for HTTP APIs, with code, place and hint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any, Final

from starlette.responses import JSONResponse

from etalis_py.core.error_codes import ERROR_CODES
from etalis_py.core.errors import DataError, EtalisError, QueryError, RunTimeError, UsageError

__all__ = ["RequestError", "problem", "problem_response", "too_much"]

_MEDIA_TYPE: Final = "application/problem+json"
_STATUS: Final[Mapping[str, int]] = MappingProxyType(
    {"EP206": 409, "EP413": 409, "EP303": 503, "EP307": 503, "EP309": 500, "EP517": 503, "EP561": 404}
)
"""Of codes whose class does not say it."""


class RequestError(UsageError):
    """A request that cannot be served, with its status (RFC 9110) and more headers of the response."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        hint: str | None = None,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(code, message, hint=hint)
        self.status = status
        self.headers = headers


def too_much(message: str, hint: str, seconds: int) -> RequestError:
    """The error of what may be sent again after so many seconds."""
    return RequestError(429, "EP624", message, hint=hint, headers={"Retry-After": str(seconds)})


def problem(error: EtalisError) -> dict[str, Any]:
    """The members of the problem."""
    place = {} if error.place is None else {k: v for k, v in asdict(error.place).items() if v is not None}
    found = {
        "type": "about:blank",
        "title": ERROR_CODES[error.code],
        "status": _status(error),
        "detail": error.message,
        "code": error.code,
        "place": place,
        "hint": error.hint,
    }
    return {name: value for name, value in found.items() if value not in (None, {})}


def problem_response(error: EtalisError) -> JSONResponse:
    """The response that tells of an error."""
    members = problem(error)
    headers = error.headers if isinstance(error, RequestError) else {}
    return JSONResponse(members, members["status"], dict(headers), _MEDIA_TYPE)


def _status(error: EtalisError) -> int:
    if isinstance(error, RequestError):
        return error.status
    if error.code in _STATUS:
        return _STATUS[error.code]
    return 400 if isinstance(error, (DataError, QueryError, RunTimeError, UsageError)) else 500
