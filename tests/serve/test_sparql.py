"""The SPARQL 1.1 Protocol: questions about background and states, and each form of answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest

from tests.serve.servers import NDJSON, Running, lines, serving

PETS = "SELECT ?x { ?x a <urn:Pet> } ORDER BY ?x"
STATE = """:- state(low(X), begins("?X <urn:is> 'low'"), ends("?X <urn:is> 'high'"))."""
TURTLE = {"Content-Type": "text/turtle"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("sparql")
    facts, summer, rules = folder / "facts.ttl", folder / "summer.ttl", folder / "low.pl"
    facts.write_text(
        "<urn:a> a <urn:Cat> . <urn:Cat> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:Pet> ."
    )
    summer.write_text("<urn:s> a <urn:Pet> .")
    rules.write_text(STATE)
    graph = f"urn:summer={summer}"
    with serving("--background", facts, "--graph", graph, "--rules", rules) as running:
        yield running


def names(reply: Any) -> list[str]:
    assert reply.status_code == 200, reply.text
    return [row["x"]["value"] for row in reply.json()["results"]["bindings"]]


def test_each_way_to_ask(shared: Running) -> None:
    query = {"Content-Type": "application/sparql-query"}
    assert names(shared.get("/sparql", params={"query": PETS})) == ["urn:a"]
    assert names(shared.client.post("/sparql", data={"query": PETS})) == ["urn:a"]
    assert names(shared.post("/sparql", PETS, headers=query)) == ["urn:a"]


@pytest.mark.parametrize(
    ("accept", "media", "form"),
    [
        ("*/*", "application/sparql-results+json", "JSON"),
        ("application/json", "application/json", "JSON"),
        ("application/sparql-results+xml", "application/sparql-results+xml", "XML"),
        ("text/html, application/xml;q=0.9", "application/xml", "XML"),
        ("text/tab-separated-values", "text/tab-separated-values", "TSV"),
        ("text/csv;q=0.1, application/sparql-results+xml", "application/sparql-results+xml", "XML"),
    ],
)
def test_forms_of_rows(shared: Running, accept: str, media: str, form: str) -> None:
    reply = shared.get("/sparql", params={"query": PETS}, headers={"Accept": accept})
    assert reply.headers["content-type"].partition(";")[0] == media
    found = pyoxigraph.parse_query_results(reply.content, format=getattr(pyoxigraph.QueryResultsFormat, form))
    assert isinstance(found, pyoxigraph.QuerySolutions)
    assert [str(row["x"]) for row in found] == ["<urn:a>"]


def test_csv_and_booleans(shared: Running) -> None:
    csv = shared.get("/sparql", params={"query": PETS}, headers={"Accept": "text/csv"})
    assert csv.content == b"x\r\nurn:a\r\n"
    ask = {"query": "ASK { <urn:a> a <urn:Dog> }"}
    assert shared.get("/sparql", params=ask).json() == {"head": {}, "boolean": False}
    xml = shared.get("/sparql", params=ask, headers={"Accept": "application/sparql-results+xml"})
    found = pyoxigraph.parse_query_results(xml.content, format=pyoxigraph.QueryResultsFormat.XML)
    assert bool(found) is False


@pytest.mark.parametrize("media", ["application/n-triples", "text/turtle", "application/n-quads"])
def test_triples(shared: Running, media: str) -> None:
    query = "CONSTRUCT { ?x <urn:is> 'kept' } WHERE { ?x a <urn:Pet> }"
    reply = shared.get("/sparql", params={"query": query}, headers={"Accept": media})
    assert reply.headers["content-type"].partition(";")[0] == media
    form = pyoxigraph.RdfFormat.from_media_type(media)
    [quad] = pyoxigraph.parse(reply.content, format=form)
    assert str(quad.triple) == '<urn:a> <urn:is> "kept"'


def test_graphs_of_the_protocol_are_in_the_place_of_those_of_the_query(shared: Running) -> None:
    named = "SELECT ?x FROM <urn:other> { GRAPH ?g { ?x a <urn:Pet> } }"
    asked = {"query": PETS.replace("{", "FROM <urn:other> {", 1), "default-graph-uri": "urn:summer"}
    assert names(shared.get("/sparql", params={"query": asked["query"]})) == []
    assert names(shared.get("/sparql", params=asked)) == ["urn:s"]
    assert names(shared.client.post("/sparql", data=asked)) == ["urn:s"]
    url = "/sparql?named-graph-uri=urn:summer"
    query = {"Content-Type": "application/sparql-query"}
    assert names(shared.post(url, named, headers=query)) == ["urn:s"]
    refused = shared.get("/sparql", params={**asked, "default-graph-uri": "no iri"})
    assert (refused.status_code, refused.json()["code"]) == (400, "EP626")


@pytest.mark.parametrize(
    ("method", "options", "status", "code"),
    [
        ("GET", {}, 400, "EP626"),
        ("GET", {"params": {"query": "SELECT"}}, 400, "EP102"),
        ("GET", {"params": [("query", PETS)] * 2}, 400, "EP626"),
        ("GET", {"params": {"query": f"{PETS} ;; {PETS}"}}, 400, "EP626"),
        ("GET", {"params": {"query": PETS}, "headers": {"Accept": "image/png"}}, 406, "EP626"),
        ("POST", {"data": {"update": "DELETE WHERE { ?x ?y ?z }"}}, 400, "EP626"),
        ("POST", {"data": {f"x{n}": "y" for n in range(200)}}, 400, "EP626"),
        ("POST", {"content": PETS, "headers": {"Content-Type": "application/sparql-update"}}, 415, "EP626"),
        ("POST", {"content": b"\xff", "headers": {"Content-Type": "application/sparql-query"}}, 400, "EP626"),
    ],
)
def test_what_is_refused(
    shared: Running, method: str, options: dict[str, Any], status: int, code: str
) -> None:
    refused = shared.client.request(method, "/sparql", **options)
    assert (refused.status_code, refused.json()["code"]) == (status, code), refused.text
    assert refused.headers["content-type"] == "application/problem+json"


def test_too_many_answers_are_refused_and_harm_nobody(shared: Running) -> None:
    many = " ".join(f"?a{n} ?b{n} ?c{n} ." for n in range(12))
    refused = shared.get("/sparql", params={"query": f"SELECT * {{ {many} }}"})
    assert (refused.status_code, refused.json()["code"]) == (400, "EP310")
    assert shared.get("/ready").status_code == 200
    assert names(shared.get("/sparql", params={"query": PETS})) == ["urn:a"]


def test_states_and_other_background_as_they_are_by_now(shared: Running) -> None:
    shared.client.put("/engines/other", json={})
    low = {"query": "SELECT ?x { prolog:low(?x) }"}
    shared.post("/engines/other/events", lines([(1, "n", "low"), (2, "m", "mid")]), headers=NDJSON)
    assert names(shared.get("/engines/other/sparql", params=low)) == ["urn:n"]
    assert names(shared.get("/sparql", params=low)) == []
    shared.post("/engines/other/events", lines([(3, "n", "high"), (4, "m", "mid")]), headers=NDJSON)
    assert names(shared.get("/engines/other/sparql", params=low)) == []
    shared.client.put("/engines/other/background", content="<urn:b> a <urn:Pet> .", headers=TURTLE)
    assert names(shared.get("/engines/other/sparql", params={"query": PETS})) == ["urn:b"]
    assert names(shared.get("/sparql", params={"query": PETS})) == ["urn:a"]


def test_answers_of_a_query_in_each_form(shared: Running) -> None:
    shared.client.put("/engines/answers", json={})
    shared.post("/engines/answers/queries?name=all", "SELECT ?x ?y { ?x <urn:is> ?y }")
    shared.post("/engines/answers/events", lines([(1, "n", "<&>"), (2, "m", "mid")]), headers=NDJSON)
    for form, media in (("JSON", "sparql-results+json"), ("XML", "sparql-results+xml")):
        accept = {"Accept": f"application/{media}"}
        reply = shared.get("/engines/answers/answers?query=all", headers=accept)
        found = pyoxigraph.parse_query_results(
            reply.content, format=getattr(pyoxigraph.QueryResultsFormat, form)
        )
        assert isinstance(found, pyoxigraph.QuerySolutions)
        [row] = found
        end = '"1970-01-01T00:00:00.000001Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
        assert [str(row[name]) for name in ("x", "y", "end")] == ["<urn:n>", '"<&>"', end]
