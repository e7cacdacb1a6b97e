"""Operations that give answers, and what they are made of."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator, Sequence
from typing import Final

from starlette.responses import JSONResponse, Response, StreamingResponse

from etalis_py.core.terms import from_sparql_json
from etalis_py.core.times import parse_time
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from etalis_py.results import QueryHead, open_writer
from etalis_py.serve.call import Call
from etalis_py.serve.media import EVENTS, JSON, NDJSON, RESULTS, SVG, TEXT
from etalis_py.serve.problems import RequestError
from etalis_py.serve.readers import Reader
from etalis_py.why import Why
from etalis_py.why.as_json import why_json

__all__ = ["answers", "why"]

_MOST: Final = 10_000
_NUMBER: Final = "Etalis-Last"
"""The header with the number of the last answer that was looked at: ``?after=`` of the next request."""


async def answers(call: Call) -> Response:
    """Answers that are kept; as ``text/event-stream`` also those that come."""
    media = call.accepted((NDJSON, EVENTS, *RESULTS))
    names = call.texts("query")
    if media == EVENTS:
        last = call.request.headers.get("last-event-id") or call.text("after")
        after = (
            call.host.answers.last if last is None else int(last) if last.isascii() and last.isdigit() else 0
        )
        reader = call.server.reader(call.host, after, names)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(_events(reader), headers=headers, media_type=EVENTS)
    found = call.host.answers.read(
        call.number("after", 0) or 0, names, min(call.number("most", 1000) or 0, _MOST)
    )
    headers = {_NUMBER: str(found.upto), **({"Etalis-Lost": str(found.lost)} if found.lost else {})}
    if media == NDJSON:
        content = b"".join(each.line + b"\n" for each in found.answers)
        return Response(content, headers=headers, media_type=NDJSON)
    if len(names) != 1:
        raise RequestError(400, "EP626", "this format holds the answers of one query", hint="add ?query=NAME")
    head = await call.look(lambda engine: _head(engine, names[0]))
    document = io.BytesIO()
    with open_writer(RESULTS[media], document, heads=[head]) as writer:
        writer.write_all([_match(each.line, head.variables) for each in found.answers])
    return Response(document.getvalue(), headers=headers, media_type=media)


async def _events(reader: Reader) -> AsyncIterator[bytes]:
    yield b"retry: 1000\n\n"
    async for found in reader:
        yield found.events


def _head(engine: Engine, name: str) -> QueryHead:
    if name not in engine.query_names:
        raise RequestError(404, "EP625", f"there is no query named {name!r}")
    query = engine.query(name)
    if query.is_construct:
        raise RequestError(406, "EP626", f"{name!r} gives triples", hint="ask for application/x-ndjson")
    return QueryHead(name, query.form, query.variables, query.prefixes)


def _match(line: bytes, variables: Sequence[str]) -> Match:
    """The answer that a line of NDJSON tells."""
    answer = json.loads(line)
    start, end = parse_time(answer["start"]), parse_time(answer["end"])
    if "boolean" in answer:
        return Match(answer["query"], start, end, boolean=answer["boolean"])
    terms = answer["bindings"]
    values = tuple(from_sparql_json(terms[name]) if name in terms else None for name in variables)
    return Match(answer["query"], start, end, tuple(variables), values)


async def why(call: Call) -> Response:
    """What an answer is made of: text, JSON or a picture."""
    number = call.number("number") or 0
    media = call.accepted((TEXT, JSON, SVG))
    match = call.host.explained(number)
    if not call.host.options.trace:
        raise RequestError(404, "EP561", "the server keeps no origins", hint="start it with --why")
    if match is None:
        message = f"nothing is known of the origin of answer {number}"
        hint = "it is kept of the last answers since the server began"
        raise RequestError(404, "EP561", message, hint=hint)
    return await call.look(lambda engine: _shown(engine.why(match), media))


def _shown(found: Why, media: str) -> Response:
    if media == JSON:
        return JSONResponse(why_json(found))
    return Response(found.svg() if media == SVG else f"{found}\n", media_type=media)
