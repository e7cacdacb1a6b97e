"""Programs of CONSTRUCT queries: recursion, what is refused, invented values, blank nodes."""

from __future__ import annotations

import time

import pytest

from etalis_py.core.errors import CompileError, RunTimeError
from etalis_py.engine.engine import Engine
from tests.engine.conftest import seconds, table

PREFIX = "PREFIX : <urn:> "
REACH = (
    "CONSTRUCT { ?x :reach ?y } WHERE { ?x :edge ?y } ;; "
    "PREFIX : <urn:> CONSTRUCT { ?x :reach ?z } WHERE { { ?x :reach ?y } SEQ { ?y :edge ?z } } ;; "
    "PREFIX : <urn:> SELECT ?x ?y WHERE { ?x :reach ?y }"
)


def test_reachability_in_the_order_of_time() -> None:
    """Ways that go forward in time.

    time   1       2       3       4
    edge   a->b    b->c    x->a    c->d
    reach  a->b    b->c    x->a    c->d
                   a->c            b->d, a->d   (but not x->b: that edge was earlier)
    """
    edges = [(1, "a", "edge", "b"), (2, "b", "edge", "c"), (3, "x", "edge", "a"), (4, "c", "edge", "d")]
    with Engine() as engine:
        *_, reach = engine.register(PREFIX + REACH, name="reach")
        engine.send_batch(table(edges))
        engine.finish()
        found = [(start, end, row["x"] + row["y"]) for start, end, row in seconds(engine, reach)]
    assert found == [
        (1, 1, "ab"), (1, 2, "ac"), (2, 2, "bc"), (3, 3, "xa"), (1, 4, "ad"), (2, 4, "bd"), (4, 4, "cd"),
    ]  # fmt: skip


def test_a_cycle_of_edges_comes_to_an_end() -> None:
    edges = [(1, "a", "edge", "b"), (2, "b", "edge", "a"), (3, "a", "edge", "b")]
    with Engine() as engine:
        *_, reach = engine.register(PREFIX + REACH, name="reach")
        engine.send_batch(table(edges))
        engine.finish()
        found = [(start, end, row["x"] + row["y"]) for start, end, row in seconds(engine, reach)]
    assert found == [
        (1, 1, "ab"), (1, 2, "aa"), (2, 2, "ba"), (1, 3, "ab"), (2, 3, "bb"), (3, 3, "ab"),
    ]  # fmt: skip


def test_two_queries_that_feed_each_other() -> None:
    """An even and an odd number of steps, all in one instant: the least fixpoint."""
    program = (
        "CONSTRUCT { ?x :odd ?y } WHERE { ?x :even ?m . ?m :step ?y } ;; "
        "PREFIX : <urn:> CONSTRUCT { ?x :even ?y } WHERE { ?x :odd ?m . ?m :step ?y } ;; "
        "PREFIX : <urn:> SELECT ?y WHERE { :a :even ?y }"
    )
    steps = [(1, "a", "even", "a"), (1, "a", "step", "b"), (1, "b", "step", "c"), (1, "c", "step", "a")]
    with Engine() as engine:
        *_, even = engine.register(PREFIX + program, name="steps")
        engine.send_batch(table(steps))
        engine.finish()
        assert seconds(engine, even) == [(1, 1, {"y": "a"}), (1, 1, {"y": "b"}), (1, 1, {"y": "c"})]


@pytest.mark.parametrize(
    ("where", "operator"),
    [
        ("{ ?x :seen ?y MINUS { ?x :calm ?z } }", "MINUS"),
        ("{ ?x :seen ?y FILTER NOT EXISTS { ?x :calm ?z } }", "EXISTS"),
        ("{ ?x :seen ?y { SELECT ?x (COUNT(?z) AS ?n) { ?x :calm ?z } GROUP BY ?x } }", "aggregate"),
        ("{ ?x :seen ?y { SELECT ?x { ?x :calm ?z } LIMIT 1 } }", "ORDER BY or LIMIT"),
    ],
)
def test_what_waits_for_itself_is_refused(where: str, operator: str) -> None:
    with Engine() as engine, pytest.raises(CompileError) as caught:
        engine.register(f"{PREFIX} CONSTRUCT {{ ?x :calm true }} WHERE {where}", name="calm")
    assert caught.value.code == "EP205"
    assert f"the {operator} depends on its own result within one instant: {operator} (calm, line 1)" in str(
        caught.value
    )


def test_what_waits_for_what_is_earlier_is_not_refused() -> None:
    count = "SELECT ?x (COUNT(*) AS ?n) { ?x :p ?y } GROUP BY ?x"
    query = f"CONSTRUCT {{ ?x :n ?n }} WHERE {{ {{ ?x :n ?m }} SEQ {{ {count} }} }}"
    with Engine() as engine:
        engine.register(PREFIX + query)
        engine.send_batch(table([(0, "a", "n", 0), (1, "a", "p", "b"), (2, "a", "p", "c")]))
        engine.finish()
        found = {
            (match.end, triple[2][0]) for match in engine.matches() for triple in match.encoded_triples or ()
        }
    assert found == {(1_000_000, 1), (2_000_000, 2)}


def test_invented_values_come_to_an_end() -> None:
    query = "CONSTRUCT { ?x :n ?m } WHERE { ?x :n ?n BIND(?n + 1 AS ?m) }"
    with Engine(max_derivations=50) as engine:
        engine.register(PREFIX + query)
        with pytest.raises(RunTimeError, match="EP302"):
            engine.send_batch(table([(0, "a", "n", 0), (1, "a", "n", 0)]))


def test_a_blank_node_is_new_for_each_solution() -> None:
    query = "CONSTRUCT { _:b :of ?x ; :and ?y . [] :too _:b } WHERE { ?x :p ?y }"
    with Engine() as engine:
        engine.register(PREFIX + query)
        engine.send_batch(table([(1, "a", "p", "c"), (1, "b", "p", "c")]))
        engine.finish()
        graphs = [match.encoded_triples or () for match in engine.matches()]
    labels = [{triple[0] for triple in graph} for graph in graphs]
    assert [len(each) for each in labels] == [2, 2]
    assert not labels[0] & labels[1]


def test_what_is_made_within_one_instant_is_found_at_once() -> None:
    """40,000 triples with one object take 0.4 s, ten times as long if compared with all before."""
    many = 40_000
    with Engine() as engine:
        engine.register(PREFIX + "CONSTRUCT { ?y :of ?x } WHERE { ?x :has ?y }", name="made")
        rows = [(1, "one", "has", f"part{number}") for number in range(many)]
        engine.send_batch(table(rows))
        before = time.process_time()
        engine.finish()
        assert time.process_time() - before < 4
        assert sum(1 for _ in engine.matches("made")) == many
