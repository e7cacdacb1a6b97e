"""What the server can be asked to do: one table, of which routes, rights and the OpenAPI document are made.

To add an operation, add an entry with its function; the paths are those of the engine ``main``, and below
``/engines/{engine}`` those of any.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from starlette.responses import Response

from etalis_py.serve import (
    answering,
    asking,
    connecting,
    engines,
    feeding,
    paging,
    querying,
    watching,
    writing,
)
from etalis_py.serve.call import Call
from etalis_py.serve.media import (
    BACKGROUND,
    EVENTS,
    JSON,
    METRICS,
    NDJSON,
    QUERY,
    RESULTS,
    STREAMS,
    SVG,
    TEXT,
    TRIPLES,
)
from etalis_py.serve.rights import Role

__all__ = ["OPERATIONS", "Operation", "Parameter"]

Handler: TypeAlias = Callable[[Call], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a URL, ``{name}`` in the path or behind the ``?``."""

    name: str
    help: str
    is_number: bool = False
    several: bool = False
    is_needed: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of a path, for who has ``role`` (None: for everybody); ``takes`` and ``gives`` media types.
    ``example`` is a body, of the first of those that it takes.

    ``of_server``: it is not about one engine. ``is_probe``: whoever keeps the server running asks it, however
    often.
    """

    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    role: Role | None
    summary: str
    handler: Handler
    parameters: tuple[Parameter, ...] = ()
    takes: tuple[str, ...] = ()
    gives: tuple[str, ...] = (JSON,)
    status: int = 200
    of_server: bool = False
    is_probe: bool = False
    example: str = ""


_SPARQL: Final = "Put a SPARQL question about the background (SPARQL 1.1 Protocol)"
_ANSWERED: Final = (*RESULTS, *TRIPLES)
_GRAPHS: Final = (
    Parameter("default-graph-uri", "a graph of the background to ask in the place of FROM", several=True),
    Parameter("named-graph-uri", "a graph of the background for GRAPH, as FROM NAMED", several=True),
)
_QUERY: Final = Parameter("query", "the name of a query")
_AFTER: Final = Parameter(
    "after", "the number of the last answer that is known; 0: from the oldest kept", True
)
_OF: Final = Parameter("query", "only answers of the query with this name", several=True)
_STREAM: Final = Parameter("stream", "the IRI of the stream; without it the default stream")
_UNIT: Final = Parameter("time_unit", "the unit of numeric times: s, ms or us (microseconds)")
_MAP: Final = Parameter("map", "the name of a mapping, by which rows of any columns become events")
_SOURCE: Final = Parameter("source", "the name of the source")
_SINK: Final = Parameter("sink", "the name of the sink")
_RISE: Final = "SELECT ?x { ?x <urn:is> 'low' } SEQ { ?x <urn:is> 'high' }"
_NUMBER: Final = Parameter("number", "the number of an answer", True)

OPERATIONS: Final = (
    Operation(
        "POST", "/events", "feed", "Send events; they are taken as a whole, or not at all", feeding.send,
        (_STREAM, _UNIT, _MAP), STREAMS,
        example='{"start": "2026-03-11T05:46:00Z", "s": "<urn:n1>", "p": "<urn:is>", "o": "<urn:low>"}',
    ),
    Operation(
        "POST", "/advance", "feed", "Say that nothing that ends before a time will come", feeding.advance,
        takes=(JSON,), example='{"time": "2026-03-11T05:49:00Z"}',
    ),
    Operation("GET", "/queries", "watch", "List the queries", querying.list_queries),
    Operation(
        "POST", "/queries", "register", "Register the queries of a text", querying.register,
        (
            Parameter("name", "the name of the query"),
            Parameter("language", "ep-sparql, spaseq, etalis, or a dialect of windows"),
            Parameter("policy", "the selection policy of queries that have none of their own"),
        ),
        QUERY, status=201, example=_RISE,
    ),
    Operation("GET", "/queries/{query}", "watch", "Show a query", querying.show, (_QUERY,)),
    Operation(
        "DELETE", "/queries/{query}", "register", "Remove a query", querying.remove, (_QUERY,), status=204
    ),
    Operation(
        "GET", "/queries/{query}/plan", "watch", "Show the plan of a query", querying.plan, (_QUERY,),
        gives=(TEXT, SVG),
    ),
    Operation(
        "POST", "/check", "watch", "Tell what is wrong with a query, or probably not meant", writing.check,
        takes=QUERY, example=_RISE,
    ),
    Operation(
        "POST", "/explain", "watch", "Show the plan of a query that is not registered", writing.explain,
        takes=QUERY, gives=(TEXT, SVG), example=_RISE,
    ),
    Operation(
        "POST", "/complete", "register", "Tell what can be written at a place of a query", writing.complete,
        (Parameter("offset", "the place, in characters; without it the end", True),), QUERY,
        example="SELECT ?x { ?x <urn:is> 'low' } SE",
    ),
    Operation(
        "GET", "/answers", "watch", "Read answers: those that are kept, or, as events, those that come",
        answering.answers, (_OF, _AFTER, Parameter("most", "at most so many", True)),
        gives=(NDJSON, EVENTS, *RESULTS),
    ),
    Operation(
        "GET", "/answers/{number}/why", "watch", "Show what an answer is made of", answering.why, (_NUMBER,),
        gives=(TEXT, JSON, SVG),
    ),
    Operation(
        "POST", "/prolog", "ask", "Put a Prolog question; without the role register only what is safe",
        asking.prolog, takes=(TEXT,), gives=(JSON,), example="rdf(S, rdf:type, C)",
    ),
    Operation(
        "GET", "/sparql", "ask", _SPARQL, asking.sparql,
        (Parameter("query", "the question", is_needed=True), *_GRAPHS), gives=_ANSWERED,
    ),
    Operation(
        "POST", "/sparql", "ask", _SPARQL, asking.sparql, _GRAPHS,
        takes=("application/sparql-query", "application/x-www-form-urlencoded"), gives=_ANSWERED,
        example="SELECT ?x ?type { ?x a ?type } LIMIT 10",
    ),
    Operation("GET", "/status", "watch", "Tell how an engine does", watching.status),
    Operation("GET", "/streams", "watch", "Show the streams, and the last of each", watching.streams),
    Operation("GET", "/curves", "watch", "Show the newest numbers of events", watching.curves),
    Operation("GET", "/places", "watch", "Show what has a place on earth", watching.places),
    Operation("GET", "/waiting", "watch", "Count what each query keeps", watching.waiting),
    Operation("GET", "/states", "watch", "Tell what has begun and not ended", watching.states),
    Operation(
        "PUT", "/background", "register", "Take other background; queries go on", engines.put_background,
        takes=BACKGROUND, example="<urn:n1> a <urn:Sensor> .",
    ),
    Operation(
        "POST", "/restart", "register", "Let an engine without state that has failed begin anew",
        engines.restart,
    ),
    Operation("GET", "/sources", "watch", "List the sources", connecting.list_sources),
    Operation(
        "PUT", "/sources/{source}", "register", "Take the messages of a broker, a socket or a file",
        connecting.put_source, (_SOURCE,), (JSON,), status=201,
        example='{"url": "mqtt://127.0.0.1/sensors/+", "stream": "urn:dock"}',
    ),
    Operation(
        "DELETE", "/sources/{source}", "register", "Take no more of them", connecting.delete_source,
        (_SOURCE,), status=204,
    ),
    Operation("GET", "/sinks", "watch", "List the sinks", connecting.list_sinks),
    Operation(
        "PUT", "/sinks/{sink}", "register", "Send answers to a URL: a webhook, a broker, a socket",
        connecting.put_sink, (_SINK,), (JSON,), status=201,
        example='{"url": "http://127.0.0.1:9/alerts", "queries": ["rise"]}',
    ),
    Operation(
        "DELETE", "/sinks/{sink}", "register", "Send no more answers there", connecting.delete_sink, (_SINK,),
        status=204,
    ),
    Operation("GET", "/maps", "watch", "List the mappings", engines.list_maps, of_server=True),
    Operation(
        "PUT", "/maps/{map}", "register", "Keep a mapping in YARRRML under a name", engines.put_map,
        (Parameter("map", "the name of the mapping"),), ("application/yaml", TEXT), status=201,
        of_server=True,
        example="mappings: {reading: {s: 'urn:$(sensor)', time: $(at), po: [[urn:is, $(value)]]}}",
    ),
    Operation("GET", "/engines", "watch", "List the engines", engines.list_engines, of_server=True),
    Operation(
        "PUT", "/engines/{name}", "register", "Open one more engine", engines.put,
        (Parameter("name", "the name of the engine"),), (JSON,), status=201, of_server=True,
        example='{"policy": "recent"}',
    ),
    Operation(
        "DELETE", "/engines/{name}", "register", "Close an engine, and forget its state", engines.delete,
        (Parameter("name", "the name of the engine"),), status=204, of_server=True,
    ),
    Operation("GET", "/", None, "The live page", paging.index, gives=("text/html",), of_server=True),
    Operation(
        "GET", "/page/{file}", None, "A file of the live page", paging.file,
        (Parameter("file", "its name"),), gives=("text/css", "text/javascript"), of_server=True,
    ),
    Operation("GET", "/rights", "watch", "Tell what who asks may do", watching.rights, of_server=True),
    Operation(
        "GET", "/health", None, "Tell whether the server lives", watching.health,
        of_server=True, is_probe=True,
    ),
    Operation(
        "GET", "/ready", None, "Tell whether all engines work", watching.ready,
        of_server=True, is_probe=True,
    ),
    Operation(
        "GET", "/metrics", "watch", "Numbers for Prometheus", watching.metrics,
        gives=(METRICS,), of_server=True,
    ),
    Operation("GET", "/openapi.json", None, "This description", watching.openapi, of_server=True),
)  # fmt: skip
