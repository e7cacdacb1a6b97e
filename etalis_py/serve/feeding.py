"""Operations that feed an engine."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse, Response

from etalis_py.core.formats import MAPPED_FORMATS, TIMED_FORMATS
from etalis_py.core.times import SCALES, format_time
from etalis_py.serve.call import Call, time_of
from etalis_py.serve.commands import CLIENT, Advance, Feed
from etalis_py.serve.media import FORMAT_OF, JSON
from etalis_py.serve.problems import RequestError

__all__ = ["advance", "feed_of", "send"]


async def send(call: Call) -> Response:
    """Send the events of the body."""
    body = await call.body()
    command = feed_of(call, body, FORMAT_OF.get(call.media_type, call.media_type))
    return JSONResponse(await call.do(command))


def feed_of(call: Call, body: bytes, format_: str) -> Feed:
    """The command that a body of events means.

    Raises:
        RequestError: EP625 there is no such mapping, EP626 a parameter or a media type.
    """
    name = call.text("map")
    mapping = None if name is None else call.server.mapping(name)
    known = TIMED_FORMATS if mapping is None else MAPPED_FORMATS
    if format_ not in FORMAT_OF.values() or format_ not in known:
        offered = ", ".join(media for media, each in FORMAT_OF.items() if each in known)
        hint = f"say Content-Type: {offered}"
        if call.media_type == JSON:
            hint = "JSON of any shape needs a mapping (?map=...); lines of events are application/x-ndjson"
        raise RequestError(
            415, "EP626", f"events cannot be read from {format_ or 'no media type'}", hint=hint
        )
    return Feed(
        body,
        format_,
        call.iri("stream"),
        mapping,
        call.choice("time_unit", tuple(SCALES)),
        **_origin(call),
    )


def _origin(call: Call) -> dict[str, Any]:
    """From which producer the body is, and which of its bodies."""
    producer = call.request.headers.get("etalis-producer")
    number = call.request.headers.get("etalis-number")
    if (producer is None) != (number is None):
        message = "Etalis-Producer and Etalis-Number belong together"
        raise RequestError(400, "EP626", message, hint="the numbers of one producer grow from body to body")
    if number is None or producer is None:
        return {}
    if not (number.isascii() and number.isdigit() and len(number) < 19) or len(producer) > 200:
        raise RequestError(400, "EP626", "Etalis-Number is a whole number, Etalis-Producer a short name")
    return {"producer": f"{CLIENT}{producer}", "number": int(number)}


async def advance(call: Call) -> Response:
    """Say that nothing that ends before a time will come: ``{"time": ...}``."""
    given = await call.body_object()
    if given.keys() != {"time"}:
        raise RequestError(400, "EP626", "the body has no 'time'", hint='{"time": "2011-03-11T06:00:00Z"}')
    done = await call.do(Advance(time_of(given["time"])))
    clock = done["clock"]
    return JSONResponse({"clock": None if clock is None else format_time(clock)})
