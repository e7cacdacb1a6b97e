"""A server that is killed at any moment loses nothing and doubles nothing."""

from __future__ import annotations

import random
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.servers import NDJSON, RISE, lines, query_file, serving


def _bodies(count: int) -> list[bytes]:
    """Events of which each second one gives an answer."""
    rows = [(time, f"n{time // 2}", "low" if time % 2 == 0 else "high") for time in range(1, 10 * count + 1)]
    return [lines(rows[first : first + 10]) for first in range(0, len(rows), 10)]


def _without_kills(folder: Path, bodies: list[bytes]) -> list[dict[str, Any]]:
    with serving(query_file(folder)) as running:
        for body in bodies:
            running.post("/events", body, headers=NDJSON)
        return running.answers()


@pytest.mark.parametrize("kills", [4, pytest.param(200, marks=pytest.mark.long)])
def test_kills_at_any_moment(tmp_path: Path, kills: int) -> None:
    bodies = _bodies(kills * 5)
    expected = _without_kills(tmp_path, bodies)[:5000]
    chance, state = random.Random(5), tmp_path / "state"
    seen: dict[int, dict[str, Any]] = {}
    sent = 0
    while sent < len(bodies):
        with serving(query_file(tmp_path), "--state", state) as running:
            until = sent + chance.randint(2, 8)
            while sent < min(until, len(bodies)):
                headers = {**NDJSON, "Etalis-Producer": "test", "Etalis-Number": str(sent)}
                if sent == until - 1 and until < len(bodies):  # killed while the body is on its way
                    with pytest.raises(httpx.HTTPError):
                        _send_and_kill(running, bodies[sent], headers)
                    break
                assert running.post("/events", bodies[sent], headers=headers).status_code == 200
                sent += 1
            else:
                _see(running, seen)
            if running.process.poll() is None:
                running.end(signal.SIGKILL)
    with serving(query_file(tmp_path), "--state", state) as running:
        _see(running, seen)
        assert running.end() == 0
    assert list(seen.values()) == expected
    assert list(seen) == list(range(1, len(expected) + 1))


def _send_and_kill(running: Any, body: bytes, headers: dict[str, str]) -> None:
    def pieces() -> Any:
        yield body[: len(body) // 2]
        running.process.send_signal(signal.SIGKILL)
        running.process.wait()
        yield body[len(body) // 2 :]

    running.post("/events", pieces(), headers=headers)


def _see(running: Any, seen: dict[int, dict[str, Any]]) -> None:
    """Read the answers after those that were seen; no number is ever given to another answer."""
    last = max(seen, default=0)
    for number, answer in enumerate(running.answers(after=last), last + 1):
        assert seen.setdefault(number, answer) == answer


def test_everything_is_kept(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with serving("--state", state) as running:
        running.post("/queries?name=rise", RISE)
        running.post(
            "/queries?name=two", "SELECT ?x { ?x <urn:is> 'low' } ;; SELECT ?x { ?x <urn:is> 'high' }"
        )
        running.client.delete("/queries/two-2")
        turtle = {"Content-Type": "text/turtle"}
        running.client.put("/background", content="<urn:a> a <urn:Cat> .", headers=turtle)
        running.client.put("/engines/other", json={"policy": "recent"})
        running.client.put(
            "/maps/m", content="mappings: {a: {s: 'urn:$(x)', time: $(t), po: [[urn:p, $(x)]]}}"
        )
        running.client.put("/sinks/h", json={"url": "http://127.0.0.1:9/", "queries": ["rise"]})
        running.send((1, "a", "low"))
        running.end(signal.SIGKILL)
    with serving("--state", state) as running:
        assert [each["name"] for each in running.get("/queries").json()] == ["rise", "two"]
        assert sorted(each["engine"] for each in running.get("/engines").json()) == ["main", "other"]
        assert (running.get("/maps").json(), running.get("/sinks").json()[0]["name"]) == (["m"], "h")
        assert running.post("/prolog", "rdf('urn:a', _, 'urn:Cat')").json()["answers"]
        running.send((2, "a", "high"), (3, "b", "low"))
        assert [each["query"] for each in running.answers()] == ["two", "rise"]
        assert running.end() == 0
    with serving("--state", state) as running:
        assert [each["query"] for each in running.answers()] == ["two", "rise"]
