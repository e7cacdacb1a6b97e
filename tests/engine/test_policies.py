"""Selection and consumption: worked examples, times in seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from etalis_py.core.errors import CompileError
from etalis_py.engine.engine import Engine
from tests.engine.conftest import run, seconds, table

POLICIES = ("unrestricted", "chronological", "recent")
Row = tuple[Any, ...]


def intervals(query: str, rows: list[Row], policy: str) -> list[tuple[int, int]]:
    return [(start, end) for start, end, _ in run(query, rows, policy=policy)]


TWO_AND_TWO = [(1, "x", "a", 1), (2, "x", "a", 2), (3, "x", "b", 3), (4, "x", "b", 4)]
SEQUENCE = "SELECT * { { ?x :a ?i } SEQ { ?x :b ?j } }"


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("unrestricted", [(1, 3), (2, 3), (1, 4), (2, 4)]),
        ("chronological", [(1, 3), (2, 4)]),
        ("recent", [(2, 3), (1, 4)]),
    ],
)
def test_one_a_for_each_b(policy: str, expected: list[tuple[int, int]]) -> None:
    """Each b takes its own a.

    a  1---2
    b          3---4
    """
    assert intervals(SEQUENCE, TWO_AND_TWO, policy) == expected


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("unrestricted", [(2, 6, "a1"), (4, 6, "a2"), (4, 8, "a2"), (2, 10, "a1")]),
        ("chronological", [(2, 6, "a1"), (4, 6, "a2")]),
        ("recent", [(2, 6, "a1"), (4, 6, "a2")]),
    ],
)
def test_what_was_used_is_not_used_again(policy: str, expected: list[Row]) -> None:
    rows = [
        (2, "a1", "p", "b1"),
        (4, "a2", "p", "b2"),
        (6, "b1", "q", "c1"),
        (6, "b2", "q", "c2"),
        (8, "a3", "p", "b3"),
        (8, "b2", "q", "c2"),
        (10, "b1", "q", "c1"),
    ]
    found = run("SELECT * { { ?x :p ?y } SEQ { ?y :q ?z } }", rows, policy=policy)
    assert [(start, end, row["x"]) for start, end, row in found] == expected


@pytest.mark.parametrize("policy", POLICIES)
def test_a_filter_decides_before_consumption(policy: str) -> None:
    rows = [(1, "x", "a", 1), (2, "x", "b", 1), (3, "x", "b", 2)]
    query = "SELECT ?i ?j { { ?x :a ?i } SEQ { ?x :b ?j } FILTER(?j > ?i) }"
    assert run(query, rows, policy=policy) == [(1, 3, {"i": 1, "j": 2})]


def test_the_policy_of_a_query_goes_before_that_of_the_engine() -> None:
    assert intervals(f"PRAGMA policy recent\n{SEQUENCE}", TWO_AND_TWO, "chronological") == [(2, 3), (1, 4)]
    assert len(intervals(f"PRAGMA policy unrestricted\n{SEQUENCE}", TWO_AND_TWO, "recent")) == 4


@pytest.mark.parametrize(
    ("policy", "to_the_left", "to_the_right"),
    [("chronological", [(1, 5)], [(1, 5), (2, 6)]), ("recent", [(2, 5)], [(2, 5), (1, 6)])],
)
def test_a_chain_takes_what_the_part_below_took(
    policy: str, to_the_left: list[tuple[int, int]], to_the_right: list[tuple[int, int]]
) -> None:
    """To the left both b take the same a, which goes with the c of 5.

    a  1---2
    b          3---4
    c                  5---6
    """
    rows = [*TWO_AND_TWO, (5, "x", "c", 5), (6, "x", "c", 6)]
    chained = "SELECT * { { ?x :a ?i } SEQ { ?x :b ?j } SEQ { ?x :c ?k } }"
    assert intervals(chained, rows, policy) == to_the_left
    nested = "SELECT * { { ?x :a ?i } SEQ { { ?x :b ?j } SEQ { ?x :c ?k } } }"
    assert intervals(nested, rows, policy) == to_the_right


@pytest.mark.parametrize(
    ("policy", "expected"), [("chronological", [(4, 6), (5, 7)]), ("recent", [(5, 6), (4, 7)])]
)
def test_a_partner_out_of_the_window_is_none(policy: str, expected: list[tuple[int, int]]) -> None:
    """The window is 4 s.

    a  1         4---5
    b                   6---7
    """
    rows = [(1, "x", "a", 1), (4, "x", "a", 4), (5, "x", "a", 5), (6, "x", "b", 6), (7, "x", "b", 7)]
    query = """SELECT * { { ?x :a ?i } SEQ { ?x :b ?j }
        FILTER(getDURATION() < "PT4S"^^xsd:duration) }"""
    assert intervals(query, rows, policy) == expected


def test_a_window_around_a_chain_bounds_its_parts() -> None:
    """The b of 9 does not take the a of 1, which no c could follow in time."""
    rows = [(1, "x", "a", 1), (8, "x", "a", 8), (9, "x", "b", 9), (10, "x", "c", 10)]
    query = """SELECT * { { ?x :a ?i } SEQ { ?x :b ?j } SEQ { ?x :c ?k }
        FILTER(getDURATION() < "PT5S"^^xsd:duration) }"""
    assert intervals(query, rows, "chronological") == [(8, 10)]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("chronological", [(1, 3), (2, 4), (5, 5)]), ("recent", [(2, 3), (1, 4), (5, 5)])],
)
def test_optionalseq_takes_one_or_stays_alone(policy: str, expected: list[tuple[int, int]]) -> None:
    rows = [*TWO_AND_TWO, (5, "x", "b", 5)]
    assert intervals("SELECT * { { ?x :a ?i } OPTIONALSEQ { ?x :b ?j } }", rows, policy) == expected


@pytest.mark.parametrize(("policy", "taken"), [("chronological", [1, 2, None]), ("recent", [2, 1, None])])
def test_optional_takes_one_or_stays_alone(policy: str, taken: list[int | None]) -> None:
    rows = [*TWO_AND_TWO, (5, "x", "b", 5)]
    found = run("SELECT ?i { { ?x :b ?j } OPTIONAL { ?x :a ?i } }", rows, policy=policy)
    assert [row.get("i") for _, _, row in found] == taken


def test_optional_is_not_alone_where_filters_refuse_what_it_has() -> None:
    rows = [(1, "x", "a", 1), (3, "x", "b", 3)]
    query = "SELECT ?i { { ?x :b ?j } OPTIONAL { ?x :a ?i } FILTER(!BOUND(?i) || ?i > ?j) }"
    for policy in POLICIES:
        assert run(query, rows, policy=policy) == []


@pytest.mark.parametrize("policy", ["chronological", "recent"])
def test_equals_takes_the_first_by_bindings(policy: str) -> None:
    rows = [((1, 3), "x", "a", 2), ((1, 3), "x", "a", 1), ((2, 3), "x", "a", 0), ((1, 3), "x", "b", 5)]
    for order in (rows, rows[::-1]):
        found = run("SELECT ?i ?j { { ?x :a ?i } EQUALS { ?x :b ?j } }", order, policy=policy)
        assert found == [(1, 3, {"i": 1, "j": 5})]


@pytest.mark.parametrize(
    ("first", "second"), [("a", "b"), ("b", "a")], ids=["left comes first", "right comes first"]
)
@pytest.mark.parametrize(
    ("policy", "expected"), [("chronological", [(1, 3), (2, 4)]), ("recent", [(2, 3), (1, 4)])]
)
def test_a_join_takes_one_in_both_orders(
    policy: str, expected: list[tuple[int, int]], first: str, second: str
) -> None:
    names = {"a": first, "b": second}
    rows = [(time, subject, names[predicate], value) for time, subject, predicate, value in TWO_AND_TWO]
    assert intervals("SELECT * { ?x :a ?i . ?x :b ?j }", rows, policy) == expected


@pytest.mark.parametrize("policy", ["chronological", "recent"])
def test_the_order_within_an_instant_means_nothing(policy: str) -> None:
    rows = [(1, "x", "a", n) for n in (3, 1, 2)] + [(2, "x", "b", n) for n in (6, 4, 5)]
    rows += [(2, "x", "a", 7), (2, "x", "b", 3)]
    for query in (
        SEQUENCE,
        "SELECT * { ?x :a ?i . ?x :b ?j }",
        "SELECT * { ?x :b ?j OPTIONAL { ?x :a ?i } }",
    ):
        found = {
            repr(run(query, [*sorted(rows[:3], key=key), *sorted(rows[3:], key=key)], policy=policy))
            for key in (repr, lambda row: -row[3], lambda row: row[3] % 3)
        }
        assert len(found) == 1


# ---- what is consumed --------------------------------------------------------------------------------------


def test_both_sides_are_consumed() -> None:
    """The b of 2 ends one match and begins no other."""
    rows = [(1, "x", "a", 1), (2, "x", "b", 2), (3, "x", "c", 3)]
    query = "SELECT * { { { ?x :a ?i } UNION { ?x :b ?i } } SEQ { { ?x :b ?j } UNION { ?x :c ?j } } }"
    assert intervals(query, rows, "chronological") == [(1, 2)]


def test_each_query_consumes_for_itself() -> None:
    with Engine(policy="chronological") as engine:
        for name in ("one", "other"):
            engine.register(f"PREFIX : <urn:> {SEQUENCE}", name=name)
        engine.send_batch(table(TWO_AND_TWO))
        engine.finish()
        for name in ("one", "other"):
            assert [(start, end) for start, end, _ in seconds(engine, name)] == [(1, 3), (2, 4)]


def test_what_construct_makes_is_new() -> None:
    with Engine(policy="chronological") as engine:
        engine.register("PREFIX : <urn:> CONSTRUCT { ?x :a 9 } WHERE { { ?x :a ?i } SEQ { ?x :b ?j } }")
        engine.register("PREFIX : <urn:> SELECT ?i { ?x :a ?i }", name="all")
        engine.send_batch(table(TWO_AND_TWO))
        engine.finish()
        found = [(start, end, row["i"]) for start, end, row in seconds(engine, "all")]
    assert found == [(1, 1, 1), (2, 2, 2), (1, 3, 9), (2, 4, 9)]


def test_distinct_consumes_all_that_is_the_same() -> None:
    rows = [(1, "x", "a", 1), (1, "x", "a", 2), (2, "x", "b", 1), (2, "x", "b", 2), (3, "x", "b", 3)]
    query = "SELECT DISTINCT ?x { { ?x :a ?i } SEQ { ?x :b ?j } FILTER(?i = ?j || ?j = 3) }"
    assert intervals(query, rows, "chronological") == [(1, 2)]


def test_limit_consumes_what_its_rows_are_made_of() -> None:
    rows = [(1, "x", "a", 1), (1, "x", "a", 2), (2, "x", "b", 1), (2, "x", "b", 2), (3, "x", "b", 2)]
    query = "SELECT ?i { { ?x :a ?i } SEQ { ?x :b ?i } } ORDER BY ?i LIMIT 1"
    assert run(query, rows, policy="recent") == [(1, 2, {"i": 1}), (1, 3, {"i": 2})]


def test_a_match_without_an_answer_consumes_nothing() -> None:
    rows = [(1, "x", "a", 1), (2, "x", "b", 2), (3, "x", "b", "y")]
    query = "CONSTRUCT { ?j :after ?x } WHERE { { ?x :a ?i } SEQ { ?x :b ?j } }"
    assert intervals(query, rows, "recent") == [(1, 3)]


def test_what_exists_looks_for_is_not_consumed() -> None:
    rows = [(1, "x", "low", 1), (2, "x", "a", 1), (3, "x", "b", 1), (4, "x", "a", 2), (5, "x", "b", 2)]
    query = "SELECT ?i { { ?x :a ?i } SEQ { ?x :b ?j } FILTER EXISTS { { ?x :low ?l } SEQ { ?x :a ?i } } }"
    assert [row["i"] for _, _, row in run(query, rows, policy="chronological")] == [1, 2]


def test_a_test_decides_before_the_choice() -> None:
    rows = [*TWO_AND_TWO[:3], (3, "bad", "is", 1), TWO_AND_TWO[3]]
    query = "SELECT ?i ?j { { ?x :a ?i } SEQ { ?x :b ?j } FILTER NOT EXISTS { :bad :is ?i } }"
    assert intervals(query, rows, "chronological") == [(2, 3)]


def test_a_group_counts_what_was_taken() -> None:
    query = "SELECT (COUNT(*) AS ?n) { { ?x :a ?i } SEQ { ?x :b ?j } }"
    assert [row["n"] for _, _, row in run(query, TWO_AND_TWO, policy="recent")] == [1, 2]


def test_background_partners_all_count(tmp_path: Path) -> None:
    known = tmp_path / "known.nt"
    known.write_text("".join(f'<urn:x> <urn:b> "{n}" .\n' for n in (8, 9)))
    rows = [(1, "x", "a", 1), (2, "x", "b", 2), (3, "x", "b", 3)]
    query = "SELECT ?j { { ?x :a ?i } SEQ { ?x :b ?k } . ?x :b ?j }"
    found = run(query, rows, policy="chronological", background=[str(known)])
    assert sorted(str(row["j"]) for _, _, row in found) == ["2", "8", "9"]


FIRST_OR_LATER = [(1, "b", "p", "a"), (2, "c", "p", "a"), (5, "a", "p", "d"), (6, "u", "q", "v")]
PAIR = "{ ?y :p ?x } SEQ { ?x :p ?z }"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (f"{{ {PAIR} SEQ {{ ?u :q ?v }} FILTER(?y != :c) }}", ["b"]),
        (f"{{ {{ {PAIR} FILTER(?y != :c) }} SEQ {{ ?u :q ?v }} }}", ["b"]),
        (f"{{ {{ {PAIR} }} SEQ {{ ?u :q ?v }} FILTER(?y != :c) }}", []),
        (f"{{ {{ {PAIR} }} SEQ {{ ?u :q ?v }} FILTER(?y != :c && ?z = :d) }}", []),
        (f"{{ {{ {PAIR} BIND(?y AS ?w) }} SEQ {{ ?u :q ?v }} FILTER(?w != :c) }}", []),
        (f"{{ {{ {PAIR} }} FILTER(?y != :c) }}", []),
        (f"{{ {{ {PAIR} }} BIND(?y AS ?w) FILTER(?w != :c) }}", []),
        (f"{{ {{ {PAIR} FILTER(?z = :d) }} FILTER(?y != :c) }}", []),
        (f"{{ {{ ?u :q ?v }} UNION {{ {PAIR} }} FILTER(BOUND(?y) && ?y != :c) }}", []),
        (f"{{ {PAIR} UNION {{ ?u :q ?v }} FILTER(BOUND(?y) && ?y != :c) }}", ["b"]),
        (f"{{ {{ {PAIR} UNION {{ ?u :q ?v }} }} FILTER(BOUND(?y) && ?y != :c) }}", []),
        (f"{{ {{ {PAIR} MINUS {{ ?y :q ?y }} }} FILTER(?y != :c) }}", []),
        (f"{{ {{ SELECT ?y ?z {{ {PAIR} }} }} FILTER(?y != :c) }}", []),
        (f"{{ {{ SELECT ?y ?z {{ {PAIR} FILTER(?y != :c) }} }} }}", ["b"]),
        ("{ { ?x :p ?z . ?y :p ?x } FILTER(?y != :c) }", []),
        ("{ ?x :p ?z . ?y :p ?x FILTER(?y != :c) }", ["b"]),
        (f"{{ ?u :q ?v }} OPTIONAL {{ {PAIR} FILTER(?y != :c) }}", ["b"]),
        (f"{{ ?u :q ?v }} OPTIONAL {{ {{ {PAIR} }} FILTER(?y != :c) }}", [None]),
        ("{ ?x :p ?z } OPTIONAL { ?y :p ?x FILTER(?y != :c) } FILTER(?z = :d)", ["b"]),
        (f"{{ {{ {PAIR} }} FILTER(getDURATION() > 'PT3S'^^xsd:duration) }}", []),
        (f"{{ {{ {PAIR} }} FILTER(EXISTS {{ ?y :p ?x FILTER(?y != :c) }}) }}", []),
        (f"{{ {PAIR} FILTER(EXISTS {{ ?y :p ?x FILTER(?y != :c) }}) }}", ["b"]),
    ],
)  # fmt: skip
def test_a_filter_chooses_within_its_own_braces(query: str, expected: list[str | None]) -> None:
    """The pair takes (c p a), the later one; a filter outside its braces judges that, and no more."""
    text = "SELECT ?y WHERE " + (query if query.startswith("{ {") else f"{{ {query} }}")
    found = run(text, FIRST_OR_LATER, policy="recent")
    assert [row.get("y") for _, _, row in found] == expected


def test_a_window_holds_within_inner_braces() -> None:
    """A partner that is too old for the match around it is none, wherever it is chosen.

    a  1       6
    b             7
    c                8
    """
    rows = [(1, "x", "a", 1), (6, "x", "a", 6), (7, "x", "b", 7), (8, "x", "c", 8)]
    query = """SELECT * { { { ?x :a ?i } SEQ { ?x :b ?j } } SEQ { ?x :c ?k }
        FILTER(getDURATION() < "PT5S"^^xsd:duration) }"""
    assert intervals(query, rows, "chronological") == [(6, 8)]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { ?x :a+ ?y }",
        "SELECT * { ?x :a* ?y }",
        "SELECT * { ?x :a? ?y }",
        "SELECT * { { SELECT DISTINCT ?x { ?x :a ?i } } SEQ { ?x :b ?j } }",
        "SELECT DISTINCT ?x { ?x :a ?i } LIMIT 1",
        "DESCRIBE ?x { ?x :a ?i }",
    ],
)
def test_what_has_no_clear_meaning_is_refused(query: str) -> None:
    assert run(query, []) == []
    with pytest.raises(CompileError, match="EP212"):
        run(query, [], policy="recent")


def test_a_run_at_one_instant_has_no_policy() -> None:
    with Engine(policy="recent", at=0) as engine, pytest.raises(CompileError, match="EP212"):
        engine.register(SEQUENCE.replace(":a", "<urn:a>").replace(":b", "<urn:b>"))


def test_a_query_has_one_policy() -> None:
    with pytest.raises(CompileError, match="EP204"):
        run(f"PRAGMA policy recent\nPRAGMA policy chronological\n{SEQUENCE}", [])
