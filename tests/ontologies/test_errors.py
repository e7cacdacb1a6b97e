"""One broken background or Prolog file for each error code, and the text a user then sees."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest

from etalis_py.core.errors import DataError
from etalis_py.core.explanations import MESSAGES
from etalis_py.embedding import prolog
from etalis_py.ontologies.background import Background
from tests.ontologies.conftest import Load

GOOD = b"<urn:s> <urn:p> <urn:o> .\n"

CASES = {
    "EP421": ("missing.ttl", None),
    "EP422": ("plants.ttl", GOOD + b"<urn:s> <urn:p> .\n"),
    "EP423": ("plants.tt", GOOD),
    "EP424": ("plants.ttl", b"# nothing yet\n"),
    "EP425": ("plants.ttl", GOOD + b'<urn:s> <urn:p> "M\xfcnchen" .\n'),
    "EP426": ("https://example.org/plants.ttl", None),
    "EP427": ("plants.ttl", GOOD + b"<urn:s> <urn:p> <<( <urn:s> <urn:p> <urn:o> )>> .\n"),
    "EP430": (
        "plants.owl",
        b'<!DOCTYPE rdf:RDF [\n  <!ENTITY a "aa">\n  <!ENTITY b "&a;&a;">\n]>\n<rdf:RDF/>\n',
    ),
    "EP441": ("missing.pl", None),
    "EP442": ("plants.pl", b"big(oak).\nbig(X :- tree(X).\n"),
    "EP443": ("plants.pl", b":- module(plants, [big/1]).\nbig(oak).\n"),
    "EP444": ("plants.pl", b"big(oak).\n:- big(daisy).\n"),
    "EP445": ("plants.pl", b"% lengths of names\natom_length(oak, 3).\n"),
    "EP446": ("plants.pl", b"rdf(oak, rdfs:subClassOf, tree).\nrdf(X, grows, Y).\n"),
    "EP447": ("plants.pl", b"wait :- wait.\n:- initialization(wait).\n"),
    "EP448": ("plants.pl", b":- include(trees).\n"),
    "EP449": ("plants.pl", b'% what grows\n:- state(grown(oak), begins("?x :grows ?y")).\n'),
}


def compare(code: str, error: DataError) -> None:
    golden = MESSAGES / f"{code}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(f"{error}\n")
    assert f"{error}\n" == golden.read_text()


@pytest.mark.parametrize("code", CASES)
def test_message(code: str, load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name, content = CASES[code]
    if content is not None:
        Path(name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        load(name, seconds=0.2)
    compare(code, caught.value)


def test_a_prolog_that_reads_nothing_back(tmp_path: Path) -> None:
    class Forgetful:
        """Compiles, and cannot load: as if the cache were on a broken disk."""

        do = staticmethod(prolog.do)

        @staticmethod
        def call(module: str, predicate: str, /, *inputs: Any) -> Any:
            return "I/O error" if predicate == "load_compiled" else prolog.call(module, predicate, *inputs)

    (tmp_path / "plants.ttl").write_bytes(GOOD)
    with pytest.raises(DataError) as caught:
        Background.load(Forgetful(), [tmp_path / "plants.ttl"], "rdfs", "test_forgetful", cache_dir=tmp_path)
    compare("EP428", caught.value)


XML = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:">\n'


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.nt", b"<urn:s> <urn:p> <o> .\n", "EP422 a.nt, line 1, column 17"),
        ("a.trig", b"<urn:g> { <urn:s> <urn:p> <urn:o> ", "EP422 a.trig, line 1"),
        ("a.jsonld", b'{"@id": "urn:s",\n "urn:p": }', "EP422 a.jsonld, line 2, column 11"),
        ("a.jsonld", b'{"@context": "http://schema.org/", "@id": "urn:s"}', "EP426 a.jsonld"),
        ("a.rdf", f"{XML}<e:a><e:b></rdf:RDF>".encode(), "EP422 a.rdf, line 2, column"),
        ("a.rdf", f"{XML}<e:a rdf:aboutEach='x'/></rdf:RDF>".encode(), "EP422 a.rdf, line 2, column"),
        ("a.rdf", b'<?xml version="1.0" encoding="klingon"?><a/>', "EP425 a.rdf"),
        ("a.ttl", b"", "EP424 a.ttl"),
        ("a.ttl.gz", b"no gzip", "EP421 a.ttl.gz"),
        ("a.ttl.gz", gzip.compress(GOOD * 100, mtime=0)[:40], "EP421 a.ttl.gz: the file is cut off"),
        ("a.pl.gz", b"", "EP423"),
        ("plants", b"", "EP423 plants: there is no suffix"),
        ("a.pl", b"a(\xff).", "EP441 a.pl, line 1: the file is not UTF-8"),
        ("a.pl", b"a.\n:- X is 1/0.", "EP444 a.pl, line 2: Arithmetic"),
        ("a.pl", b":- no_such_predicate(1).", "EP444 a.pl, line 1: Unknown procedure: no_such_predicate/1"),
        ("a.pl", b":- use_module(library(no_such_library)).", "EP444 a.pl, line 1"),
        ("a.pl", b"rdf(X, p, o) :- member(X, [a, b]).", "EP446 a.pl, line 1: rdf/3 can have facts only"),
        ("a.pl", b"rdf(a, p, 1r3).", "EP446 a.pl, line 1"),
        ("a.pl", b"user:portray(x).", "EP448 a.pl, line 1"),
        ("a.pl", b":- if(true).\n:- endif.", "EP448 a.pl, line 1"),
        ("a.pl", b"a :- b, 1.", "EP442 a.pl, line 1"),
        ("a.pl", b'a("', "EP442 a.pl, line 1"),
        ("a.pl", b"rdfs(a, b, c).", "EP445 a.pl, line 1"),
    ],
)
def test_place_and_code(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        load(name)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.ttl", None, "EP421 a.ttl: the file cannot be read"),
        ("a.ttl", b"<urn:s> <urn:p>", "EP422 a.ttl, line 1"),
        ("a", b"", "EP423 a: there is no suffix"),
        ("a.pl", b"", "EP423 a.pl: the graph <urn:g> cannot come from a Prolog file"),
    ],
)
def test_a_file_that_is_no_graph(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path(name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        load(graphs={"urn:g": [name]})
    assert str(caught.value).startswith(message)


def test_a_file_of_graphs_is_no_graph(load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plants.trig").write_bytes(GOOD + b"<urn:oaks> { <urn:s> <urn:p> <urn:o> }")
    with pytest.raises(DataError) as caught:
        load(graphs={"urn:plants": ["plants.trig"]})
    compare("EP429", caught.value)


def test_a_folder_is_no_file(load: Load, tmp_path: Path) -> None:
    (tmp_path / "a.ttl").mkdir()
    with pytest.raises(DataError, match=r"EP421 .*: this is a folder"):
        load(tmp_path / "a.ttl")
