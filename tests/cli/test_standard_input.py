"""Standard input is answered while it is read: a line in, an answer out, and on."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Iterator

import pytest

from tests.patience import PATIENCE

TIME = "http://www.w3.org/2001/XMLSchema#dateTime"


def event(second: int, subject: str, predicate: str) -> bytes:
    row = {
        "start": f"1970-01-01T00:00:{second:02d}Z",
        "s": f"<http://example.org/{subject}>",
        "p": f"<http://example.org/{predicate}>",
        "o": '"1"',
    }
    return json.dumps(row).encode() + b"\n"


def quad(second: int, subject: str, predicate: str) -> bytes:
    graph = f"<urn:g{second}>"
    time = f'"1970-01-01T00:00:{second:02d}Z"^^<{TIME}>'
    return (
        f'<http://example.org/{subject}> <http://example.org/{predicate}> "1" {graph} .\n'
        f"{graph} <http://www.w3.org/ns/prov#generatedAtTime> {time} .\n"
    ).encode()


@pytest.fixture
def patience() -> Iterator[Callable[[subprocess.Popen[bytes]], None]]:
    """Kills a process that does not answer, so that a read from it ends."""
    timers: list[threading.Timer] = []

    def watch(process: subprocess.Popen[bytes]) -> None:
        timer = threading.Timer(PATIENCE, process.kill)
        timers.append(timer)
        timer.start()

    yield watch
    for timer in timers:
        timer.cancel()


@pytest.mark.parametrize(("name", "line"), [("ndjson", event), ("nquads", quad)])
def test_an_answer_comes_while_the_input_is_open(start, patience, name: str, line) -> None:
    process = start(f"run rise.rq --stream - --stream-format {name} -W none")
    patience(process)

    def say(*lines: bytes) -> None:
        process.stdin.write(b"".join(lines))
        process.stdin.flush()

    # An instant is settled, and its answers are given, when a later one begins; an element of N-Quads is
    # whole when the next graph begins.
    say(line(1, "a", "low"), line(2, "a", "high"), line(3, "b", "low"), line(4, "c", "low"))
    first = json.loads(process.stdout.readline())
    assert (first["start"], first["end"]) == ("1970-01-01T00:00:01Z", "1970-01-01T00:00:02Z")
    say(line(5, "b", "high"), line(6, "z", "low"), line(7, "z", "low"))
    second = json.loads(process.stdout.readline())
    assert second["bindings"]["x"]["value"] == "http://example.org/b"
    say(line(8, "c", "high"))
    out, err = process.communicate(timeout=PATIENCE)
    found = [json.loads(each)["bindings"]["x"]["value"] for each in out.splitlines()]
    assert found == ["http://example.org/c"]
    assert (process.returncode, err) == (0, b"")


def test_a_table_grows_while_the_input_is_open(start, patience) -> None:
    process = start("run rise.rq --stream - --stream-format ndjson --results table")
    patience(process)
    process.stdin.write(event(1, "a", "low") + event(2, "a", "high") + event(3, "b", "low"))
    process.stdin.flush()
    lines = [process.stdout.readline() for _ in range(4)]
    assert b"ex:a" in lines[3]
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


def test_standard_input_needs_a_format(etalis) -> None:
    done = etalis("run rise.rq --stream -")
    assert (done.code, done.err.split()[0]) == (2, "EP521")


def test_standard_input_can_be_read_once(etalis) -> None:
    done = etalis("run rise.rq --stream - - --stream-format ndjson")
    assert (done.code, done.err.split()[0]) == (2, "EP501")
