"""What the linter finds, what it does not, and the text of each warning."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from etalis_py import Engine
from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.lint.linter import ALL_CHECKS, lint_program
from etalis_py.compiler.lint.mistakes import all_errors
from etalis_py.core.errors import EtalisError, EtalisWarning
from etalis_py.core.explanations import MESSAGES
from tests.fuzz.mutation import changed_text

PROJECT = Path(__file__).resolve().parents[3]
PREFIX = "PREFIX : <http://example.org/>\n"
WARMED = "{ ?box :unloaded ?dock } SEQ { ?box :cooled ?place }"
ONTOLOGY = (
    "@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    ":Fish rdfs:subClassOf :ChilledGoods . :storedIn rdfs:domain :ChilledGoods . :box1 a :Fish .\n"
)

EXAMPLES = {
    "EW01": f"SELECT ?box\nWHERE {{ {WARMED} FILTER (getDURATION() < 3600) }}\n",
    "EW02": 'SELECT ?box\nWHERE { ?box :unloaded ?dock FILTER (?box != "box 1") }\n',
    "EW03": f'SELECT ?box\nWHERE {{ {WARMED} FILTER (getDURATION() < "1h"^^xsd:duration) }}\n',
    "EW04": f'SELECT ?box\nWHERE {{ {WARMED} FILTER (getDURATION() < "P1M"^^xsd:duration) }}\n',
    "EW05": "SELECT ?box ?degrees\nWHERE { ?box :measured ?degrees FILTER (?degrees > 5 && ?degrees < 3) }\n",
    "EW06": f"SELECT ?bxo ?dock\nWHERE {{ {WARMED} }}\n",
    "EW07": "SELECT ?box\nWHERE { ?box :unloaded ?dock . ?box :measured ?degrees . ?bxo :heldBy ?dock }\n",
    "EW08": "SELECT ?box ?door\nWHERE { { ?box :unloaded ?dock } SEQ { ?door :stood :open } }\n",
    "EW09": "SELECT ?box\nWHERE { ?box :unloaded ?dock MINUS { ?thing a :Fish } }\n",
    "EW10": "SELECT ?box\nWHERE { ?box :unloaded ?dock . ?box a :ChiledGoods }\n",
    "EW11": "# etalis: ignore E08\nSELECT ?box\nWHERE { ?box :unloaded ?dock }\n",
    "EW12": "SELECT ?box\nFROM NAMED WINDOW :w ON :s [RANGE 10s]\nWHERE { ?box :unloaded ?dock }\n",
    "EW30": f"SELECT ?box\nWHERE {{ {WARMED} }}\n",
    "EW31": "SELECT (COUNT(*) AS ?count)\nWHERE { ?box :unloaded ?dock }\n",
}
"""A query for each code, of which the golden file shows what is said."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    file = tmp_path_factory.mktemp("background") / "goods.ttl"
    file.write_text(ONTOLOGY, encoding="utf-8")
    return Engine([str(file)])


@pytest.mark.parametrize("code", EXAMPLES)
def test_each_warning(code: str, engine: Engine) -> None:
    found = [each for each in engine.lint(PREFIX + EXAMPLES[code], source="q.rq") if each.code == code]
    text = "".join(f"{each}\n" for each in found)
    golden = MESSAGES / f"{code}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def codes(where: str, select: str = "*", *, after: str = "") -> list[str]:
    text = f"{PREFIX}SELECT {select} WHERE {{ {where} }} {after}"
    return [each.code for each in lint_program(compile_program(text, name="q"))]


def on_a_stream(where: str, select: str = "*", *, after: str = "") -> list[str]:
    text = f"{PREFIX}SELECT {select} WHERE {{ {where} }} {after}"
    return [each.code for each in lint_program(compile_program(text, name="q"), checks=ALL_CHECKS)]


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("getDURATION() < 3600", ["EW01"]),
        ('getDURATION() < "PT1H"', ["EW01"]),
        ("3600 >= getDURATION()", ["EW01"]),
        ("getENDTIME() - getSTARTTIME() < 60", ["EW01"]),
        ('getSTARTTIME() > "2026-03-02T08:00:00Z"', ["EW01"]),
        ('STRLEN(?v) > "3"', ["EW01"]),
        ("STR(?v) > 35", ["EW01"]),
        ("xsd:integer(?v) > :limit", ["EW01"]),
        ("?x < ?x", ["EW01"]),
        ("?v < 3 || getDURATION() < 3600", ["EW01"]),
        ('?x = "box"', ["EW02"]),
        ("?x IN (1, 2)", ["EW02"]),
        ("DATATYPE(?v) = 'xsd:integer'", ["EW02"]),
        ('getDURATION() < "PT1H"^^xsd:duration', []),
        ('getDURATION() < "PT1H"^^xsd:dayTimeDuration', []),
        ('getENDTIME() - getSTARTTIME() < "PT1H"^^xsd:duration', []),
        ('getSTARTTIME() + "PT1H"^^xsd:duration > getENDTIME()', []),
        ('getSTARTTIME() > "2026-03-02T08:00:00Z"^^xsd:dateTime', []),
        ("?v > 3", []),
        ('?v > "3"', []),
        ('?v = "a" || ?v = 3', []),
        ("?x = :box1", []),
        ('?x IN (1, :box1, "a")', []),
        ('COALESCE(?x < 3, "none") = "none"', []),
        ('IF(?v > 3, "high", 0) > 1', []),
        ("xsd:date(?v) < '2026-01-01'^^xsd:date", []),
    ],
)
def test_comparisons(condition: str, found: list[str]) -> None:
    assert codes(f"?x :p ?v FILTER ({condition})") == found


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("?v > 5 && ?v < 3", ["EW05"]),
        ("?v > 5) FILTER (3 >= ?v", ["EW05"]),
        ("?v = 4 && ?v = 5", ["EW05"]),
        ("?v > 5 && ?v <= 5", ["EW05"]),
        ("?v >= 'b' && ?v < 'a'", ["EW05"]),
        ('getDURATION() < "PT1H"^^xsd:duration && getDURATION() > "PT2H"^^xsd:duration', ["EW05"]),
        ('getDURATION() < "PT0S"^^xsd:duration', ["EW05"]),
        ("getSTARTTIME() > getENDTIME()", ["EW05"]),
        (
            (
                'getSTARTTIME() > "2026-01-02T00:00:00Z"^^xsd:dateTime '
                '&& getENDTIME() < "2026-01-01T00:00:00Z"^^xsd:dateTime'
            ),
            ["EW05"],
        ),
        ("?v >= 5 && ?v <= 5", []),
        ("?v > 5 || ?v < 3", []),
        ("!(?v > 5 && ?v < 3) && ?v > 2", []),
        ("?v > 5 && ?v < 'a'", []),
        ('getDURATION() <= "PT0S"^^xsd:duration', []),
        ("getSTARTTIME() >= getENDTIME()", []),
    ],
)
def test_bounds(condition: str, found: list[str]) -> None:
    assert codes(f"?x :p ?v FILTER ({condition})") == found


def test_bounds_of_a_part_and_of_the_whole() -> None:
    hour, two = ('"PT1H"^^xsd:duration', '"PT2H"^^xsd:duration')
    inner = f"{{ ?x :p ?v . ?x :r ?v FILTER (getDURATION() > {two}) }}"
    assert codes(f"{inner} SEQ {{ ?x :q ?w }} FILTER (getDURATION() < {hour})") == ["EW05"]
    assert codes(f"{{ {{ ?x :q ?w }} OPTIONAL {inner} }} FILTER (getDURATION() < {hour})") == []
    assert codes("{ ?x :p ?v FILTER (?v > 5) } SEQ { ?x :q ?v FILTER (?v < 3) }") == ["EW05"]
    assert codes("{ ?x :p ?v FILTER (?v > 5) } UNION { ?x :q ?v FILTER (?v < 3) }") == []


COUNTED = "REPEAT STRICT LONGEST PER ?x { ?x :p ?v } MEASURES (COUNT(*) AS ?n) SEQ"


@pytest.mark.parametrize(
    ("where", "select", "found"),
    [
        ("?x :p ?v", "?w", ["EW06"]),
        ("?x :p ?v FILTER (?w > 3)", "?x", ["EW06"]),
        ("?x :p ?v BIND (?w + 1 AS ?n)", "?x ?n", ["EW06"]),
        ("BIND (?v + 1 AS ?n) ?x :p ?v", "?x ?n", ["EW06"]),
        ("{ ?x :p ?v } { ?x :q ?w FILTER (?w > ?v) }", "?x", ["EW06"]),
        ("?x :p ?v", "(SUM(?w) AS ?sum)", ["EW06"]),
        ("?x :p ?v OPTIONAL { ?x :q ?w FILTER (?w > ?v) } FILTER (!BOUND(?w))", "?x", []),
        ("?x :p ?v FILTER NOT EXISTS { ?x :q ?w FILTER (?w > ?v) }", "?x", []),
        ("VALUES ?w { 1 } ?x :p ?v FILTER (?w < ?v)", "?x ?w", []),
        ("{ SELECT ?x (AVG(?v) AS ?mean) { ?x :p ?v } GROUP BY ?x } FILTER (?mean > 3)", "?x", []),
        ("?x :p ?v", "(COUNT(*) AS ?n)", []),
        (f"{COUNTED} NEXT {{ ?x :q ?w FILTER (?n > 2) }}", "?x ?w", []),
        (f"{COUNTED} NOT {{ ?x :r ?r FILTER (?n > 2) }} SEQ {{ ?x :q ?w }}", "?x ?w", []),
    ],
)
def test_variables_without_a_value(where: str, select: str, found: list[str]) -> None:
    assert codes(where, select) == found


def test_where_a_query_with_groups_has_no_value() -> None:
    assert codes("?x :p ?v", "(COUNT(*) AS ?n)", after="GROUP BY ?w") == ["EW06"]
    assert codes("?x :p ?v", "?x", after="ORDER BY ?w") == ["EW06"]
    text = f"{PREFIX}CONSTRUCT {{ ?x :high ?w }} WHERE {{ ?x :p ?v }}"
    assert [each.code for each in lint_program(compile_program(text, name="q"))] == ["EW06"]


@pytest.mark.parametrize(
    ("names", "is_slip"),
    [
        ("box bxo", True),
        ("box boxx", True),
        ("place plce", True),
        ("Box box", True),
        ("dock doks", False),
        ("price1 price2", False),
        ("price prices", False),
        ("low now", False),
        ("site side", False),
        ("a b", False),
    ],
)
def test_similar_variables(names: str, is_slip: bool) -> None:
    one, other = names.split()
    where = f"?thing :p ?{one} . ?thing :q ?{one} . ?thing :r ?{other}"
    assert codes(where) == (["EW07"] if is_slip else [])


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("{ ?x :p ?v } SEQ { ?y :q ?w }", ["EW08"]),
        ("?x :p ?v . ?y :q ?w", ["EW08"]),
        ("{ ?x :p ?v } OPTIONAL { ?y :q ?w }", ["EW08"]),
        ("{ ?x :p ?v } SEQ { ?y :q ?w } FILTER (?x != :box1)", ["EW08"]),
        ("{ { ?x :p ?v } SEQ { ?y :q ?w } } SEQ { ?x :r ?y }", []),
        ("{ ?x :p ?v } SEQ { ?y :q ?w } FILTER (?v < ?w)", []),
        ("{ ?x :p ?v } SEQ { ?y :q ?w } FILTER EXISTS { ?x :near ?y }", []),
        ("{ :truck :enters ?v } SEQ { :truck :leaves ?w }", []),
        ("{ :alarm :is :on } SEQ { ?y :q ?w }", []),
        ("{ [] a :Storm } SEQ { ?y :q ?w }", []),
        (
            "{ ?x :p ?v BIND (getENDTIME() AS ?s) } { ?y :q ?w BIND (getENDTIME() AS ?t) } FILTER (?s < ?t)",
            [],
        ),
        ("VALUES ?limit { 5 } ?x :p ?v", []),
        ("?x :p ?v FILTER EXISTS { ?x :q ?y . ?v :r ?z }", []),
        ("?x :p ?v FILTER EXISTS { ?x :q ?y . ?w :r ?z }", ["EW08"]),
        ("{ ?x :p ?v } UNION { ?y :q ?w }", []),
        ("?x :p/:q* ?v . ?v :r ?w", []),
    ],
)
def test_parts_that_share_nothing(where: str, found: list[str]) -> None:
    assert codes(where) == found


@pytest.mark.parametrize(
    ("where", "meant"),
    [
        ("{ ?box :p ?v } SEQ { ?bax :q ?w }", "?box instead of ?bax"),
        ("{ ?bax :p ?v } SEQ { ?box :q ?w } SEQ { ?box :r ?u }", "?box instead of ?bax"),
        ("{ ?box :p ?place } SEQ { { ?bax :q ?w } UNION { ?bax :r ?w } }", "?box instead of ?bax"),
        ("{ ?box :p ?v } SEQ { ?door :q ?w }", None),
        ("{ ?box1 :p ?v } SEQ { ?box2 :q ?w }", None),
    ],
)
def test_what_a_part_that_shares_nothing_may_have_meant(where: str, meant: str | None) -> None:
    compiled = compile_program(f"{PREFIX}SELECT * WHERE {{ {where} }}", name="q")
    [found] = [each for each in lint_program(compiled) if each.code == "EW08"]
    assert found.hint is not None
    assert found.hint.startswith(
        f"did you mean {meant}? If not, let" if meant else "let them share a variable"
    )


def test_a_policy_takes_one_partner_whichever_it_is() -> None:
    text = f"PRAGMA policy recent\n{PREFIX}SELECT * {{ {{ ?x :p ?v }} SEQ {{ ?y :q ?w }} }}"
    assert lint_program(compile_program(text, name="q")) == []


def test_what_is_kept_for_ever() -> None:
    hour = 'FILTER (getDURATION() < "PT1H"^^xsd:duration)'
    assert on_a_stream("{ ?x :p ?v } SEQ { ?x :q ?w }") == ["EW30"]
    assert on_a_stream("{ ?x :p ?v } SEQ { ?x :q ?w } SEQ { ?x :r ?u }") == ["EW30"]
    assert on_a_stream("?x :p ?v . ?x :q ?w") == ["EW30"]
    assert on_a_stream(f"{{ ?x :p ?v }} SEQ {{ ?x :q ?w }} {hour}") == []
    assert on_a_stream("{ ?x :p ?v } SEQ { ?x :q ?w } WITHIN PT1H") == []
    assert on_a_stream("{ ?x :p ?v } SEQ EVERY PT1H") == ["EW30"]
    assert on_a_stream("{ ?x :p ?v } SEQ NEXT EVERY PT1H") == []
    assert on_a_stream("{ ?x :p ?v } EQUALS { ?x :q ?w }") == []
    assert on_a_stream("REPEAT STRICT PER ?x { ?x :p ?v } MEASURES (LAST(?v) AS ?w)") == ["EW30"]
    assert on_a_stream("REPEAT STRICT PER ?x { ?x :p ?v WITHIN PT1S } MEASURES (LAST(?v) AS ?w)") == []
    assert on_a_stream("{ ?x :p ?v } OPTIONAL { ?x :q ?w }") == []
    assert on_a_stream("?x :p ?v", "(AVG(?v) AS ?mean)") == ["EW31"]
    assert on_a_stream("?x :p ?v", "(AVG(?v) AS ?mean)", after="WINDOW [RANGE PT1H]") == []
    text = f"{PREFIX}SELECT * {{ ?x :p ?v . ?x :q ?w }}"
    at_once = compile_program(text, name="q", at_instant=True)
    assert lint_program(at_once, at_instant=True, checks=ALL_CHECKS) == []


@pytest.mark.parametrize(
    ("where", "ways"),
    [
        ("{ ?x :p ?v } SEQ { ?x :q ?w }", []),
        ("?x a :C . ?x :p ?v", ["; or, if ?x a :C comes only once, and first, { ?x a :C } SEQ { ... }: "]),
        ("?x a :C . ?x :p ?v . ?x :q ?w", ["; or, if ?x a :C comes only once, and first, "]),
        ("{ ?x a :C . ?x a :D }", []),
        (
            '{ ?x :p ?v } SEQ { ?x :q ?w } FILTER (?w - ?v < "PT1H"^^xsd:duration)',
            ['; ?w - ?v < "PT1H"^^xsd:duration is not enough: '],
        ),
        (
            '{ ?x :p ?v } SEQ { ?x :q ?w } FILTER (?v + "PT1H"^^xsd:duration > ?w)',
            ['; ?v + "PT1H"^^xsd:duration > ?w is not enough: '],
        ),
        ('{ ?x :p ?v } SEQ { ?x :q ?w FILTER (?w > "PT1H"^^xsd:duration) }', []),
    ],
)
def test_what_can_be_done_about_waiting_for_ever(where: str, ways: list[str]) -> None:
    compiled = compile_program(f"{PREFIX}SELECT * WHERE {{ {where} }}", name="q")
    [found] = lint_program(compiled, checks=ALL_CHECKS)
    assert found.code == "EW30"
    assert found.hint is not None
    first = "say how long a match may take: WITHIN PT1H at the end of its group"
    assert found.hint.startswith(first + "".join(ways))
    assert found.hint.count(";") == len(ways)


def test_classes_that_are_kept_alone_do_not_count() -> None:
    assert on_a_stream("{ ?x a :C } SEQ { ?x :p ?v }") == []
    assert on_a_stream("{ ?x a :C } SEQ { ?x :p ?v . ?x :q ?w }") == ["EW30"]
    assert on_a_stream("{ ?x a :C } SEQ { ?x a :D }") == ["EW30"]
    assert on_a_stream("{ ?x a ?c } SEQ { ?x :p ?v }") == ["EW30"]
    assert on_a_stream("{ ?x a :C . ?x :q ?w } SEQ { ?x :p ?v }") == ["EW30"]


def test_a_bound_by_the_times_of_both_ends_is_a_window() -> None:
    first, last = "{ ?x :p ?v BIND (getSTARTTIME() AS ?s) }", "{ ?x :q ?w BIND (getENDTIME() AS ?t) }"
    hour = '"PT1H"^^xsd:duration'
    for condition in (f"?t - ?s < {hour}", f"?t <= ?s + {hour}", f"{hour} > ?t - ?s"):
        assert on_a_stream(f"{first} SEQ {last} FILTER ({condition})") == []
    assert on_a_stream(f"{first} {last} FILTER (?t - ?s < {hour})") == ["EW30"]  # ?t may be before ?s
    assert on_a_stream(f"{last} SEQ {first} FILTER (?s - ?t < {hour})") == ["EW30"]  # each may be long


def test_background_that_gives_one_side_does_not_wait(engine: Engine) -> None:
    query = f"{PREFIX}SELECT * {{ ?box :unloaded ?dock . ?box :storedIn ?room }}"
    assert [each.code for each in engine.lint(query)] == ["EW30"]  # rooms may change in the stream
    graph = f"{PREFIX}SELECT * FROM NAMED :g {{ ?box :unloaded ?dock . GRAPH :g {{ ?box :storedIn ?room }} }}"
    assert engine.lint(graph) == []


def test_names_of_the_background(engine: Engine) -> None:
    def found(where: str) -> list[str]:
        return [f"{each.code} {each.hint}" for each in engine.lint(f"{PREFIX}SELECT * {{ {where} }}")]

    assert found("?x a :ChilledGoods") == found("?x :storedIn ?y") == found("?x :unloaded ?y") == []
    assert found("?x :stordIn ?y") == ["EW10 did you mean :storedIn?"]
    assert found("?x a :fish") == ["EW10 did you mean :Fish?"]
    assert found("?x :Fihs ?y") == []  # a property is no class


W = "FROM NAMED WINDOW :w ON :s [RANGE 1s]"


@pytest.mark.parametrize(
    ("declared", "where", "unseen"),
    [
        (f"{W} FROM NAMED WINDOW :v ON :s [RANGE 1s]", "WINDOW :w { ?x :p ?y }", [":v"]),
        (W, "?x :p ?y FILTER EXISTS { WINDOW :w { ?x :q ?y } }", []),
        (W, "?x :p ?y FILTER (?y < getWINDOWEND(:w))", []),
        (f"{W} EVENT ON :w {{ ?x :p ?y }} AS A", "MATCH { A }", []),
        (f"{W} FROM NAMED WINDOW :v ON :s [RANGE 1s]", "WINDOW ?w { ?x :p ?y }", []),
        ("FROM NAMED STREAM :s [RANGE 1s STEP 1s]", "?x :p ?y", []),
        ("FROM WINDOW ON :s [RANGE 1s STEP 1s]", "?x :p ?y", []),
    ],
)
def test_windows_that_nothing_looks_at(declared: str, where: str, unseen: list[str]) -> None:
    text = f"{PREFIX}SELECT ?x {declared} {{ {where} }}"
    found = [each for each in lint_program(compile_program(text, name="q")) if each.code == "EW12"]
    assert [each.message.rpartition(" ")[2] for each in found] == unseen


def test_a_query_says_what_it_means() -> None:
    loose = "{ ?x :p ?v } SEQ\n{ ?y :q ?w }"
    assert codes(f"{loose} # etalis: ignore EW08\n") == []
    assert codes(f"{loose} # etalis: ignore\n") == []
    assert codes(f"{loose} # etalis: ignore EW07\n") == ["EW08"]
    assert codes(f"\n# etalis: ignore EW07, EW08\n{loose}") == []
    assert codes(f"# etalis: ignore EW08\n{loose}") == ["EW08"]  # behind something: for that line
    assert codes(f"\n# etalis: ignore EW8\n{loose}") == ["EW11", "EW08"]


def test_only_the_query_is_meant_that_the_place_is_in() -> None:
    text = f"{PREFIX}SELECT ?x {{ ?x :p ?v }}\n;;\n{PREFIX}SELECT ?w {{ ?x :p ?v }}"
    [found] = lint_program(compile_program(text, name="q", source="q.rq"))
    assert (found.code, str(found.place)) == ("EW06", "q.rq, line 5, column 8")


def test_a_text_as_only_programs_write_it_is_not_looked_at() -> None:
    many = " . ".join(f"?x{number} :p ?y{number}" for number in range(150))
    assert codes(many) == ["EW08"]
    assert codes(" ".join([many, *["#" + "-" * 99 + "\n"] * 500])) == []


def test_a_thousand_conditions_are_looked_at(engine: Engine) -> None:
    items = ", ".join(map(str, range(1_000)))
    assert engine.lint(f"{PREFIX}SELECT ?x {{ ?x :p ?v FILTER (?v IN ({items})) }}") == []
    called = " || ".join(f":f(?v) = {number}" for number in range(1_000))
    found = engine.lint(f"{PREFIX}SELECT ?x {{ ?x :p ?v FILTER ({called}) }}")
    assert [each.code for each in found] == ["EW50"]


def queries() -> list[Path]:
    folders = ("etalis_py", "docs", "tests/demos", "tests/benchmarks")
    return [path for each in folders for path in sorted((PROJECT / each).rglob("*.rq"))]


@pytest.mark.parametrize("path", queries(), ids=lambda path: path.name)
def test_the_demos_and_benchmarks_mean_what_they_say(path: Path) -> None:
    compiled = compile_program(path.read_text(encoding="utf-8"), name="q", source=str(path))
    assert [str(each) for each in lint_program(compiled)] == []


ASK = "ASK { ?x ?p ?y }"


@pytest.mark.parametrize(
    ("queries", "found"),
    [
        (["ASK { ?x ?p }", "ASK { ?x ?y FILTER ?x }", ASK], ["EP101 1", "EP101 3"]),
        (["ASK { ?x ?p ?y", ASK], ["EP102 1"]),
        (["ASK { ?x ?p ?y", "ASK { ?x ?p }"], ["EP102 1", "EP101 3"]),
        (["ASK { ?x ?p ?y FILTER (", "ASK { ?x ?p }"], ["EP102 1", "EP101 3"]),
        (["ASK { ?x ?p ?y", "ASK { ?x ?p ?y", "ASK { ?x ?p ?y"], ["EP102 1", "EP102 3", "EP102 5"]),
        (["ASK { ?x ?p 'open }", "ASK { ?x ?p }", ASK], ["EP104 1", "EP101 3"]),
        (["'open", "ASK { ?x ?p }"], ["EP104 1", "EP101 3"]),
        (["ASK { ?x ?p } # }\n ASK { it's", "ASK { ?x ?p }"], ["EP101 1", "EP101 4"]),
        ([r"ASK { ?x ?p '\d' }", "ASK { ?x ?p }"], ["EP105 1", "EP101 3"]),
        (["ASK { ?x ?p '''open }", "ASK { ?x ?p }"], ["EP104 1"]),  # all the rest may be in the string
        (["ASK { ?x ?p } ;; ASK { ?p }", "ASK { ?x ?p ?y ;; }", "ASK }"], ["EP101 1", "EP101 1", "EP101 5"]),
        (["ASK { ?x ?p\n?y ?y ?y ?y ?y ?y }", ASK], ["EP101 2"]),  # one of each query
        (["\\u0041SK { ?x ?p }", "\\u0041SK { ?x }"], ["EP101 1", "EP101 3"]),
        ([ASK, "PREFIX : <urn:> ASK { ?x :p ?y \n;;\n :q ?z }", "ASK }"], ["EP101 7"]),
    ],
)
def test_the_first_syntax_error_of_each_query(queries: list[str], found: list[str]) -> None:
    text = "\n;;\n".join(queries)
    told = [f"{each.code} {each.place.line}" for each in all_errors(text) if each.place is not None]
    assert told == found
    with pytest.raises(EtalisError) as caught:
        compile_program(text, name="q")
    assert f"{caught.value.code} {caught.value.place.line}" == found[0]


def test_queries_that_are_nearly_right() -> None:
    """No check fails, and check tells the error that a run would tell, among others."""
    files = sorted((PROJECT / "tests" / "cases").rglob("*.rq"))
    random, texts = Random(7), [path.read_text(encoding="utf-8") for path in files]
    counts: Counter[str] = Counter()
    for _ in range(150):
        text = changed_text(random, random.choice(texts), texts)
        refused = _linted(text)
        found = [str(each) for each in all_errors(text)]
        assert refused is None or refused in found, text
        counts["refused" if refused else "taken"] += 1
    assert min(counts[each] for each in ("refused", "taken")) > 9, counts


def _linted(text: str) -> str | None:
    """Look at a text with all checks; its first error, if it cannot be compiled."""
    try:
        lint_program(compile_program(text, name="q"), checks=ALL_CHECKS)
    except EtalisError as error:
        return str(error)
    return None


def test_warnings_are_of_python() -> None:
    query = f"{PREFIX}SELECT ?w {{ ?x :p ?v }}"
    with Engine() as own:
        with pytest.warns(EtalisWarning, match="EW06") as told:
            own.register(query, name="one")
        assert [each.filename for each in told] == [__file__]
        assert own.lint(f"{PREFIX}SELECT ?x {{ ?x :p ?v }}") == []


@pytest.mark.filterwarnings("error::etalis_py.core.errors.EtalisWarning")
def test_a_warning_that_is_made_an_error_registers_nothing() -> None:
    with Engine() as own:
        with pytest.raises(EtalisWarning, match="EW06"):
            own.register(f"{PREFIX}SELECT ?w {{ ?x :p ?v }}", name="one")
        assert own.register(f"{PREFIX}SELECT ?x {{ ?x :p ?v }}", name="one") == ["one"]


def test_describe_looks_at_all_windows() -> None:
    assert lint_program(compile_program(f"{PREFIX}DESCRIBE :box {W}", name="q")) == []
