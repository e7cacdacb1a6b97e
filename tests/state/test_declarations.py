"""What rules files declare, and what is said where a declaration is wrong: file, line, column, a hint."""

from __future__ import annotations

from pathlib import Path

import pytest

from etalis_py.cli import main
from etalis_py.core.errors import EtalisError
from tests.engine.conftest import seconds, table
from tests.state.conftest import CLOSED, PREFIX, Open, asked

BEGINS = 'begins("?S :status :closed")'
WRONG = {
    "not_a_pattern": (f':- state(closed(S),\n         {BEGINS},\n   ends("?S :status")).', "EP101", 4, 20),
    "prefix_unknown": (':- state(closed(S), begins("?S other:status :closed")).', "EP106", 2, 32),
    "no_begins": (':- state(closed(S), ends("?S :status :open")).', "EP449", 2, None),
    "ends_misspelt": (f':- state(closed(S), {BEGINS}, end("?S :status :open")).', "EP449", 2, None),
    "not_a_text": (":- state(closed(S), begins(12)).", "EP449", 2, None),
    "same_variable": (f":- state(closed(S, S), {BEGINS}).", "EP449", 2, None),
    "no_name": (f":- state(closed(_), {BEGINS}).", "EP449", 2, None),
    "not_in_pattern": (f":- state(closed(S, Way), {BEGINS}).", "EP449", 2, 33),
    "no_event": (':- state(closed(S), begins("GRAPH ?g { ?S :status :closed }")).', "EP449", 2, 28),
    "of_the_system": (
        f":- state(atom_length(S), {BEGINS}).\n:- state(atom_length(S, T), {BEGINS}).",
        "EP449",
        3,
        None,
    ),
    "variable": (f":- state(S, {BEGINS}).", "EP449", 2, None),
    "string": (f':- state("closed", {BEGINS}).', "EP449", 2, None),
    "twice": (f":- state(closed(S), {BEGINS}).\n:- state(closed(S), {BEGINS}).", "EP449", 3, None),
    "clause": (f":- state(closed(S), {BEGINS}).\n\nclosed(here).", "EP449", 4, None),
    "after_clause": (f"closed(here).\n:- state(closed(S), {BEGINS}).", "EP449", 3, None),
    "since": (f"since(a, b).\n:- state(closed(S), {BEGINS}).", "EP449", 3, None),
    "since_after": (f":- state(closed(S), {BEGINS}).\nsince(a, b).", "EP449", 3, None),
    "no_predicate": (':- state(closed(S), begins("?S :p ?o FILTER (prolog:no(?S))")).', "EP207", 2, 45),
    "two_patterns": (':- state(closed(S), begins("?S :p ?o } ;; ASK { ?S <urn:q> ?o")).', "EP449", 2, 28),
    "iri": (":- prefix(a, 'no iri').", "EP449", 2, None),
    "prefix": (":- prefix(1, 'urn:a').", "EP449", 2, None),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_declaration_has_its_place(case: str, opened: Open) -> None:
    text, code, line, column = WRONG[case]
    with pytest.raises(EtalisError) as caught:
        opened(PREFIX + text)
    error = caught.value
    assert error.code == code, error
    assert error.place is not None
    assert (Path(error.place.source or "").name, error.place.line, error.place.column) == (
        "rules.pl",
        line,
        column,
    )
    assert error.hint is not None or case == "not_a_pattern"


def test_prefixes_stand_for_iris_in_arguments(opened: Open) -> None:
    rules = (
        ":- rdf_register_prefix(r, 'urn:road/').\n"
        "rdf(r:a, rdf:type, r:'Road').\n"
        'rdf(r:a, r:width, "4"^^xsd:integer).\n'
        "road(X) :- rdfs(X, rdf:type, r:'Road'), \\+ X = r:b, lists:memberchk(X, [r:a, r:b]).\n"
        "wide(X) :- ( rdf(X, r:width, W^^xsd:integer), W > 3 -> true ; X == r:c ).\n"
        "pair(a:b, X-Y) :- X = r:x, Y = unknown:y.\n"
        "all --> [r:a], rest.\nrest --> [].\n"
    )
    with opened(rules) as engine:
        assert asked(engine, "road(X)") == [{"X": "road/a"}]
        assert asked(engine, "wide('urn:road/a')") == asked(engine, "wide('urn:road/c')") == [{}]
        assert asked(engine, "pair(A, B)") == [{"A": "a:b", "B": "'urn:road/x'-(unknown:y)"}]
        assert asked(engine, "all(['urn:road/a'], [])") == [{}]


def test_prefixes_are_those_of_a_file(tmp_path: Path, opened: Open) -> None:
    other = tmp_path / "other.pl"
    other.write_text("local(X) :- X = r:a.\n")
    with opened(":- prefix(r, 'urn:').\n", background=[other]) as engine:
        assert asked(engine, "local(X)") == [{"X": "r:a"}]


def test_states_of_a_policy_take_all(opened: Open) -> None:
    """Under `recent` a query would pair the second b with one a, and use it up."""
    rules = PREFIX + ':- state(pair(A, B), begins("{ ?A :is :a } SEQ { ?B :is :b }")).'
    rows = [(1, "a1", "is", "a"), (2, "a2", "is", "a"), (3, "b1", "is", "b"), (4, "b2", "is", "b")]
    with opened(rules, "SELECT ?x ?y { { ?x :is :a } SEQ { ?y :is :b } }", policy="recent") as engine:
        engine.send_batch(table(rows))
        engine.finish()
        assert len(asked(engine, "pair(A, B)")) == 4
        assert [row for _, _, row in seconds(engine, "q")] == [{"x": "a2", "y": "b1"}, {"x": "a1", "y": "b2"}]


def test_explain_shows_the_patterns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("roads.pl").write_text(CLOSED)
    Path("q.rq").write_text("SELECT ?x { ?x <urn:ask> ?y FILTER (prolog:closed(?x)) }")
    assert main(["explain", "q.rq", "--rules", "roads.pl"]) == 0
    shown = capsys.readouterr().out
    assert "--- closed/1 begins ---\nbegins closed(?Segment)\n" in shown
    assert "on Spark: one partition, since the state depends on the whole stream" in shown
    shown = ""
    for stage in ("plan", "rules"):
        assert main(["explain", "q.rq", "--rules", "roads.pl", "--stage", stage]) == 0
        shown += capsys.readouterr().out
    assert "--- plan of closed/1 begins ---\nbegins closed(?Segment)\n" in shown
    assert "end_state(closed(?Segment), End)" in shown
    assert "the state depends on the whole stream, so one partition on Spark does all the work" in shown
    Path("s.csv").write_text(
        "start,s,p,o\n1,<urn:a>,<urn:status>,<urn:closed>\n2,<urn:a>,<urn:ask>,<urn:b>\n"
    )
    assert main(["explain", "q.rq", "--rules", "roads.pl", "--profile", "s.csv"]) == 0
    assert "prolog:closed(?x)" in capsys.readouterr().out
    assert main(["run", "q.rq", "--rules", "roads.pl", "--stream", "s.csv", "--why"]) == 0
    assert "closed" in capsys.readouterr().out
