"""Operations that ask: Prolog of a running engine, SPARQL of its background."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import accumulate, islice
from typing import Any, Final
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from etalis_py.core.terms import from_rdflib, to_sparql_json
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from etalis_py.results import QueryHead, open_writer
from etalis_py.serve.call import Call
from etalis_py.serve.media import SPARQL_CSV, SPARQL_JSON, SPARQL_TSV
from etalis_py.serve.problems import RequestError

__all__ = ["prolog", "sparql", "term_json"]

_OF_ROWS: Final = {SPARQL_JSON: "json", SPARQL_CSV: "csv", SPARQL_TSV: "tsv"}
_OF_TRIPLES: Final = {"application/n-quads": "nquads"}
_MOST_NESTING: Final = 1000
_FORMATS: Final = {**_OF_ROWS, **_OF_TRIPLES}


async def prolog(call: Call) -> Response:
    """The answers to the goal in the body: ``{"answers": [{"X": term}], "more": false}``."""
    goal = await call.body_text()
    limits = call.server.limits
    if _nesting(goal) > _MOST_NESTING:
        raise RequestError(400, "EP626", f"the question is nested more than {_MOST_NESTING} deep")
    safe = "register" not in call.holder.roles

    def look(engine: Engine) -> dict[str, Any]:
        with engine.prolog(
            goal, sandbox=safe, seconds=limits.seconds, inferences=limits.inferences
        ) as question:
            found = list(islice(question, limits.answers + 1))
        answers = [{name: term_json(term) for name, term in each.items()} for each in found[: limits.answers]]
        return {"answers": answers, "more": len(found) > limits.answers}

    async with call.server.turns.turn():
        return JSONResponse(await call.look(look))


def _nesting(goal: str) -> int:
    """How many brackets are open at most; those in quotes count, too."""
    steps = (1 if each in "([{" else -1 for each in goal if each in "([{}])")
    return max(accumulate(steps), default=0)


def term_json(term: object) -> dict[str, str]:
    """As SPARQL JSON results have an RDF term; what is none is told as Prolog writes it."""
    try:
        return to_sparql_json(from_rdflib(term))
    except ValueError:
        return {"type": "prolog", "value": str(term)}


async def sparql(call: Call) -> Response:
    """SPARQL 1.1 Protocol, section 2.1: a question about the background and what it entails."""
    text = await _question(call)
    options = call.host.options.keywords(
        at=0,
        trace=False,
        recall=False,
        threads=1,
        on_late="error",
        max_time_per_instant=timedelta(seconds=call.server.limits.seconds),
    )
    async with call.server.turns.turn():
        content, media = await run_in_threadpool(_asked, text, options, call.accepted)
    return Response(content, media_type=media)


def _asked(text: str, options: dict[str, Any], accepted: Callable[[Sequence[str]], str]) -> tuple[bytes, str]:
    """The answers of an engine of its own, at one instant without events, and their media type."""
    content = io.BytesIO()
    with Engine(**options) as engine:
        names = engine.register(text, name="query")
        if len(names) != 1:
            raise RequestError(400, "EP626", "one question at a time")
        query = engine.query("query")
        head = QueryHead("query", query.form, query.variables, query.prefixes)
        media = accepted(tuple(_OF_TRIPLES if query.form in ("construct", "describe") else _OF_ROWS))
        engine.finish()
        with open_writer(_FORMATS[media], content, at_mode=True, heads=[head]) as writer:
            answers = engine.answers()
            writer.write_answers(answers)
            if query.form == "ask" and not len(answers):
                writer.write(Match.no("query", 0))
    return content.getvalue(), media


async def _question(call: Call) -> str:
    if call.request.scope["method"] == "GET":
        text = call.text("query")
    elif call.media_type == "application/x-www-form-urlencoded":
        text = parse_qs(await call.body_text(), max_num_fields=20).get("query", [None])[0]
    else:
        text = await call.body_text()
    if not text:
        raise RequestError(400, "EP626", "there is no question", hint="GET /sparql?query=SELECT...")
    return text
