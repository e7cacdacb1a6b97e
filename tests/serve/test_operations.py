"""What a server can be asked to do, each as a client would."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from openapi_spec_validator import validate
from prometheus_client.parser import text_string_to_metric_families

from etalis_py.serve.operations import OPERATIONS, Operation
from tests.patience import PATIENCE
from tests.serve.servers import NDJSON, RISE, Running, lines, query_file, serving


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("serve")
    background = folder / "facts.ttl"
    background.write_text(
        "<urn:a> a <urn:Cat> . <urn:Cat> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:Pet> ."
    )
    with serving(query_file(folder), "--why", "--background", background) as running:
        yield running


@pytest.fixture
def engine(shared: Running, request: pytest.FixtureRequest) -> Iterator[str]:
    """The path of an engine that nothing was sent to."""
    name = re.sub(r"\W+", "-", request.node.name)[:60]
    assert shared.client.put(f"/engines/{name}", json={}).status_code == 201
    yield f"/engines/{name}"
    assert shared.client.delete(f"/engines/{name}").status_code == 204


def test_events_in_answers_out(shared: Running, engine: str) -> None:
    made = shared.post(f"{engine}/queries?name=rise", RISE)
    assert (made.status_code, made.json()["names"]) == (201, ["rise"])
    body = lines([(1, "a", "low"), (2, "b", "low"), (3, "a", "high")])
    assert shared.post(f"{engine}/events", body, headers=NDJSON).json() == {"taken": 3}
    assert shared.get(f"{engine}/answers").text == ""  # the instant 3 is open
    assert shared.post(f"{engine}/advance", '{"time": 4}').status_code == 200
    answer = json.loads(shared.get(f"{engine}/answers").text)
    assert (answer["query"], answer["bindings"]["x"]["value"]) == ("rise", "urn:a")


def test_media_types_of_answers(shared: Running, engine: str) -> None:
    shared.post(f"{engine}/queries?name=rise", RISE)
    shared.post(
        f"{engine}/events", lines([(1, "a", "low"), (3, "a", "high"), (9, "z", "low")]), headers=NDJSON
    )
    csv = shared.get(f"{engine}/answers?query=rise", headers={"Accept": "text/csv"})
    assert csv.text.splitlines()[:2] == [
        "x,start,end", "urn:a,1970-01-01T00:00:00.000001Z,1970-01-01T00:00:00.000003Z",
    ]  # fmt: skip
    found = shared.get(
        f"{engine}/answers?query=rise", headers={"Accept": "application/sparql-results+json"}
    ).json()
    assert found["head"]["vars"] == ["x", "start", "end"]
    assert found["results"]["bindings"][0]["x"] == {"type": "uri", "value": "urn:a"}
    assert shared.get(f"{engine}/answers", headers={"Accept": "text/csv"}).status_code == 400
    assert shared.get(f"{engine}/answers", headers={"Accept": "image/png"}).status_code == 406


_TIME = (
    "<http://www.w3.org/ns/prov#generatedAtTime> "
    '"1970-01-01T00:00:00.000001Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
)


@pytest.mark.parametrize(
    ("media", "body"),
    [
        ("application/x-ndjson", lines([(1, "a", "low")]).decode()),
        ("text/csv", 'start,s,p,o\n1,<urn:a>,<urn:is>,"""low"""\n'),
        ("application/n-quads", f'<urn:a> <urn:is> "low" <urn:g> .\n<urn:g> {_TIME} .\n'),
        ("application/trig", f'<urn:g> {{ <urn:a> <urn:is> "low" }} <urn:g> {_TIME} .'),
    ],
)
def test_events_in_each_format(shared: Running, engine: str, media: str, body: str) -> None:
    shared.post(f"{engine}/queries?name=low", "SELECT ?x { ?x <urn:is> 'low' }")
    assert shared.post(f"{engine}/events", body, headers={"Content-Type": media}).json() == {"taken": 1}
    shared.post(f"{engine}/advance", '{"time": "1970-01-02T00:00:00Z"}')
    assert "urn:a" in shared.get(f"{engine}/answers").text


def test_named_streams_and_mappings(shared: Running, engine: str) -> None:
    mapping = (
        "prefixes: {ex: 'http://example.org/'}\n"
        "mappings:\n  reading:\n    s: ex:$(sensor)\n    time: $(at)\n"
        "    po:\n      - [ex:value, $(value), xsd:integer]\n"
    )
    assert shared.client.put("/maps/readings", content=mapping).status_code == 201
    shared.post(
        f"{engine}/queries?name=all",
        "SELECT ?s ?v { STREAM <urn:dock> { ?s <http://example.org/value> ?v } }",
    )
    url = f"{engine}/events?map=readings&stream=urn:dock&time_unit=s"
    body = "sensor,at,value\nn1,1,20\n"
    assert shared.post(url, body, headers={"Content-Type": "text/csv"}).json() == {"taken": 1}
    shared.post(f"{engine}/advance", '{"time": 2000000}')
    assert '"value": "20"' in shared.get(f"{engine}/answers").text
    assert (
        shared.post(f"{engine}/events?map=no", body, headers={"Content-Type": "text/csv"}).status_code == 404
    )


def test_a_bad_body_is_not_taken_at_all(shared: Running, engine: str) -> None:
    shared.post(f"{engine}/queries?name=low", "SELECT ?x { ?x <urn:is> 'low' }")
    refused = shared.post(f"{engine}/events", lines([(1, "a", "low")]) + b'{"start": 2}\n', headers=NDJSON)
    assert refused.status_code == 400
    told = refused.json()
    assert (told["code"], told["place"]["line"], refused.headers["content-type"]) == (
        "EP404", 2, "application/problem+json",
    )  # fmt: skip
    shared.post(f"{engine}/advance", '{"time": 10}')
    assert shared.get(f"{engine}/answers").text == ""


def test_late_events_are_dropped_and_counted(shared: Running, engine: str) -> None:
    shared.post(f"{engine}/events", lines([(5, "a", "low")]), headers=NDJSON)
    done = shared.post(f"{engine}/events", lines([(1, "a", "low"), (6, "a", "low")]), headers=NDJSON)
    assert done.json() == {"taken": 1, "late": 1}


def test_a_body_that_comes_twice_is_taken_once(shared: Running, engine: str) -> None:
    headers = {**NDJSON, "Etalis-Producer": "p", "Etalis-Number": "7"}
    body = lines([(1, "a", "low")])
    assert shared.post(f"{engine}/events", body, headers=headers).json() == {"taken": 1}
    assert shared.post(f"{engine}/events", body, headers=headers).json() == {"taken": 0, "duplicate": True}


def test_producers_of_clients_are_forgotten_the_oldest_first(shared: Running, engine: str) -> None:
    def send(name: str) -> dict[str, object]:
        headers = {**NDJSON, "Etalis-Producer": name, "Etalis-Number": "1"}
        done: dict[str, object] = shared.post(f"{engine}/events", b"", headers=headers).json()
        return done

    for number in range(1001):
        assert "duplicate" not in send(f"p{number}")
    assert "duplicate" in send("p1000")
    assert "duplicate" not in send("p0")


def test_queries_are_listed_shown_planned_and_removed(shared: Running, engine: str) -> None:
    shared.post(f"{engine}/queries?name=rise", RISE)
    assert [each["name"] for each in shared.get(f"{engine}/queries").json()] == ["rise"]
    assert shared.get(f"{engine}/queries/rise").json()["text"] == RISE
    assert shared.get(f"{engine}/queries/rise/plan").text.startswith("answers ?x\n└─ SEQ on ?x")
    svg = shared.get(f"{engine}/queries/rise/plan", headers={"Accept": "image/svg+xml"})
    assert "<svg" in svg.text
    assert shared.client.delete(f"{engine}/queries/rise").status_code == 204
    assert shared.client.delete(f"{engine}/queries/rise").status_code == 404
    assert shared.get(f"{engine}/queries").json() == []


@pytest.mark.parametrize("name", ["http://example.org/a?b#c", "a/b", "a/plan", "é \u202e", "%2e"])
def test_a_query_may_have_any_name(shared: Running, engine: str, name: str) -> None:
    path = f"{engine}/queries/{quote(name, safe='')}"
    assert shared.post(f"{engine}/queries", RISE, params={"name": name}).status_code == 201
    assert shared.get(path).status_code == (404 if name == "a/plan" else 200)  # of "a" the plan is asked
    assert shared.get(f"{path}/plan").text.startswith("answers ?x")
    assert shared.client.delete(path).status_code == 204
    assert name not in [each["name"] for each in shared.get(f"{engine}/queries").json()]


@pytest.mark.parametrize("name", ["", ".", "..", "a\nb"])
def test_names_that_no_path_has(shared: Running, engine: str, name: str) -> None:
    refused = shared.post(f"{engine}/queries", RISE, params={"name": name})
    assert (refused.status_code, refused.json()["code"]) == (400, "EP626")


def test_a_query_that_is_wrong(shared: Running, engine: str) -> None:
    refused = shared.post(f"{engine}/queries", "SELECT ?x { ?x a evnt:Storm }")
    assert (refused.status_code, refused.json()["code"]) == (400, "EP106")
    warned = shared.post(f"{engine}/check", "SELECT ?x { ?x <urn:p> ?y FILTER (getDURATION() < 5) }").json()
    assert [each["code"] for each in warned["warnings"]] == ["EW01"]
    shared.post(f"{engine}/queries?name=rise", RISE)
    assert shared.post(f"{engine}/queries?name=rise", RISE).status_code == 409


def test_all_errors_of_a_text_with_their_places(shared: Running, engine: str) -> None:
    found = shared.post(f"{engine}/check", "SELECT ?x {\n ?x a evnt:Storm .\n ?x cold:is 1 }").json()
    places = [(each["code"], each["line"], each["column"], each["length"]) for each in found["errors"]]
    assert (places, found["warnings"]) == ([("EP106", 2, 7, 5), ("EP106", 3, 5, 5)], [])


def test_what_can_be_written_at_a_place(shared: Running, engine: str) -> None:
    def complete(text: str, **where: int) -> list[tuple[str, str, int]]:
        found = shared.post(f"{engine}/complete", text, params=where).json()
        return [(each["text"], each["kind"], each["start"]) for each in found]

    text = "SELECT ?cat { ?cat a <urn:C"
    assert complete(text) == [("<urn:Cat>", "class", 21)]
    assert complete(text, offset=15) == [("?cat", "variable", 14)]
    assert complete("SELECT ?x { {} SE")[0] == ("SEQ", "word", 15)
    assert complete("SELECT ?x { } EQUALSO")[0] == ("EQUALSOPTIONAL", "word", 14)
    shared.post(f"{engine}/events", lines([(1, "a", "low")]), headers=NDJSON)
    assert complete("SELECT ?x { ?x <urn:i") == [("<urn:is>", "property", 15)]


def test_a_plan_of_what_is_not_registered(shared: Running, engine: str) -> None:
    assert shared.post(f"{engine}/explain", RISE).text.startswith("answers ?x\n└─ SEQ on ?x")
    assert "<svg" in shared.post(f"{engine}/explain", RISE, headers={"Accept": "image/svg+xml"}).text
    assert shared.post(f"{engine}/explain", "SELECT").json()["code"] == "EP102"
    assert shared.get(f"{engine}/queries").json() == []


def test_what_has_begun_and_not_ended(tmp_path: Path) -> None:
    (tmp_path / "warm.pl").write_text(
        ":- state(warm(X), begins(\"?X <urn:is> 'high'\"), ends(\"?X <urn:is> 'low'\"))."
    )
    with serving("--rules", tmp_path / "warm.pl") as running:
        assert running.get("/states").json() == [{"state": "warm", "facts": [], "more": False}]
        running.send((1, "a", "high"), (2, "b", "high"), (3, "a", "low"), (4, "c", "mid"))
        fact = {"since": "1970-01-01T00:00:00.000002Z", "of": [{"type": "uri", "value": "urn:b"}]}
        assert running.get("/states").json()[0]["facts"] == [fact]


def test_other_background_while_it_runs(shared: Running, engine: str) -> None:
    pets = "SELECT ?x { ?x <urn:is> 'low' . ?x a <urn:Pet> }"
    shared.post(f"{engine}/queries?name=pets", pets)
    turtle = {"Content-Type": "text/turtle"}
    shared.post(
        f"{engine}/events", lines([(1, "a", "low"), (2, "b", "low"), (3, "z", "low")]), headers=NDJSON
    )
    replaced = shared.client.put(f"{engine}/background", content="<urn:b> a <urn:Pet> .", headers=turtle)
    assert replaced.status_code == 200
    shared.post(
        f"{engine}/events", lines([(5, "a", "low"), (6, "b", "low"), (7, "z", "low")]), headers=NDJSON
    )
    answers = [json.loads(line) for line in shared.get(f"{engine}/answers").text.splitlines()]
    assert [each["bindings"]["x"]["value"] for each in answers] == ["urn:a", "urn:b"]
    refused = shared.client.put(f"{engine}/background", content="<urn:b> a", headers=turtle)
    assert (refused.status_code, refused.json()["code"]) == (400, "EP422")
    assert refused.json()["place"]["source"] == "the body"
    shared.post(f"{engine}/events", lines([(8, "b", "low"), (9, "z", "low")]), headers=NDJSON)
    assert len(shared.get(f"{engine}/answers").text.splitlines()) == 3


def test_why(shared: Running) -> None:
    shared.send((1, "a", "low"), (2, "a", "high"), (9, "b", "low"))
    text = shared.get("/answers/1/why").text
    assert "urn:a" in text
    assert shared.get("/answers/1/why", headers={"Accept": "application/json"}).json()["query"] == "rise"
    assert "<svg" in shared.get("/answers/1/why", headers={"Accept": "image/svg+xml"}).text
    assert shared.get("/answers/99999/why").status_code == 404


def test_questions(shared: Running, engine: str) -> None:
    found = shared.post(f"{engine}/prolog", "rdf(S, _, 'urn:Pet')").json()
    assert {"type": "uri", "value": "urn:a"} in [each.get("S") for each in found["answers"]]
    asked = shared.get("/sparql", params={"query": "SELECT ?x { ?x a <urn:Pet> }"}).json()
    assert [row["x"]["value"] for row in asked["results"]["bindings"]] == ["urn:a"]
    posted = shared.client.post("/sparql", data={"query": "ASK { <urn:a> a <urn:Dog> }"}).json()
    assert posted["boolean"] is False
    assert shared.post(f"{engine}/prolog", "true :- :-").json()["code"] == "EP301"


def test_answers_as_they_come(shared: Running, engine: str) -> None:
    shared.post(f"{engine}/queries?name=low", "SELECT ?x { ?x <urn:is> 'low' }")
    shared.post(f"{engine}/events", lines([(1, "a", "low"), (2, "b", "low")]), headers=NDJSON)
    accept = {"Accept": "text/event-stream"}
    with shared.client.stream("GET", f"{engine}/answers?after=0", headers=accept) as response:
        events = (line for line in response.iter_lines() if line.startswith(("id:", "data:")))
        assert next(events) == "id: 1"
        assert json.loads(next(events).removeprefix("data: "))["bindings"]["x"]["value"] == "urn:a"
        shared.post(f"{engine}/events", lines([(3, "c", "low")]), headers=NDJSON)
        assert next(events) == "id: 2"
    with shared.client.stream(
        "GET", f"{engine}/answers", headers={**accept, "Last-Event-ID": "1"}
    ) as response:
        events = (line for line in response.iter_lines() if line.startswith("id:"))
        assert next(events) == "id: 2"


def test_messages_are_sent_ahead_of_their_replies(shared: Running, engine: str) -> None:
    """More than are at work at one time, some of them wrong: each reply comes in its place."""
    from websockets.sync.client import connect

    sizes = [number % 7 for number in range(200)]
    address = shared.address.replace("http", "ws", 1) + f"{engine}/events/socket"
    with connect(address, proxy=None) as sending:
        for number, size in enumerate(sizes):
            sending.send(lines([(number, "a", "low")] * size) if size else b"no event\n")
        replies = [json.loads(sending.recv(PATIENCE)) for _ in sizes]
    assert [each.get("taken", each.get("code")) for each in replies] == [size or "EP406" for size in sizes]
    assert shared.get(f"{engine}/status").json()["events"] == sum(sizes)


def test_what_is_not_there(shared: Running) -> None:
    assert shared.get("/nothing").json()["code"] == "EP625"
    assert shared.get("/engines/none/queries").status_code == 404
    assert shared.client.put("/queries").status_code == 405
    assert shared.post("/events", b"{}", headers={"Content-Type": "text/html"}).status_code == 415
    assert shared.get("/answers?after=x").json()["code"] == "EP626"


def test_the_description_has_each_operation(shared: Running) -> None:
    found = shared.get("/openapi.json").json()
    names = [method["operationId"] for path in found["paths"].values() for method in path.values()]
    assert len(names) == len(set(names))
    validate(found)


BODIES = [each for each in OPERATIONS if each.takes]


@pytest.mark.parametrize("operation", BODIES, ids=[each.path for each in BODIES])
def test_the_example_of_each_operation_is_taken(shared: Running, engine: str, operation: Operation) -> None:
    described = shared.get("/openapi.json").json()["paths"][operation.path][operation.method.lower()]
    media, about = next(iter(described["requestBody"]["content"].items()))
    body = json.dumps(about["example"]) if media == "application/json" else about["example"]
    before = "" if operation.of_server else engine
    path = re.sub(r"\{\w+\}", f"example-{operation.method.lower()}", before + operation.path)
    done = shared.client.request(operation.method, path, content=body, headers={"Content-Type": media})
    assert done.status_code == operation.status, done.text


def test_how_it_does(shared: Running) -> None:
    assert shared.get("/health").json() == {"status": "ok", "failed": []}
    assert shared.get("/ready").status_code == 200
    metrics = shared.get("/metrics")
    assert metrics.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = {each.name: each for each in text_string_to_metric_families(metrics.text)}
    up = {each.labels["engine"]: each.value for each in families["etalis_engine_up"].samples}
    assert up["main"] == 1.0
    assert all(each.documentation and each.type != "unknown" for each in families.values())
    assert shared.get("/status").json()["queries"] == ["rise"]
    kept = shared.get("/waiting").json()
    assert kept.keys() == {"rise"}
    assert kept["rise"]["goals"] == sum(each["kept"] for each in kept["rise"]["operators"])
    assert kept["rise"]["bytes"] == sum(each["bytes"] for each in kept["rise"]["operators"]) > 0
    assert shared.get("/rights").json() == {"name": "local", "roles": ["watch", "feed", "ask", "register"]}


def test_pages_of_other_sites_are_refused(shared: Running) -> None:
    refused = shared.post("/advance", '{"time": 1}', headers={"Origin": "http://evil.example"})
    assert (refused.status_code, refused.json()["code"]) == (403, "EP623")
