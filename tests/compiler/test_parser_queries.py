"""Query forms, prologue, solution modifiers, windows, and several queries in one text."""

from __future__ import annotations

import pytest

from etalis_py.compiler.parse.parser import parse, parse_program
from etalis_py.compiler.parse.syntax import (
    Ask,
    Construct,
    Describe,
    PastWindow,
    Pragma,
    PrefixDeclaration,
    RangeWindow,
    RowsWindow,
    Select,
    TriplesBlock,
    Window,
)


def test_prologue_keeps_the_order() -> None:
    prologue = parse("BASE <http://a/> PREFIX : <b#> base <c/> PRAGMA Policy recent\nASK { }").prologue
    assert [type(each).__name__ for each in prologue.declarations] == [
        "BaseDeclaration",
        "PrefixDeclaration",
        "BaseDeclaration",
        "Pragma",
    ]
    prefix = prologue.declarations[1]
    assert isinstance(prefix, PrefixDeclaration)
    assert (prefix.prefix, prefix.iri.text) == ("", "b#")


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("PRAGMA policy recent", "policy", "recent"),
        ("pragma On-Late PT5M", "on-late", "PT5M"),
        ('PRAGMA title "a # b"', "title", "a # b"),
        ("PRAGMA limit 5 # comment", "limit", "5"),
    ],
)
def test_pragma(line: str, name: str, value: str) -> None:
    pragma = parse(f"{line}\nASK {{ }}").prologue.declarations[0]
    assert isinstance(pragma, Pragma)
    assert (pragma.name, pragma.value) == (name, value)


def test_forms() -> None:
    select = parse("SELECT REDUCED ?x (1 AS ?y) FROM <g> FROM NAMED <h> { }").form
    assert isinstance(select, Select)
    assert select.duplicates == "REDUCED"
    assert [clause.named for clause in select.datasets] == [False, True]
    ask = parse("ASK FROM <g> { } VALUES (?x) { (1) (UNDEF) }").form
    assert isinstance(ask, Ask)
    assert ask.values is not None
    assert [row.values[0] is None for row in ask.values.rows] == [False, True]
    describe = parse("DESCRIBE ?x <a> xsd:b").form
    assert isinstance(describe, Describe)
    assert describe.subjects is not None
    assert (len(describe.subjects), describe.where) == (3, None)
    everything = parse("DESCRIBE * { ?x ?y ?z }").form
    assert isinstance(everything, Describe)
    assert everything.subjects is None


def test_construct_long_and_short() -> None:
    long = parse("CONSTRUCT { ?x a _:b ; <p> ( 1 ) . } WHERE { ?x <p> ?z } SEQ { }").form
    assert isinstance(long, Construct)
    assert not long.short
    assert len(long.template[0].properties) == 2
    short = parse("CONSTRUCT FROM <g> WHERE { ?x <p> ?y . ?y <p> ?z } LIMIT 3").form
    assert isinstance(short, Construct)
    assert short.short
    assert short.where.elements == (TriplesBlock(short.template, span=short.span),)
    assert short.modifiers.limit == 3
    empty = parse("CONSTRUCT WHERE { }").form
    assert isinstance(empty, Construct)
    assert empty.where.elements == ()


def test_modifiers() -> None:
    form = parse(
        "SELECT ?x { } GROUP BY ?x STR(?y) (1 AS ?z) HAVING (?x > 1) BOUND(?x)"
        " WINDOW [ROWS 5] ORDER BY ?x DESC(?x) <f>(?x) OFFSET 2 LIMIT 007"
    ).form
    modifiers = form.modifiers
    assert (len(modifiers.group_by), len(modifiers.having)) == (3, 2)
    assert [key.descending for key in modifiers.order_by] == [False, True, False]
    assert (modifiers.limit, modifiers.offset) == (7, 2)


def describe(window: Window | None) -> str:
    match window:
        case RangeWindow(width=width, step=step):
            return f"{width.lexical} {step.lexical if step else None}"
        case RowsWindow(count=count):
            return str(count)
        case PastWindow(begin=begin, end=end):
            return f"{begin.lexical if begin else 'NOW'} {end.lexical if end else 'NOW'}"
        case None:
            return "none"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("[RANGE PT10M]", "PT10M None"),
        ("[range PT10M step PT0.5S]", "PT10M PT0.5S"),
        ("[ROWS 50]", "50"),
        ("[NOW-PT1H15M TO NOW-PT1H]", "PT1H15M PT1H"),
        ("[NOW - P1DT12H TO NOW]", "P1DT12H NOW"),
    ],
)
def test_windows(written: str, expected: str) -> None:
    assert describe(parse(f"SELECT * {{ }} WINDOW {written}").form.modifiers.window) == expected
    where = parse(f"ASK {{ {{ SELECT ?x {{ }} GROUP BY ?x WINDOW {written} }} SEQ {{ }} }}").form.where
    assert where is not None


def test_a_program_is_split_at_double_semicolons_outside_braces() -> None:
    text = "PREFIX a: <urn:a> ASK { ?s ?p ?o ;; } ;;\n;; ASK { a:b ?p ';;' }"
    with pytest.raises(Exception, match="'a:' is not declared"):
        parse_program(text)
    first, second = parse_program(text.replace("a:b", "xsd:b"), "two.rq")
    assert second.source == "two.rq"
    assert second.text[second.span.start :].startswith("ASK { xsd:b")
    assert first.prologue.declarations
    assert not second.prologue.declarations
