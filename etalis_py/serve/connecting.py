"""Operations on sources and sinks."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Final

from starlette.responses import JSONResponse, Response

from etalis_py.connectors import open_sink, open_source
from etalis_py.core.formats import MAPPED_FORMATS, TIMED_FORMATS
from etalis_py.core.times import SCALES
from etalis_py.serve.call import Call, checked_choice, checked_iri
from etalis_py.serve.commands import CloseSink, CloseSource, OpenSink, OpenSource
from etalis_py.serve.problems import RequestError

__all__ = [
    "check_name",
    "delete_sink",
    "delete_source",
    "list_sinks",
    "list_sources",
    "put_sink",
    "put_source",
]

_is_name = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}").fullmatch
_SOURCE: Final = ("url", "format", "stream", "map", "time_unit")
_SINK: Final = ("url", "queries", "after")


async def list_sources(call: Call) -> Response:
    """All sources, and how they do."""
    return JSONResponse([_source(call, each) for each in call.host.sources.values()])


def _source(call: Call, each: OpenSource) -> dict[str, Any]:
    state = call.server.connections[call.host.name].states.get(("source", each.name), "connecting")
    shown = open_source(each.url).address
    return {
        "name": each.name,
        "url": str(shown),
        "format": each.format,
        "stream": each.stream,
        "state": state,
    }


async def put_source(call: Call) -> Response:
    """``{"url": ...}``, and any of ``format`` (ndjson), ``stream``, ``map`` and ``time_unit``."""
    name = check_name(call.text("source") or "")
    given = await _texts(call, _SOURCE)
    command = source_of(name, given, None if "map" not in given else call.server.mapping(given["map"]))
    await call.do(command)
    call.server.connections_changed(call.host)
    return JSONResponse(_source(call, command), 201)


def source_of(name: str, given: dict[str, str], mapping: str | None) -> OpenSource:
    """The command that some words mean.

    Raises:
        RequestError: EP626, one of them is not known.
        UsageError: EP630 to EP632, there is no such source.
    """
    formats = TIMED_FORMATS if mapping is None else MAPPED_FORMATS
    format_, unit = given.get("format", "ndjson"), given.get("time_unit")
    checked_choice("format", format_, formats)
    unit = None if unit is None else checked_choice("time_unit", unit, SCALES)
    stream = None if "stream" not in given else checked_iri("stream", given["stream"])
    open_source(given["url"])
    return OpenSource(name, given["url"], format_, stream, mapping, unit)


async def delete_source(call: Call) -> Response:
    """Take no more messages of it."""
    name = call.text("source") or ""
    if name not in call.host.sources:
        raise RequestError(404, "EP625", f"there is no source named {name!r}")
    await call.do(CloseSource(name))
    call.server.connections_changed(call.host)
    return Response(status_code=204)


async def list_sinks(call: Call) -> Response:
    """All sinks, and how far they have come."""
    return JSONResponse([_sink(call, each) for each in call.host.sinks.values()])


def _sink(call: Call, sink: OpenSink) -> dict[str, Any]:
    state = call.server.connections[call.host.name].states.get(("sink", sink.name), "connecting")
    shown = str(open_sink(sink.url).address)
    return {
        "name": sink.name,
        "url": shown,
        "queries": list(sink.queries),
        "delivered": sink.after,
        "state": state,
    }


async def put_sink(call: Call) -> Response:
    """``{"url": ..., "queries": [...], "after": N}``: send answers there; without ``after`` those to come."""
    name = check_name(call.text("sink") or "")
    given = await call.body_object()
    url, queries = given.get("url"), given.get("queries", [])
    if given.keys() - set(_SINK) or not isinstance(url, str):
        raise RequestError(400, "EP626", "a sink has a url, and may have queries and after")
    if not isinstance(queries, list) or not all(isinstance(each, str) for each in queries):
        raise RequestError(400, "EP626", "queries is a list of names")
    after = given.get("after", call.host.answers.last)
    if not isinstance(after, int) or isinstance(after, bool) or after < 0:
        raise RequestError(400, "EP626", "after is the number of an answer")
    open_sink(url)
    sink = OpenSink(name, url, tuple(queries), after)
    await call.do(sink)
    call.server.connections_changed(call.host)
    return JSONResponse(_sink(call, sink), 201)


async def delete_sink(call: Call) -> Response:
    """Send no more answers there."""
    name = call.text("sink") or ""
    if name not in call.host.sinks:
        raise RequestError(404, "EP625", f"there is no sink named {name!r}")
    await call.do(CloseSink(name))
    call.server.connections_changed(call.host)
    return Response(status_code=204)


async def _texts(call: Call, known: Collection[str]) -> dict[str, str]:
    """The body, an object of texts that has a ``url``."""
    given = await call.body_object()
    texts = all(isinstance(each, str) for each in given.values())
    if given.keys() - set(known) or "url" not in given or not texts:
        message = f"the body has texts: {', '.join(known)}, of which url is needed"
        raise RequestError(400, "EP626", message)
    return given


def check_name(name: str) -> str:
    """A name that may stand in a URL and a path.

    Raises:
        RequestError: EP626.
    """
    if not _is_name(name):
        raise RequestError(400, "EP626", f"{name!r} is not a name", hint="letters, digits, '.', '_' and '-'")
    return name
