"""etalis run: the forms of its results, names, several queries."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from etalis_py.cli import main

A = "http://example.org/a"


def test_ndjson_is_exactly_as_promised(etalis) -> None:
    done = etalis("run rise.rq --stream rise.ndjson")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        b'{"query": "rise", "start": "1970-01-01T00:00:01Z", "end": "1970-01-01T00:00:03Z", '
        b'"bindings": {"x": {"type": "uri", "value": "http://example.org/a"}}}\n'
    )


def test_unbound_variables_are_left_out(etalis, folder: Path) -> None:
    (folder / "q.rq").write_text("SELECT ?x ?y WHERE { ?x <http://example.org/low> 'no', ?y }")
    assert etalis("run q.rq --stream rise.ndjson").answers == []
    (folder / "q.rq").write_text(
        "SELECT ?x ?y WHERE { { ?x <http://example.org/low> ?z } OPTIONAL { ?x <urn:none> ?y } }"
    )
    assert etalis("run q.rq --stream rise.ndjson").answers[0]["bindings"] == {
        "x": {"type": "uri", "value": A}
    }


def test_a_construct_gives_triples_and_other_queries_see_them(etalis, folder: Path) -> None:
    rise = (folder / "rise.rq").read_text()
    (folder / "derive.rq").write_text(rise.replace("SELECT ?x", "CONSTRUCT { ?x ex:rose true }"))
    (folder / "seen.rq").write_text("PREFIX ex: <http://example.org/> SELECT ?x WHERE { ?x ex:rose true }")
    derived, seen = etalis("run derive.rq seen.rq --stream rise.ndjson").answers
    assert derived["query"] == "derive"
    assert derived["triples"] == [
        [
            {"type": "uri", "value": A},
            {"type": "uri", "value": "http://example.org/rose"},
            {"type": "literal", "value": "true", "datatype": "http://www.w3.org/2001/XMLSchema#boolean"},
        ]
    ]
    assert (seen["query"], seen["start"], seen["end"]) == ("seen", derived["start"], derived["end"])


def test_csv_json_and_tsv_have_two_more_columns(etalis) -> None:
    (row,) = csv.DictReader(
        io.StringIO(etalis("run rise.rq --stream rise.ndjson --results csv").out.decode())
    )
    assert row == {"x": A, "start": "1970-01-01T00:00:01Z", "end": "1970-01-01T00:00:03Z"}
    document = json.loads(etalis("run rise.rq --stream rise.ndjson --results json").out)
    assert document["head"]["vars"] == ["x", "start", "end"]
    tsv = etalis("run rise.rq --stream rise.ndjson --results tsv").out.decode()
    assert tsv.splitlines()[0] == "?x\t?start\t?end"


def test_with_at_they_are_the_w3c_forms(etalis, folder: Path) -> None:
    (folder / "some.ttl").write_text("<urn:a> <urn:p> 5 .")
    (folder / "q.rq").write_text("SELECT ?x ?y WHERE { ?x <urn:p> ?y }")
    done = etalis("run q.rq --stream some.ttl --at 2011-03-11T05:46:23Z --results csv")
    assert (done.code, done.out) == (0, b"x,y\r\nurn:a,5\r\n")
    (answer,) = etalis("run q.rq --stream some.ttl --at 2011-03-11T05:46:23Z").answers
    assert answer["start"] == answer["end"] == "2011-03-11T05:46:23Z"


def test_the_format_of_a_file_is_told_by_its_suffix(etalis, folder: Path) -> None:
    for name, begin in [
        ("a.csv", b"x,start"),
        ("a.json", b'{"head"'),
        ("a.txt", b"rise\n"),
        ("a", b'{"query"'),
    ]:
        done = etalis(f"run rise.rq --stream rise.ndjson --output {name}")
        assert (done.code, done.out, done.err) == (0, b"", "")
        assert (folder / name).read_bytes().startswith(begin)


def test_a_file_is_replaced_once_the_queries_are_known_to_be_good(etalis, folder: Path) -> None:
    (folder / "out.ndjson").write_text("something longer than the answers " * 100)
    (folder / "bad.rq").write_text("SELECT")
    assert etalis("run bad.rq --stream rise.ndjson --output out.ndjson").code == 2
    assert (folder / "out.ndjson").read_text().startswith("something")
    assert etalis("run rise.rq --stream rise.ndjson --output out.ndjson").code == 0
    assert len((folder / "out.ndjson").read_text().splitlines()) == 1


def test_a_table_where_it_is_asked_for(etalis) -> None:
    lines = etalis("run rise.rq --stream rise.ndjson --results table").out.decode().splitlines()
    assert lines[0] == "rise"
    assert lines[1].split() == ["start", "end", "x"]
    assert "ex:a" in lines[3]


def test_verbose_tells_the_counts(etalis) -> None:
    done = etalis("run rise.rq --stream rise.ndjson --verbose")
    assert done.err.startswith("1 answers from 3 events")


def test_standard_output_stays_open(etalis) -> None:
    assert etalis("run rise.rq --stream rise.ndjson").code == 0
    assert main(["--version"]) == 0


def test_background_alone_is_asked_at_an_instant(etalis, folder: Path) -> None:
    (folder / "b.ttl").write_text("@prefix ex: <http://example.org/> . ex:a a ex:Oak .")
    (folder / "oaks.rq").write_text("PREFIX ex: <http://example.org/> SELECT ?x { ?x a ex:Oak }")
    done = etalis("run oaks.rq --background b.ttl --at 2011-03-11T05:46:23Z --results csv")
    assert (done.code, done.out, done.err) == (0, b"x\r\nhttp://example.org/a\r\n", "")
