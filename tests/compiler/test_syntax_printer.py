"""The syntax tree as text."""

from __future__ import annotations

from textwrap import dedent

import pytest

from etalis_py.compiler.explain.syntax_printer import print_syntax
from etalis_py.compiler.parse.parser import parse


def printed(text: str) -> str:
    return print_syntax(parse(text).form)


def expected(text: str) -> str:
    return dedent(text).strip()


def test_a_whole_query() -> None:
    query = parse(
        "PREFIX : <urn:x:>\nPRAGMA policy recent\n"
        "SELECT DISTINCT ?x (getDURATION() AS ?d) WHERE { ?x a :A } SEQ { ?x :p ('a'@en -1) } "
        "FILTER(?d NOT IN (1)) WINDOW [RANGE PT10M] ORDER BY DESC(?x) LIMIT 2"
    )
    assert print_syntax(query) == expected("""
        Query
          prologue: Prologue
            PrefixDeclaration prefix=""
              iri: <urn:x:>
            Pragma name=policy value=recent
          form: Select duplicates=DISTINCT
            projection: ?x
            projection: ExpressionAs
              expression: BuiltInCall name=GETDURATION
              variable: ?d
            where: Group implied
              Combination SEQ
                left: Group
                  TriplesBlock
                    SubjectTriples
                      subject: ?x
                      PropertyObjects
                        verb: <http://www.w3.org/1999/02/22-rdf-syntax-ns#type>
                        :A
                right: Group
                  TriplesBlock
                    SubjectTriples
                      subject: ?x
                      PropertyObjects
                        verb: :p
                        Collection
                          "a"@en
                          -1
              Filter
                expression: Membership negated
                  value: ?d
                  1
            modifiers: Modifiers limit=2
              window: RangeWindow
                width: Duration lexical=PT10M
              order_by: OrderCondition descending
                expression: ?x
        """)


def test_inline_data_has_one_line_a_row() -> None:
    assert printed("ASK { VALUES (?a ?b) { (1 UNDEF) (<x> 'y'^^xsd:z) } }") == expected("""
        Ask
          where: Group
            InlineData
              variables: ?a
              variables: ?b
              rows: DataRow 1 UNDEF
              rows: DataRow <x> "y"^^xsd:z
        """)


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("1.5", "1.5"),
        ("TRUE", "true"),
        ("'5'^^xsd:integer", '"5"^^xsd:integer'),
        (r"'a\n\"\\'", r'"a\n\"\\"'),
        ("[]", "[]"),
        ("_:b", "_:b"),
        ("()", "Collection"),
    ],
)
def test_terms(written: str, line: str) -> None:
    assert printed(f"ASK {{ ?s ?p {written} }}").splitlines()[-1].strip() == line
