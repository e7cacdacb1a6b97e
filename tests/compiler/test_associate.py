"""Which chains are bracketed anew, what becomes of windows and filters, and what stays as it is written."""

from __future__ import annotations

import pytest

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.association.associate import ChainPattern, associate
from etalis_py.compiler.association.association import Tree, right_deep
from etalis_py.compiler.compile import compile_program, no_background
from etalis_py.compiler.plan.build_plan import build_plan
from etalis_py.compiler.plan.plan import walk
from etalis_py.engine.engine import Engine

PREFIX = "PREFIX : <urn:>\n"
SECONDS = 'getDURATION() < "PT{}S"^^xsd:duration'
CHAIN = "{ ?x :p ?a } SEQ { ?x :q ?b } SEQ { ?x :r ?c }"
RIGHT = "{ ?x :p ?a } SEQ { { ?x :q ?b } SEQ { ?x :r ?c } }"
RATES = {":p": 100.0, ":q": 100.0, ":r": 0.01}


def meaning(text: str) -> algebra.Pattern:
    """The algebra after the passes that are always run."""
    [query] = compile_program(f"{PREFIX}SELECT * {{ {text} }}", name="query")
    return query.optimized.pattern


def from_the_right(text: str, background: bool = False) -> tuple[algebra.Pattern, list[ChainPattern]]:
    """The algebra with all chains bracketed from the right, and the chains."""
    chains: list[ChainPattern] = []

    def choose(chain: ChainPattern) -> Tree:
        chains.append(chain)
        return right_deep(len(chain.operands))

    return associate(meaning(text), choose, lambda _: background), chains


@pytest.mark.parametrize(
    ("written", "equal"),
    [
        pytest.param(CHAIN, RIGHT, id="left"),
        pytest.param("{ { ?x :p ?a } SEQ { ?x :q ?b } } SEQ { ?x :r ?c }", RIGHT, id="in braces"),
        pytest.param(
            f"{CHAIN} SEQ {{ ?x :s ?d }}",
            "{ ?x :p ?a } SEQ { { ?x :q ?b } SEQ { { ?x :r ?c } SEQ { ?x :s ?d } } }",
            id="four",
        ),
        pytest.param(
            "{ { ?x :p ?a } SEQ { ?x :q ?b } FILTER(?a < ?b) } SEQ { ?x :r ?c }",
            f"{RIGHT} FILTER(?a < ?b)",
            id="a filter in braces",
        ),
        pytest.param(
            f"{CHAIN} FILTER(?b < ?c)",
            "{ ?x :p ?a } SEQ { { ?x :q ?b } SEQ { ?x :r ?c } FILTER(?b < ?c) }",
            id="a filter that finds a lower place",
        ),
        pytest.param(
            f"{CHAIN} FILTER({SECONDS.format(5)})", f"{RIGHT} FILTER({SECONDS.format(5)})", id="window"
        ),
        pytest.param(
            f"{{ ?x :s ?d }} OPTIONAL {{ {CHAIN} }}", f"{{ ?x :s ?d }} OPTIONAL {{ {RIGHT} }}", id="optional"
        ),
        pytest.param("?x :p ?a . ?x :q ?b . ?x :r ?c", "?x :p ?a . { ?x :q ?b . ?x :r ?c }", id="join"),
    ],
)
def test_bracketed_from_the_right(written: str, equal: str) -> None:
    assert from_the_right(written)[0] == meaning(equal)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{ ?x :p ?a } SEQ { ?x :q ?b }", id="two"),
        pytest.param(
            f"{{ {{ ?x :p ?a }} SEQ {{ ?x :q ?b }} FILTER({SECONDS.format(5)}) }} SEQ {{ ?x :r ?c }}",
            id="a window in braces",
        ),
        pytest.param(
            "{ { ?x :p ?a } SEQ { ?x :q ?b } FILTER(getSTARTTIME() != ?a) } SEQ { ?x :r ?c }", id="a time"
        ),
        pytest.param(
            "{ { ?x :p ?a } SEQ { ?x :q ?b } FILTER EXISTS { ?x :s ?a } } SEQ { ?x :r ?c }", id="EXISTS"
        ),
        pytest.param("{ { ?x :p ?a } SEQ { ?x :q ?b } BIND(1 AS ?d) } SEQ { ?x :r ?c }", id="BIND"),
        pytest.param("{ ?x :p ?a } SEQ { ?x :q ?b } OPTIONALSEQ { ?x :r ?c }", id="OPTIONALSEQ"),
        pytest.param("{ ?x :p ?a } SEQ { ?x :q ?b } EQUALS { ?x :r ?c }", id="EQUALS"),
        pytest.param(
            "{ { ?x :p ?a } SEQ { ?x :q ?b } FILTER(!bound(?c)) } SEQ { ?x :r ?c }", id="bound elsewhere"
        ),
        pytest.param("{ { SELECT ?x { { ?x :p ?a } SEQ { ?x :q ?b } } } } SEQ { ?x :r ?c }", id="SELECT"),
        pytest.param("?x :p* ?a . ?x :q ?b . ?x :r ?c", id="a path of no steps"),
        pytest.param("?x :p ?a . ?x :q ?b . GRAPH :g { ?x :r ?c }", id="a named graph"),
        pytest.param("?x :p ?a . ?x :q ?b VALUES ?x { :a }", id="VALUES"),
    ],
)
def test_as_written(text: str) -> None:
    found, chains = from_the_right(text)
    assert found == meaning(text)
    assert chains == []


def test_a_join_that_background_takes_part_in_stays() -> None:
    text = "?x :p ?a . ?x :q ?b . ?x :r ?c"
    assert from_the_right(text, background=True)[0] == meaning(text)


def test_what_a_chooser_is_told() -> None:
    inner = "{ { ?x :p ?a } SEQ { ?x :q ?b } FILTER(?a < ?b) }"
    _, [chain] = from_the_right(f"{inner} SEQ {{ ?x :r ?c }} FILTER({SECONDS.format(5)})")
    assert (len(chain.operands), chain.written, chain.window) == (3, ((0, 1), 2), 5_000_000)
    assert len(chain.conditions) == 2


@pytest.mark.parametrize("tree", [((0, 1), (2, 3)), (((0, 1), 2), 3), (0, (1, (2, 3))), (0, ((1, 2), 3))])
def test_each_order_has_the_window_everywhere(tree: Tree) -> None:
    text = f"{CHAIN} SEQ {{ ?x :s ?d . ?x :t ?e }} FILTER({SECONDS.format(5)})"
    [query] = compile_program(f"{PREFIX}SELECT * {{ {text} }}", name="query")
    pattern = associate(query.optimized.pattern, lambda _: tree, no_background)
    root = build_plan(algebra.SelectQuery(pattern, (), False), 1, no_background).root
    parts = [node for node in walk(root) if node is not root]
    assert len(parts) == 10
    assert {node.window for node in parts} == {5_000_000}


def test_columns_keep_their_order() -> None:
    text = "?x :p ?a . ?x :q ?b . ?x :r ?c"
    pattern = associate(meaning(text), lambda _: ((0, 2), 1), no_background)
    assert algebra.variables(pattern) == algebra.variables(meaning(text))


@pytest.mark.parametrize(
    ("policy", "at", "reordered"),
    [("unrestricted", None, True), ("recent", None, False), ("unrestricted", 1, False)],
)
def test_neither_under_a_policy_nor_at_one_instant(policy, at: int | None, reordered: bool) -> None:
    with Engine(policy=policy, at=at) as engine:
        engine.register(f"{PREFIX}SELECT * {{ {CHAIN} }}", name="query", rates=RATES)
        query = engine.query("query")
        [written] = compile_program(f"{PREFIX}SELECT * {{ {CHAIN} }}", name="query", policy=policy)
        assert (query.optimized.pattern != written.optimized.pattern) is reordered
        assert bool(query.orders) is reordered
