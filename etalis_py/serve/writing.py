"""Operations for who writes a query, which is not registered yet: errors, completion, its plan."""

from __future__ import annotations

from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from etalis_py.core.errors import EtalisError, EtalisWarning, QueryError
from etalis_py.editors.completion import Completion, completions
from etalis_py.editors.text import QueryText
from etalis_py.engine.engine import Engine
from etalis_py.serve.call import Call
from etalis_py.serve.media import SVG, TEXT

__all__ = ["about", "check", "complete", "explain"]

_MOST: Final = 200
"""Completions that are told."""


async def check(call: Call) -> Response:
    """What is wrong with the queries of the body, and what is probably not meant."""
    text = await call.body_text()
    async with call.server.turns.turn():
        try:
            warnings: list[EtalisWarning] = await call.look(lambda engine: engine.lint(text))
            errors: list[EtalisError] = []
        except QueryError as error:
            warnings, errors = [], await run_in_threadpool(_all_errors, text, error)
    return JSONResponse({"errors": list(map(about, errors)), "warnings": list(map(about, warnings))})


def _all_errors(text: str, first: EtalisError) -> list[EtalisError]:
    from etalis_py.compiler.lint.mistakes import all_errors

    found: list[EtalisError] = list(all_errors(text))
    return found if str(first) in map(str, found) else [first, *found]


def about(found: EtalisError | EtalisWarning) -> dict[str, Any]:
    """An error or a warning, with its place."""
    place = found.place
    return {
        "code": found.code,
        "message": found.message,
        "line": place and place.line,
        "column": place and place.column,
        "length": place and place.length,
        "hint": found.hint,
    }


async def complete(call: Call) -> Response:
    """What can be written in the text of the body at ``offset``, in characters; without it, at the end."""
    text = await call.body_text()
    offset = min(call.number("offset", len(text)) or 0, len(text))

    def find() -> list[Completion]:
        vocabulary = call.host.vocabulary()
        found = completions(QueryText(text), offset, vocabulary)
        begun = [(each, each.text.lower().find(text[each.start : offset].lower())) for each in found]
        return [each for each, place in begun if place == 0] + [each for each, place in begun if place > 0]

    async with call.server.turns.turn():
        found = await run_in_threadpool(find)
    return JSONResponse([_completion(each) for each in found[:_MOST]])


def _completion(found: Completion) -> dict[str, Any]:
    return {
        "text": found.text,
        "kind": found.kind.value,
        "start": found.start,
        "detail": found.detail,
        "documentation": found.documentation,
    }


async def explain(call: Call) -> Response:
    """The plan of the queries of the body, as text or as a picture."""
    text, media = await call.body_text(), call.accepted((TEXT, SVG))

    def look(engine: Engine) -> str:
        view = engine.explain_text(text)
        return view.svg() if media == SVG else f"{view}\n"

    async with call.server.turns.turn():
        return Response(await call.look(look), media_type=media)
