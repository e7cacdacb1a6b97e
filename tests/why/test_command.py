"""``etalis run --why``: trees, lines of JSON and pictures."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from etalis_py.cli import main

QUERY = "SELECT ?x { { ?x <urn:p> ?y } SEQ { ?x <urn:q> ?y } }"
STREAM = "start,s,p,o\n1,<urn:a>,<urn:p>,<urn:b>\n2,<urn:a>,<urn:q>,<urn:b>\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pair.rq").write_text(QUERY)
    Path("stream.csv").write_text(STREAM)


def run(*words: str) -> int:
    return main(["run", "pair.rq", "--stream", "stream.csv", *words])


def test_trees(capfd: pytest.CaptureFixture[str]) -> None:
    assert run("--why", "--results", "table") == 0
    assert capfd.readouterr().out == (
        "pair from 1970-01-01T00:00:00.000001Z to 1970-01-01T00:00:00.000002Z: ?x = <urn:a>\n"
        "└─ SEQ (line 1)\n"
        "   ├─ <urn:a> <urn:p> <urn:b> at 1970-01-01T00:00:00.000001Z matches ?x <urn:p> ?y (line 1)\n"
        "   └─ <urn:a> <urn:q> <urn:b> at 1970-01-01T00:00:00.000002Z matches ?x <urn:q> ?y (line 1)\n"
        "\n"
        "1 answer\n"
    )


def test_lines(capfd: pytest.CaptureFixture[str]) -> None:
    assert run("--results", "ndjson") == 0
    plain = json.loads(capfd.readouterr().out)
    assert run("--why", "--results", "ndjson") == 0
    told = json.loads(capfd.readouterr().out)
    proof = told.pop("why")["proof"]
    assert told == plain
    sequence = proof["parts"][0]
    assert sequence["text"] == "SEQ"
    assert [part["triple"][1]["value"] for part in sequence["parts"]] == ["urn:p", "urn:q"]


def test_pictures(capfd: pytest.CaptureFixture[str]) -> None:
    assert run("--why-pictures", "pictures", "--results", "ndjson") == 0
    [picture] = Path("pictures").iterdir()
    assert picture.name == "pair-1.svg"
    texts = [each.text for each in ElementTree.parse(picture).getroot().iter() if each.text]
    assert "<urn:a> <urn:p> <urn:b>" in texts


def test_a_query_that_finds_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    Path("pair.rq").write_text("ASK { ?x <urn:nothing> ?y }")
    assert run("--why", "--final", "--results", "table") == 0
    assert capfd.readouterr().out == "pair: no\n\n1 answer\n"


@pytest.mark.parametrize(
    ("words", "code", "hint"),
    [
        (("--why", "--results", "csv"), "EP526", "table or ndjson"),
        (("--why", "--engine", "spark"), "EP506", "leave out one"),
        (("--why", "pear"), "EP505", "the queries are pair"),
        (("--why-pictures", "stream.csv"), "EP507", "another folder"),
    ],
)
def test_what_cannot_be(
    words: tuple[str, ...], code: str, hint: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(*words) == 2
    told = capfd.readouterr().err
    assert told.startswith(code)
    assert hint in told


def test_some_queries_alone(capfd: pytest.CaptureFixture[str]) -> None:
    Path("every.rq").write_text("SELECT ?x { ?x ?p ?y }")
    words = ["run", "pair.rq", "every.rq", "--stream", "stream.csv", "--why", "pair", "--results"]
    assert main([*words, "table"]) == 0
    out = capfd.readouterr().out
    assert out.startswith("pair from ")
    assert out.endswith("\n\n1 answer\n")
    assert main([*words, "ndjson"]) == 0
    lines = list(map(json.loads, capfd.readouterr().out.splitlines()))
    assert sorted((line["query"], "why" in line) for line in lines) == [
        ("every", False),
        ("every", False),
        ("pair", True),
    ]
