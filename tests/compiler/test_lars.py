"""Queries as LARS programs: what each kind of window is called, when there are answers, what is refused.

That a program means what its query means, ``tests/oracle/test_lars.py`` sees to.
"""

from __future__ import annotations

import pytest

from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.explain.readable import readable_for
from etalis_py.compiler.lars.printer import program_text
from etalis_py.compiler.lars.translate import lars_program
from etalis_py.core.errors import CompileError

W = "FROM NAMED WINDOW :w ON :s [RANGE 4s STEP 2s]"
TEN, LATER = "1970-01-01T00:00:10Z", "1970-01-01T00:00:14Z"
START = f'"{TEN}"'
ANY = "striple(?X, ?Y, ?Z, :s)"


def lars(text: str) -> list[str]:
    [query] = compile_program(f"PREFIX : <urn:> {text}", name="q")
    return program_text(lars_program(query), readable_for(query)).splitlines()


@pytest.mark.parametrize(
    ("window", "held"),
    [
        ("RANGE 4s", "what ended in (T - 4s, T]   ⊞^(4s - 1µs)"),
        (
            "RANGE 4s STEP 2s",
            "what ended in (c - 4s, c], c the last multiple of 2s up to T   ⊞^(4s - 1µs, 0, 2s)",
        ),
        (
            "RANGE 1h TUMBLING",
            "what ended in (c - 1h, c], c the last multiple of 1h up to T   ⊞^(1h - 1µs, 0, 1h)",
        ),
        (
            f"RANGE 4s STEP 2s STARTING AT {START}",
            f"what ended in (c - 4s, c], c the last of {LATER} + k·2s, k ≥ 0, up to T, after {TEN}",
        ),
        ("RANGE 4s WHOLE", "what started and ended in (T - 4s, T]"),
        ("RANGE UNBOUNDED", "what has ended   ⊞^∞"),
        (f"LND {START}", "what ended in [1970-01-01T00:00:10Z, T]"),
        ("NOW", "what ends at T   ⊞^0"),
        ("NOW-6m TO NOW-5m", "what ended in (T - 6m, T - 5m]"),
        ("NOW-6m TO NOW STEP 1m", "what ended in (c - 6m, c], c the last multiple of 1m up to T"),
        ("ELEMENTS 5", "the 5 elements that ended last"),
        ("TRIPLES 5", "the 5 triples that ended last   ⊞_#^5"),
    ],
)
def test_each_kind_of_window(window: str, held: str) -> None:
    found = lars(f"SELECT ?x FROM NAMED WINDOW :w ON :s [{window}] {{ WINDOW :w {{ ?x :p ?y }} }}")
    assert found[1] == f"  ⊞1: of :s, {held}"
    assert "  ans1(?x) ← trigger, ⊞1 ◇ striple(?x, :p, ?y, :s)." in found


@pytest.mark.parametrize(
    ("text", "held"),
    [
        (
            "SELECT ?x FROM STREAM :s [RANGE 4s STEP 2s] { ?x :p 1 }",
            "[c - 4s, c), c the last multiple of 2s up to T",
        ),
        (
            "SELECT ?x { STREAM :s [RANGE 4s SLIDE 2s] { ?x :p 1 } }",
            "(c - 4s, c] by T, c the first multiple of 2s not before T",
        ),
        (
            f"PRAGMA starting-at {TEN} SELECT ?x FROM STREAM :s [RANGE 4s STEP 3s] {{ ?x :p 1 }}",
            f"[c - 4s, c), c the last of {TEN[:-2]}1Z + k·3s, k ≥ 0, up to T, at {TEN} or later",
        ),
    ],
)
def test_windows_of_dialects(text: str, held: str) -> None:
    assert lars(text)[1] == f"  ⊞1: of :s, what ended in {held}"


@pytest.mark.parametrize(
    ("when", "rules"),
    [
        ("EVERY 5s", ["trigger ← ⊞^0 @T true, T % 5s = 0, begun.", "begun ← ⊞2 ◇ striple(?X, ?Y, ?Z, :s)."]),
        (
            f"EVERY 5s STARTING AT {START}",
            [
                f"trigger ← ⊞^0 @T true, {TEN} ≤ T, (T - {TEN}) % 5s = 0, begun.",
                "begun ← ⊞2 ◇ striple(?X, ?Y, ?Z, :s).",
            ],
        ),
        ("REPORT ARRIVAL", ["trigger ← ⊞2 ◇ striple(?X, ?Y, ?Z, :s)."]),
        (
            "REPORT CHANGE NONEMPTY",
            [
                f"trigger ← ⊞1 @E {ANY}, not @(T - 1µs) ⊞1 @E {ANY}, full.",
                f"trigger ← @(T - 1µs) ⊞1 @E {ANY}, not ⊞1 @E {ANY}, full.",
                "full ← ⊞1 ◇ striple(?X, ?Y, ?Z, :s).",
            ],
        ),
    ],
)
def test_when_there_are_answers(when: str, rules: list[str]) -> None:
    select = "SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE 4s] { WINDOW :w { ?x :p 1 } }"
    found = lars(f"REGISTER ISTREAM :o {when} AS {select}")
    begin = found.index("there are answers where trigger is true:") + 1
    assert [each.strip() for each in found[begin : found.index("rules:")]] == rules
    assert found[-1].endswith("(ISTREAM)")


def test_windows_of_the_default_graph_are_imported_into_it() -> None:
    windows = "FROM STREAM :s [RANGE 4s STEP 2s] FROM STREAM :t [RANGE 1h STEP 2s]"
    found = lars(f"SELECT ?x {windows} {{ ?x :p ?y ; :q ?z }}")
    assert [each.strip() for each in found[found.index("rules:") + 1 :]] == [
        "default(?X, ?Y, ?Z) ← triple(?X, ?Y, ?Z).",
        "default(?X, ?Y, ?Z) ← ⊞1 ◇ striple(?X, ?Y, ?Z, :s).",
        "default(?X, ?Y, ?Z) ← ⊞2 ◇ striple(?X, ?Y, ?Z, :t).",
        "ans1(?x) ← trigger, default(?x, :p, ?y), default(?x, :q, ?z).",
        "of the answers at a time point it gives all of them (RSTREAM)",
    ]


def test_a_construct_makes_a_stream() -> None:
    found = lars(
        "REGISTER STREAM :out AS CONSTRUCT { ?x :is :warm } FROM NAMED WINDOW :w ON :s [RANGE 4s TUMBLING] "
        "{ WINDOW :w { ?x :p ?y } }"
    )
    assert "  striple(?x, :is, :warm, :out) ← ans1(?x, ?y)." in found


def test_events_are_compared_by_their_times() -> None:
    text = "SELECT ?x { { STREAM :s { ?x :p 1 } } SEQ { STREAM :s { ?x :q 1 } } WITHIN PT5S }"
    [rule] = lars(text)[2:]
    events = "@E1 striple(?x, :p, 1, :s, B1), @E2 striple(?x, :q, 1, :s, B2)"
    assert rule == f"  @E2 ans1(?x, B1) ← {events}, E1 < B2, E2 ≤ B1 + 5s."


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("an aggregate", f"SELECT (COUNT(*) AS ?n) {W} {{ WINDOW :w {{ ?x :p 1 }} }}"),
        ("LIMIT", f"SELECT ?x {W} {{ WINDOW :w {{ ?x :p 1 }} }} LIMIT 1"),
        ("element", f"SELECT ?x {W} {{ WINDOW :w {{ GRAPH ?g {{ ?x :p 1 }} }} }}"),
        ("function of times", f"SELECT (getWINDOWEND(:w) AS ?e) {W} {{ WINDOW :w {{ ?x :p 1 }} }}"),
        ("REPEAT", "SELECT * { { ?x :p 1 } SEQ REPEAT 2 { ?x :q ?y } }"),
        ("a selection policy", "PRAGMA policy recent SELECT * { { ?x :p 1 } SEQ { ?x :q ?y } }"),
        ("may have no value", "SELECT * { { ?x :p 1 } OPTIONAL { ?x :q ?y } { ?y :p 1 } }"),
        ("only the background", "SELECT * { { VALUES ?x { 1 } } SEQ { ?x :q ?y } }"),
        ("form of query", "DESCRIBE ?x { ?x :p 1 }"),
    ],
)
def test_what_formulas_cannot_say(what: str, text: str) -> None:
    with pytest.raises(CompileError, match=what) as caught:
        lars(text)
    assert caught.value.code == "EP221"
    assert caught.value.place is not None
    assert caught.value.hint is not None
