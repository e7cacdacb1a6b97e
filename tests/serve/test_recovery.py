"""An engine that a command makes fail goes on as if that had not come; files that nobody needs go."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from tests.connectors.waiting import eventually
from tests.serve.servers import NDJSON, Running, lines, query_file, serving

TICKS = "SELECT ?x { ?x <urn:is> 'low' } SEQ { EVERY PT1S }"
YEAR = 365 * 24 * 3600 * 1_000_000


def names(running: Running, **options: object) -> list[str]:
    return [each["bindings"]["x"]["value"] for each in running.answers(**options)]


def test_what_makes_an_engine_fail_is_refused(tmp_path: Path) -> None:
    """EVERY would tick more than a million times: the engine fails amid its work (EP316), and goes on."""
    words = [query_file(tmp_path), "--state", tmp_path / "state", "--why"]
    with serving(*words) as running:
        running.send((1, "a", "low"), (2, "a", "high"))
        assert running.post("/queries?name=ticks", TICKS).status_code == 201
        running.send((3, "b", "low"))
        running.client.put("/sinks/h", json={"url": "http://127.0.0.1:9/"})
        given = running.answers()
        for _ in range(2):
            refused = running.post("/events", lines([(4, "b", "high"), (YEAR, "z", "low")]), headers=NDJSON)
            assert (refused.status_code, refused.json()["code"]) == (400, "EP316")
        assert running.get("/ready").status_code == 200
        assert 'etalis_recoveries_total{engine="main"} 2.0' in running.get("/metrics").text
        assert (running.answers(), running.get("/status").json()["events"]) == (given, 3)
        assert [each["name"] for each in running.get("/sinks").json()] == ["h"]
        assert running.get("/answers/1/why").status_code == 404  # it was made by the engine that failed
        running.send((5, "b", "high"), (6, "c", "low"))
        assert names(running, query="rise") == ["urn:a", "urn:b"]
        assert "urn:b" in running.get("/answers/2/why").text
        given = running.answers()
        running.end(signal.SIGKILL)
    with serving(*words) as running:
        assert running.answers() == given


def test_an_engine_without_state_begins_anew_when_it_is_told_to(tmp_path: Path) -> None:
    """What waited is forgotten; queries, background, sources, sinks and the numbers of answers go on."""
    file = tmp_path / "events"
    file.write_bytes(lines([(1, "a", "low"), (2, "a", "high"), (3, "b", "low")]))
    with serving(query_file(tmp_path), "--source", f"follow:{file}") as running:
        turtle = {"Content-Type": "text/turtle"}
        running.client.put("/background", content="<urn:b> a <urn:Cat> .", headers=turtle)
        eventually(lambda: names(running), ["urn:a"].__eq__)
        working = running.post("/restart")
        assert (working.status_code, working.json()["code"]) == (409, "EP626")
        running.post("/queries?name=ticks", TICKS)
        running.send((4, "c", "low"))
        running.send((YEAR, "z", "low"))
        assert running.get("/ready").json() == {"status": "failed", "failed": ["main"]}
        assert running.get("/health").json() == {"status": "ok", "failed": ["main"]}
        refused = running.send((YEAR + 1, "z", "low"))
        assert (refused.status_code, refused.json()["code"]) == (503, "EP303")
        append = file.read_bytes() + lines([(5, "b", "high")])
        file.write_bytes(append)
        eventually(lambda: running.get("/sources").json()[0]["state"], lambda state: "failed" in state)
        assert running.post("/restart").json()["failure"] is None
        assert running.get("/ready").status_code == 200
        eventually(lambda: running.get("/sources").json()[0]["state"], "open".__eq__)
        eventually(lambda: running.get("/status").json()["events"], (5).__eq__)
        running.client.delete("/queries/ticks")
        running.send((6, "b", "low"), (7, "b", "high"), (8, "c", "high"))
        assert names(running, query="rise") == ["urn:a", "urn:b"]
        assert running.post("/prolog", "rdf('urn:b', _, 'urn:Cat')").json()["answers"]


def test_an_engine_with_state_goes_on_by_it(tmp_path: Path) -> None:
    from concurrent.futures import Future

    from etalis_py.engine.options import EngineOptions
    from etalis_py.serve.commands import Restart
    from etalis_py.serve.host import Host
    from etalis_py.serve.problems import RequestError

    host = Host("main", EngineOptions.of(), most_kept=1000, folder=tmp_path)
    host.start()
    host.failure = "the disk is full"
    refused: Future[None] = host.do(Restart())
    with pytest.raises(RequestError, match="keeps a state"):
        refused.result()
    host.stop()


def test_times_far_ahead_are_refused() -> None:
    """One would make everything late that comes after it."""
    with serving("--limit", "ahead=60") as running:
        soon = time.time_ns() // 1000 + 30_000_000
        assert running.send((soon, "a", "low")).json() == {"taken": 1}
        for body in ('{"time": "9999-12-31T23:59:59Z"}', f'{{"time": {10**40}}}'):
            refused = running.post("/advance", body)
            assert (refused.status_code, refused.json()["code"]) == (400, "EP624")
        refused = running.send((soon, "a", "low"), (soon + 60_000_000, "b", "low"))
        assert (refused.status_code, refused.json()["code"]) == (400, "EP624")
        assert running.get("/status").json()["events"] == 1


def test_old_background_goes(tmp_path: Path) -> None:
    state, turtle = tmp_path / "state", {"Content-Type": "text/turtle"}
    with serving("--state", state) as running:
        for number in range(5):
            put = running.client.put("/background", content=f"<urn:{number}> a <urn:Cat> .", headers=turtle)
            assert put.status_code == 200
        assert running.client.put("/background", content="<urn:b> a", headers=turtle).status_code == 400
        running.end(signal.SIGKILL)
    for _ in range(2):
        with serving("--state", state) as running:
            running.send((1, "a", "low"))
            assert running.post("/prolog", "rdf('urn:4', _, 'urn:Cat')").json()["answers"]
            assert running.end() == 0
        assert len(list((state / "engines" / "main").glob("background-*"))) == 1


def test_sources_and_sinks_do_not_hold_up_the_end(tmp_path: Path) -> None:
    sink, source = {"url": "http://127.0.0.1:9/"}, {"url": "http://127.0.0.1:9/"}
    with serving(query_file(tmp_path)) as running:
        for _ in range(20):  # it ends while it connects
            running.client.put("/engines/other", json={})
            assert running.client.put("/engines/other/sources/s", json=source).status_code == 201
            assert running.client.delete("/engines/other").status_code == 204
        for path in ("/sinks/s", "/engines/other/sinks/s"):
            running.client.put("/engines/other", json={})
            assert running.client.put(path, json=sink).status_code == 201
        assert running.client.delete("/engines/other").status_code == 204
        assert running.end() == 0
