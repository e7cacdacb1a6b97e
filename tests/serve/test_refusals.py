"""What a server refuses: rights, limits, and what it cannot start with. Each message is whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from etalis_py.cli import main
from etalis_py.core.errors import EtalisError
from etalis_py.core.explanations import MESSAGES
from etalis_py.serve.commands import Feed
from etalis_py.serve.operations import OPERATIONS
from etalis_py.serve.sockets import SOCKETS
from tests.serve.servers import NDJSON, RISE, Running, lines, serving

TOKENS = """\
sensors: {token: sensors-sensors-1, roles: [feed]}
screen: {token: screen-screen-screen, roles: watch}
clerk: {token: clerk-clerk-clerk-1, roles: [watch, ask]}
chief: {token: chief-chief-chief-1, roles: [watch, feed, ask, register]}
"""
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


def golden(code: str) -> str:
    return (MESSAGES / f"{code}.txt").read_text()


def message(problem: dict[str, Any]) -> str:
    """The problem as a command would print it."""
    hint = f"hint: {problem['hint']}\n" if "hint" in problem else ""
    return f"{problem['code']} {problem['detail']}\n{hint}"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    tokens = tmp_path_factory.mktemp("tokens") / "tokens.yaml"
    tokens.write_text(TOKENS)
    with serving("--tokens", tokens) as running:
        yield running


def test_without_a_token(guarded: Running) -> None:
    refused = guarded.get("/queries")
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    assert message(refused.json()) == golden("EP623")
    assert (
        guarded.get("/queries", headers={"Authorization": "Bearer nobody-nobody-nobody"}).status_code == 401
    )
    assert guarded.get("/health").status_code == 200


HOLDERS = {
    None: set[str](),
    "nobody-nobody-nobody": set[str](),
    "sensors-sensors-1": {"feed"},
    "screen-screen-screen": {"watch"},
    "clerk-clerk-clerk-1": {"watch", "ask"},
    "chief-chief-chief-1": {"watch", "feed", "ask", "register"},
}
REQUESTS = [
    *((each.method, each.path, each.role, each.of_server) for each in OPERATIONS),
    *(("GET", each.path, each.role, False) for each in SOCKETS),
]


def status_of(guarded: Running, method: str, path: str, headers: dict[str, str]) -> int:
    """What comes of a request that is wrong, or of a WebSocket; answers as they come are not read."""
    is_socket = path.endswith("/socket")
    with guarded.client.stream(
        method,
        path,
        content=None if is_socket else b"\xff",
        headers={**headers, **(UPGRADE if is_socket else {})},
    ) as response:
        return response.status_code


@pytest.mark.parametrize("token", HOLDERS)
def test_roles_in_each_operation(guarded: Running, token: str | None) -> None:
    """Who has not the role is refused before anything else is looked at, who has it for what is wrong."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    for method, path, role, of_server in REQUESTS:
        for below in ("",) if of_server else ("", "/engines/main", "/engines/none"):
            status = status_of(guarded, method, below + re.sub(r"\{\w+\}", "-no-", path), headers)
            refused = 401 if not HOLDERS[token] else 403
            if role is not None and role not in HOLDERS[token]:
                assert status == refused, (method, below + path)
            else:
                assert status not in (401, 403), (method, below + path)


@pytest.mark.parametrize(
    "header",
    [
        *("", "Bearer", "Bearer x", "Basic Y2hpZWY6", "chief-chief-chief-1", "Bearer chief-chief-chief-1 x"),
        *("Bearer CHIEF-CHIEF-CHIEF-1", "Bearer chief-chief-chief-", "Bearer \u00e9", "Bearer Bearer x"),
    ],
)
def test_what_is_no_token(guarded: Running, header: str) -> None:
    authorization = {"Authorization": header.encode()}
    assert guarded.get("/queries", headers=authorization).status_code == 401
    assert guarded.get("/queries?token=chief-chief-chief-1").status_code == 401


@pytest.mark.parametrize(
    "goal",
    [
        *("shell('touch here')", "open('/etc/passwd', read, S)", "consult('/etc/passwd')", "halt"),
        *("call(halt)", "use_module('/etc/passwd')", "ensure_loaded('/etc/passwd')"),
        *("thread_create(true, _)", "engine_create(X, member(X, [1]), _)"),
        *("undo(shell(x))", "call_cleanup(true, shell(x))", "freeze(X, halt), X = 1", "G = halt, call(G)"),
        *("X = shell, Y =.. [X, x], Y", "maplist(shell, [x])", "findall(X, call(shell, x), _)"),
        *("foldl([X, A, A]>>shell(X), [x], 0, _)", "py_call(os:getcwd(), X)", "@(true, user)", "system:halt"),
        *("assertz((p(X) :- shell(X))), p(x)", "asserta(user:p)", "nb_setval(a, 1)", "tcp_socket(S)"),
        *("set_prolog_flag(unknown, fail)", "set_prolog_flag(stack_limit, 1)", "read(X)"),
        *("getenv('HOME', X)", "etalis_feed:feed(a, b)", "rdf_load('/etc/passwd')"),
        *("numlist(1, 100000000, L)", "length(L, 500000000)", "findall(X, repeat, L)", "repeat, fail"),
        *("format('~*c', [1000000000, 0'x])", "sleep(100)", "X = f(X)", "with_output_to(string(S), halt)"),
    ],
)  # fmt: skip
def test_what_no_question_can_do(guarded: Running, goal: str) -> None:
    """Files, the network, the shell, threads, ends, loops and memory: an error, and the next is answered."""
    clerk = {"Authorization": "Bearer clerk-clerk-clerk-1"}
    assert guarded.post("/prolog", goal, headers=clerk).status_code == 400
    assert guarded.post("/prolog", "X = 1", headers=clerk).json()["answers"][0]["X"]["value"] == "1"


def test_who_may_only_ask_is_kept_in_the_sandbox(guarded: Running) -> None:
    clerk, chief = ({"Authorization": f"Bearer {each}-{each}-{each}-1"} for each in ("clerk", "chief"))
    assert guarded.post("/prolog", "getenv('HOME', X)", headers=clerk).json()["code"] == "EP306"
    assert guarded.post("/prolog", "getenv('HOME', X)", headers=chief).status_code == 200


def test_what_is_not_there_or_not_understood(guarded: Running) -> None:
    chief = {"Authorization": "Bearer chief-chief-chief-1"}
    assert message(guarded.get("/queries/fall", headers=chief).json()) == golden("EP625")
    html = {**chief, "Content-Type": "text/html"}
    assert message(guarded.post("/events", b"{}", headers=html).json()) == golden("EP626")


@pytest.mark.parametrize(
    ("words", "code"), [(["--host", "0.0.0.0"], "EP621"), (["--tokens", "tokens.yaml"], "EP622")]
)
def test_what_a_server_does_not_start_with(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    code: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tokens.yaml").write_text("anna: {token: anna-anna-anna-anna, roles: [king]}\n")
    assert main(["serve", *words]) == 2
    assert capsys.readouterr().err == golden(code)


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with serving() as running, pytest.raises(AssertionError, match="EP621 nothing can listen at"):
        serving("--port", httpx.URL(running.address).port).__enter__()


def test_an_engine_that_is_behind() -> None:
    from concurrent.futures import Future
    from threading import Event

    from etalis_py.engine.options import EngineOptions
    from etalis_py.serve.call import _begun
    from etalis_py.serve.host import Host

    host = Host("main", EngineOptions.of(), most_kept=1000, most_waiting=10)
    host.start()
    busy, go_on = Event(), Event()

    def works(_: object) -> None:
        busy.set()
        go_on.wait()

    looking: Future[None] = host.look(works)
    busy.wait()
    host.do(Feed(lines([(1, "a", "low")]), "ndjson"))
    with pytest.raises(EtalisError) as refused:
        _begun(lambda: host.do(Feed(lines([(2, "a", "low")]), "ndjson")))
    go_on.set()
    looking.result()
    host.stop()
    assert f"{refused.value}\n" == golden("EP624")


def test_bodies_that_are_too_large(guarded: Running) -> None:
    headers = {"Authorization": "Bearer chief-chief-chief-1", **NDJSON}
    refused = guarded.post("/events", b" " * (17 << 20), headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (413, "EP624")
    assert guarded.post("/queries", RISE + " " * (2 << 20), headers=headers).status_code == 413


def test_malformed_requests(guarded: Running) -> None:
    """The server answers each with a problem, and goes on."""
    chief = {"Authorization": "Bearer chief-chief-chief-1"}
    paths = ["/events", "/advance", "/queries", "/check", "/prolog", "/sparql"]
    bodies = [b"", b"\xff", b"{", b"[" * 10_000, b"\0" * 100, json.dumps({"time": "x"}).encode(), b"'"]
    for path in paths:
        for body in bodies:
            for media in ("application/x-ndjson", "application/trig", "text/csv", ""):
                response = guarded.post(path, body, headers={**chief, "Content-Type": media})
                assert response.status_code < 500, (path, body[:10], media, response.text)
    assert guarded.get("/ready").status_code == 200
