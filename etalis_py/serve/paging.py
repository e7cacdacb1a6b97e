"""The live page: files that are served as they are."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Final

from starlette.responses import Response

from etalis_py.serve.call import Call
from etalis_py.serve.problems import RequestError

__all__ = ["file", "index"]

_FOLDER: Final = Path(__file__).with_name("page")
_TYPES: Final = MappingProxyType({"css": "text/css", "html": "text/html", "js": "text/javascript"})
_HEADERS: Final = MappingProxyType(
    {
        "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }
)
"""Pictures of the server have styles of their own."""
_KNOWN: Final = frozenset(path.name for path in _FOLDER.iterdir())


async def index(_: Call) -> Response:
    """The page itself."""
    return _response("index.html")


async def file(call: Call) -> Response:
    """A file that it is made of."""
    name = call.text("file") or ""
    if name not in _KNOWN:
        raise RequestError(404, "EP625", f"the page has no {name!r}")
    return _response(name)


def _response(name: str) -> Response:
    media = _TYPES[name.rpartition(".")[2]]
    return Response((_FOLDER / name).read_bytes(), media_type=media, headers=dict(_HEADERS))
