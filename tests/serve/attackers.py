"""What attackers send: requests of raw bytes, each made by a seeded generator, and who is not to notice."""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import quote

import httpx

from tests.patience import PATIENCE
from tests.serve.servers import NDJSON, RISE, Running, lines

__all__ = ["connect", "exchange", "malformed", "request", "undisturbed"]

TARGET: Final = "/engines/target"
"""The engine that is attacked; who is not to notice uses another."""
_SEEDS: Final = (
    ("POST", f"{TARGET}/events", "application/x-ndjson", lines([(1, "a", "low"), (2, "a", "high")])),
    ("POST", f"{TARGET}/events", "text/csv", b'start,s,p,o\n1,<urn:a>,<urn:is>,"""low"""\n'),
    ("POST", f"{TARGET}/events", "application/n-quads", b'<urn:a> <urn:is> "low" <urn:g> .\n'),
    ("POST", f"{TARGET}/events", "application/trig", b'<urn:g> { <urn:a> <urn:is> "low" }'),
    ("POST", f"{TARGET}/events", "application/ld+json", b'{"@id": "urn:g", "@graph": [{"@id": "urn:a"}]}'),
    ("POST", f"{TARGET}/advance", "application/json", b'{"time": "2026-01-01T00:00:00Z"}'),
    ("POST", f"{TARGET}/check", "application/sparql-query", RISE.encode()),
    ("POST", f"{TARGET}/queries?name=q", "application/sparql-query", RISE.encode()),
    ("POST", f"{TARGET}/prolog", "text/plain", b"member(X, [1, f(a), 'b c', \"d\"]), X \\== 1"),
    ("POST", "/sparql", "application/sparql-query", b"SELECT ?x { ?x a <urn:Cat> FILTER (?x > 1) }"),
    ("POST", "/sparql", "application/x-www-form-urlencoded", b"query=ASK%20%7B%20%3Fx%20a%20%3Fy%20%7D"),
    ("PUT", "/engines/another", "application/json", b'{"policies": "recent"}'),
    (
        "PUT",
        "/maps/m",
        "application/yaml",
        b"mappings: {a: {s: 'urn:$(x)', time: $(t), po: [[urn:p, $(x)]]}}",
    ),
    ("PUT", f"{TARGET}/sources/s", "application/json", b'{"url": "nothing://here", "format": "csv"}'),
    ("PUT", f"{TARGET}/sinks/s", "application/json", b'{"url": "nothing://here", "queries": ["q"]}'),
)
_WORDS: Final = (
    *(
        b"",
        b"\0",
        b"\xff\xfe",
        b"{",
        b"}",
        b"[" * 50,
        b'"',
        b"'",
        b"\\",
        b"\r\n",
        b"<",
        b">",
        b"-1",
        b"1e999",
    ),
    *(b"9" * 400, b"?x", b"$(", b"%00", b"NaN", b"null", "\u202e\U0001f600".encode(), b"SEQ", b"/*", b":- "),
)
_HEADERS: Final = ("X", "Etalis_Producer", "Etalis_Number", "Last_Event_ID", "Origin", "Host", "Accept")
_METHODS: Final = ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "get")
_PATHS: Final = (
    *(
        "/",
        "/events",
        "/answers",
        "/queries/{}",
        "/answers/{}/why",
        "/engines/{}/events",
        "/page/{}",
        "/maps/{}",
    ),
    *("/answers?after={}", "/answers?query={}&most={}", "/sparql?query={}", "/%2e%2e/{}", "//{}", "/{}"),
    *(f"{TARGET}/answers?most={{}}", f"{TARGET}/queries/{{}}/plan", "/answers/socket", "/events/socket"),
)


def request(method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    """A request whose connection ends with the response; ``_`` in the name of a header is ``-``."""
    told = {"Host": "x", "Connection": "close", "Content-Length": str(len(body))}
    told |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in told.items())
    return head.encode("latin-1") + b"\r\n" + body


def connect(running: Running) -> socket.socket:
    """A connection to a server."""
    address = httpx.URL(running.address)
    return socket.create_connection((address.host, address.port or 80), PATIENCE)


def exchange(running: Running, data: bytes, *, ends: bool = False) -> bytes:
    """What a server says to some bytes until it closes; ``ends``: nothing more will come of the client."""
    said = b""
    with connect(running) as connection:
        try:
            connection.sendall(data)
            if ends:
                connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(1 << 16):
                said += piece
        except ConnectionError:
            pass
    return said


# ---- malformed requests ------------------------------------------------------------------------------------


def malformed(chance: random.Random) -> tuple[bytes, bool]:
    """A request, and whether the client says that nothing more comes, for the server may wait for more."""
    make, ends = chance.choice(_MAKERS)
    return make(chance), ends


def _damaged(chance: random.Random, content: bytes) -> bytes:
    """Some bytes with pieces cut out, doubled, put elsewhere, or replaced."""
    for _ in range(chance.randint(1, 4)):
        first = chance.randint(0, len(content))
        last = min(len(content), first + chance.choice((0, 1, 1, 5, 30)))
        piece = chance.choice((*_WORDS, content[first:last] * 2, chance.randbytes(3)))
        content = content[:first] + piece + content[last:]
    return content


def _bad_body(chance: random.Random) -> bytes:
    method, path, media, body = chance.choice(_SEEDS)
    return request(method, path, _damaged(chance, body), Content_Type=media)


def _wrong_media(chance: random.Random) -> bytes:
    method, path, _, body = chance.choice(_SEEDS)
    media = chance.choice((*(each[2] for each in _SEEDS), "text/html", "", "*/*", 'a/b; q="', "x" * 200))
    accept = chance.choice(("*/*", "image/png", "text/event-streams", ";;;,,q=x", "*/*;q=nan", "text/csv"))
    return request(method, path, body, Content_Type=media, Accept=accept)


def _odd_path(chance: random.Random) -> bytes:
    path = chance.choice(_PATHS)
    words = [quote(chance.choice(_WORDS), safe="") for _ in range(path.count("{}"))]
    return request(chance.choice(_METHODS), path.format(*words), Accept="application/x-ndjson")


def _odd_headers(chance: random.Random) -> bytes:
    headers = {
        chance.choice(_HEADERS): (chance.choice(("", "x" * 70_000, "\xff", "-1", "9" * 30, "a:b", "1.5")))
        for _ in range(3)
    }
    return request("POST", f"{TARGET}/events", lines([(1, "a", "low")]), **{**NDJSON_HEADER, **headers})


def _broken_http(chance: random.Random) -> bytes:
    method, path, media, body = chance.choice(_SEEDS)
    whole = request(method, path, body, Content_Type=media)
    head, _, _ = whole.partition(b"\r\n\r\n")
    return chance.choice((
        _damaged(chance, head) + b"\r\n\r\n" + body,
        whole[: chance.randint(0, len(whole))],
        whole.replace(b"Content-Length", b"Transfer-Encoding: chunked\r\nX"),
        whole.replace(b"Content-Length: ", chance.choice((b"Content-Length: -", b"Content-Length: 9" * 3))),
        whole + whole[: chance.randint(0, len(whole))],
        b"GET " + b"/x" * chance.choice((100, 60_000)) + b" HTTP/1.1\r\n\r\n",
    ))  # fmt: skip


def _socket_opening(chance: random.Random) -> bytes:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket"}
    key = chance.choice(("dGhlIHNhbXBsZSBub25jZQ==", "short", ""))
    path = chance.choice((f"{TARGET}/events/socket", "/answers/socket", "/events/socket?format=x", "/none"))
    opening = request(
        "GET", path, **upgrade, Sec_WebSocket_Version=chance.choice(("13", "99", "x")), Sec_WebSocket_Key=key
    )
    return opening + chance.randbytes(chance.choice((0, 2, 50)))


NDJSON_HEADER: Final = {"Content_Type": NDJSON["Content-Type"]}
_MAKERS: Final[tuple[tuple[Callable[[random.Random], bytes], bool], ...]] = (
    *((_bad_body, False), (_bad_body, False), (_bad_body, False), (_wrong_media, False), (_odd_path, False)),
    *((_odd_headers, False), (_broken_http, True), (_socket_opening, True)),
    (lambda chance: chance.randbytes(chance.randint(0, 300)), True),
)


# ---- who is not to notice ----------------------------------------------------------------------------------


@contextmanager
def undisturbed(running: Running) -> Iterator[None]:
    """Meanwhile a client feeds the engine ``main`` and reads its answers: at the end it has had them all."""
    over, reads = threading.Event(), threading.Event()
    sent, got, faults = [0], [], []
    reading = threading.Thread(target=_read, args=(running.address, got, faults, reads))
    feeding = threading.Thread(target=_feed, args=(running.address, over, sent, faults))
    reading.start()
    assert reads.wait(PATIENCE)
    feeding.start()
    try:
        yield
    finally:
        over.set()
        feeding.join(PATIENCE)
        reading.join(PATIENCE)
    assert faults == []
    assert sent[0] > 0
    assert got == [f"urn:n{number}" for number in range(sent[0])] + ["urn:end"]


def _feed(address: str, over: threading.Event, sent: list[int], faults: list[str]) -> None:
    with httpx.Client(base_url=address, timeout=PATIENCE, trust_env=False) as client:
        while not over.wait(0.02):
            _send(client, sent[0], f"n{sent[0]}", faults)
            sent[0] += 1
        _send(client, sent[0], "end", faults)


def _send(client: httpx.Client, number: int, who: str, faults: list[str]) -> None:
    time_ = 10 * number
    body = lines([(time_ + 1, who, "low"), (time_ + 2, who, "high"), (time_ + 3, "later", "mid")])
    while (reply := client.post("/events", content=body, headers=NDJSON)).status_code in (429, 503):
        time.sleep(0.1)
    if reply.json() != {"taken": 3}:
        faults.append(reply.text)


def _read(address: str, got: list[str], faults: list[str], reads: threading.Event) -> None:
    accept = {"Accept": "text/event-stream"}
    try:
        with (
            httpx.Client(base_url=address, timeout=PATIENCE, trust_env=False) as client,
            client.stream("GET", "/answers?after=0", headers=accept) as response,
        ):
            for line in response.iter_lines():
                reads.set()
                if line.startswith("data: {"):
                    got.append(json.loads(line.removeprefix("data: "))["bindings"]["x"]["value"])
                if got[-1:] == ["urn:end"]:
                    return
    except httpx.HTTPError as error:
        faults.append(repr(error))
