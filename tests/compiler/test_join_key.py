"""Join-key analysis: which programs can be dealt out, by what, and what is in the way."""

from __future__ import annotations

import pytest

from etalis_py.compiler.algebra.algebra import TriplePattern
from etalis_py.compiler.compile import CompiledQuery, compile_program
from etalis_py.compiler.partition.join_key import KeyPlan, find_key
from etalis_py.compiler.plan.triggers import Trigger, TriggerFinder, plain_triggers

TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def planned(*queries: str, triggers: TriggerFinder = plain_triggers) -> KeyPlan:
    compiled: list[CompiledQuery] = []
    for query in queries:
        text = "PREFIX : <urn:>\n" + query
        compiled += compile_program(text, name=f"q{len(compiled)}", first_number=len(compiled) + 1)
    return find_key([each.plan for each in compiled], triggers)


@pytest.mark.parametrize(
    ("query", "routes"),
    [
        ("SELECT * { { ?x :p ?y } SEQ { ?x :q ?z } }", {"urn:p": "s", "urn:q": "s"}),
        ("SELECT * { { ?x :p ?y } SEQ { ?y :q ?z } }", {"urn:p": "o", "urn:q": "s"}),
        ("SELECT * { { ?x :p ?y . ?x :r ?u } SEQ { ?x :q ?z } }", {f"urn:{p}": "s" for p in "pqr"}),
        ("SELECT * { { ?x :p ?y } OPTIONAL { ?x :q ?z } }", {"urn:p": "s", "urn:q": "s"}),
        ("SELECT * { { ?x :p ?y } UNION { ?y :q ?x } }", {"urn:p": "s", "urn:q": "o"}),
        ("SELECT * { { ?x :p ?y } UNION { ?z :q 1 } }", {"urn:p": "s", "urn:q": "s"}),
        # Evaluated for each match: each part is found by ?x, or one is not.
        (
            "SELECT * { ?x :p ?y FILTER EXISTS { ?x :q ?z OPTIONAL { ?x :r ?u FILTER(?y = 1) } } }",
            {f"urn:{p}": "s" for p in "pqr"},
        ),
        ("SELECT * { ?x :p ?y FILTER EXISTS { ?x :q ?z MINUS { ?z :r ?y } } }", None),
        (
            """SELECT * { ?x :p ?y FILTER EXISTS {
            ?x :q ?y OPTIONAL {
            SELECT ?y { VALUES ?x { 1 } FILTER EXISTS { ?x :r ?u FILTER(?u != ?y) } } } } }""",
            None,
        ),
        ("SELECT * { ?x :p ?y FILTER(?y > 1) BIND(?y + 1 AS ?z) }", {"urn:p": "s"}),
        # Not ?x, by which :p would have to go two ways.
        ("SELECT * { { ?x :p ?y } SEQ { ?y :p ?x } SEQ { ?y :p ?y } }", None),
        ("SELECT * { { ?x :p ?y . ?y :p ?z } SEQ { ?y :q ?x } }", None),
        ("SELECT * { { ?x :p ?y . ?z :p ?y } SEQ { ?y :q ?x } }", {"urn:p": "o", "urn:q": "s"}),
    ],
)  # fmt: skip
def test_a_key_and_where_each_predicate_has_it(query: str, routes: dict[str, str] | None) -> None:
    key = planned(query)
    assert key.is_partitioned is (routes is not None)
    assert key.routes.positions == (routes or {})


@pytest.mark.parametrize(
    ("queries", "keys", "routes"),
    [
        (["SELECT * { { ?x :p ?y } SEQ { ?x :q ?y } }"], [("x", "y")], {"urn:p": "so", "urn:q": "so"}),
        (["SELECT * { { ?x :p ?y } SEQ { ?y :q ?x } }"], [("x", "y")], {"urn:p": "so", "urn:q": "os"}),
        (["SELECT * { { ?x :p ?y . ?y :q ?x } OPTIONAL { ?y :r ?z } }"], [("y",)], None),
        # One maker, one reader: the reader has but one of the two.
        (
            ["CONSTRUCT { ?x :r ?y } { ?x :p ?y . ?x :q ?y }", "SELECT * { ?a :r ?b . ?a :s ?c }"],
            [("x",), ("a",)],
            None,
        ),
        (
            ["CONSTRUCT { ?x :r ?y } { ?x :p ?y . ?x :q ?y }", "SELECT * { ?a :r ?b . ?a :s ?b }"],
            [("x", "y"), ("a", "b")],
            {f"urn:{p}": "so" for p in "pqrs"},
        ),
    ],
)
def test_a_key_of_several_variables(
    queries: list[str], keys: list[tuple[str, ...]], routes: dict[str, str] | None
) -> None:
    key = planned(*queries)
    assert list(key.keys.values()) == keys
    assert routes is None or key.routes.positions == routes


def test_answers_that_show_half_of_the_key_are_merged() -> None:
    group = "{ ?x :p ?y . ?x :q ?y }"
    assert planned(f"CONSTRUCT {{ ?x :r 1 }} {group}").merge == {1}
    assert not planned(f"CONSTRUCT {{ ?x :r ?y }} {group}").merge
    assert planned(f"SELECT DISTINCT ?x {group}").keys == {1: ("x",)}


@pytest.mark.parametrize("policy", ["chronological", "recent"])
def test_partners_are_chosen_within_a_key(policy: str) -> None:
    """All candidates have the key, and an occurrence is consumed in the one part where it is."""
    query = "SELECT * { { ?x :p ?y } SEQ { ?x :q ?z FILTER NOT EXISTS { ?x :r ?w } } FILTER(?z > ?y) }"
    key = planned(f"PRAGMA policy {policy}\n{query}")
    assert key.routes.positions == {"urn:p": "s", "urn:q": "s", "urn:r": "s"}
    assert not planned(
        f"PRAGMA policy {policy}\nSELECT * {{ {{ ?x :p ?y }} SEQ {{ ?u :q ?z }} }}"
    ).is_partitioned
    tested = "SELECT * { { ?x :p ?y } SEQ { ?x :q ?z } FILTER NOT EXISTS { ?w :r ?y } }"
    assert not planned(f"PRAGMA policy {policy}\n{tested}").is_partitioned


def test_a_variable_predicate_sends_everything_one_way() -> None:
    key = planned("SELECT * { { ?x ?p ?y } SEQ { ?x :q ?z } }")
    assert key.is_partitioned
    assert (key.routes.other, key.routes.positions) == ("s", {"urn:q": "s"})


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT * {\n { ?x :p ?y } SEQ { ?z :q ?w } }", "this SEQ has no variable in common on both sides"),
        (
            "SELECT * { { { ?x :p ?y } SEQ { ?y :q ?z } } EQUALS { ?x :r ?w } }",
            "this EQUALS joins on ?x, the operators below on something else",
        ),
        ("SELECT * { { ?x :p ?y } SEQ { <urn:a> :q 1 } }", "this pattern has no variable"),
        ("SELECT * { { ?x :p ?y } SEQ { ?y :p ?z } }", "needs events by another position"),
        ("SELECT * { { SELECT DISTINCT ?y { ?x :p ?y . ?x :q ?y } } }", None),
        ("SELECT * { { SELECT DISTINCT ?y { ?x :p ?y . ?x :q ?z } } }", "a DISTINCT within it"),
    ],
)
def test_what_is_in_the_way_is_named(query: str, reason: str | None) -> None:
    key = planned(query)
    assert key.is_partitioned is (reason is None)
    assert (reason or "") in "\n".join(each.reason for each in key.obstacles)


def test_every_operator_in_the_way_is_named() -> None:
    key = planned(
        "SELECT * { { ?a :p ?b } SEQ { ?c :q ?d } }", "SELECT * { { ?a :p ?b } EQUALS { ?c :q ?d } }"
    )
    assert [each.query for each in key.obstacles] == [1, 2]


def test_a_construct_must_carry_the_key_to_where_it_is_read() -> None:
    maker = "CONSTRUCT { ?x :r ?z } { { ?x :p ?y } SEQ { ?x :q ?z } }"
    assert planned(maker, "SELECT * { { ?x :r ?y } SEQ { ?x :p ?z } }").is_partitioned
    unkeyed = planned(maker, "SELECT * { { ?y :r ?x } SEQ { ?x :p ?z } }")
    assert [(each.query, "another key" in each.reason) for each in unkeyed.obstacles] == [(2, True)]


def test_a_new_blank_node_is_in_no_other_part() -> None:
    maker = "CONSTRUCT { _:b :r ?z ; :s ?z } { ?x :p ?y . ?x :q ?z }"
    assert not planned(maker).merge
    assert planned(maker, "SELECT * { ?made :r ?z ; :s ?u }").is_partitioned
    assert not planned(maker, "SELECT * { ?made :r ?z . ?made2 :s ?z }").is_partitioned
    # The label in the pattern has nothing to do with it.
    same = planned("CONSTRUCT { ?y :r _:b } { _:b :p ?y ; :q ?z }", "SELECT * { ?y :r ?x . ?y :q ?z }")
    assert not same.is_partitioned


def test_the_key_of_a_query_gives_way_to_that_of_the_next() -> None:
    maker = "CONSTRUCT { ?x :r ?y } { ?x :p ?y . ?x :q ?y }"
    for reader, position in (("{ ?a :r ?b } SEQ { ?a :u ?c }", "s"), ("{ ?a :r ?b } SEQ { ?b :u ?c }", "o")):
        key = planned(maker, f"SELECT * {{ {reader} }}")
        assert key.is_partitioned
        assert key.routes.positions["urn:p"] == position


def test_equal_answers_of_different_parts_are_merged() -> None:
    assert planned("SELECT DISTINCT ?y { { ?x :p ?y } SEQ { ?x :q ?z } }").merge == {1}
    assert planned("SELECT DISTINCT ?x { { ?x :p ?y } SEQ { ?x :q ?z } }").merge == set()
    assert not planned("SELECT * { { SELECT DISTINCT ?y { ?x :p ?y } } }").merge
    assert planned("CONSTRUCT { ?y :r 1 } { { ?x :p ?y } SEQ { ?x :q ?z } }").merge == {1}
    assert not planned("CONSTRUCT { ?x :r ?y } { { ?x :p ?y } SEQ { ?x :q ?z } }").merge


# ---- rows of a group beside solutions with its key ---------------------------------------------------------


@pytest.mark.parametrize(
    ("asking", "group", "window", "partitioned"),
    [
        ("?x :v ?v", "?x :v ?u", "", True),
        ("?x :v ?v", "?x :v ?u", "WINDOW [RANGE PT1H]", True),
        ("?x :v ?v", "?x :v ?u", "WINDOW [NOW-PT2H TO NOW-PT1H]", True),
        ("{ ?x :v ?v } EQUALS { ?x :w ?w }", "?x :v ?u BIND(?u + 1 AS ?more)", "", True),
        ("{ ?x :v ?v } EQUALS { ?x :w ?w }", "{ ?x :w ?w } EQUALS { ?x :v ?u }", "", True),
        ("?x :v 1 FILTER(STR(?x) > 'a')", "?x :v ?u", "", True),
        ("?x :v ?v OPTIONAL { ?x :w ?w }", "?x :v ?u", "", True),
        # The rows of one key are made when a solution of another key arrives.
        ("?x :w ?w", "?x :v ?u", "", False),
        ("?x :v ?v", "?x :v 1", "", False),
        ("?x :v ?v", "?x :v ?x", "", False),
        ("?x :v ?v", "?x :v ?u . ?x :w ?w", "", False),
        ("?x :v ?v . ?x :w ?w", "?x :v ?u . ?x :w ?u", "", False),
        ("?x :v ?v", "?x :v ?u FILTER(?u > 1)", "", False),
        ("?x :v ?v", "{ ?x :v ?u } SEQ { ?x :v ?u }", "", False),
        ("{ ?x :v ?v } UNION { ?x :w ?w }", "?x :v ?u", "", False),
        # These range over all keys, and over all instants.
        ("?x :v ?v", "?x :v ?u", "WINDOW [ROWS 5]", False),
        ("?x :v ?v", "?x :v ?u", "WINDOW [RANGE PT1H STEP PT1M]", False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("operator", ["EQUALS", "EQUALSOPTIONAL"])
def test_a_group_is_dealt_out_where_other_keys_do_not_decide_when_it_has_rows(
    operator: str, asking: str, group: str, window: str, partitioned: bool
) -> None:
    sub_select = f"SELECT ?x (COUNT(*) AS ?n) {{ {group} }} GROUP BY ?x {window}"
    key = planned(f"SELECT * {{ {{ {asking} }} {operator} {{ {sub_select} }} }}")
    assert key.is_partitioned is partitioned
    assert partitioned or "rows of all groups" in "".join(each.reason for each in key.obstacles)


# ---- with an ontology: :sub is below :p, :of has the domain :C, :to the range :C, and :both both -----------


def ontology(pattern: TriplePattern) -> list[Trigger]:
    predicate, value = (getattr(term, "value", None) for term in (pattern.predicate, pattern.object))
    match predicate, value:
        case "urn:p", _:
            return [Trigger("urn:p"), Trigger("urn:sub", "subproperty")]
        case str(), "urn:C" | "urn:D":
            given = [Trigger("urn:of", "domain", "s", None), Trigger("urn:to", "range", "o", None)]
            both = [Trigger("urn:both", "domain", "s", None), Trigger("urn:both", "range", "o", None)]
            return [Trigger(TYPE, "class", "s", None), *given, *(both if value == "urn:D" else [])]
        case None, _:
            return [Trigger(None, "any", None, None)]
        case _:
            return plain_triggers(pattern)


def test_what_entails_a_match_has_the_key_in_its_own_position() -> None:
    routes = planned("SELECT * { { ?x a :C } SEQ { ?x :p ?y } }", triggers=ontology).routes
    assert routes.positions == {TYPE: "s", "urn:of": "s", "urn:to": "o", "urn:p": "s", "urn:sub": "s"}
    assert routes.other is None


@pytest.mark.parametrize("pattern", ["?x a :D", "?x ?y ?z"])
def test_what_entails_a_match_and_does_not_tell_its_key(pattern: str) -> None:
    key = planned(f"SELECT * {{ {pattern} }}", triggers=ontology)
    assert "through the background" in key.obstacles[0].reason


def test_made_triples_are_read_through_the_ontology_by_the_right_key() -> None:
    reader = "SELECT * { { ?x a :C } SEQ { ?x :p ?y } }"
    assert (
        planned("CONSTRUCT { ?a :to ?b } { ?b :q ?a }", reader, triggers=ontology).routes.positions["urn:q"]
        == "s"
    )
    assert (
        planned("CONSTRUCT { ?a :of ?b } { ?b :q ?a }", reader, triggers=ontology).routes.positions["urn:q"]
        == "o"
    )
    assert not planned("CONSTRUCT { ?a ?b 1 } { ?b :q ?a }", reader, triggers=ontology).is_partitioned


def test_a_union_of_many_ways_does_not_take_for_ever() -> None:
    ways = " UNION ".join(
        f"{{ ?a{number} :p{number} ?b{number} . ?a{number} :q ?b{number} }}" for number in range(40)
    )
    assert planned(f"SELECT * {{ {ways} }}").is_partitioned


NARROW = "FROM NAMED WINDOW :w ON :s [RANGE 10s STEP 5s] FROM NAMED WINDOW :v ON :t [RANGE 20s STEP 5s]"
LASTS = NARROW.replace("RANGE 20s STEP 5s", "RANGE UNBOUNDED")
SLIDES = "FROM NAMED WINDOW :w ON :s [RANGE 10s]"


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        (f"SELECT ?x ?z {NARROW} {{ WINDOW :w {{ ?x :p ?y }} WINDOW :v {{ ?x :q ?z }} }}", "s"),
        (f"SELECT ISTREAM ?x {NARROW} {{ WINDOW :w {{ ?x :p ?y }} WINDOW :v {{ ?x :q ?z }} }}", "s"),
        (f"SELECT ?x {NARROW} {{ WINDOW :w {{ ?x :p ?y }} OPTIONAL {{ WINDOW :v {{ ?x :q ?z }} }} }}", "s"),
        (f"SELECT ?x (SUM(?y) AS ?n) {NARROW} {{ WINDOW :w {{ ?x :p ?y }} }} GROUP BY ?x", "s"),
        (f"SELECT DSTREAM ?x {SLIDES} {{ WINDOW :w {{ ?x :p ?y }} }}", "s"),
        (f"SELECT DSTREAM ?y {SLIDES} {{ WINDOW :w {{ ?x :p ?y }} }}", "o"),
    ],
)
def test_windows_on_streams_that_have_a_key(query: str, keys: str) -> None:
    key = planned(query)
    assert key.is_partitioned
    assert set(key.routes.positions.values()) == {keys}


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (f"SELECT (COUNT(*) AS ?n) {NARROW} {{ WINDOW :w {{ ?x :p ?y }} }}", "has a row"),
        (f"SELECT ?x {SLIDES} {{ WINDOW :w {{ ?x :p ?y }} }}", "any key"),
        (f"SELECT ISTREAM (?y + 1 AS ?z) {NARROW} {{ WINDOW :w {{ ?x :p ?y }} }}", "do not have the key"),
        ("SELECT * FROM NAMED WINDOW :w ON :s [ELEMENTS 2] { WINDOW :w { ?x :p ?y } }", "the newest"),
        (f"SELECT ?x {LASTS} {{ WINDOW :w {{ ?x :p ?y }} WINDOW :v {{ ?x :q ?z }} }}", "never empty"),
        (f"SELECT * {NARROW} {{ WINDOW :w {{ ?x :p ?y }} }} ORDER BY ?y LIMIT 1", "ORDER BY"),
    ],
)  # fmt: skip
def test_windows_on_streams_that_stay_together(query: str, reason: str) -> None:
    assert any(reason in each.reason for each in planned(query).obstacles)
