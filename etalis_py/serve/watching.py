"""Operations that tell how the server does."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import Any, Final

from rdflib.term import URIRef
from starlette.responses import JSONResponse, Response

from etalis_py.core.times import format_time
from etalis_py.engine.engine import Engine
from etalis_py.serve.call import Call
from etalis_py.serve.host import Host
from etalis_py.serve.media import METRICS

__all__ = ["curves", "health", "metrics", "openapi", "places", "ready", "status", "streams", "waiting"]

_GEO: Final = "http://www.w3.org/2003/01/geo/wgs84_pos#"
_PLACES: Final = f"rdf(S, '{_GEO}lat', Lat), rdf(S, '{_GEO}long', Long)"
_LABEL: Final = "rdf(S, rdfs:label, Label)"
_MOST_PLACES: Final = 1000


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


async def curves(call: Call) -> Response:
    """The newest numbers of what events are about."""
    return JSONResponse(call.host.streams.curves())


async def places(call: Call) -> Response:
    """What of the background has a place on earth (W3C Basic Geo), in degrees, and its label."""
    return JSONResponse(await call.look(_places))


def _places(engine: Engine) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for answer in islice(engine.prolog(_PLACES), _MOST_PLACES):
        with suppress(ValueError, TypeError):
            where = {"latitude": float(answer["Lat"]), "longitude": float(answer["Long"])}
            found.setdefault(str(answer["S"]), {"subject": str(answer["S"]), **where, "label": None})
    for subject, place in found.items():
        for answer in islice(engine.prolog(_LABEL, S=URIRef(subject)), 1):
            place["label"] = str(answer["Label"])
    return list(found.values())


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
