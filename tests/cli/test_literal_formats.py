"""Every format of streams and background leaves literals as they are written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from etalis_py.core.vocabulary import RDF, XSD
from tests.cli.test_literals import KEPT, typed

TYPED = {text: (text[1:].partition('"')[0], text.partition("^^<")[2][:-1]) for text in KEPT if "^^" in text}
RDFXML = f'<rdf:RDF xmlns:rdf="{RDF}" xmlns="urn:">{{}}</rdf:Description></rdf:RDF>'
PROV = "http://www.w3.org/ns/prov#"


def write_turtle(path: Path) -> None:
    path.write_text("".join(f"<urn:s> <urn:p> {each} .\n" for each in TYPED))


def write_trig(path: Path) -> None:
    triples = "".join(f"<urn:s> <urn:p> {each} .\n" for each in TYPED)
    time = typed("2000-01-01T00:00:00Z", "dateTime")
    path.write_text(f"<urn:g> {{ {triples} }}\n<urn:g> <{PROV}generatedAtTime> {time} .")


def write_nquads(path: Path) -> None:
    path.write_text(
        "".join(f"<urn:s> <urn:p> {each} <urn:g> .\n" for each in TYPED)
        + f"<urn:g> <{PROV}generatedAtTime> {typed('2000-01-01T00:00:00Z', 'dateTime')} .\n"
    )


def write_jsonld(path: Path) -> None:
    values = [{"@value": text, "@type": datatype} for text, datatype in TYPED.values()]
    time = {"@value": "2000-01-01T00:00:00Z", "@type": XSD + "dateTime"}
    graph = {"@id": "urn:g", PROV + "generatedAtTime": time, "@graph": [{"@id": "urn:s", "urn:p": values}]}
    path.write_text(json.dumps(graph))


def write_rdfxml(path: Path) -> None:
    values = "".join(f'<p rdf:datatype="{datatype}">{text}</p>' for text, datatype in TYPED.values())
    path.write_text(RDFXML.format(f'<rdf:Description rdf:about="urn:s">{values}'))


WAYS = [
    ("--stream s.ttl --at 5", "s.ttl", write_turtle),
    ("--stream s.nt --at 5", "s.nt", write_turtle),
    ("--stream s.rdf --at 5", "s.rdf", write_rdfxml),
    ("--stream s.trig", "s.trig", write_trig),
    ("--stream s.nq", "s.nq", write_nquads),
    ("--stream s.jsonld", "s.jsonld", write_jsonld),
    ("--stream one.ndjson --background s.ttl", "s.ttl", write_turtle),
    ("--stream one.ndjson --background s.nt", "s.nt", write_turtle),
    ("--stream one.ndjson --background s.rdf", "s.rdf", write_rdfxml),
]


@pytest.mark.parametrize(("options", "name", "write"), WAYS, ids=[options for options, _, _ in WAYS])
def test_literals_are_kept_in_every_format(etalis, folder: Path, options: str, name: str, write) -> None:
    """No reader puts a canonical form in the place of what is written."""
    write(folder / name)
    (folder / "one.ndjson").write_text('{"start": 1, "s": "<urn:a>", "p": "<urn:b>", "o": "<urn:c>"}\n')
    (folder / "q.rq").write_text(
        "SELECT ?o { { <urn:s> <urn:p> ?o } " + ("{ ?a <urn:b> ?c }" if "one" in options else "") + "}"
    )
    done = etalis(f"run q.rq {options} --results ndjson -W none")
    assert (done.code, done.err) == (0, "")
    found = [(term["value"], term["datatype"]) for each in done.answers for term in each["bindings"].values()]
    assert sorted(found) == sorted(TYPED.values())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("b.ttl", '<urn:b> <urn:name> "chat"@FR-be .'),
        ("b.nt", '<urn:b> <urn:name> "chat"@FR-be .\n'),
        ("b.jsonld", '{"@id": "urn:b", "urn:name": {"@value": "chat", "@language": "FR-be"}}'),
        ("b.rdf", RDFXML.format('<rdf:Description rdf:about="urn:b"><name xml:lang="FR-be">chat</name>')),
    ],
)
def test_language_tags_of_stream_and_background_meet(etalis, folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / "s.ndjson").write_text(
        json.dumps({"start": 1, "s": "<urn:s>", "p": "<urn:p>", "o": '"chat"@fr-BE'}) + "\n"
    )
    (folder / "q.rq").write_text("SELECT ?o ?b { ?s <urn:p> ?o . ?b <urn:name> ?o }")
    done = etalis(f"run q.rq --stream s.ndjson --background {name}")
    assert (done.code, done.err, done.found) == (0, "", [("chat", "urn:b")])
