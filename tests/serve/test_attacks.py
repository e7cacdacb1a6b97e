"""Whatever clients send, or do not read, the server lives, stays small, and serves the others."""

from __future__ import annotations

import random
import re
import socket
import struct
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.benchmarks.machine import resident_bytes
from tests.patience import PATIENCE
from tests.serve.attackers import connect, exchange, malformed, request, undisturbed
from tests.serve.servers import NDJSON, Running, lines, query_file, serving

MOST_GROWTH = 150 << 20


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with serving(query_file(tmp_path_factory.mktemp("shared"))) as started:
        yield started


@pytest.fixture
def running(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Running]:
    """A server with limits; afterwards it works, is not much larger, and others have not noticed."""
    limits = getattr(request, "param", ["rate=100000"])
    with serving(query_file(tmp_path), "--limit", *limits) as started:
        started.client.put("/engines/target", json={})
        started.post("/engines/target/queries?name=all", "SELECT ?x { ?x ?p ?y }")
        before = resident_bytes(started.process.pid)
        with undisturbed(started):
            yield started
        assert started.get("/ready").status_code == 200
        assert resident_bytes(started.process.pid) - before < MOST_GROWTH


@pytest.mark.parametrize("count", [2_000, pytest.param(10_000, marks=pytest.mark.long)])
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


# ---- floods -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("running", [["rate=20"]], indirect=True)
def test_a_flood_of_requests_is_told_to_wait(running: Running) -> None:
    statuses = [running.get("/status").status_code for _ in range(20)]
    with httpx.Client(base_url=running.address, trust_env=False, timeout=PATIENCE) as client:
        for _ in range(20_000):
            reply = client.get("/status")
            statuses.append(reply.status_code)
            if reply.status_code == 429:
                break
    assert set(statuses) == {200, 429}
    assert int(reply.headers["retry-after"]) >= 1
    assert reply.json()["code"] == "EP624"
    assert {running.get(path).status_code for path in ("/health", "/ready") * 50} == {200}


@pytest.mark.parametrize("running", [["clients=30", "idle=2"]], indirect=True)
def test_too_many_connections_are_refused_until_they_are_let_go(running: Running) -> None:
    crowd = [connect(running) for _ in range(100)]
    refused = exchange(running, request("GET", "/status"))
    assert refused.startswith(b"HTTP/1.1 503"), refused
    assert exchange(running, request("GET", "/health")).startswith(b"HTTP/1.1 200")
    while exchange(running, request("GET", "/status")).startswith(b"HTTP/1.1 503"):
        pass  # until the server has let go who said nothing
    for connection in crowd:
        connection.close()


@pytest.mark.parametrize("running", [["seconds=1", "questions=3"]], indirect=True)
def test_endless_questions_end_and_take_turns(running: Running) -> None:
    endless = [
        ("/engines/target/prolog", b"repeat, fail"),
        ("/engines/target/prolog", b"length(L, N), N < 0"),
        ("/engines/target/prolog", b"numlist(1, 3000000, L), msort(L, M), member(X, M), X < 0"),
        ("/engines/target/prolog", b"between(1, inf, X)"),
        ("/engines/target/prolog", b"numlist(1, 200000, L), foldl([_, A, f(A)]>>true, L, x, T)"),
    ]
    with ThreadPoolExecutor(12) as pool:
        requests = [request("POST", path, body, Content_Type="text/plain") for path, body in endless * 3]
        said = list(pool.map(lambda data: exchange(running, data), requests))
    statuses = {int(each[9:12]) for each in said}
    assert statuses <= {200, 400, 429}
    assert 429 in statuses


# ---- disconnects ------------------------------------------------------------------------------------------


def test_disconnects_in_every_state(running: Running) -> None:
    chance = random.Random(11)
    body = lines([(1, "a", "low")] * 50)
    whole = [
        request("POST", "/engines/target/events", body, Content_Type="application/x-ndjson"),
        request("POST", "/engines/target/prolog", b"between(1, 100000, X)"),
        request("GET", "/sparql?query=ASK%7B%3Fx%20a%20%3Fy%7D"),
        *READERS,
        READERS[1].replace(b"answers/socket", b"events/socket") + _message(body),
    ]
    for number in range(300):
        data = whole[number % len(whole)]
        with connect(running) as connection:
            connection.sendall(data[: chance.randint(1, len(data))] if number % 2 else data)
            if chance.random() < 0.5:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset
            if chance.random() < 0.3 and not number % 2:
                connection.recv(chance.randint(1, 100))
    while _readers(running, "target"):
        pass


def _message(body: bytes) -> bytes:
    """A binary message of a WebSocket, masked with zeros (RFC 6455, section 5.2)."""
    return b"\x82" + struct.pack(">BH", 0x80 | 126, len(body)) + bytes(4) + body


# ---- oversized --------------------------------------------------------------------------------------------

DEEP = 5_000


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (request("POST", "/events", b"x" * (17 << 20), Content_Type="application/x-ndjson"), 413),
        (request("POST", "/check", b" " * (2 << 20)), 413),
        (request("POST", "/prolog", b" " * (2 << 20)), 413),
        (request("GET", "/" + "x" * 200_000), 431),
        (request("GET", "/health", X="x" * 200_000), 431),
        (request("GET", "/answers?" + "query=x&" * 8_000 + "after=0"), 200),
        (request("POST", "/advance", b'{"time":' * DEEP + b"1" + b"}" * DEEP), 400),
        (request("POST", "/check", b"SELECT ?x " + b"{" * DEEP + b"?x ?p ?o" + b"}" * DEEP), 200),
        (request("POST", "/check", b"ASK { ?x ?p ?o FILTER (" + b"(" * 900 + b"1" + b")" * 900 + b")}"), 200),
        (request("POST", "/sparql", b"ASK { ?x ?p " + b"[ ?p " * DEEP + b"1" + b"]" * DEEP + b"}"), 400),
        (request("POST", "/prolog", b"X = " + b"f(" * 50_000 + b"x" + b")" * 50_000), 400),
        (request("POST", "/events", b'{"start": 1, "s":' * DEEP, Content_Type="application/x-ndjson"), 400),
        (request("POST", "/events", b'{"@graph":[' * DEEP, Content_Type="application/ld+json"), 400),
        (request("POST", "/events", b"<urn:g> {" + b"[<urn:p>" * DEEP, Content_Type="application/trig"), 400),
        (request("POST", "/events", b"\x1f\x8b" * 99, Content_Type="text/csv", Content_Encoding="gzip"), 415),
    ],
    ids=lambda value: value if isinstance(value, int) else value[:40].decode("latin-1"),
)  # fmt: skip
def test_oversized(shared: Running, data: bytes, status: int) -> None:
    said = exchange(shared, data)
    assert said.startswith(b"HTTP/1.1 %d" % status) or (status == 431 and said == b""), said[:2000]
    assert shared.get("/ready").status_code == 200


def test_messages_and_pings_that_are_too_many_or_too_large(running: Running) -> None:
    large = b"\x82" + struct.pack(">BQ", 0x80 | 127, 17 << 20) + bytes(4 + (17 << 20))
    fragments = b"\x02\x80" + bytes(4) + (b"\x00\x80" + bytes(4)) * 200_000
    for data in (large, fragments):
        with _socket_for_events(running) as connection, suppress(ConnectionError):
            connection.sendall(data)
            while connection.recv(1 << 16):  # until the server ends it
                pass
    with _socket_for_events(running) as connection, suppress(TimeoutError, ConnectionError):
        connection.settimeout(1)
        for _ in range(1000):  # nobody reads the pongs: soon nobody reads the pings, or all this is kept
            connection.sendall((b"\x89\xfd" + bytes(4 + 125)) * 1000)
        pytest.fail("all pings were read")


def test_a_handshake_that_has_a_body_is_none(shared: Running) -> None:
    """Such a connection stayed for ever, with or without a token."""
    whole = READERS[1].replace(b"\r\n\r\n", b"\r\nContent-Length: 1\r\n\r\nx")
    assert exchange(shared, whole).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (b"\x81\x01x", 1002),  # not masked
        (b"\x83\x81" + bytes(4) + b"x", 1002),  # a kind that there is not
        (b"\xa1\x81" + bytes(4) + b"x", 1002),  # a reserved bit
        (b"\x09\x81" + bytes(4) + b"x", 1002),  # a ping in pieces
        (b"\x89\xfe\x00\xc8" + bytes(4) + bytes(200), 1002),  # a ping that is too long
        (b"\x80\x81" + bytes(4) + b"x", 1002),  # goes on with nothing
        (b"\x01\x81" + bytes(4) + b"a" + b"\x81\x81" + bytes(4) + b"b", 1002),  # two at one time
        (b"\x88\x81" + bytes(4) + b"x", 1002),  # an end with half a code
        (b"\x88\x82" + bytes(4) + b"\x03\xe7", 1002),  # an end with a code that there is not
        (b"\x81\x82" + bytes(4) + b"\xff\xfe", 1007),  # text that is none
        (b"\x82\xff" + b"\x7f" + b"\xff" * 7 + bytes(4), 1009),  # 2^63 - 1 bytes
    ],
)  # fmt: skip
def test_malformed_frames_end_their_connection(shared: Running, frame: bytes, code: int) -> None:
    with _socket_for_events(shared) as connection:
        connection.sendall(frame)
        said = b""
        with suppress(ConnectionError):
            while piece := connection.recv(1 << 16):
                said += piece
    assert struct.pack(">H", code) in said.partition(b"\r\n\r\n")[2][:4]
    assert shared.get("/ready").status_code == 200


def test_a_message_that_unpacks_to_too_much(running: Running) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, -12)
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(300)) + packer.flush(zlib.Z_SYNC_FLUSH)
    asked = READERS[1].replace(b"\r\n\r\n", b"\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n")
    with _opened(running, asked.replace(b"answers/socket", b"events/socket"), 4096) as connection:
        assert b"permessage-deflate" in connection.recv(1000)
        connection.sendall(b"\xc2" + struct.pack(">BQ", 0x80 | 127, len(packed) - 4) + bytes(4) + packed[:-4])
        assert connection.recv(4)[2:] == struct.pack(">H", 1009)


def _socket_for_events(running: Running) -> socket.socket:
    connection = _opened(running, READERS[1].replace(b"answers/socket", b"events/socket"), 4096)
    assert connection.recv(12) == b"HTTP/1.1 101"
    return connection
