"""``--stream IRI=FILE``: files whose stream has a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import ndjson

CSV = "start,s,p,o,stream\n1970-01-01T00:00:01Z,<http://example.org/a>,<http://example.org/low>,<urn:b>,<urn:x>\n"
BROKEN = "the column 'stream' names a stream, and the events belong to <urn:a> already"


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    lines = ndjson().splitlines(keepends=True)
    (folder / "a.ndjson").write_text("".join(lines[:2]))
    (folder / "b=1.ndjson").write_text(lines[2])
    (folder / "named.csv").write_text(CSV)
    (folder / "late.ndjson").write_text(lines[2] + lines[0])


@pytest.mark.parametrize(
    "streams",
    [
        "urn:a=rise.ndjson",
        "<urn:a>=rise.ndjson",
        "urn:a={folder}/rise.ndjson",
        "urn:a?b=c=a.ndjson b=1.ndjson",
        "urn:a=a.ndjson <urn:a>=b=1.ndjson",
        "urn:a=a.ndjson <urn:etalis:default>=b=1.ndjson",
    ],
)
def test_patterns_see_all_streams(etalis, folder: Path, streams: str) -> None:
    done = etalis(f"run rise.rq --stream {streams.format(folder=folder)} --quiet")
    assert (done.code, done.err, done.found) == (0, "", [("http://example.org/a",)])


def test_standard_input(start) -> None:
    running = start("run rise.rq --stream urn:a=- --stream-format ndjson --quiet -W none")
    out, err = running.communicate(ndjson().encode())
    assert (running.returncode, err, out.count(b"\n")) == (0, b"", 1)


def test_standard_input_is_read_once(etalis) -> None:
    done = etalis("run rise.rq --stream - urn:a=-")
    assert (done.code, done.err.splitlines()[0]) == (2, "EP501 standard input can be read only once")


@pytest.mark.parametrize("command", ["run q.rq --stream", "check q.rq --stream", "explain q.rq --profile"])
def test_what_names_a_stream_twice(etalis, folder: Path, command: str) -> None:
    (folder / "q.rq").write_text("SELECT ?x { ?x <http://example.org/low> ?y }")
    done = etalis(f"{command} named.csv")
    assert (done.code, done.err) == (0, "")
    done = etalis(f"{command} urn:a=named.csv")
    assert (done.code, done.err.splitlines()[0]) == (3, f"EP419 named.csv: {BROKEN}")


@pytest.mark.parametrize(("command", "option"), [("run", "--stream"), ("explain", "--profile")])
def test_a_name_that_is_no_iri(etalis, command: str, option: str) -> None:
    done = etalis(f"{command} rise.rq {option} dock=rise.ndjson")
    told = [
        f"EP505 {option}: 'dock' is not an absolute IRI",
        "hint: a stream is named by one, such as urn:dock=rise.ndjson",
    ]
    assert (done.code, done.err.splitlines()) == (2, told)


DOCKS = """PREFIX e: <http://example.org/> BASE <http://cold/>
SELECT ?x FROM STREAM {stream} [RANGE 5s STEP 5s] {{ ?x e:low ?y }}"""


@pytest.mark.parametrize("command", ["run q.rq --stream", "explain q.rq --profile"])
@pytest.mark.parametrize(
    ("stream", "called"), [("<docks>", "docks"), ("Docks", "Docks"), ("e:docks", "e:docks")]
)
def test_a_name_as_the_query_writes_it(etalis, folder: Path, command: str, stream: str, called: str) -> None:
    (folder / "q.rq").write_text(DOCKS.format(stream=stream))
    done = etalis(f"{command} {called}=rise.ndjson")
    assert (done.code, done.err) == (0, "")


def test_a_name_that_no_query_writes(etalis, folder: Path) -> None:
    (folder / "q.rq").write_text(DOCKS.format(stream="<docks>"))
    done = etalis("run q.rq --stream dock=rise.ndjson")
    told = [
        "EP505 --stream: 'dock' is not an absolute IRI",
        "hint: the queries have the streams docks: docks=rise.ndjson",
    ]
    assert (done.code, done.err.splitlines()) == (2, told)


def test_a_name_of_two_streams(etalis, folder: Path) -> None:
    (folder / "q.rq").write_text(DOCKS.format(stream="<docks>"))
    (folder / "r.rq").write_text(DOCKS.format(stream="<docks>").replace("//cold/", "//warm/"))
    done = etalis("run q.rq r.rq --stream docks=rise.ndjson")
    told = [
        "EP505 --stream: 'docks' means several streams",
        "hint: name one of them: <http://cold/docks> or <http://warm/docks>",
    ]
    assert (done.code, done.err.splitlines()) == (2, told)


def test_a_file_that_is_missing(etalis) -> None:
    done = etalis("run rise.rq --stream urn:a=none.csv")
    assert done.err.splitlines()[0].startswith("EP401 none.csv: ")
    done = etalis("run rise.rq --stream dock=none.csv")
    assert done.err.splitlines()[0].startswith("EP401 dock=none.csv: ")


def test_what_is_late_tells_its_stream(etalis) -> None:
    done = etalis("run rise.rq --stream urn:a=late.ndjson --quiet")
    assert done.code == 3
    assert done.err.startswith("EP413 late.ndjson, row 2: an element of the stream <urn:a> that ends at ")


def test_a_query_asks_for_streams(etalis, folder: Path) -> None:
    (folder / "q.rq").write_text(
        "PREFIX ex: <http://example.org/>\n"
        "SELECT ?x ?s { { STREAM <urn:a> { ?x ex:low ?a } } SEQ { STREAM ?s { ?x ex:high ?b } } }"
    )
    done = etalis("run q.rq --quiet --stream urn:a=a.ndjson <urn:b>=b=1.ndjson")
    assert done.found == [("http://example.org/a", "urn:b")]
    done = etalis("run q.rq --quiet --stream urn:a=a.ndjson <urn:etalis:default>=b=1.ndjson")
    assert done.found == [("http://example.org/a", "urn:etalis:default")]
    assert etalis("run q.rq --quiet --stream urn:c=a.ndjson <urn:b>=b=1.ndjson").found == []


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?x ?s { STREAM ?s { ?x ?p ?y } }",
        "CONSTRUCT STREAM <urn:b> { ?x ?p 1 } { ?x ?p ?y }",
    ],
)
@pytest.mark.spark
def test_spark_gives_the_same(etalis, folder: Path, query: str) -> None:
    (folder / "q.rq").write_text(query)
    command = "run q.rq --results ndjson --stream urn:a=rise.ndjson"
    here, there = etalis(command), etalis(f"{command} --engine spark")
    assert here.out == there.out
    assert here.code == there.code == 0


def test_a_stream_that_has_no_events(etalis, folder: Path) -> None:
    (folder / "q.rq").write_text("SELECT ?x { STREAM <urn:b> { ?x <http://example.org/low> ?y } }")
    done = etalis("run q.rq --stream urn:a=rise.ndjson")
    line = "-> line 1: ?x <http://example.org/low> ?y in stream <urn:b>: never; "
    why = "no event comes in that stream, but in <urn:a>; to name that of a file: --stream urn:b=FILE"
    assert done.err.splitlines()[1:] == [line + why]


def test_results_are_not_written_over_a_stream(etalis, folder: Path) -> None:
    before = (folder / "rise.ndjson").read_text()
    done = etalis("run rise.rq --stream urn:a=rise.ndjson --output rise.ndjson")
    assert done.err.startswith("EP507 the results would overwrite rise.ndjson, which is an input")
    assert (folder / "rise.ndjson").read_text() == before


def test_the_name_is_part_of_the_run_that_a_folder_keeps(etalis) -> None:
    run = "run rise.rq --state kept --output out.ndjson --quiet --stream"
    assert etalis(f"{run} urn:a=rise.ndjson").code == 0
    assert etalis(f"{run} <urn:a>=rise.ndjson").code == 0
    done = etalis(f"{run} urn:b=rise.ndjson")
    assert (done.code, done.err[:5]) == (2, "EP578")
