"""Whatever a literal or an IRI holds comes out as it went in, in every format that keeps it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from etalis_py.core.terms import encode_ntriples, ntriples
from etalis_py.core.vocabulary import XSD_STRING

STRING = XSD_STRING
CODE = "'), halt, (\n\":- halt.\n"
LITERALS = {
    "quotes": '"\'""\'\'\\"',
    "newlines": "a\nb\r\nc\rd\n",
    "code": "'), halt, (",
    "clauses": CODE,
    "NUL": "\x00 in the \x00 middle\x00",
    "controls": "".join(map(chr, range(1, 32))) + "\x7f\x85\u2028",
    "long": "1 MB " * 200_000,
    "emoji": "👩‍👩‍👧‍👦 🏴‍☠️ \U0010ffff",
    "right to left": "\u202eabc\u202c שלום مرحبا",
    "escapes": "\\x41\\ \\u0041 \\n ~w ~a %s {0}",
    "nothing": "",
    "marks": "e\u0301 ﬁ \ufeff",
}
IRIS = {
    "code": "http://example.org/'),halt,('",
    "emoji": "http://example.org/🌊?q='%22#\u202ex",
    "escaped": "http://example.org/\\u00E9\\U0001F30A",
    "long": "http://example.org/" + "a'" * 100_000,
    "comma": "http://example.org/a,b;c(d)~e!$&*+=@:",
}


def write_stream(folder: Path, term: str) -> None:
    """A stream in which ``term`` (N-Triples text) is said of two things, one after the other."""
    rows = [{"start": number, "s": f"<urn:s{number}>", "p": "<urn:p>", "o": term} for number in (1, 2)]
    (folder / "s.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "q.rq").write_text("SELECT ?o WHERE { { <urn:s1> <urn:p> ?o } SEQ { <urn:s2> <urn:p> ?o } }")
    (folder / "c.rq").write_text("CONSTRUCT { <urn:s> <urn:p> ?o } WHERE { <urn:s1> <urn:p> ?o }")


def out_of_ndjson(etalis, folder: Path) -> str:
    (answer,) = etalis("run q.rq --stream s.ndjson").answers
    return answer["bindings"]["o"]["value"]


def out_of_json(etalis, folder: Path) -> str:
    document = json.loads(etalis("run q.rq --stream s.ndjson --results json").out)
    return document["results"]["bindings"][0]["o"]["value"]


def out_of_csv(etalis, folder: Path) -> str:
    text = etalis("run q.rq --stream s.ndjson --results csv").out.decode()
    csv.field_size_limit(1 << 30)
    _, (value, *_) = csv.reader(io.StringIO(text, newline=""))
    return value


def out_of_tsv(etalis, folder: Path) -> str:
    line = etalis("run q.rq --stream s.ndjson --results tsv").out.decode().split("\n")[1]
    return value_of(line.split("\t")[0])


def out_of_parquet(etalis, folder: Path) -> str:
    import pyarrow.parquet as pq

    assert etalis("run q.rq --stream s.ndjson --output o.parquet").code == 0
    return value_of(pq.read_table(folder / "o.parquet")["o"][0].as_py())


def out_of_nquads(etalis, folder: Path) -> str:
    from pyoxigraph import RdfFormat, parse

    found = etalis("run c.rq --stream s.ndjson --results nquads").out
    (quad,) = [each for each in parse(found, RdfFormat.N_QUADS) if each.predicate.value == "urn:p"]
    return quad.object.value


def value_of(term: str) -> str:
    encoded = encode_ntriples(term)
    return encoded if isinstance(encoded, str) else encoded[0]


TIME = (
    "<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> "
    '"1970-01-01T00:00:01Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n'
)
WAYS_OUT = [out_of_ndjson, out_of_json, out_of_csv, out_of_tsv, out_of_parquet, out_of_nquads]


@pytest.mark.parametrize("way_out", WAYS_OUT, ids=lambda way: way.__name__)
@pytest.mark.parametrize("kind", LITERALS)
def test_literals_come_out_as_they_went_in(etalis, folder: Path, kind: str, way_out) -> None:
    write_stream(folder, ntriples((LITERALS[kind], STRING)))
    assert way_out(etalis, folder) == LITERALS[kind]


@pytest.mark.parametrize("way_out", WAYS_OUT, ids=lambda way: way.__name__)
@pytest.mark.parametrize("kind", IRIS)
def test_iris_come_out_as_they_went_in(etalis, folder: Path, kind: str, way_out) -> None:
    term = f"<{IRIS[kind]}>"
    write_stream(folder, term)
    assert way_out(etalis, folder) == value_of(term)


def into_csv(folder: Path, term: str) -> str:
    with (folder / "i.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("start", "s", "p", "o"), (1, "<urn:s1>", "<urn:p>", term)])
    return "i.csv"


def into_nquads(folder: Path, term: str) -> str:
    (folder / "i.nq").write_text(f"<urn:s1> <urn:p> {term} <urn:g> .\n{TIME}")
    return "i.nq"


def into_trig(folder: Path, term: str) -> str:
    (folder / "i.trig").write_text(f"<urn:g> {{ <urn:s1> <urn:p> {term} }}\n{TIME}")
    return "i.trig"


def into_parquet(folder: Path, term: str) -> str:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {"start": [1], "s": ["<urn:s1>"], "p": ["<urn:p>"], "o": [term]}
    pq.write_table(pa.table(columns), folder / "i.parquet")
    return "i.parquet"


@pytest.mark.parametrize(
    "way_in", [into_csv, into_nquads, into_trig, into_parquet], ids=lambda way: way.__name__
)
@pytest.mark.parametrize("kind", LITERALS)
def test_literals_go_in_by_every_format(etalis, folder: Path, kind: str, way_in) -> None:
    stream = way_in(folder, ntriples((LITERALS[kind], STRING)))
    (folder / "q.rq").write_text("SELECT ?o WHERE { <urn:s1> <urn:p> ?o }")
    assert etalis(f"run q.rq --stream {stream}").found == [(LITERALS[kind],)]


@pytest.mark.parametrize("kind", [kind for kind in LITERALS if kind != "NUL"])
def test_literals_in_a_query_are_matched(etalis, folder: Path, kind: str) -> None:
    term = ntriples((LITERALS[kind], STRING))
    write_stream(folder, term)
    (folder / "q.rq").write_text(f"SELECT ?s WHERE {{ ?s <urn:p> {term} FILTER(STR({term}) = {term}) }}")
    assert etalis("run q.rq --stream s.ndjson").found == [("urn:s1",), ("urn:s2",)]


def test_a_table_shows_no_control_character(etalis, folder: Path) -> None:
    write_stream(folder, ntriples(("\x1b[2J\u202e\x00\n", STRING)))
    shown = etalis("run q.rq --stream s.ndjson --results table").out.decode()
    assert all(each.isprintable() or each == "\n" for each in shown)
