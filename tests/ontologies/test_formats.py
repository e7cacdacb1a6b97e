"""One small graph in every format; blank nodes, named graphs and base IRIs."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from etalis_py.core.vocabulary import RDF_TYPE, XSD_BOOLEAN, XSD_DATETIME, XSD_INTEGER
from tests.ontologies.conftest import Load

EXPECTED = {
    ("urn:e", RDF_TYPE, "urn:Oak"),
    ("urn:e", "urn:p", ("Eiche", "@de")),
    ("urn:e", "urn:p", (5, XSD_INTEGER)),
    ("urn:e", "urn:p", (5, "05", XSD_INTEGER)),
    ("urn:e", "urn:p", ("five", XSD_INTEGER)),
    ("urn:e", "urn:p", (True, XSD_BOOLEAN)),
    ("urn:e", "urn:p", (0, XSD_DATETIME)),
}
TURTLE = """
@prefix : <urn:> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:e a :Oak ; :p "Eiche"@de, 5, 05, "five"^^xsd:integer, true, "1970-01-01T00:00:00Z"^^xsd:dateTime .
"""
LINES = """
<urn:e> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:Oak> .
<urn:e> <urn:p> "Eiche"@DE .
<urn:e> <urn:p> "5"^^<http://www.w3.org/2001/XMLSchema#integer> .
<urn:e> <urn:p> "05"^^<http://www.w3.org/2001/XMLSchema#integer> .
<urn:e> <urn:p> "five"^^<http://www.w3.org/2001/XMLSchema#integer> .
<urn:e> <urn:p> "true"^^<http://www.w3.org/2001/XMLSchema#boolean> .
<urn:e> <urn:p> "1970-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
"""
XML = """<?xml version="1.0" encoding="{encoding}"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="urn:">
<Oak rdf:about="urn:e"><p xml:lang="de">Eiche</p>
<p rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">5</p>
<p rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">05</p>
<p rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">five</p>
<p rdf:datatype="http://www.w3.org/2001/XMLSchema#boolean">true</p>
<p rdf:datatype="http://www.w3.org/2001/XMLSchema#dateTime">1970-01-01T00:00:00Z</p></Oak></rdf:RDF>"""
JSON = """{"@id": "urn:e", "@type": "urn:Oak", "urn:p": [{"@value": "Eiche", "@language": "de"}, 5, true,
{"@value": "05", "@type": "http://www.w3.org/2001/XMLSchema#integer"},
{"@value": "five", "@type": "http://www.w3.org/2001/XMLSchema#integer"},
{"@value": "1970-01-01T00:00:00Z", "@type": "http://www.w3.org/2001/XMLSchema#dateTime"}]}"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.ttl", TURTLE),
        ("a.ttl", "\ufeff" + TURTLE),
        ("a.n3", TURTLE),
        ("a.TRIG", TURTLE),
        ("a.nt", LINES),
        ("a.nq", LINES),
        ("a.rdf", XML.format(encoding="UTF-8")),
        ("a.owl", XML.format(encoding="ISO-8859-1")),
        ("a.jsonld", JSON),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_every_format_says_the_same(load: Load, tmp_path: Path, name: str, text: str, packed: bool) -> None:
    path = tmp_path / (name + ".gz" * packed)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    found = load(path).explicit()
    assert len(found) == len(EXPECTED)
    assert set(found) == EXPECTED


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "UTF-16", "utf-8", "windows-1252"])
def test_xml_may_be_in_another_encoding(load: Load, tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.rdf"
    path.write_bytes(XML.format(encoding=encoding).replace("Eiche", "Bärlapp").encode(encoding))
    assert ("urn:e", "urn:p", ("Bärlapp", "@de")) in load(path).explicit()


def test_blank_nodes_of_two_files_are_different(load: Load, tmp_path: Path) -> None:
    for name in ("a.ttl", "b.ttl"):
        (tmp_path / name).write_text("_:x <urn:p> _:x . [] <urn:p> _:x .")
    found = load(tmp_path / "a.ttl", tmp_path / "b.ttl").explicit()
    assert len(found) == 4
    assert len({s for s, _, _ in found}) == 4
    assert all(s.startswith("_:") for s, _, _ in found)


def test_a_file_named_twice_is_read_once(load: Load, tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text("[] <urn:p> 1 .")
    assert len(load(tmp_path / "a.ttl", (tmp_path / "a.ttl").as_uri()).explicit()) == 1


def test_named_graphs_are_kept_and_merged(load: Load, tmp_path: Path) -> None:
    (tmp_path / "a.trig").write_text(
        "<urn:s> <urn:p> 1 . <urn:h> { <urn:s> <urn:p> 2 }"
        "<urn:g> { <urn:s> <urn:p> 1, 2 . <urn:s> <urn:p> 1 }"
    )
    found = load(tmp_path / "a.trig")
    one, two = ("urn:s", "urn:p", (1, XSD_INTEGER)), ("urn:s", "urn:p", (2, XSD_INTEGER))
    assert sorted(found.explicit()) == [one, two]
    assert sorted(found.named()) == [(*one, "urn:g"), (*two, "urn:g"), (*two, "urn:h")]


def test_the_same_triple_in_two_files_is_one(load: Load, tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text("<urn:s> <urn:p> 1, 2 .")
    (tmp_path / "b.ttl").write_text("<urn:s> <urn:p> 2, 2, 3 .")
    assert len(load(tmp_path / "a.ttl", tmp_path / "b.ttl").explicit()) == 3


def test_relative_iris_depend_on_the_place(load: Load, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.ttl").write_text("<> a <#Ontology> .")
        place = (tmp_path / folder / "a.ttl").as_uri()
        assert load(tmp_path / folder / "a.ttl").explicit() == [(place, RDF_TYPE, f"{place}#Ontology")]
