"""Operations that ask: Prolog of a running engine, SPARQL of its background."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import accumulate, islice
from typing import Any, Final
from urllib.parse import parse_qsl

from starlette.responses import JSONResponse, Response

from etalis_py.core.terms import from_rdflib, to_sparql_json
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from etalis_py.engine.question_engine import QuestionEngine
from etalis_py.results import QueryHead, open_writer
from etalis_py.serve.call import Call, checked_iri
from etalis_py.serve.media import QUERY, RESULTS, TRIPLES
from etalis_py.serve.problems import RequestError

__all__ = ["prolog", "sparql", "term_json"]

_MOST_NESTING: Final = 1000
_MOST_FIELDS: Final = 100


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


@dataclass(frozen=True, slots=True)
class _SparqlQuestion:
    """SPARQL 1.1 Protocol, section 2.1: a query, and the graphs that it is about in the place of its own."""

    text: str
    graphs: tuple[str, ...]
    named: tuple[str, ...]


async def sparql(call: Call) -> Response:
    """A question about the background, what it entails, and states (SPARQL 1.1 Protocol)."""
    asked = await _question(call)
    limits = call.server.limits

    def look(engine: Engine) -> Response:
        with QuestionEngine(
            engine,
            graphs=asked.graphs,
            named=asked.named,
            max_time_per_instant=timedelta(seconds=limits.seconds),
            max_answers_per_instant=limits.answers,
        ) as question:
            return _answered(question, asked.text, call)

    async with call.server.turns.turn():
        return await call.look(look)


def _answered(engine: QuestionEngine, text: str, call: Call) -> Response:
    content = io.BytesIO()
    with warnings.catch_warnings(record=True):
        names = engine.register(text, name="query")
    if len(names) != 1:
        raise RequestError(400, "EP626", "one question at a time")
    query = engine.query(names[0])
    forms = TRIPLES if query.is_construct else RESULTS
    media = call.accepted(tuple(forms))
    head = QueryHead(query.name, query.form, query.variables, query.prefixes)
    engine.finish()
    with open_writer(forms[media], content, at_mode=True, heads=[head]) as writer:
        answers = engine.answers()
        writer.write_answers(answers)
        if query.form == "ask" and not len(answers):
            writer.write(Match.no(query.name, 0))
    return Response(content.getvalue(), media_type=media)


async def _question(call: Call) -> _SparqlQuestion:
    fields = call.request.query_params.multi_items()
    if call.request.scope["method"] == "POST":
        body = await call.body_text()
        if call.media_type == "application/x-www-form-urlencoded":
            fields = _form(body)
        elif call.media_type in (*QUERY, ""):
            fields.append(("query", body))
        else:
            hint = f"say Content-Type: {QUERY[0]}, or application/x-www-form-urlencoded"
            raise RequestError(415, "EP626", f"a question cannot be {call.media_type!r}", hint=hint)
    texts = _of(fields, "query")
    if len(texts) != 1 or not texts[0].strip():
        message = f"there are {len(texts)} questions" if len(texts) > 1 else "there is no question"
        raise RequestError(400, "EP626", message, hint="GET /sparql?query=SELECT...")
    graphs, named = (
        tuple(checked_iri(name, each) for each in _of(fields, name))
        for name in ("default-graph-uri", "named-graph-uri")
    )
    return _SparqlQuestion(texts[0], graphs, named)


def _form(body: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(body, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise RequestError(400, "EP626", f"the body is no form: {error}") from None


def _of(fields: Sequence[tuple[str, str]], name: str) -> list[str]:
    return [value for each, value in fields if each == name]
