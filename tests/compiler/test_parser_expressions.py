"""Expressions: precedence, signs that follow an operand, built-ins, aggregates."""

from __future__ import annotations

import pytest

from etalis_py.compiler.explain.syntax_printer import print_term
from etalis_py.compiler.parse.parser import parse
from etalis_py.compiler.parse.syntax import (
    Aggregate,
    And,
    Arithmetic,
    BuiltInCall,
    Comparison,
    Exists,
    Expression,
    ExpressionAs,
    Filter,
    FunctionCall,
    Literal,
    Membership,
    Or,
    Select,
    Unary,
    Variable,
)


def filtered(written: str) -> Expression:
    where = parse(f"ASK {{ FILTER({written}) }}").form.where
    assert where is not None
    element = where.elements[0]
    assert isinstance(element, Filter)
    return element.expression


def shape(expression: Expression) -> str:
    """All parentheses written out."""
    match expression:
        case Or(operands=operands):
            return f"({' || '.join(map(shape, operands))})"
        case And(operands=operands):
            return f"({' && '.join(map(shape, operands))})"
        case (
            Comparison(operator=operator, left=left, right=right)
            | Arithmetic(operator=operator, left=left, right=right)
        ):
            return f"({shape(left)} {operator} {shape(right)})"
        case Unary(operator=operator, operand=operand):
            return f"({operator}{shape(operand)})"
        case Membership(value=value, choices=choices, negated=negated):
            return f"({shape(value)} {'not ' * negated}in {', '.join(map(shape, choices))})"
        case BuiltInCall(name=name, arguments=arguments):
            return f"{name}({', '.join(map(shape, arguments))})"
        case FunctionCall(function=function, arguments=arguments, distinct=distinct):
            inner = ", ".join(map(shape, arguments))
            return f"{print_term(function)}({'DISTINCT ' * distinct}{inner})"
        case Exists(negated=negated):
            return "not exists" if negated else "exists"
        case Aggregate(name=name):
            return name
        case _:
            return print_term(expression)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("?a || ?b && ?c || ?d", "(?a || (?b && ?c) || ?d)"),
        ("?a + ?b * ?c = ?d", "((?a + (?b * ?c)) = ?d)"),
        ("?a - ?b - ?c", "((?a - ?b) - ?c)"),
        ("?a / ?b * ?c", "((?a / ?b) * ?c)"),
        ("?a -1", "(?a - 1)"),
        ("?a+1.5*?b - 2", "((?a + (1.5 * ?b)) - 2)"),
        ("?a -1 -2", "((?a - 1) - 2)"),
        ("-1", "-1"),
        ("- ?a * +2", "((-?a) * +2)"),
        ("!?a = ?b", "((!?a) = ?b)"),
        ("!(?a = ?b)", "(!(?a = ?b))"),
        ("(?a || ?b) && ?c", "((?a || ?b) && ?c)"),
        ("?a <= ?b + 1", "(?a <= (?b + 1))"),
        ("?a IN ()", "(?a in )"),
        ("?a not in (1, ?b)", "(?a not in 1, ?b)"),
        ("?a<?b", "(?a < ?b)"),
    ],
)
def test_precedence(written: str, expected: str) -> None:
    assert shape(filtered(written)) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("getDURATION() < 'PT1H'^^xsd:duration", '(GETDURATION() < "PT1H"^^xsd:duration)'),
        ("getstarttime() = GETENDTIME()", "(GETSTARTTIME() = GETENDTIME())"),
        ("uri(?x) = IRI(?x)", "(IRI(?x) = IRI(?x))"),
        ("isURI(?x)", "ISIRI(?x)"),
        ("sameTerm(?x, ?y)", "SAMETERM(?x, ?y)"),
        ("COALESCE()", "COALESCE()"),
        ("CONCAT('a', STR(?x), 'b')", 'CONCAT("a", STR(?x), "b")'),
        ("IF(BOUND(?x), 1, 2)", "IF(BOUND(?x), 1, 2)"),
        ("SUBSTR(?x, 1) = SUBSTR(?x, 1, 2)", "(SUBSTR(?x, 1) = SUBSTR(?x, 1, 2))"),
        ("REGEX(?x, 'a', 'i')", 'REGEX(?x, "a", "i")'),
        ("REPLACE(?x, 'a', 'b', 'i')", 'REPLACE(?x, "a", "b", "i")'),
        ("BNODE() = BNODE('a')", '(BNODE() = BNODE("a"))'),
        ("xsd:integer(?x)", "xsd:integer(?x)"),
        ("prolog:near(?x, ?y, 5)", "prolog:near(?x, ?y, 5)"),
        ("<urn:f>()", "<urn:f>()"),
        ("<urn:f>(DISTINCT ?x)", "<urn:f>(DISTINCT ?x)"),
        ("NOT EXISTS { } || EXISTS { }", "(not exists || exists)"),
    ],
)
def test_calls(written: str, expected: str) -> None:
    assert shape(filtered(written)) == expected


@pytest.mark.parametrize("name", ["RAND", "NOW", "UUID", "STRUUID", "TZ", "MD5", "SHA512", "ENCODE_FOR_URI"])
def test_arguments_are_counted_by_the_grammar(name: str) -> None:
    arguments = "" if name in ("RAND", "NOW", "UUID", "STRUUID") else "?x"
    assert shape(filtered(f"{name.lower()}({arguments})")) == f"{name}({arguments})"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("COUNT(*)", ("COUNT", None, False, None)),
        ("count(DISTINCT *)", ("COUNT", None, True, None)),
        ("AVG(?x)", ("AVG", "x", False, None)),
        ("GROUP_CONCAT(DISTINCT ?x ; SEPARATOR = ', ')", ("GROUP_CONCAT", "x", True, ", ")),
    ],
)
def test_aggregates(written: str, expected: tuple[str, str | None, bool, str | None]) -> None:
    form = parse(f"SELECT ({written} AS ?n) {{ }}").form
    assert isinstance(form, Select)
    assert form.projection is not None
    column = form.projection[0]
    assert isinstance(column, ExpressionAs)
    aggregate = column.expression
    assert isinstance(aggregate, Aggregate)
    argument = aggregate.argument.name if isinstance(aggregate.argument, Variable) else None
    assert (aggregate.name, argument, aggregate.distinct, aggregate.separator) == expected


def test_a_sign_taken_off_a_number_leaves_the_number() -> None:
    expression = filtered("?a -17")
    assert isinstance(expression, Arithmetic)
    assert isinstance(expression.right, Literal)
    assert expression.right.lexical == "17"
    assert expression.right.span.end - expression.right.span.start == len("17")
