"""Queries in other dialects: what is written, and what has no counterpart.

That the rows stay the same, ``tests/oracle/test_rewriting.py`` sees to.
"""

from __future__ import annotations

import pytest

from etalis_py.compiler.algebra.translate import sought
from etalis_py.compiler.parse.dialect_names import DialectName
from etalis_py.compiler.parse.parser import parse
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.rewriting.rewrite import rewrite
from etalis_py.core.errors import CompileError

NAMED = "SELECT ?x FROM NAMED WINDOW <w> ON <s> [RANGE 10s STEP 5s] WHERE { WINDOW <w> { ?x <p> 1 } }"
DEFAULT = "SELECT ?x FROM WINDOW ON <s> [RANGE 10s STEP 5s] WHERE { ?x <p> 1 }"
MERGED = "SELECT ?x FROM STREAM <s> [RANGE 10s STEP 5s] WHERE { ?x <p> 1 }"
PAST = "SELECT ?x FROM NAMED STREAM <s> [NOW-10s TO NOW STEP 5s] WHERE { ?x <p> 1 }"
INLINE = "SELECT ?x WHERE { STREAM <s> [RANGE 10s] { ?x <p> 1 } }"
BOUNDS = "PRAGMA window-bounds closed-open\n"
CLOSED = f"{BOUNDS}PRAGMA nonempty on\n"
OPEN = "PRAGMA window-bounds open-closed\nPRAGMA nonempty off\n"
CLOSES = "PRAGMA report close\n"
ANYWHERE = "{ ?x <p> 1 } UNION { STREAM <s> [RANGE 10s SLIDE 5s] { ?x <p> 1 } }"
NAME = "<urn:window:1>"
CASES: list[tuple[str, DialectName, str]] = [
    (NAMED, "rspql", NAMED),
    (
        NAMED,
        "cqels",
        f"""PRAGMA nonempty off
{CLOSES}SELECT RSTREAM ?x WHERE {{ STREAM <s> [RANGE 10s SLIDE 5s] {{ ?x <p> 1 }} }}""",
    ),
    (DEFAULT, "csparql", OPEN + MERGED),
    (DEFAULT, "sparqlstream", OPEN + PAST),
    (MERGED, "rspql", CLOSED + DEFAULT.replace("10s STEP 5s", "PT10S STEP PT5S")),
    (MERGED, "sparqlstream", PAST),
    (PAST, "csparql", MERGED),
    (
        MERGED,
        "cqels",
        f"{BOUNDS}{CLOSES}SELECT RSTREAM ?x WHERE {{ {{ SELECT DISTINCT * {{ {ANYWHERE} }} }} }}",
    ),
    (
        INLINE,
        "rspql",
        f"""PRAGMA report arrival
SELECT ISTREAM ?x FROM NAMED WINDOW {NAME} ON <s> [RANGE PT10S]
WHERE {{ WINDOW {NAME} {{ ?x <p> 1 }} }}""",
    ),
    (
        "PRAGMA dialect rspql REGISTER QUERY q EVERY 5s AS # c\nASK FROM STREAM <s> [RANGE 9s] { ?x <p> ?y }",
        "csparql",
        f"{OPEN}REGISTER QUERY q EVERY 5s AS # c\nASK FROM STREAM <s> [RANGE 9s] {{ ?x <p> ?y }}",
    ),
    (
        "REGISTER QUERY q REPORT CHANGE AS SELECT ?x { STREAM <s> [ALL] { ?x <p> 1 } }",
        "rspql",
        f"""PRAGMA nonempty on
REGISTER ISTREAM q REPORT CHANGE AS SELECT ?x FROM NAMED WINDOW {NAME} ON <s> [RANGE UNBOUNDED]
{{ WINDOW {NAME} {{ ?x <p> 1 }} }}""",
    ),
]
SAME = [(text, to) for text, to, other in CASES if "DISTINCT" not in other and "NOW-" not in text + other]
"""Those whose windows have the same form."""


@pytest.mark.parametrize(("text", "to", "expected"), CASES)
def test_what_is_written(text: str, to: DialectName, expected: str) -> None:
    assert rewrite(text, to) == expected


@pytest.mark.parametrize(("text", "to"), SAME)
def test_there_and_back_it_is_the_same_algebra(text: str, to: DialectName) -> None:
    other = rewrite(text, to)
    again = rewrite(other, "rspql")
    assert algebra_of(again) == algebra_of(rewrite(text, "rspql"))


def algebra_of(text: str) -> object:
    pattern, windowed = sought(parse(text), QueryText(text))
    assert windowed is not None
    return pattern, windowed.schedule, windowed.to_stream, windowed.nonempty


def test_a_brave_translation_lets_patterns_look_at_all_windows() -> None:
    expected = f"{OPEN}SELECT ?x FROM STREAM <s> [RANGE 10s STEP 5s] WHERE {{ {{ ?x <p> 1 }} }}"
    assert rewrite(NAMED, "csparql", brave=True) == expected
    two = "SELECT ?x { STREAM <s> [RANGE 1s] { ?x <p> 1 } STREAM <s> [RANGE 2s] { ?x <q> 1 } }"
    with pytest.raises(CompileError, match="a second window on one stream"):
        rewrite(two, "csparql", brave=True)


@pytest.mark.parametrize(
    ("written", "to", "expected"),
    [
        ("RANGE PT1H30M STEP PT0.5S", "csparql", "RANGE 90m STEP 500ms"),
        ("RANGE 1h30m STEP 1m", "csparql", "RANGE 90m STEP 1m"),
        ("RANGE PT0.000002S STEP P1D", "csparql", "RANGE PT0.000002S STEP 1d"),
        ("RANGE PT0.000002S STEP PT90M", "cqels", "RANGE 2000ns SLIDE 90m"),
        ("RANGE PT10S STEP 5000ms", "sparqlstream", "NOW-10s TO NOW STEP 5000ms"),
        ("RANGE 10 MINUTES TUMBLING", "csparql", "RANGE 10m STEP 10m"),
        ("RANGE 10 STEP 5", "csparql", "RANGE 20s STEP 10s"),
        ("RANGE 10s  STEP PT5S", "rspql", "RANGE 10s  STEP PT5S"),
    ],
)
def test_lengths_have_the_form_of_the_dialect(written: str, to: DialectName, expected: str) -> None:
    windows = "FROM NAMED WINDOW <w>" if to == "cqels" else "FROM WINDOW"
    where = "WINDOW <w> { ?x <p> 1 }" if to == "cqels" else "?x <p> 1"
    text = f"PRAGMA time-unit PT2S SELECT ?x {windows} ON <s> [{written}] {{ {where} }}"
    assert f"<s> [{expected}]" in rewrite(text, to)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("[NOW-10 S]", "[NOW-PT10S TO NOW]"),
        ("[NOW-90s TO NOW-1m STEP 500ms]", "[NOW-PT1M30S TO NOW-PT1M STEP PT0.5S]"),
        ("[NOW]", "[NOW]"),
    ],
)
def test_rsp_ql_has_durations(written: str, expected: str) -> None:
    text = f"REGISTER QUERY q EVERY 90s AS SELECT ?x FROM NAMED STREAM <s> {written} {{ ?x <p> 1 }}"
    assert f"EVERY PT1M30S AS SELECT ?x FROM WINDOW ON <s> {expected} " in rewrite(text, "rspql")


def test_all_queries_of_a_program_are_rewritten() -> None:
    assert rewrite(f"{MERGED}\n;;\n{PAST}", "csparql") == f"{MERGED}\n;;\n{MERGED}"


@pytest.mark.parametrize(
    ("what", "text", "to"),
    [
        ("WINDOW <w>, one window apart", NAMED, "csparql"),
        ("STREAM <s> .RANGE 10s., one window apart", INLINE, "sparqlstream"),
        ("getWINDOWEND", NAMED.replace("?x FROM", "(getWINDOWEND(<w>) AS ?e) FROM"), "cqels"),
        ("WINDOW with a variable, .w,", NAMED.replace("WINDOW <w> {", "WINDOW ?w {"), "cqels"),
        ("the window .RANGE 10s STEP 5s WHOLE.", NAMED.replace("5s]", "5s WHOLE]"), "cqels"),
        ("the window .ELEMENTS 5.", DEFAULT.replace("RANGE 10s STEP 5s", "ELEMENTS 5"), "csparql"),
        ("the window .NOW-9s TO NOW-1s.", PAST.replace("10s TO NOW STEP 5s", "9s TO NOW-1s"), "csparql"),
        ("the window .TRIPLES 5.", DEFAULT.replace("RANGE 10s STEP 5s", "TRIPLES 5"), "sparqlstream"),
        ("a window that no pattern looks at", NAMED.replace("WINDOW <w> { ?x <p> 1 }", "?x <p> 1"), "cqels"),
        ("a path", MERGED.replace("<p> 1", "<p>/<q> ?y"), "cqels"),
        ("STREAM with a variable, .s,", INLINE.replace("STREAM <s>", "STREAM ?s"), "rspql"),
        ("a query without windows", "SELECT ?x { ?x <p> 1 }", "rspql"),
        ("what this query gives, RSTREAM,", NAMED.replace("SELECT ?x", "ASK"), "cqels"),
    ],
)
def test_what_has_no_counterpart(what: str, text: str, to: DialectName) -> None:
    with pytest.raises(CompileError, match=what) as caught:
        rewrite(text, to)
    assert caught.value.code == "EP222"
    assert caught.value.place is not None
    assert caught.value.hint is not None
