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


def test_windows_of_other_widths() -> None:
    windows = (
        f"SELECT * FROM NAMED WINDOW :w ON :s [RANGE {extent}] {{ WINDOW :w {{ ?x :p ?a . ?x :q ?b }} }}"
        for extent in ("5s", "1m", "20s STEP 10s")
    )
    assert text_of(*windows).split("\n") == [
        "query1 keeps what is in the last 5 seconds of what is in the last 1 minute",
        "query2 takes the solutions of q1_join_in_windows_6 of query1",
        "query3 takes the solutions of q1_join_in_windows_6 of query1",
        "query3 keeps what is in the last 20 seconds every 10 seconds of what is in the last 1 minute",
    ]


def test_nothing() -> None:
    assert text_of("SELECT * { ?x :p ?a }", "SELECT * { ?x :p ?a }") == ""
