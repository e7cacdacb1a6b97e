"""Which parts of queries are shared, before and after."""

from __future__ import annotations

import pytest

from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.plan.own_nodes import own_nodes
from etalis_py.compiler.plan.plan import FilterPlan, QueryPlan, Scan, walk
from etalis_py.compiler.plan.sharing import share
from etalis_py.compiler.plan.widths import narrowed, narrowings_of, with_widest_windows

PREFIX = "PREFIX : <urn:>\n"


def plans(*queries: str, policy: str = "") -> list[QueryPlan]:
    return [
        query.plan
        for number, text in enumerate(queries, 1)
        for query in compile_program(policy + PREFIX + text, name=f"n{number}", first_number=number)
    ]


def scans(plan: QueryPlan) -> int:
    return sum(isinstance(node, Scan) for node in own_nodes(plan))


def own_scans(*queries: str) -> list[int]:
    return [scans(plan) for plan in share(plans(*queries)).plans]


RISE = "{ ?x :low ?a } SEQ { ?x :high ?b }"
RISE_OTHERWISE = "{ ?y :low ?c } SEQ { ?y :high ?d }"


def test_a_sequence_is_computed_by_the_first_query_that_has_it() -> None:
    queries = (f"SELECT * {{ {RISE} . ?x :p ?c }}", f"SELECT * {{ {RISE_OTHERWISE} . ?y :q ?z }}")
    assert own_scans(*queries) == [3, 1]
    first, second = share(plans(*queries)).plans
    assert second.shared.taken == first.shared.given != frozenset()


def test_triples_of_one_interval_are_joined_once_whatever_the_window() -> None:
    part = "{ ?x :p ?a } EQUALS { ?x :q ?b }"
    hour, day = (f'FILTER (getDURATION() < "{length}"^^xsd:duration)' for length in ("PT1H", "P1D"))
    assert own_scans(f"SELECT * {{ {part} {hour} }}", f"SELECT * {{ {part} }}") == [2, 0]
    first, second = share(plans(f"SELECT * {{ {part} {hour} }}", f"SELECT * {{ {part} {day} }}")).plans
    assert {node.window for node in own_nodes(first) if isinstance(node, Scan)} == {86_400_000_000}
    assert second.shared.taken == first.shared.given != frozenset()


def test_joins_in_windows_are_computed_once_whatever_the_width() -> None:
    def query(extent: str, pattern: str = "?x :p ?a . ?x :q ?b") -> str:
        return f"SELECT ISTREAM * FROM NAMED WINDOW :w ON :s [{extent}] {{ WINDOW :w {{ {pattern} }} }}"

    def scans_of(*queries: str) -> list[int]:
        return [scans(plan) for plan in share(with_widest_windows(plans(*queries))).plans]

    assert scans_of(*map(query, ("RANGE 5s", "RANGE 9s", "RANGE 20s STEP 10s"))) == [2, 0, 0]
    assert scans_of(query("RANGE 5s"), query("RANGE 9s", "?x :p ?a FILTER (?a > 1)")) == [2, 1]
    assert scans_of(query("RANGE 5s"), query("RANGE 9s WHOLE")) == [2, 2]
    assert scans_of(query("RANGE 5s"), query("NOW-5s TO NOW-1s")) == [2, 2]
    two = plans(query("RANGE 5s"), query("RANGE 9s"))
    narrowings = list(map(narrowings_of, with_widest_windows(two)))
    assert narrowings == [{"q1_snapshot_4": 4_000_000}, {"q2_snapshot_4": 0}]
    assert [narrowed(each, {}) for each in with_widest_windows(two)] == two


def test_goals_of_an_equal_left_side_are_shared_and_nothing_below_is_needed() -> None:
    assert own_scans(
        f"SELECT * {{ {RISE} SEQ {{ ?x :p ?c }} }}", f"SELECT * {{ {RISE} SEQ {{ ?x :q ?c }} }}"
    ) == [3, 1]
    assert own_scans(
        "SELECT * { { ?x :p ?a } SEQ { ?x :q ?b } }", "SELECT * { { ?x :p ?a } SEQ { ?x :r ?b } }"
    ) == [2, 1]


def test_goals_that_are_found_by_other_variables_are_not_shared() -> None:
    assert own_scans(
        "SELECT * { { ?x :p ?a } SEQ { ?x :q ?b } }", "SELECT * { { ?x :p ?a } SEQ { ?y :r ?a } }"
    ) == [2, 2]


def test_a_test_has_one_name_in_all_queries() -> None:
    texts = [f"SELECT * {{ ?x :p ?y FILTER {each} {{ ?x :q ?z }} }}" for each in ("EXISTS", "NOT EXISTS")]
    assert own_scans(*texts) == [2, 0]
    first, second = (
        [test.name for node in walk(plan.root) if isinstance(node, FilterPlan) for test in node.tests]
        for plan in share(plans(*texts)).plans
    )
    assert first == second


def test_tests_in_another_order_are_not_equal() -> None:
    one, other = "EXISTS { ?x :q ?z }", "EXISTS { ?x :r ?z }"
    texts = [
        f"SELECT * {{ ?x :p ?y BIND (({each}) AS ?w) }}"
        for each in (f"{one} && !{other}", f"{one} && !{one} && {other}")
    ]
    plain = share(plans(*texts)).plans
    assert len({each.root.name for each in plain}) == 2


def test_what_is_evaluated_for_each_match_is_not_shared() -> None:
    group = "{ ?x :q ?z FILTER (?y = 1) } UNION { ?u :r ?z . ?u :t ?z }"
    text = f"SELECT * {{ {{ ?x :p ?y . ?x :s ?k }} FILTER EXISTS {{ {group} }} }}"
    first, second = own_scans(text, text)
    assert 0 < second < first


def test_equal_queries_share_all_but_their_answers() -> None:
    assert own_scans(*[f"SELECT ?x {{ {RISE} }}"] * 3) == [2, 0, 0]


def test_equal_parts_of_one_query() -> None:
    part = "{{ ?{0} :p ?a{0} FILTER(?a{0} > 3) }}"
    [plan] = share(plans(f"SELECT * {{ {part.format('x')} {part.format('y')} }}")).plans
    assert scans(plan) == 1
    assert plan.shared.given
    assert not plan.shared.taken


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("{ ?x :p ?a } { ?x :q ?b }", "{ ?x :p ?a } { ?y :q ?b }", id="join"),
        pytest.param("{ ?x :p ?a } { ?x :q ?b }", "{ ?x :p ?a } EQUALS { ?x :q ?b }", id="operator"),
        pytest.param("{ ?x :p ?a FILTER(?a > 1) }", "{ ?x :p ?a FILTER(?a > 1.0) }", id="type"),
        pytest.param("{ ?x :p ?a FILTER(?a > 0e0) }", "{ ?x :p ?a FILTER(?a > -0e0) }", id="sign"),
        pytest.param("{ ?x :p ?a FILTER(RAND() > 0.5) }", "{ ?x :p ?a FILTER(RAND() > 0.5) }", id="random"),
        pytest.param("{ ?x :p ?a BIND(UUID() AS ?u) }", "{ ?x :p ?a BIND(UUID() AS ?u) }", id="new value"),
        pytest.param("{ ?x :p ?a }", "{ ?x :p ?a }", id="nothing is done"),
        pytest.param(
            '{ ?x :p ?a } { ?x :q ?b } FILTER(getDURATION() < "PT1M"^^xsd:duration)',
            '{ ?x :p ?a } { ?x :q ?b } FILTER(getDURATION() < "PT2M"^^xsd:duration)',
            id="window",
        ),
        pytest.param(
            "{ SELECT ?x ?a { { ?x :p ?a } { ?x :q ?b } } LIMIT 1 }",
            "{ SELECT ?x ?a { { ?x :p ?a } { ?x :r ?b } } LIMIT 1 }",
            id="slice of something else",
        ),
    ],
)
def test_parts_that_are_not_equal_are_not_shared(one: str, other: str) -> None:
    given = plans(f"SELECT * {{ {one} }}", f"SELECT * {{ {other} }}")
    sharing = share(given)
    assert all(new is old for new, old in zip(sharing.plans, given, strict=True))
    assert not sharing.taken_from


def test_a_query_with_a_policy_shares_nothing() -> None:
    given = plans(*[f"SELECT ?x {{ {RISE} }}"] * 2, policy="PRAGMA policy recent\n")
    assert list(share(given).plans) == given
