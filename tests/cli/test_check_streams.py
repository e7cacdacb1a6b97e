"""``etalis check --stream``: names that the stream has, and those that nothing has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
STREAM = f"start,s,p,o\n1,<urn:b>,<urn:unloaded>,<urn:d>\n2,<urn:b>,<{TYPE}>,<urn:Reefer>\n"


@pytest.fixture
def check(etalis, folder: Path):
    """The EW10 warnings of a pattern: each with its hint."""
    (folder / "s.csv").write_text(STREAM)
    (folder / "o.ttl").write_text(
        "@prefix : <urn:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ":Reefer rdfs:subClassOf :Box . :storedIn rdfs:domain :Box ."
    )

    def told(where: str, *more: str) -> list[str]:
        (folder / "q.rq").write_text(f"PREFIX : <urn:>\nSELECT *\nWHERE {{ {where} }}\n")
        done = etalis(" ".join(["check q.rq", *(more or ["--stream s.csv"]), "--format json"]))
        assert done.code == 0, done.err
        found = [each for each in json.loads(done.out) if each["code"] == "EW10"]
        return [f"{each['message']}; {each['hint']}" for each in found]

    return told


def test_what_the_stream_has_is_known(check) -> None:
    assert check("?x :unloaded ?d ; a :Reefer") == []
    assert check("?x :unloadd ?d") == ["the stream has no property :unloadd; did you mean :unloaded?"]
    assert check("?x a :Refer") == ["the stream has no class :Refer; did you mean :Reefer?"]
    assert check("?x <http://other/unloaded> ?d") == [
        "the stream has no property <http://other/unloaded>; did you mean :unloaded?"
    ]
    assert check("?x :weighed ?d") == [
        "the stream has no property :weighed; the stream has :unloaded, rdf:type"
    ]
    assert check("?x a :Truck") == [
        "the stream has no class :Truck; the stream has :Reefer; if the background has it: --background FILE"
    ]
    assert check("?x <http://www.w3.org/2000/01/rdf-schema#label> ?d") == []


def test_what_the_background_has_is_known_too(check) -> None:
    both = ("--stream s.csv", "--background o.ttl")
    assert check("?x a :Box ; :storedIn ?r ; :unloaded ?d", *both) == []
    missing = "neither background nor stream has a"
    assert check("?x :stordIn ?r", *both) == [f"{missing} property :stordIn; did you mean :storedIn?"]
    assert check("?x :unloadd ?d", *both) == [f"{missing} property :unloadd; did you mean :unloaded?"]


def test_a_name_of_the_stream_is_no_slip_of_one_of_the_background(check, folder: Path) -> None:
    row = "3,<urn:b>,<urn:stordIn>,<urn:d>\n"
    (folder / "s.csv").write_text(STREAM + row)
    assert check("?x :stordIn ?r", "--stream s.csv", "--background o.ttl") == []
    assert check("?x :stordIn ?r", "--background o.ttl") != []


def test_what_queries_make_is_known(check, folder: Path) -> None:
    (folder / "make.rq").write_text(
        "PREFIX : <urn:> CONSTRUCT { ?x :warmed ?d . ?x a :Warm } WHERE { ?x :unloaded ?d }"
    )
    assert check("?x :warmed ?d ; a :Warm") != []
    assert check("?x :warmed ?d ; a :Warm", "make.rq", "--stream s.csv") == []
    (folder / "make.rq").write_text("CONSTRUCT { ?x ?p ?d } WHERE { ?x <urn:unloaded> ?d . ?d ?p ?x }")
    assert check("?x :warmed ?d ; a :Warm", "make.rq", "--stream s.csv") == []


def test_of_a_long_stream_only_slips_are_told(check, folder: Path) -> None:
    rows = "".join(f"{number},<urn:b>,<urn:unloaded>,<urn:d>\n" for number in range(10_050))
    (folder / "s.csv").write_text(f"start,s,p,o\n{rows}no row\n")  # which is never read
    assert check("?x :weighed ?d") == []
    assert check("?x :unloadd ?d") == [
        "in its first 10,000 events the stream has no property :unloadd; did you mean :unloaded?"
    ]


def test_forms_of_streams(check, etalis, folder: Path) -> None:
    (folder / "s.ttl").write_text("<urn:b> <urn:unloaded> <urn:d> .")
    assert check("?x :unloaded ?d", "--stream s.ttl") == []
    (folder / "s.txt").write_text(STREAM)
    assert check("?x :unloaded ?d", "--stream s.txt", "--stream-format csv", "--time-unit us") == []
    (folder / "none.csv").write_text("start,s,p,o\n")
    assert check("?x :any ?d", "--stream none.csv") == []
    assert etalis("check q.rq --stream-format csv").err.startswith("EP501 ")
    (folder / "bad.csv").write_text(STREAM + "no row\n")
    assert etalis("check q.rq --stream bad.csv").code == 3
    assert etalis("check q.rq --stream nowhere.csv").code in (2, 3)
    (folder / "wrong.rq").write_text("ASK {")
    done = etalis("check wrong.rq missing.rq q.rq --stream s.csv")
    assert [line.split()[0] for line in done.err.splitlines() if line.startswith("EP")] == ["EP102", "EP502"]
