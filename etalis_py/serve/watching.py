"""Operations that tell how the server does."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from starlette.responses import JSONResponse, Response

from etalis_py.core.times import format_duration, format_time
from etalis_py.engine.engine import Engine
from etalis_py.engine.kept import Kept
from etalis_py.serve.asking import term_json
from etalis_py.serve.call import Call
from etalis_py.serve.host import Host
from etalis_py.serve.media import METRICS
from etalis_py.serve.places import places_of
from etalis_py.serve.rights import ROLES

__all__ = [
    "curves",
    "health",
    "metrics",
    "openapi",
    "places",
    "ready",
    "rights",
    "states",
    "status",
    "streams",
    "waiting",
]

_MOST_FACTS: Final = 1000


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
        "began": format_time(round(host.began * 1e6)),
        "survives": host.survives,
        "memoryBytes": _resident(),
    }


def _resident() -> int | None:
    """Bytes of memory that the process has; None where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError, ValueError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


async def streams(call: Call) -> Response:
    """What has come of each stream since the server began."""
    return JSONResponse(call.host.streams.shown())


async def curves(call: Call) -> Response:
    """The newest numbers of what events are about."""
    return JSONResponse(call.host.streams.curves())


async def places(call: Call) -> Response:
    """What of the background has a place on earth, in degrees."""
    return JSONResponse(await call.look(places_of))


async def waiting(call: Call) -> Response:
    """How many matches each query keeps, and each of its operators, with the window after which they go."""

    def look(engine: Engine) -> dict[str, Any]:
        kept = engine.kept()
        return {name: _kept(kept.get(name, [])) for name in engine.query_names}

    return JSONResponse(await call.look(look))


def _kept(found: Sequence[Kept]) -> dict[str, Any]:
    return {
        "goals": sum(each.count for each in found if not each.is_group),
        "windows": sum(each.count for each in found if each.is_group),
        "bytes": sum(each.bytes for each in found),
        "operators": [
            {
                "operator": each.operator,
                "window": None if each.window is None else format_duration(0, each.window),
                "aggregate": each.is_group,
                "kept": each.count,
                "bytes": each.bytes,
            }
            for each in found
        ],
    }


async def states(call: Call) -> Response:
    """What has begun and not ended, of the states that rules files declare (docs/state.md)."""
    return JSONResponse(await call.look(_states))


def _states(engine: Engine) -> list[dict[str, Any]]:
    """Each with what holds; terms that are not of RDF as Prolog writes them."""
    found = []
    for each in list(engine.prolog("current_predicate('$state'/3), '$state'(Name, Arity, _)")):
        name, variables = str(each["Name"]), [f"A{number}" for number in range(int(each["Arity"]))]
        goal = f"State =.. [{', '.join([_atom(name), *variables])}], since(State, Since)"
        with engine.prolog(goal) as question:
            facts = list(islice(question, _MOST_FACTS + 1))
        shown = [
            {
                "since": format_time(int(fact["Since"])),
                "of": [term_json(fact[variable]) for variable in variables],
            }
            for fact in facts[:_MOST_FACTS]
        ]
        found.append({"state": name, "facts": shown, "more": len(facts) > _MOST_FACTS})
    return found


def _atom(name: str) -> str:
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"


async def rights(call: Call) -> Response:
    """Who asks, and the roles."""
    return JSONResponse(
        {"name": call.holder.name, "roles": [each for each in ROLES if each in call.holder.roles]}
    )


async def health(call: Call) -> Response:
    """The server lives: it answers. Engines that have failed are named."""
    return JSONResponse({"status": "ok", "failed": _failed(call)})


async def ready(call: Call) -> Response:
    """Whether all engines work; 503 where one has failed."""
    failed = _failed(call)
    return JSONResponse({"status": "failed" if failed else "ok", "failed": failed}, 503 if failed else 200)


def _failed(call: Call) -> list[str]:
    return sorted(each.name for each in call.server.hosts.values() if each.failure is not None)


async def metrics(call: Call) -> Response:
    """Prometheus's text format."""
    return Response(call.server.metrics.text(call.server), media_type=METRICS)


async def openapi(_: Call) -> Response:
    """OpenAPI 3.1 of all operations."""
    from etalis_py.serve.openapi import description

    return JSONResponse(description())
