"""Each format says the same matches; other programs read it; hostile terms come out as they went in."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pyoxigraph
import pytest

from etalis_py.core.errors import UsageError
from etalis_py.core.terms import Encoded, ntriples, to_sparql_json
from etalis_py.core.vocabulary import XSD_BOOLEAN, XSD_DATETIME, XSD_INTEGER, XSD_STRING
from etalis_py.engine.matches import Match
from etalis_py.results import QueryHead, open_writer
from etalis_py.streams import concat, open_stream

TERMS: list[Encoded | None] = [
    "http://example.org/a",
    "_:b0",
    (5, XSD_INTEGER),
    (5, "05", XSD_INTEGER),
    ("hi", "@en"),
    None,
    *((text, XSD_STRING) for text in ("", "a\tb", 'say "hi"\r\n', "'), halt, (", "NUL\0", "😀\u202e\u2028")),
]
MATCHES = [Match("fall", second, second + 1, ("x",), (term,)) for second, term in enumerate(TERMS)]
NAMES = {"w": "http://www.w3.org/2005/sparql-results#"}
XML = "{http://www.w3.org/XML/1998/namespace}"
HEAD = QueryHead("fall", "select", ("x",), {"ex": "http://example.org/"})
MADE = [
    Match("make", 1, 1, encoded_triples=(("urn:a", "urn:p", ("x\n", XSD_STRING)), ("_:b", "urn:p", "urn:c"))),
    Match("make", 1, 2_000_000, encoded_triples=(("urn:a", "urn:p", (5, XSD_INTEGER)),)),
]


def written(form: str, matches: Sequence[Match], **options: Any) -> bytes:
    with open_writer(form, out := io.BytesIO(), **options) as writer:
        for match in matches:
            writer.write(match)
    return out.getvalue()


def test_ndjson() -> None:
    lines = written("ndjson", MATCHES + MADE).decode().split("\n")
    assert lines.pop() == ""
    assert json.loads(lines[2]) == {
        "query": "fall",
        "start": "1970-01-01T00:00:00.000002Z",
        "end": "1970-01-01T00:00:00.000003Z",
        "bindings": {"x": {"type": "literal", "value": "5", "datatype": XSD_INTEGER}},
    }
    found = [json.loads(line).get("bindings", {}).get("x") for line in lines[: len(TERMS)]]
    assert found == [None if term is None else to_sparql_json(term) for term in TERMS]
    assert json.loads(lines[-1])["triples"] == [
        [to_sparql_json(term) for term in triple] for triple in MADE[1].encoded_triples or ()
    ]


def test_each_match_is_in_the_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "out.ndjson"
    with path.open("wb") as out:
        writer = open_writer("ndjson", out)
        for count, match in enumerate(MATCHES, 1):
            writer.write(match)
            assert path.read_text().count("\n") == count


@pytest.mark.parametrize("form", ["json", "tsv"])
@pytest.mark.parametrize("at_mode", [True, False])
def test_the_forms_of_the_w3c_are_read_by_others(form: str, at_mode: bool) -> None:
    text = written(form, MATCHES, heads=[HEAD], at_mode=at_mode)
    kind = getattr(pyoxigraph.QueryResultsFormat, form.upper())
    solutions = pyoxigraph.parse_query_results(text, kind)
    names = [variable.value for variable in solutions.variables]
    assert names == (["x"] if at_mode else ["x", "start", "end"])
    rows = list(solutions)
    assert len(rows) == len(TERMS)
    for row, term, match in zip(rows, TERMS, MATCHES, strict=True):
        assert str(row["x"]) == str(pyoxigraph_term(term))
        if not at_mode:
            assert str(row["end"]) == ntriples((match.end, XSD_DATETIME))


def pyoxigraph_term(term: Encoded | None) -> Any:
    if term is None:
        return None
    (quad,) = pyoxigraph.parse(f"<urn:s> <urn:p> {ntriples(term)} .", pyoxigraph.RdfFormat.N_TRIPLES)
    return quad.object


def test_xml() -> None:
    root = ElementTree.fromstring(written("xml", MATCHES, heads=[HEAD], at_mode=True))
    assert [each.attrib for each in root.iterfind("w:head/w:variable", NAMES)] == [{"name": "x"}]
    results = root.findall("w:results/w:result", NAMES)
    for result, term in zip(results, TERMS, strict=True):
        found = [xml_term(each) for each in result.iterfind("w:binding[@name='x']/*", NAMES)]
        given = [] if term is None else [to_sparql_json(term)]
        assert found == [{**each, "value": each["value"].replace("\0", "\ufffd")} for each in given]


def test_what_xml_cannot_hold() -> None:
    text = written("xml", [Match("fall", 1, 1, ("x",), (("a\x01<\ufffe", XSD_STRING),))])
    [literal] = ElementTree.fromstring(text).iterfind(".//w:binding[@name='x']/*", NAMES)
    assert literal.text == "a\ufffd<\ufffd"


def xml_term(element: ElementTree.Element) -> dict[str, str]:
    kind = element.tag.rpartition("}")[2]
    more = {name.replace(XML, "xml:"): value for name, value in element.attrib.items()}
    return {"type": kind, "value": element.text or "", **more}


def test_csv() -> None:
    text = written("csv", MATCHES, heads=[HEAD]).decode()
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0] == ["x", "start", "end"]
    assert rows[3] == ["5", "1970-01-01T00:00:00.000002Z", "1970-01-01T00:00:00.000003Z"]
    assert [row[0] for row in rows[7:]] == [term[0] for term in TERMS[6:] if term is not None]
    assert written("csv", [], heads=[HEAD], at_mode=True) == b"x\r\n"


@pytest.mark.parametrize("at_mode", [True, False])
def test_csv_is_quoted_as_by_the_csv_module(at_mode: bool) -> None:
    chance = random.Random(3)
    for width in (0, 1, 2):
        names = ("x", "y")[:width]
        rows = [
            ["".join(chance.choices('a ",\r\n\t\0é', k=chance.randrange(4))) for _ in names]
            for _ in range(300)
        ]
        matches = [
            Match("fall", 1, 1, names, tuple((text, XSD_STRING) if text else None for text in row))
            for row in rows
        ]
        times = [] if at_mode else ["1970-01-01T00:00:00.000001Z"] * 2
        csv.writer(expected := io.StringIO(newline="")).writerows([*row, *times] for row in rows)
        found = written("csv", matches, at_mode=at_mode).decode()
        assert found.partition("\r\n")[2] == expected.getvalue()


def test_variables_of_the_same_names_as_the_columns() -> None:
    match = Match("fall", 1, 2, ("start", "_start"), ("urn:a", "urn:b"))
    assert written("csv", [match]).splitlines()[0] == b"start,_start,__start,end"


def test_an_ask() -> None:
    head = QueryHead("any", "ask")
    for value, text in ((True, "true"), (False, "false")):
        answer = [Match("any", 1, 1, boolean=value)]
        at = {"heads": [head], "at_mode": True}
        assert json.loads(written("json", answer, **at)) == {"head": {}, "boolean": value}
        assert f"<boolean>{text}</boolean>" in written("xml", answer, **at).decode()
        assert written("csv", answer, **at).decode() == f"boolean\r\n{text}\r\n"
        assert written("tsv", answer, **at).decode() == f'?boolean\n"{text}"^^<{XSD_BOOLEAN}>\n'
        assert written("table", answer, **at).decode() == f"any: {'yes' if value else 'no'}\n"
        assert json.loads(written("ndjson", answer)) == {
            "query": "any", "start": "1970-01-01T00:00:00.000001Z", "end": "1970-01-01T00:00:00.000001Z",
            "boolean": value,
        }  # fmt: skip
    assert written("csv", [Match("any", 1, 1, boolean=True)]).splitlines()[0] == b"boolean,start,end"


def test_an_ask_with_no_answer_yet_is_not_denied() -> None:
    head = QueryHead("any", "ask")
    assert written("json", [], heads=[head], at_mode=True) == b""
    assert written("table", [], heads=[head], at_mode=True) == b""


def test_no_where_there_was_no_instant_has_no_time() -> None:
    no = [Match.no("any", None)]
    assert json.loads(written("ndjson", no)) == {"query": "any", "boolean": False}
    assert written("csv", no) == b"boolean,start,end\r\nfalse,,\r\n"
    assert written("tsv", no).splitlines()[1] == f'"false"^^<{XSD_BOOLEAN}>\t\t'.encode()
    assert list(json.loads(written("json", no))["results"]["bindings"][0]) == ["boolean"]
    assert written("table", no).splitlines()[3] == b"            false"


def test_triples_of_a_describe_are_as_those_of_a_construct() -> None:
    assert written("nquads", [MADE[0]], heads=[QueryHead("make", "describe")]).count(b"urn:p") == 2
    with pytest.raises(UsageError, match="EP526"):
        open_writer("json", io.BytesIO(), heads=[QueryHead("make", "describe")])


@pytest.mark.parametrize("form", ["nquads", "parquet"])
def test_what_is_constructed_is_a_stream_again(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"made.{'nq' if form == 'nquads' else form}"
    path.write_bytes(written(form, MADE))
    batch = concat(list(open_stream(path)))
    assert (list(batch.start), list(batch.end)) == ([1, 1, 1], [1, 1, 2_000_000])
    assert list(batch.graph or ()) == ["urn:etalis:make:1-1:1"] * 2 + ["urn:etalis:make:1-2000000:2"]
    triples = list(zip(batch.s, batch.p, batch.o, strict=True))
    assert triples == [triple for match in MADE for triple in match.encoded_triples or ()]


def test_triples_at_one_instant_are_written_once() -> None:
    text = written("nquads", [*MADE, *MADE], at_mode=True).decode()
    assert text.splitlines() == [
        '<urn:a> <urn:p> "x\\n" .',
        "_:b <urn:p> <urn:c> .",
        f'<urn:a> <urn:p> "5"^^<{XSD_INTEGER}> .',
    ]


def test_parquet_of_solutions(tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    path.write_bytes(written("parquet", MATCHES, heads=[HEAD]))
    table = pq.read_table(path)
    assert [str(kind) for kind in table.schema.types] == ["timestamp[us, tz=UTC]"] * 2 + ["string"]
    assert table.column("x").to_pylist() == [None if term is None else ntriples(term) for term in TERMS]
    path.write_bytes(written("parquet", [], heads=[HEAD]))
    assert pq.read_table(path).column_names == ["start", "end", "x"]
