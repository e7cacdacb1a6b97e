"""Operations on webhooks."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from starlette.responses import JSONResponse, Response

from etalis_py.serve.call import Call
from etalis_py.serve.commands import Hook, Unhook
from etalis_py.serve.problems import RequestError

__all__ = ["delete", "list_hooks", "put"]

_is_name = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}").fullmatch


async def list_hooks(call: Call) -> Response:
    """All webhooks, and how far their receivers have come."""
    return JSONResponse([_about(each) for each in call.host.hooks.values()])


def _about(hook: Hook) -> dict[str, Any]:
    return {"name": hook.name, "url": hook.url, "queries": list(hook.queries), "delivered": hook.after}


async def put(call: Call) -> Response:
    """``{"url": ..., "queries": [...], "after": N}``: send answers there; without ``after`` those to come."""
    given = await call.body_object()
    name = check_name(call.text("hook") or "")
    url, queries = given.get("url"), given.get("queries", [])
    if given.keys() - {"url", "queries", "after"} or not isinstance(url, str):
        raise RequestError(400, "EP626", "a webhook has a url, and may have queries and after")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise RequestError(400, "EP626", f"{url!r} is not a URL of http or https")
    if not isinstance(queries, list) or not all(isinstance(each, str) for each in queries):
        raise RequestError(400, "EP626", "queries is a list of names")
    after = given.get("after", call.host.answers.last)
    if not isinstance(after, int) or isinstance(after, bool) or after < 0:
        raise RequestError(400, "EP626", "after is the number of an answer")
    hook = Hook(name, url, tuple(queries), after)
    await call.do(hook)
    call.server.hooks_changed(call.host)
    return JSONResponse(_about(hook), 201)


async def delete(call: Call) -> Response:
    """Send no more answers there."""
    name = call.text("hook") or ""
    if name not in call.host.hooks:
        raise RequestError(404, "EP625", f"there is no webhook named {name!r}")
    await call.do(Unhook(name))
    call.server.hooks_changed(call.host)
    return Response(status_code=204)


def check_name(name: str) -> str:
    """A name that may stand in a URL and a path.

    Raises:
        RequestError: EP626.
    """
    if not _is_name(name):
        raise RequestError(400, "EP626", f"{name!r} is not a name", hint="letters, digits, '.', '_' and '-'")
    return name
