"""Operations that tell how the server does."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse, Response

from etalis_py.core.times import format_time
from etalis_py.engine.engine import Engine
from etalis_py.serve.call import Call
from etalis_py.serve.host import Host
from etalis_py.serve.media import METRICS

__all__ = ["health", "metrics", "openapi", "ready", "status", "streams", "waiting"]


async def status(call: Call) -> Response:
    """How one engine does."""
    return JSONResponse(status_of(call.host))


def status_of(host: Host) -> dict[str, Any]:
    """How an engine does, in numbers."""
    return {
        "engine": host.name,
        "failure": host.failure,
        "clock": None if host.clock is None else format_time(host.clock),
        "queries": [name for each in host.registered for name in each.names],
        "events": host.counts.events,
        "late": host.late,
        "waitingBytes": host.waiting,
        "answers": host.answers.last,
        "explains": host.options.trace,
    }


async def streams(call: Call) -> Response:
    """What has come of each stream since the server began."""
    return JSONResponse(call.host.streams.shown())


async def waiting(call: Call) -> Response:
    """How many goals of each query wait."""

    def look(engine: Engine) -> dict[str, int]:
        return {name: engine.count_waiting(name) for name in engine.query_names}

    return JSONResponse(await call.look(look))


async def health(_: Call) -> Response:
    """The server lives: it answers."""
    return JSONResponse({"status": "ok"})


async def ready(call: Call) -> Response:
    """Whether all engines work; 503 where one has failed."""
    failed = {each.name: each.failure for each in call.server.hosts.values() if each.failure is not None}
    return JSONResponse(
        {"status": "failed" if failed else "ok", "failed": sorted(failed)}, 503 if failed else 200
    )


async def metrics(call: Call) -> Response:
    """Prometheus's text format."""
    return Response(call.server.metrics.text(call.server), media_type=METRICS)


async def openapi(_: Call) -> Response:
    """OpenAPI 3.1 of all operations."""
    from etalis_py.serve.openapi import description

    return JSONResponse(description())
