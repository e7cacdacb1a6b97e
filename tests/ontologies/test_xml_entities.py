"""Entities of RDF/XML: names for texts are read, what would grow is refused, nothing is fetched."""

from __future__ import annotations

import gzip
import io
import socket
from contextlib import suppress
from pathlib import Path

import pytest

from etalis_py.core.errors import DataError
from etalis_py.ontologies import xml_entities
from etalis_py.ontologies.formats import Source
from etalis_py.ontologies.triples import read_triples
from etalis_py.ontologies.xml_entities import LONGEST_ENTITY, MOST_ENTITIES, check_entities
from etalis_py.streams.rdf_reader import parse_quads
from tests.ontologies.conftest import Load

BODY = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:e:">'
    '<rdf:Description rdf:about="urn:s"><e:p>{}</e:p></rdf:Description></rdf:RDF>'
)
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))


def document(declarations: str, text: str = "&owl;", kind: str = "") -> bytes:
    return f"<!DOCTYPE rdf:RDF{kind} [\n{declarations}\n]>\n{BODY.format(text)}".encode()


REFUSED = {
    "of others": document('<!ENTITY l0 "ha">' + LAUGHS, "&l11;"),
    "of others, hidden": document('<!ENTITY a "aa"><!ENTITY b "&#38;a;">', "&b;"),
    "of itself": document('<!ENTITY a "&a;">', "&a;"),
    "of a file": document('<!ENTITY a SYSTEM "file:///etc/hostname">', "&a;"),
    "of a file by its public name": document('<!ENTITY a PUBLIC "x" "file:///etc/hostname">', "&a;"),
    "of the subset": document('<!ENTITY % a "b">%a;', "x"),
    "long": document(f'<!ENTITY a "{"a" * (LONGEST_ENTITY + 1)}">', "&a;"),
    "many": document("\n".join(f'<!ENTITY a{n} "a">' for n in range(MOST_ENTITIES + 1)), "x"),
    "with markup": document('<!ENTITY a "<e:q/>">', "&a;"),
    "declared late": BODY.format('<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>&b;').encode(),
}


def source(path: Path) -> Source:
    return Source(path, "RDF_XML", path.suffix == ".gz")


@pytest.mark.parametrize("content", REFUSED.values(), ids=REFUSED)
def test_what_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "plants.owl"
    path.write_bytes(content)
    with pytest.raises(DataError, match="EP430") as background:
        list(read_triples(source(path)))
    with pytest.raises(DataError, match="EP430") as stream:
        list(parse_quads(str(path), "rdfxml", ""))
    assert str(background.value) == str(stream.value)
    packed = tmp_path / "plants.owl.gz"
    packed.write_bytes(gzip.compress(content))
    with pytest.raises(DataError, match="EP430"):
        list(read_triples(source(packed)))
    path.write_bytes(content.decode().encode("utf-16"))
    with pytest.raises(DataError, match="EP430"):
        list(read_triples(source(path)))


def test_names_of_namespaces_are_read(load: Load, tmp_path: Path) -> None:
    path = tmp_path / "plants.owl"
    path.write_bytes(
        document('  <!ENTITY owl "http://www.w3.org/2002/07/owl#" >\n  <!ENTITY x "y">', "&owl;Class")
    )
    assert [each[2].value for each in read_triples(source(path))] == ["http://www.w3.org/2002/07/owl#Class"]
    assert len(list(parse_quads(str(path), "rdfxml", ""))) == 1
    load(path)


@pytest.mark.parametrize("block", [9, 64, 1 << 20])
def test_declarations_are_found_wherever_blocks_end(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_entities, "_BLOCK", block)
    good = b'<!ENTITY owl "http://o#">'
    check_entities(io.BytesIO(good * 5 + b"x" * 3_000 + good), "a.owl")
    for before in range(0, 40, 3):
        with pytest.raises(DataError) as caught:
            check_entities(io.BytesIO(b"\n" * before + good + b'\n<!ENTITY a "&b;">' + b"x" * 2_000), "a.owl")
        assert caught.value.place is not None
        assert caught.value.place.line == before + 2


@pytest.fixture
def listener() -> socket.socket:
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(0)
    return listening


def test_nothing_is_fetched(listener: socket.socket, load: Load, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    body = BODY.format("x")
    files = {
        "dtd.owl": f'<!DOCTYPE rdf:RDF SYSTEM "{url}/a.dtd">{body}',
        "public.owl": f'<!DOCTYPE rdf:RDF PUBLIC "-//a//b" "{url}/a.dtd">{body}',
        "broken.owl": f'<!DOCTYPE rdf:RDF SYSTEM "{url}/a.dtd">{body}</end>',
        "entity.owl": f'<!DOCTYPE rdf:RDF [<!ENTITY a SYSTEM "{url}/a">]>{BODY.format("&a;")}',
        "subset.owl": f'<!DOCTYPE rdf:RDF [<!ENTITY % a SYSTEM "{url}/a"> %a;]>{body}',
        "context.jsonld": f'{{"@context": "{url}/context", "@id": "urn:s", "urn:p": 1}}',
        "inner.jsonld": f'{{"@context": {{"@import": "{url}/context"}}, "@id": "urn:s", "urn:p": 1}}',
        "imports.ttl": f"<urn:o> <http://www.w3.org/2002/07/owl#imports> <{url}/o> .",
        "imports.n3": f"<urn:o> <http://www.w3.org/2000/10/swap/log#semantics> <{url}/o> .",
        "module.pl": f":- use_module('{url}/a.pl').\nbig(oak).\n",
        "consult.pl": f":- consult('{url}/a.pl').\nbig(oak).\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
        with suppress(DataError):
            load(tmp_path / name)
    with pytest.raises(BlockingIOError):
        listener.accept()
    listener.close()


DEEP = 100_000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("list.ttl", f"<urn:s> <urn:p> {'(' * DEEP}{')' * DEEP} ."),
        ("node.ttl", f"<urn:s> <urn:p> {'[ <urn:q> ' * DEEP}1{']' * DEEP} ."),
        ("formula.n3", f"<urn:s> <urn:p> {'{' * DEEP}{'}' * DEEP} ."),
        ("tree.jsonld", f"""{'{"@id":"urn:s","urn:p":' * DEEP}1{"}" * DEEP}"""),
        ("list.jsonld", f"""{{"urn:p":{'{"@list":[' * DEEP}{"]}" * DEEP}}}"""),
        ("tags.owl", "<a>" * DEEP),
        ("nodes.owl", BODY.format("x").replace("<e:p>", "<rdf:Description><e:p>" * DEEP)),
    ],
)
def test_depth_crashes_nothing(name: str, content: str, load: Load, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content)
    with suppress(DataError):
        load(path)
