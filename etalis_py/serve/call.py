"""One request, as an operation sees it: what it asks of which engine, and its parts, checked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.requests import HTTPConnection, Request

from etalis_py.core.terms import encode_ntriples
from etalis_py.core.times import parse_time
from etalis_py.engine.engine import Engine
from etalis_py.serve.commands import Command
from etalis_py.serve.host import Host
from etalis_py.serve.problems import RequestError, too_much
from etalis_py.serve.rights import Holder
from etalis_py.serve.work_queue import Full

if TYPE_CHECKING:
    from etalis_py.serve.server import Server

__all__ = ["Call", "checked_choice", "checked_iri", "time_of"]

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Call:
    """A request (or a WebSocket) of ``holder``."""

    server: Server
    request: HTTPConnection
    holder: Holder

    # ---- the engine -------------------------------------------------------------------------------------

    @property
    def host(self) -> Host:
        """The engine that the path names, else ``main``.

        Raises:
            RequestError: EP625, there is none.
        """
        return self.server.host(self.request.path_params.get("engine", "main"))

    async def do(self, command: Command) -> Any:
        """Have a command carried out.

        Raises:
            RequestError: EP624, too much waits already.
            EtalisError: what the engine says.
        """
        return await self.begin(command)

    def begin(self, command: Command) -> asyncio.Future[Any]:
        """Have it carried out behind those that were begun before; what comes of it.

        Raises:
            RequestError: as `do`.
        """
        return _begun(lambda: self.host.do(command))

    async def look(self, work: Callable[[Engine], _Value]) -> _Value:
        """Have a function look at the engine."""
        return await _begun(lambda: self.host.look(work))

    # ---- the parts of the request -----------------------------------------------------------------------

    def text(self, name: str, default: str | None = None) -> str | None:
        """A parameter of the path or of the query of the URL."""
        found = self.request.path_params.get(name, self.request.query_params.get(name))
        return default if found is None else str(found)

    def texts(self, name: str) -> tuple[str, ...]:
        """A parameter that may stand several times."""
        return tuple(self.request.query_params.getlist(name))

    def number(self, name: str, default: int | None = None) -> int | None:
        """A parameter that is a whole number, 0 or more.

        Raises:
            RequestError: EP626.
        """
        found = self.text(name)
        if found is None:
            return default
        if not (found.isascii() and found.isdigit() and len(found) < 19):
            raise RequestError(400, "EP626", f"{name}={found!r} is not a whole number")
        return int(found)

    def choice(self, name: str, known: Sequence[str]) -> Any:
        """A parameter that is one of some words.

        Raises:
            RequestError: EP626.
        """
        found = self.text(name)
        return None if found is None else checked_choice(name, found, known)

    def iri(self, name: str) -> str | None:
        """A parameter that is an absolute IRI.

        Raises:
            RequestError: EP626.
        """
        found = self.text(name)
        return None if found is None else checked_iri(name, found)

    @property
    def media_type(self) -> str:
        """What the body is said to be."""
        return self.request.headers.get("content-type", "").partition(";")[0].strip().lower()

    def accepted(self, offered: Sequence[str]) -> str:
        """The media type that is wanted most of those offered; the first where all are the same.

        Raises:
            RequestError: EP626, none of them is wanted (406).
        """
        wanted = self.request.headers.get("accept", "*/*")
        best, best_quality = "", 0.0
        for each in offered:
            quality = _quality(each, wanted)
            if quality > best_quality:
                best, best_quality = each, quality
        if not best:
            hint = f"there is {', '.join(offered)}"
            raise RequestError(406, "EP626", f"there is no {wanted} of this", hint=hint)
        return best

    async def body(self, most: int | None = None) -> bytes:
        """The body.

        Raises:
            RequestError: EP624, it is too large (413), too slow (408), or one of too many (429); EP626,
                it is compressed (415).
        """
        assert isinstance(self.request, Request)
        limits = self.server.limits
        if self.request.headers.get("content-encoding", "identity").strip().lower() != "identity":
            message = "compressed bodies are not taken"
            raise RequestError(415, "EP626", message, hint="send it without Content-Encoding")
        return await self.server.arrivals.body(self.request.stream(), limits.body if most is None else most)

    async def body_text(self) -> str:
        """The body, which is text.

        Raises:
            RequestError: EP624 as `body`, EP626 it is not UTF-8.
        """
        content = await self.body(self.server.limits.text)
        try:
            return content.decode()
        except UnicodeDecodeError:
            raise RequestError(400, "EP626", "the body is not UTF-8 text") from None

    async def body_object(self) -> dict[str, Any]:
        """The body, which is a JSON object.

        Raises:
            RequestError: EP624 as `body`, EP626 it is none.
        """
        try:
            found = json.loads(await self.body_text() or "{}")
        except (ValueError, RecursionError) as error:
            raise RequestError(400, "EP626", f"the body is not JSON: {error}") from None
        if not isinstance(found, dict):
            raise RequestError(400, "EP626", "the body is not a JSON object")
        return found


def checked_choice(name: str, value: str, known: Collection[str]) -> Any:
    """The value of a parameter that is one of some words.

    Raises:
        RequestError: EP626.
    """
    if value not in known:
        hint = f"known are {', '.join(known)}"
        raise RequestError(400, "EP626", f"{name}={value!r} is not known", hint=hint)
    return value


def checked_iri(name: str, value: str) -> str:
    """The value of a parameter that is an absolute IRI.

    Raises:
        RequestError: EP626.
    """
    try:
        return str(encode_ntriples(f"<{value}>"))
    except ValueError:
        raise RequestError(400, "EP626", f"{name}={value!r} is not an absolute IRI") from None


def time_of(value: object) -> int:
    """A time as requests tell it: a dateTime, or whole microseconds.

    Raises:
        RequestError: EP626.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    try:
        return parse_time(value if isinstance(value, str) else "")
    except ValueError:
        hint = "2011-03-11T05:46:23Z, or whole microseconds since 1970"
        raise RequestError(400, "EP626", f"{value!r} is not a time", hint=hint) from None


def _begun(begin: Callable[[], Future[_Value]]) -> asyncio.Future[_Value]:
    try:
        return asyncio.wrap_future(begin())
    except Full:
        message = "the engine is behind: too much waits already"
        raise too_much(message, "send it again, a little later", 1) from None


def _quality(offered: str, wanted: str) -> float:
    """How much a media type is wanted (RFC 9110, section 12.5.1): what names it most closely decides."""
    kind = offered.partition("/")[0]
    best, closeness = 0.0, -1
    for part in wanted.split(","):
        name, *parameters = (each.strip().lower() for each in part.split(";"))
        try:
            close = ["*/*", f"{kind}/*", offered].index(name)
            quality = next((float(each[2:]) for each in parameters if each.startswith("q=")), 1.0)
        except ValueError:
            continue
        if close > closeness:
            best, closeness = quality, close
    return best
