"""Results that cannot be written, or not all of them, and runs that are stopped while they write."""

from __future__ import annotations

import csv
import fcntl
import json
import os
import resource
import signal
import sys
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from etalis_py.provision.java import lead_spark_to_java
from tests.patience import PATIENCE

FORMS = ["table", "ndjson", "json", "xml", "csv", "tsv", "parquet", "nquads"]
DOCUMENTS = ["json", "xml", "parquet"]
LIMIT = 20_000
"""Bytes, fewer than the answers of `many` take in any form."""


@pytest.fixture
def many(folder: Path) -> str:
    """A command line whose answers are as many as its events, of a form that every result format holds."""
    (folder / "all.rq").write_text("SELECT ?s ?o WHERE { ?s <urn:p> ?o }")
    (folder / "made.rq").write_text("CONSTRUCT { ?s <urn:q> ?o } WHERE { ?s <urn:p> ?o }")
    rows = ({"start": n, "s": f"<urn:s{n}>", "p": "<urn:p>", "o": f'"{n}"'} for n in range(6_000))
    (folder / "many.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "run {query} --stream many.ndjson --results {form} --output out"


def line_for(many: str, form: str) -> str:
    return many.format(query="made.rq" if form == "nquads" else "all.rq", form=form)


@contextmanager
def limited_files() -> Iterator[None]:
    """No file gets larger than LIMIT: writing fails, since Python ignores SIGXFSZ."""
    before, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, most))


@pytest.mark.parametrize("form", FORMS)
def test_a_full_disk_is_one_error_in_every_form(etalis, many: str, folder: Path, form: str) -> None:
    (folder / "out").write_text("before")
    with limited_files():
        done = etalis(line_for(many, form))
    assert done.err.startswith("EP304 answers cannot be written: File too large\nhint: ")
    assert (done.code, done.out, done.err.count("\n")) == (4, b"", 2)
    if form in DOCUMENTS:
        assert (folder / "out").read_text() == "before", "there is no part of a document by its name"
        assert "out.partial" in done.err
    else:
        assert (folder / "out").stat().st_size <= LIMIT
        assert "in part" not in done.err
        left = (folder / "out").read_bytes()
        assert etalis(line_for(many, form)).code == 0
        whole = (folder / "out").read_bytes()
        line_end = b"\r\n" if form == "csv" else b"\n"
        assert left == whole[: whole.rindex(line_end, 0, LIMIT) + len(line_end)], "the last line is whole"


def test_a_full_disk_within_a_cell_of_many_lines(etalis, many: str, folder: Path) -> None:
    """The rows of CSV end where no quotes are open."""
    rows = (
        {"start": n, "s": f"<urn:s{n}>", "p": "<urn:p>", "o": '"' + "one\\r\\n" * 700 + '"'} for n in range(9)
    )
    (folder / "many.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with limited_files():
        assert etalis(line_for(many, "csv")).code == 4
    with (folder / "out").open(newline="") as file:
        found = list(csv.reader(file))
    assert [len(row) for row in found] == [4] * len(found)
    assert len(found) == 1 + LIMIT // 3_560


@pytest.mark.parametrize("name", ["out.xlsx", "out.csv.gz", "out.v2"])
def test_a_suffix_that_tells_no_form(etalis, many: str, folder: Path, name: str) -> None:
    line = "run all.rq --stream many.ndjson --output"
    done = etalis(f"{line} {name}")
    assert (done.code, done.err.split()[0]) == (2, "EP527")
    assert ("gzip" if name.endswith("gz") else "--results") in done.err
    assert not (folder / name).exists()
    assert etalis(f"{line} {name} --results csv").code == 0
    assert (folder / name).read_bytes().startswith(b"s,o,")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("form", FORMS)
def test_a_device_that_is_full(etalis, many: str, form: str) -> None:
    done = etalis(line_for(many, form).replace("--output out", "--output /dev/full"))
    assert done.err.startswith("EP304 answers cannot be written: No space left on device")
    assert (done.code, done.err.count("\n")) == (4, 2)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("line", ["explain rise.rq", "check rise.rq"])
def test_what_other_commands_print(start, line: str) -> None:
    with Path("/dev/full").open("wb") as full:
        process = start(line, stdout=full)
    _, err = process.communicate(timeout=PATIENCE)
    assert err.startswith(b"EP304 nothing more can be written"), err
    assert (process.returncode, err.count(b"\n")) == (4, 2)


STOPS = [
    ("csv", signal.SIGINT, 130),
    ("json", signal.SIGTERM, 143),
    ("parquet", signal.SIGHUP, 129),
]
ROW = b'{"start": %d, "s": "<urn:s>", "p": "<urn:p>", "o": "\\"%d\\""}\n'


@pytest.mark.parametrize(("form", "number", "code"), STOPS)
def test_a_stopped_run_leaves_what_it_answered(start, many, folder: Path, form: str, number, code) -> None:
    process = start(f"run all.rq --stream - --stream-format ndjson --results {form} --output out")
    process.stdin.write(b"".join(ROW % (n, n) for n in range(100)))
    process.stdin.flush()
    wait_until_read(process)
    process.send_signal(number)
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (code, b"")
    assert answered(folder / "out", form) == list(map(str, range(99)))
    assert not (folder / "out.partial").exists()


def wait_until_read(process) -> None:
    """What was written to standard input has been taken, and the process waits for more.

    Before that it may wait at another pipe, such as that of the process which compiles the rules.
    """
    status = Path(f"/proc/{process.pid}")
    if not status.exists():
        pytest.skip("there is no /proc")
    while unread(process.stdin) or "pipe" not in (status / "wchan").read_text():
        assert process.poll() is None
        threading.Event().wait(0.01)


def unread(pipe) -> int:
    """How many bytes wait in a pipe."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def answered(path: Path, form: str) -> list[str]:
    if form == "json":
        rows = json.loads(path.read_text())["results"]["bindings"]
        return [row["o"]["value"] for row in rows]
    if form == "csv":
        text = path.read_bytes().decode()
        assert text.endswith("\r\n")
        return [line.split(",")[1] for line in text.splitlines()[1:]]
    import pyarrow.parquet as pq

    return [each.strip('"') for each in pq.read_table(path)["o"].to_pylist()]


def test_a_killed_run_leaves_no_part_of_a_document(start, many, folder: Path) -> None:
    (folder / "out").write_text("before")
    line = "run all.rq --stream - --stream-format ndjson --results json --output out"
    process = start(line)
    process.stdin.write(b"".join(ROW % (n, n) for n in range(100)))
    process.stdin.flush()
    wait_until_read(process)
    assert (folder / "out").read_text() == "before"
    other = start(line)
    _, err = other.communicate(timeout=PATIENCE)
    assert (other.returncode, err.split()[0]) == (2, b"EP507"), "another run writes it"
    process.kill()
    process.wait(PATIENCE)
    assert (folder / "out").read_text() == "before"
    next_one = start(line)
    _, err = next_one.communicate(ROW % (7, 7), timeout=PATIENCE)
    assert (next_one.returncode, err) == (0, b"")
    assert answered(folder / "out", "json") == ["7"]
    assert not (folder / "out.partial").exists(), "what the killed one left was used"


def test_a_signal_that_is_ignored_stays_ignored(start, many, folder: Path) -> None:
    line = "run all.rq --stream - --stream-format ndjson --results csv --output out"
    process = shell(start, line, before="trap '' HUP; ")
    process.stdin.write(ROW % (1, 1))
    process.stdin.flush()
    wait_until_read(process)
    process.send_signal(signal.SIGHUP)
    _, err = process.communicate(ROW % (2, 2), timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"")
    assert answered(folder / "out", "csv") == ["1", "2"]


def test_a_document_keeps_the_mode_and_the_link_of_the_file(etalis, many: str, folder: Path) -> None:
    (folder / "real.json").write_text("before")
    (folder / "real.json").chmod(0o640)
    (folder / "out").symlink_to("real.json")
    assert etalis(line_for(many, "json")).code == 0
    assert (folder / "out").is_symlink()
    assert (folder / "real.json").stat().st_mode & 0o777 == 0o640
    assert len(answered(folder / "out", "json")) == 6_000


def test_a_document_that_cannot_be_begun_leaves_nothing(etalis, many: str, folder: Path) -> None:
    done = etalis(line_for(many, "json").replace("all.rq", "made.rq"))
    assert (done.code, done.err.split()[0]) == (2, "EP526")
    assert not (folder / "out").exists()
    assert not (folder / "out.partial").exists()


@pytest.mark.parametrize("form", ["ndjson", "json"])
def test_places_that_cannot_be_written_to(etalis, many: str, folder: Path, form: str) -> None:
    (folder / "out").mkdir()
    done = etalis(line_for(many, form))
    assert (done.code, done.err.split()[0]) == (2, "EP507")
    assert "Is a directory" in done.err
    done = etalis(line_for(many, form).replace("--output out", "--output nowhere/out"))
    assert (done.code, done.err.split()[0]) == (2, "EP507")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.parametrize("form", ["ndjson", "json"])
def test_a_file_that_must_not_be_written(etalis, many: str, folder: Path, form: str) -> None:
    (folder / "out").touch(0o400)
    done = etalis(line_for(many, form))
    assert (done.code, done.err.split()[0]) == (2, "EP507")


def test_a_named_pipe_gets_the_same(start, etalis, many: str, folder: Path) -> None:
    assert etalis(line_for(many, "parquet")).code == 0
    expected = (folder / "out").read_bytes()
    (folder / "out").unlink()
    os.mkfifo(folder / "out")
    process = start(line_for(many, "parquet"))  # it waits for a reader
    assert (folder / "out").read_bytes() == expected
    assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize("closed", ["2>&-", "2>&- >&- <&-"])
def test_nothing_of_a_closed_standard_error_gets_into_the_data(start, folder: Path, closed: str) -> None:
    line = "run rise.rq --stream rise.ndjson --verbose --output out.ndjson"
    process = shell(start, f"{line} {closed}")
    out, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (0, b"")
    assert [json.loads(each)["query"] for each in (folder / "out.ndjson").read_text().splitlines()] == [
        "rise"
    ]
    if closed != "2>&- >&- <&-":
        process = shell(start, f"run rise.rq --stream rise.ndjson --verbose {closed}")
        out, _ = process.communicate(timeout=PATIENCE)
        assert [json.loads(each)["query"] for each in out.splitlines()] == ["rise"]


def test_closed_standard_input_and_output(start, folder: Path) -> None:
    process = shell(start, "run rise.rq --stream - --stream-format ndjson -W none <&-")
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3
    assert b"EP401 standard input" in err
    process = shell(start, "run rise.rq --stream rise.ndjson >&-")
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err.split()[0]) == (2, b"EP507")


def shell(start, words: str, before: str = ""):
    """The command, begun by a shell that closes descriptors."""
    return start("", args=["sh", "-c", f"{before}exec {sys.executable} -m etalis_py {words}"])


@pytest.mark.parametrize("kind", ["full", "closed pipe"])
def test_a_standard_error_that_takes_nothing_changes_nothing(start, folder: Path, kind: str) -> None:
    """An error keeps its exit code; a warning does not end the run."""
    (folder / "late.ndjson").write_text((folder / "rise.ndjson").read_text() * 2)
    (folder / "none.rq").write_text("SELECT ?x { ?x <urn:no> ?y }")
    runs = {"run rise.rq --stream nowhere.csv --verbose": 3, "check nowhere.rq": 2}
    runs["run rise.rq none.rq --stream late.ndjson --on-late drop --output out.ndjson --verbose"] = 0
    for line, code in runs.items():
        if kind == "full":
            if not Path("/dev/full").exists():
                pytest.skip("there is no /dev/full")
            descriptor = os.open("/dev/full", os.O_WRONLY)
        else:
            reader, descriptor = os.pipe()
            os.close(reader)
        process = start(line, stderr=descriptor)
        os.close(descriptor)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == code
    assert (folder / "out.ndjson").read_text().count("\n") == 1


@pytest.mark.spark
def test_sigterm_while_spark_runs(start, many: str, folder: Path) -> None:
    """A document is made whole, and nothing is left in the folder for temporary files."""
    (folder / "tmp").mkdir()
    environment = {
        **os.environ,
        "TMPDIR": str(folder / "tmp"),
        "JAVA_HOME": str(lead_spark_to_java().home),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    line = "run all.rq --stream - --stream-format ndjson --results json --output out --engine spark"
    process = start(line, env=environment)
    process.stdin.write(ROW % (1, 1))
    process.stdin.flush()
    while not (folder / "out.partial").exists():
        assert process.poll() is None
        threading.Event().wait(0.01)
    wait_until_read(process)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (143, b"")
    assert answered(folder / "out", "json") == []
    assert not list((folder / "tmp").glob("etalis-spark-*"))
