"""Operations on the queries of an engine."""

from __future__ import annotations

import warnings
from typing import Any

from starlette.responses import JSONResponse, Response

from etalis_py.compiler.algebra.policies import POLICIES
from etalis_py.compiler.languages.language_names import LANGUAGES
from etalis_py.compiler.parse.dialect_names import DIALECTS
from etalis_py.engine.engine import Engine
from etalis_py.serve.call import Call
from etalis_py.serve.commands import Register, Remove
from etalis_py.serve.host import Host
from etalis_py.serve.media import SVG, TEXT
from etalis_py.serve.problems import RequestError
from etalis_py.serve.writing import about

__all__ = ["list_queries", "plan", "register", "remove", "show"]


async def list_queries(call: Call) -> Response:
    """All queries, with what they give."""
    host = call.host
    return JSONResponse(
        await call.look(lambda engine: [_about(host, engine, name) for name in engine.query_names])
    )


def _about(host: Host, engine: Engine, name: str) -> dict[str, Any]:
    query = engine.query(name)
    text = next(each for each in host.registered if name in each.names)
    return {
        "name": name,
        "form": query.form,
        "variables": list(query.variables),
        "stream": query.stream,
        "registeredAs": text.name,
        "answers": host.counts.answers.get(name, 0),
    }


async def register(call: Call) -> Response:
    """Register the queries of the body; their names, and what is probably not meant."""
    text = await call.body_text()
    name = call.text("name")
    if name in ("", ".", "..") or any(each < " " for each in name or ""):
        raise RequestError(400, "EP626", f"name={name!r} cannot stand in a URL")
    name = await call.look(_free_name) if name is None else name
    language = call.choice("language", (*LANGUAGES, *DIALECTS))
    policy = call.choice("policy", POLICIES)
    with warnings.catch_warnings(record=True):
        names = await call.do(Register(text, name, language, policy))
    found = await call.look(lambda engine: engine.lint_registered(names))
    return JSONResponse({"names": names, "warnings": list(map(about, found))}, 201)


def _free_name(engine: Engine) -> str:
    number = 1
    while (name := f"query-{number}") in engine.query_names:
        number += 1
    return name


async def show(call: Call) -> Response:
    """A query: what it gives, and the text that it was registered with."""
    host, name = call.host, _name(call)

    def look(engine: Engine) -> dict[str, Any]:
        _check_there(engine, name)
        text = next(each for each in host.registered if name in each.names)
        return {**_about(host, engine, name), "text": text.text}

    return JSONResponse(await call.look(look))


async def remove(call: Call) -> Response:
    """Remove a query."""
    name = _name(call)
    await call.look(lambda engine: _check_there(engine, name))
    await call.do(Remove(name))
    return Response(status_code=204)


async def plan(call: Call) -> Response:
    """The plan of a query, as text or as a picture."""
    name, media = _name(call), call.accepted((TEXT, SVG))

    def look(engine: Engine) -> str:
        _check_there(engine, name)
        view = engine.explain(name)
        return view.svg() if media == SVG else f"{view}\n"

    return Response(await call.look(look), media_type=media)


def _name(call: Call) -> str:
    return call.text("query") or ""


def _check_there(engine: Engine, name: str) -> None:
    if name not in engine.query_names:
        known = ", ".join(engine.query_names) or "none"
        raise RequestError(404, "EP625", f"there is no query named {name!r}", hint=f"there are: {known}")
