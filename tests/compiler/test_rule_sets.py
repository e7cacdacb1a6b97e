"""The rules of a query are those of its nodes, joined."""

from __future__ import annotations

import pytest

from etalis_py.compiler.algebra.policies import PolicyName
from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.rules.generate import generate_rules, rules_of_nodes
from etalis_py.compiler.rules.rules import RuleKind, RuleSet

QUERIES: list[tuple[str, PolicyName]] = [
    (
        "SELECT * { { ?x <urn:p> ?y } SEQ { ?y <urn:q> ?z } FILTER NOT EXISTS { ?x <urn:r> ?z } }",
        "unrestricted",
    ),
    ("SELECT * { { ?x <urn:p> ?y } OPTIONAL { ?y <urn:q>+ ?z } MINUS { ?x <urn:r> ?z } }", "unrestricted"),
    ("ASK { { ?x <urn:p> ?y } PAR { ?y <urn:q> ?z } }", "recent"),
    ("SELECT ?x (COUNT(*) AS ?n) { ?x <urn:p> ?y } GROUP BY ?x ORDER BY ?n LIMIT 1", "unrestricted"),
]


@pytest.mark.parametrize(("text", "policy"), QUERIES)
def test_a_query_has_the_rules_of_its_nodes(text: str, policy: PolicyName) -> None:
    [query] = compile_program(text, name="query", policy=policy, background=lambda _: True)
    whole, nodes = generate_rules(query.plan), RuleSet.joined(rules_of_nodes(query.plan).values())
    assert whole.rules[: len(nodes.rules)] == nodes.rules
    kinds = [each.kind for each in whole.rules[len(nodes.rules) :]]
    assert kinds == [RuleKind.ANSWER] + [RuleKind.CONSUMING] * (policy != "unrestricted")
    assert (whole.stores, whole.declarations, whole.preparations) == (
        nodes.stores,
        nodes.declarations,
        nodes.preparations,
    )
    assert generate_rules(query.plan) == whole


def test_a_side_that_no_event_reaches_keeps_no_goals() -> None:
    text = "SELECT * { ?x <urn:p> ?y . GRAPH <urn:g> { ?y <urn:q> ?z } }"
    [query] = compile_program(text, name="query", background=lambda _: True)
    assert not [each for each in query.rules.stores if each.name.endswith(("_left", "_right"))]
