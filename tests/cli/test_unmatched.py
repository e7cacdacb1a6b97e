"""A query that finds nothing says why, where that is plain to see."""

from __future__ import annotations

from pathlib import Path

TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def stderr_of(etalis, folder: Path, where: str, *more: str) -> str:
    (folder / "q.rq").write_text(f"PREFIX : <urn:>\nSELECT *\nWHERE {{ {where} }}")
    (folder / "s.csv").write_text(f"start,s,p,o\n1,<urn:a>,<urn:p>,<urn:b>\n2,<urn:a>,<{TYPE}>,<urn:Oak>\n")
    (folder / "o.ttl").write_text(
        "@prefix : <urn:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ":Oak rdfs:subClassOf :Tree . :a :home :wood ."
    )
    done = etalis(" ".join(["run q.rq --stream s.csv", *more]))
    assert done.code == 0
    return done.err


def test_a_mistyped_name_is_told(etalis, folder: Path) -> None:
    told = stderr_of(etalis, folder, "{ ?x :p ?y } SEQ { ?x :hmoe ?z . ?x a :Elm }")
    assert (
        told == "warning: q: no answers, since nothing matches ?x :hmoe ?z (line 3), nor ?x a :Elm (line 3)\n"
    )
    assert stderr_of(etalis, folder, "?x :hmoe ?y", "--quiet") == ""


def test_a_forgotten_background_is_told(etalis, folder: Path) -> None:
    where = "?x :p ?y . ?x :home ?z . ?x a :Tree"
    assert "?x :home ?z (line 3), nor ?x a :Tree (line 3)" in stderr_of(etalis, folder, where)
    assert stderr_of(etalis, folder, where, "--background o.ttl") == ""


def test_what_only_did_not_fit_together_is_not_told(etalis, folder: Path) -> None:
    assert stderr_of(etalis, folder, "{ ?x a :Oak } SEQ { ?x :p ?y }") == ""
    assert stderr_of(etalis, folder, "{ ?x :p ?y } OPTIONAL { ?x :none ?z } FILTER(?z > 1)") == ""
    assert stderr_of(etalis, folder, "{ ?y :p ?x FILTER(?x > 1) } UNION { ?x :none ?z }") == ""


def test_a_query_of_the_background_alone_is_told(etalis, folder: Path) -> None:
    told = "warning: q: no answers, since no event can be in one; --at TIME asks at an instant\n"
    assert stderr_of(etalis, folder, "VALUES ?x { :a :b }") == told
    assert stderr_of(etalis, folder, "GRAPH ?g { ?x ?p ?y }") == told


def test_what_need_not_match_is_not_told(etalis, folder: Path) -> None:
    assert stderr_of(etalis, folder, "?x :p ?y MINUS { ?x a :Elm } FILTER(?y = :c)") == ""
    assert stderr_of(etalis, folder, "?x :p/:none* ?y . FILTER(?y = :c)") == ""
