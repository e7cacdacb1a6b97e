"""Whatever clients send, or do not read, the server lives, stays small, and serves the others."""

from __future__ import annotations

import random
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.benchmarks.machine import resident_bytes
from tests.serve.attackers import connect, exchange, malformed, request, undisturbed
from tests.serve.servers import NDJSON, Running, lines, query_file, serving

MOST_GROWTH = 150 << 20


@pytest.fixture
def running(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Running]:
    limits = getattr(request, "param", ["rate=100000"])
    with serving(query_file(tmp_path), "--limit", *limits) as started:
        started.client.put("/engines/target", json={})
        started.post("/engines/target/queries?name=all", "SELECT ?x { ?x ?p ?y }")
        yield started


@pytest.fixture(autouse=True)
def alive(running: Running) -> Iterator[None]:
    """Afterwards the server works, and is not much larger."""
    before = resident_bytes(running.process.pid)
    with undisturbed(running):
        yield
    assert running.get("/ready").status_code == 200
    assert resident_bytes(running.process.pid) - before < MOST_GROWTH


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_malformed_requests(running: Running, count: int) -> None:
    chance = random.Random(count)
    for number in range(count):
        data, ends = malformed(chance)
        said = exchange(running, data, ends=ends)
        assert not said.startswith(b"HTTP/1.1 5"), (number, data[:2000], said[:2000])


# ---- slow clients ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("running", [["idle=2"]], indirect=True)
def test_who_sends_nothing_or_slowly_is_let_go(running: Running) -> None:
    head = b"POST /engines/target/prolog HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n"
    beginnings = [b"", b"GET /", head, head + b"\r\n", request("GET", "/health", Connection="keep-alive")]
    slow = [connect(running) for _ in beginnings]
    for connection, beginning in zip(slow, beginnings, strict=True):
        connection.sendall(beginning)
    ended: set[int] = set()
    while len(ended) < len(slow):  # until the server has ended all
        for number in set(range(len(slow))) - ended:
            try:
                slow[number].settimeout(0.2)
                if number:  # a byte, a few times a second; the first connection says nothing at all
                    slow[number].sendall(b" ")
                if slow[number].recv(1 << 16) == b"":
                    ended.add(number)
            except TimeoutError:
                pass
            except ConnectionError:
                ended.add(number)
    for connection in slow:
        connection.close()


READERS = (
    request("GET", "/engines/target/answers?after=0", Accept="text/event-stream"),
    request(
        "GET",
        "/engines/target/answers/socket?after=0",
        Connection="Upgrade",
        Upgrade="websocket",
        Sec_WebSocket_Version="13",
        Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZQ==",
    ),
)


@pytest.mark.parametrize("running", [["rate=100000", "idle=3"]], indirect=True)
def test_who_does_not_read_costs_no_memory(running: Running) -> None:
    silent = [_opened(running, each, buffer=4096) for each in READERS * 10]
    while _readers(running, "target") < len(silent):
        pass
    text = "x" * 1000
    for first in range(1, 20_000, 500):  # 20 MB of answers for each
        body = lines([(time, f"{text}{time}", "low") for time in range(first, first + 500)])
        assert running.post("/engines/target/events", body, headers=NDJSON).status_code == 200
    while _readers(running, "target"):  # until the server has let them go
        pass
    for connection in silent:
        connection.close()


def _readers(running: Running, engine: str) -> int:
    found = re.search(rf'etalis_readers{{engine="{engine}"}} (\d+)', running.get("/metrics").text)
    return int(found[1]) if found else 0


def _opened(running: Running, data: bytes, buffer: int) -> socket.socket:
    address = httpx.URL(running.address)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    connection.connect((address.host, address.port or 80))
    connection.sendall(data)
    return connection
