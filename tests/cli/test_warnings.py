"""Warnings on the command line: -W, and the forms in which ``etalis check`` tells of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

LOOSE = "PREFIX : <urn:>\nSELECT ?x ?y\nWHERE { { ?x :p ?v } SEQ { ?y :q ?w } }\n"
BROKEN = """\
PREFIX ex: <urn:>
SELECT ?x WHERE { ?x ex:p ?y FILTER(prolog:a(?y)) FILTER(xsd:integer(1, 2)) BIND(1 AS ?x) }
;;
SELECT ?x WHERE { ?x rr:q ?v ; aa:s ?w ; rr:x ?y }
;;
SELECT ?x WHERE { ?x ?p
;;
SELECT ?x { ?x ?p ?v FILTER(?v ~ 3) }
"""


@pytest.fixture
def loose(folder: Path) -> Path:
    (folder / "loose.rq").write_text(LOOSE)
    return folder


def test_a_run_warns_and_goes_on(etalis, loose: Path) -> None:
    done = etalis("run loose.rq --stream rise.ndjson")
    assert done.code == 0
    assert done.err.startswith("warning: EW08 loose.rq, line 3, column 28: ?y :q ?w shares no variable")
    assert "EW" not in etalis("run loose.rq --stream rise.ndjson -W none").err
    assert "EW" not in etalis("run loose.rq --stream rise.ndjson --quiet").err


def test_an_endless_query_is_told_of_where_the_stream_may_have_no_end(etalis, loose: Path) -> None:
    assert "EW30" in etalis("check loose.rq").err
    assert "EW30" not in etalis("run loose.rq --stream rise.ndjson").err


@pytest.mark.parametrize("command", ["run loose.rq --stream rise.ndjson", "explain loose.rq"])
def test_a_warning_can_be_an_error(etalis, loose: Path, command: str) -> None:
    done = etalis(f"{command} -W error")
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith("EW08 loose.rq, line 3")
    assert etalis(f"{command} -W none").code == 0


def test_check_counts_warnings(etalis, loose: Path) -> None:
    done = etalis("check loose.rq")
    assert (done.code, done.out) == (0, b"loose.rq: ok, 2 warnings\n")
    assert [line.split()[1] for line in done.err.splitlines() if line.startswith("warning: ")] == [
        "EW30",
        "EW08",
    ]
    assert etalis("check loose.rq -W error").code == 2
    done = etalis("check loose.rq -W none")
    assert (done.code, done.out, done.err) == (0, b"loose.rq: ok\n", "")


def test_check_tells_all_errors_of_a_file(etalis, folder: Path) -> None:
    (folder / "broken.rq").write_text(BROKEN)
    done = etalis("check broken.rq --format json")
    assert done.code == 2
    found = [(each["line"], each["column"], each["code"]) for each in json.loads(done.out)]
    assert found == [
        (2, 57, "EP203"), (2, 87, "EP110"), (4, 22, "EP106"), (4, 32, "EP106"),
        (6, 24, "EP102"), (8, 32, "EP103"),
    ]  # fmt: skip
    assert [line.split()[0] for line in etalis("check broken.rq").err.splitlines() if line[:2] == "EP"] == [
        code for _, _, code in found
    ]


def test_check_as_json(etalis, loose: Path) -> None:
    (loose / "good.rq").write_text("SELECT ?x { ?x <urn:p> ?y }")
    waits, loose_parts = json.loads(etalis("check good.rq loose.rq --format json").out)
    assert waits["code"] == "EW30"
    hint = loose_parts.pop("hint")
    assert loose_parts == {
        "file": "loose.rq", "line": 3, "column": 28, "severity": "warning", "code": "EW08",
        "message": "?y :q ?w shares no variable with what comes before it",
    }  # fmt: skip
    assert "ignore EW08" in hint
    assert json.loads(etalis("check good.rq --format json").out) == []


def test_check_as_annotations(etalis, loose: Path) -> None:
    (loose / "a,b.rq").write_text("SELECT ?x\n{ ?x <urn:p> ?y FILTER(?y > 5 AND ?y < 6) }")
    done = etalis("check loose.rq a,b.rq --format github")
    *_, shared, error = done.out.decode().splitlines()
    assert shared.startswith("::warning file=loose.rq,line=3,col=28,title=EW08::?y :q ?w shares no variable")
    assert error == (
        "::error file=a%2Cb.rq,line=2,col=31,title=EP101::unexpected 'AND': expected ')' or an operator%0A"
        "hint: 'and' is written '&&'"
    )
    assert (done.code, done.err) == (2, "")
