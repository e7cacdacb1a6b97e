"""etalis explain and etalis check."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.patience import PATIENCE


def test_explain_shows_the_plan_on_one_screen(etalis, folder: Path) -> None:
    (folder / "b.ttl").write_text(
        "@prefix ex: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
        "ex:veryLow rdfs:subPropertyOf ex:low ."
    )
    done = etalis("explain rise.rq --background b.ttl")
    assert (done.code, done.err) == (0, "")
    assert (
        done.out.decode()
        == """\
answers ?x
└─ SEQ on ?x; goals wait for ever
   ├─ ?x ex:low ?a; also by the ontology: ex:veryLow
   └─ ?x ex:high ?b

kept for ever: the goals of SEQ (line 2)

on Spark: one stage, events dealt out by ?x
more: --stage algebra, plan, rules or prolog; --svg draws the plan
"""
    )


def test_what_is_told_by_changes_waits_for_them(etalis, folder: Path) -> None:
    text = "SELECT ISTREAM ?x FROM NAMED WINDOW ex:w ON ex:s [ELEMENTS 2] { WINDOW ex:w { ?x ex:on ?y } }"
    (folder / "newest.rq").write_text(f"PREFIX ex: <http://example.org/>\n{text}")
    shown = etalis("explain newest.rq").out.decode().splitlines()
    assert shown[0] == "answers ?x"
    assert "nothing is kept for ever" in shown
    assert not any("project" in each for each in shown)


def test_explain_shows_what_threads_and_queries_share(etalis, folder: Path) -> None:
    (folder / "b.rq").write_text((folder / "rise.rq").read_text().replace("SELECT ?x", "SELECT DISTINCT ?x"))
    text = etalis("explain rise.rq b.rq").out.decode()
    assert text.index("--- rise ---") < text.index("--- b ---") < text.index("--- computed once ---")


@pytest.mark.parametrize("stage", ["syntax", "algebra", "plan", "rules", "prolog"])
def test_one_stage(etalis, stage: str) -> None:
    done = etalis(f"explain rise.rq --stage {stage}")
    assert (done.code, done.err) == (0, "")
    assert "---" not in done.out.decode()
    assert done.out.endswith(b"\n")


def test_several_queries_in_one_text(etalis, folder: Path) -> None:
    rise = (folder / "rise.rq").read_text()
    (folder / "two.rq").write_text(f"{rise};;\n{rise}")
    text = etalis("explain two.rq --stage plan").out.decode()
    assert "--- plan of two ---" in text
    assert "--- plan of two-2 ---" in text


def test_the_syntax_of_what_cannot_be_run(etalis, folder: Path) -> None:
    (folder / "q.rq").write_text("SELECT * WHERE { ?x ?y ?z SERVICE <urn:s> { ?x ?y 1 } }")
    assert etalis("explain q.rq").code == 2
    assert b"ServicePattern" in etalis("explain q.rq --stage syntax").out


def test_the_policy_shows_in_the_plan(etalis) -> None:
    text = etalis("explain rise.rq --stage plan --policy recent").out.decode()
    assert text.startswith("answers | policy recent\n")
    assert "takes the latest partner" in text
    assert "policy" not in etalis("explain rise.rq --stage plan").out.decode()


def test_check_knows_the_policy(etalis, folder: Path) -> None:
    (folder / "path.rq").write_text("SELECT * { ?x <urn:p>+ ?y }")
    assert etalis("check path.rq").code == 0
    assert "EP212" in etalis("check path.rq --policy chronological").err


def test_background_shows_in_the_plan(etalis, folder: Path) -> None:
    (folder / "b.ttl").write_text("<http://example.org/a> <http://example.org/low> 0 .")
    assert b"background" not in etalis("explain rise.rq --stage plan").out
    assert b"from stream and background" in etalis("explain rise.rq --stage plan --background b.ttl").out


def test_what_the_ontology_adds_shows_in_the_plan(etalis, folder: Path) -> None:
    (folder / "b.ttl").write_text(
        "@prefix ex: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
        "ex:veryLow rdfs:subPropertyOf ex:low ."
    )
    text = etalis("explain rise.rq --stage plan --background b.ttl").out.decode()
    assert "is also matched through the ontology by ex:veryLow (subproperty)" in text


def test_a_terminal_without_unicode(start) -> None:
    process = start("explain rise.rq --stage plan", env={**os.environ, "PYTHONIOENCODING": "ascii:strict"})
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"")
    assert b"\\u2514" in out


def test_check_looks_at_all_files(etalis, folder: Path) -> None:
    (folder / "bad.rq").write_text("SELECT")
    (folder / "cannot.rq").write_text("SELECT * WHERE { ?x ?y ?z SERVICE <urn:s> { ?x ?y 1 } }")
    done = etalis("check bad.rq rise.rq nowhere.rq cannot.rq")
    assert done.code == 2
    assert done.out == b"rise.rq: ok, 1 warning\n"
    codes = [line.split()[0] for line in done.err.splitlines() if line.startswith("EP")]
    assert codes == ["EP102", "EP502", "EP209"]
    assert etalis("check rise.rq").code == 0


def test_check_knows_predicates_of_rules_files(etalis, folder: Path) -> None:
    (folder / "p.pl").write_text("big(X) :- X > 3.\n")
    (folder / "q.rq").write_text("SELECT ?x WHERE { ?x ?p ?y FILTER(prolog:big(?y)) }")
    assert etalis("check q.rq --rules p.pl").code == 0
    assert etalis("check q.rq").err.startswith("EP207 ")
