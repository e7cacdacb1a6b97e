"""Operations on what the server has: its engines, and the mappings of ordinary data."""

from __future__ import annotations

from dataclasses import replace

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from etalis_py.core.errors import EtalisError
from etalis_py.serve.bodies import mapping_of
from etalis_py.serve.call import Call
from etalis_py.serve.commands import Replace, Restart
from etalis_py.serve.connecting import check_name
from etalis_py.serve.media import SUFFIX_OF
from etalis_py.serve.problems import RequestError
from etalis_py.serve.watching import status_of

__all__ = ["delete", "list_engines", "list_maps", "put", "put_background", "put_map", "restart"]

_SETTABLE = (
    *("policy", "entailment", "on_late", "max_derivations", "max_answers_per_instant"),
    *("max_time_per_instant", "max_regex_steps"),
)
"""The options that a request may set; files are named by who starts the server."""


async def list_engines(call: Call) -> Response:
    """All engines, and how they do."""
    return JSONResponse([status_of(each) for each in call.server.hosts.values()])


async def put(call: Call) -> Response:
    """Open an engine with the background and the options of the server, but for those in the body."""
    given = await call.body_object()
    name = check_name(call.text("name") or "")
    if unknown := given.keys() - set(_SETTABLE):
        message = f"{min(unknown)!r} is no option that a request may set"
        raise RequestError(400, "EP626", message, hint=f"there are {', '.join(_SETTABLE)}")
    if name in call.server.hosts:
        raise RequestError(409, "EP626", f"there is an engine named {name!r} already")
    words = {each: str(word) for each, word in given.items()}
    host = await run_in_threadpool(call.server.open, name, words)
    call.server.opened(host)
    return JSONResponse(status_of(host), 201)


async def delete(call: Call) -> Response:
    """Close an engine, and forget its state."""
    name = call.text("name") or ""
    if name == "main":
        raise RequestError(409, "EP626", "the engine main is there as long as the server")
    call.server.host(name)
    await call.server.close(name)
    return Response(status_code=204)


async def restart(call: Call) -> Response:
    """Have an engine that has failed begin anew: with its queries and background, without what waited."""
    await call.do(Restart())
    call.server.connections[call.host.name].try_again()
    return JSONResponse(status_of(call.host))


async def put_background(call: Call) -> Response:
    """Take the body, RDF, as background in the place of all that there is; queries and what waits go on.

    The next event is joined with the new one, and so is what waits.
    """
    suffix = SUFFIX_OF.get(call.media_type)
    if suffix is None:
        hint = f"say Content-Type: {', '.join(SUFFIX_OF)}"
        raise RequestError(415, "EP626", f"background cannot be read from {call.media_type!r}", hint=hint)
    body = await call.body(call.server.limits.background)
    files = call.host.files
    file = await run_in_threadpool(files.hold, body, suffix)
    try:
        await call.do(Replace(file))
    except EtalisError as error:
        if error.place is not None and error.place.source == str(files.path(file)):
            error.place = replace(error.place, source="the body")
        raise
    finally:
        files.let_go(file)
    return JSONResponse({"bytes": len(body)})


async def list_maps(call: Call) -> Response:
    """The names of the mappings."""
    return JSONResponse(sorted(call.server.mappings))


async def put_map(call: Call) -> Response:
    """Keep a mapping."""
    name, text = check_name(call.text("map") or ""), await call.body_text()
    try:
        mapping_of(text)
    except EtalisError as error:
        error.hint = error.hint or "docs/data.md has what a mapping may say"
        raise
    call.server.keep_mapping(name, text)
    return JSONResponse({"name": name}, 201)
