"""However a run ends, a reader is left with whole lines."""

from __future__ import annotations

import io
import json
import signal
import time
from pathlib import Path

import pytest

from etalis_py.cli.outlet import WholeLines
from tests.patience import PATIENCE

MANY = 20_000


@pytest.fixture
def many(folder: Path) -> str:
    """A command line whose answers are as many as its events."""
    (folder / "all.rq").write_text("SELECT ?s ?p ?o WHERE { ?s ?p ?o }")
    row = '{{"start": {0}, "s": "<urn:s{0}>", "p": "<urn:p>", "o": "\\"{0}\\""}}\n'
    (folder / "many.ndjson").write_text("".join(row.format(number) for number in range(MANY)))
    return "run all.rq --stream many.ndjson"


def whole(out: bytes) -> list[int]:
    """The numbers of the answers; every line must be whole."""
    assert out.endswith(b"\n")
    return [int(json.loads(line)["bindings"]["o"]["value"]) for line in out.splitlines()]


@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_kill_leaves_whole_lines(start, many: str, folder: Path, kind: str) -> None:
    if kind == "pipe":
        process = start(many)
        first = process.stdout.readline()
        process.send_signal(
            signal.SIGKILL
        )  # it waits now for a reader of the full pipe, in the middle of its work
        out = first + process.stdout.read()
    else:
        process = start(f"{many} --stream - --stream-format ndjson --output out.ndjson")
        process.stdin.write(b'{"start": 99999, "s": "<urn:s>", "p": "<urn:p>", "o": "\\"99999\\""}\n')
        process.stdin.flush()
        while not (folder / "out.ndjson").is_file() or (folder / "out.ndjson").stat().st_size < 4096:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
        out = (folder / "out.ndjson").read_bytes()
    numbers = whole(out)
    assert numbers == list(range(len(numbers)))
    assert 0 < len(numbers) < MANY + 1
    assert process.wait(PATIENCE) == -signal.SIGKILL


def test_ctrl_c_while_waiting_for_input(start) -> None:
    process = start("run rise.rq --stream - --stream-format ndjson --results json -W none")
    for second, predicate in [(1, "low"), (2, "high"), (3, "none")]:
        row = {"start": second, "s": "<urn:a>", "p": f"<http://example.org/{predicate}>", "o": "<urn:o>"}
        process.stdin.write(json.dumps(row).encode() + b"\n")
    process.stdin.flush()
    process.stdout.readline()  # the head, which comes with the first answer
    process.send_signal(signal.SIGINT)
    rest, err = process.stdout.read(), process.stderr.read()
    assert process.wait(PATIENCE) == 130
    assert err == b""
    assert rest.count(b"urn:a") == 1
    assert rest.endswith(b"]}}\n"), "the document is made whole"


def test_ctrl_c_in_the_middle_of_work(start, many: str) -> None:
    process = start(many)
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    numbers = whole(first + process.stdout.read())
    assert numbers == list(range(len(numbers)))
    assert process.stderr.read() == b""
    assert process.wait(PATIENCE) in (0, 130)  # 0 where all was read when the signal came


def test_ctrl_c_while_a_rule_loops(start, folder: Path) -> None:
    """What was answered before stays written, however long one call into Prolog would take."""
    (folder / "loops.pl").write_text("slow(X) :- X == 'urn:slow', repeat, catch((repeat, fail), _, fail).\n")
    (folder / "slow.rq").write_text("SELECT ?x WHERE { ?x ?p ?y FILTER (!prolog:slow(?x)) }")
    process = start("run slow.rq --rules loops.pl --stream - --stream-format ndjson --results ndjson")
    for second, subject in [(1, "urn:a"), (2, "urn:b"), (3, "urn:slow"), (4, "urn:c")]:
        row = {"start": second, "s": f"<{subject}>", "p": "<urn:p>", "o": "<urn:o>"}
        process.stdin.write(json.dumps(row).encode() + b"\n")
        process.stdin.flush()
        if subject == "urn:b":
            first = process.stdout.readline()
    time.sleep(1)  # whenever it comes, it must end the run; most likely the rule loops now
    process.send_signal(signal.SIGINT)
    rest, err = process.stdout.read(), process.stderr.read()
    assert process.wait(PATIENCE) == 130
    assert (err, b"urn:a" in first, (first + rest).endswith(b"}\n")) == (b"", True, True)


def test_a_reader_that_has_enough_is_no_error(start, many: str) -> None:
    process = start(many)
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(PATIENCE) == 0


def test_another_broken_pipe_is_an_error(etalis, monkeypatch: pytest.MonkeyPatch) -> None:
    """One to a process that helps, such as Spark's; then answers may be missing."""
    from etalis_py.cli import local_engine

    def break_down(_: object) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(local_engine, "read_queries", break_down)
    done = etalis("run rise.rq --stream rise.ndjson")
    assert (done.code, done.err.split()[0]) == (4, "EP309")


@pytest.mark.parametrize("line", ["explain rise.rq --stage prolog", "run --help"])
def test_a_reader_of_other_commands_that_has_enough(start, line: str) -> None:
    process = start(line)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(PATIENCE) == 0


def test_a_full_disk_is_told(start, many: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with Path("/dev/full").open("wb") as full:
        process = start(many, stdout=full)
    assert process.stderr.read().startswith(b"EP304 answers cannot be written: No space left on device")
    assert process.wait(PATIENCE) == 4


class _Pieces(io.BytesIO):
    """Remembers what was written at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[bytes] = []

    def write(self, data: bytes) -> int:
        self.pieces.append(bytes(data))
        return super().write(data)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_pieces_are_whole_lines_that_a_pipe_takes_at_once(end: bytes) -> None:
    lines = [b"x" * (size * 37 % 900) + end for size in range(300)] + [b"y" * 10_000 + end, b"z" + end]
    WholeLines(file := _Pieces(), end).write(b"".join(lines))
    assert file.getvalue() == b"".join(lines)
    assert all(piece.endswith(end) for piece in file.pieces)
    assert {len(piece) for piece in file.pieces if len(piece) > 4096} == {10_000 + len(end)}
    assert len(file.pieces) < 60
