"""SEQ, EQUALS and their kin: one precedence, to the left, and how they meet SPARQL's own patterns."""

from __future__ import annotations

import pytest

from etalis_py.compiler.algebra.operators import OPERATORS
from etalis_py.compiler.parse.grammar_table import combinators
from etalis_py.compiler.parse.parser import parse
from etalis_py.compiler.parse.syntax import (
    Combination,
    Filter,
    Group,
    GroupElement,
    OptionalPattern,
    Select,
    TriplesBlock,
)


def where(text: str) -> Group:
    form = parse(text).form
    assert form.where is not None
    return form.where


def shape(element: GroupElement) -> str:
    """``((A SEQ B) UNION C)``: a group is named for the variable that is alone in it."""
    match element:
        case Combination(operator=operator, left=left, right=right):
            return f"({shape(left)} {operator} {shape(right)})"
        case Group(elements=elements, implied=implied):
            inner = " ".join(shape(each) for each in elements)
            return f"<{inner}>" if implied else f"{{{inner}}}"
        case OptionalPattern(group=group):
            return f"OPTIONAL {shape(group)}"
        case TriplesBlock(subjects=(subject, *_)):
            return getattr(subject.subject, "name", "?")
        case Filter():
            return "FILTER"
        case _:
            return type(element).__name__


def group(name: str) -> str:
    return f"{{ ?{name} ?p ?o }}"


A, B, C, D = (group(name) for name in "abcd")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (f"{A} SEQ {B}", "{({a} SEQ {b})}"),
        (f"{A} seq {B} Equals {C}", "{(({a} SEQ {b}) EQUALS {c})}"),
        (
            f"{A} SEQ {B} OPTIONALSEQ {C} UNION {D}",
            "{((({a} SEQ {b}) OPTIONALSEQ {c}) UNION {d})}",
        ),
        (f"{A} UNION {B} SEQ {C}", "{(({a} UNION {b}) SEQ {c})}"),
        (f"{A} EQUALSOPTIONAL {{ {B} SEQ {C} }}", "{({a} EQUALSOPTIONAL {({b} SEQ {c})})}"),
        (f"{A} OPTIONAL {B} SEQ {C}", "{(({a} OPTIONAL {b}) SEQ {c})}"),
        (
            f"{A} OPTIONAL {B} OPTIONAL {C} EQUALS {D}",
            "{((({a} OPTIONAL {b}) OPTIONAL {c}) EQUALS {d})}",
        ),
        (f"{A} SEQ {B} OPTIONAL {C}", "{({a} SEQ {b}) OPTIONAL {c}}"),
        (f"{A} OPTIONAL {B}", "{{a} OPTIONAL {b}}"),
        (f"?x ?p ?o . {A} SEQ {B} . ?y ?p ?o", "{x ({a} SEQ {b}) y}"),
        (f"{A} {B} SEQ {C} FILTER(?a > 1)", "{{a} ({b} SEQ {c}) FILTER}"),
        (f"?x ?p ?o OPTIONAL {A} {B} SEQ {C}", "{x OPTIONAL {a} ({b} SEQ {c})}"),
        ("{ SELECT * { ?a ?p ?o } } SEQ { }", "{({Select} SEQ {})}"),
    ],
)
def test_associates_to_the_left(pattern: str, expected: str) -> None:
    assert shape(where(f"SELECT * WHERE {{ {pattern} }}")) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (A, "{a}"),
        (f"{A} SEQ {B}", "<({a} SEQ {b})>"),
        (f"{A} SEQ {B} FILTER(?a > 1) FILTER(?b > 1)", "<({a} SEQ {b}) FILTER FILTER>"),
        (f"{A} SEQ {B} BIND(1 AS ?z) ORDER BY ?z", "<({a} SEQ {b}) Bind>"),
        (f"{A} OPTIONAL {B}", "<{a} OPTIONAL {b}>"),
        (f"{A} FILTER(getDURATION() < 'PT1H'^^xsd:duration)", "<{a} FILTER>"),
    ],
)
def test_outer_braces_may_be_left_out(pattern: str, expected: str) -> None:
    assert shape(where(f"SELECT * WHERE {pattern}")) == expected
    assert shape(where(f"CONSTRUCT {{ }} WHERE {pattern}")) == expected
    sub_select = where(f"ASK {{ SELECT * WHERE {pattern} }}").elements[0]
    assert isinstance(sub_select, Select)
    assert shape(sub_select.where) == expected


def test_span_goes_from_the_first_brace_to_the_last() -> None:
    text = f"ASK {{ {A} SEQ {B} }}"
    span = where(text).elements[0].span
    assert text[span.start : span.end] == f"{A} SEQ {B}"


def test_the_words_of_the_grammar_are_those_of_the_table() -> None:
    assert combinators() == {each.word.split()[0] for each in OPERATORS} - {"Join", "OPTIONAL"} | {"UNION"}
