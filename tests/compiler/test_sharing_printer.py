"""What ``etalis explain`` tells of what queries share."""

from __future__ import annotations

from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.explain.sharing_printer import sharing_text

PREFIX = "PREFIX : <urn:>\n"
RISE = "{ ?x :low ?a } SEQ { ?x :high ?b }"


def text_of(*queries: str) -> str:
    compiled = [
        query
        for number, text in enumerate(queries, 1)
        for query in compile_program(PREFIX + text, name=f"query{number}", first_number=number)
    ]
    return sharing_text(compiled)


def test_solutions_and_goals_of_another_query() -> None:
    assert text_of(
        f"SELECT * {{ {RISE} SEQ {{ ?x :p ?c }} }}",
        f"SELECT * {{ {RISE} SEQ {{ ?x :q ?c }} }}",
        f"SELECT * {{ {RISE} . ?x :q ?c }}",
    ).split("\n") == [
        "query2 looks for goals of q1_seq_5 of query1",
        "query3 takes the solutions of q1_seq_3 of query1",
    ]


def test_a_part_that_stands_twice_in_a_query() -> None:
    part = "{{ ?{0} :p ?a{0} FILTER(?a{0} > 3) }}"
    found = text_of(f"SELECT * {{ {part.format('x')} {part.format('y')} }}")
    assert found == "query1 computes q1_filter_2 once for 2 places"


def test_nothing() -> None:
    assert text_of("SELECT * { ?x :p ?a }", "SELECT * { ?x :p ?a }") == ""
