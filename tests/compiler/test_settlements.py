"""The settlement order as queries are added one by one."""

from __future__ import annotations

import random

from etalis_py.compiler.algebra.algebra import TriplePattern
from etalis_py.compiler.compile import CompiledQuery, compile_program
from etalis_py.compiler.plan.plan import walk
from etalis_py.compiler.plan.settlements import Settlements
from etalis_py.compiler.plan.strata import unifies

PREFIX = "PREFIX : <urn:>\n"


def compiled(text: str, number: int) -> CompiledQuery:
    [query] = compile_program(PREFIX + text, name=f"n{number}", first_number=number)
    return query


def maker(reads: str, makes: str, number: int) -> CompiledQuery:
    text = f"CONSTRUCT {{ ?x :{makes} ?y }} {{ {{ ?x :{reads} ?y }} OPTIONAL {{ ?x :other ?z }} }}"
    return compiled(text, number)


def order(settlements: Settlements) -> list[str]:
    return [node.name.split("_")[0] for node in settlements.order]


def test_a_chain_has_one_order_however_it_is_added() -> None:
    random.seed(7)
    chain = [maker(f"p{number}", f"p{number + 1}", number) for number in range(1, 31)]
    for _ in range(10):
        settlements = Settlements(unifies)
        for query in random.sample(chain, len(chain)):
            assert settlements.add([query.plan]) is None
        assert order(settlements) == [f"q{number}" for number in range(1, 31)]


def test_a_query_that_nothing_before_it_reads_from_comes_last_and_nothing_moves() -> None:
    settlements = Settlements(unifies)
    settlements.add([maker("a", "b", 1).plan])
    first = settlements.order
    settlements.add([maker("b", "c", 2).plan])
    assert settlements.order is first
    settlements.add([maker("d", "a", 3).plan])
    assert order(settlements) == ["q3", "q1", "q2"]
    assert settlements.order is not first


def test_a_query_that_closes_a_cycle_is_not_added() -> None:
    settlements = Settlements(unifies)
    assert settlements.add([maker("a", "b", 1).plan, maker("b", "c", 2).plan]) is None
    cycle = settlements.add([maker("c", "a", 3).plan])
    assert cycle is not None
    assert cycle.operator.name.startswith("q1_")
    assert order(settlements) == ["q1", "q2"]
    assert settlements.add([maker("c", "d", 4).plan]) is None


def test_operators_within_a_long_chain_need_no_recursion() -> None:
    settlements = Settlements(unifies)
    settlements.add([maker(f"p{number}", f"p{number + 1}", number).plan for number in range(1200, 0, -1)])
    assert order(settlements) == [f"q{number}" for number in range(1, 1201)]


def test_patterns_are_asked_about_only_where_a_predicate_is_the_same() -> None:
    asked = 0

    def may_trigger(template: TriplePattern, pattern: TriplePattern) -> bool:
        nonlocal asked
        asked += 1
        return unifies(template, pattern)

    settlements = Settlements(may_trigger)
    for number in range(200):
        settlements.add([maker(f"p{number}", f"p{number + 1}", number).plan])
    assert asked == 199
    any_predicate = compiled("SELECT * { { ?x ?p ?y } OPTIONAL { ?x :q ?z } }", 200)
    settlements.add([any_predicate.plan])
    assert asked == 199 + 200
    assert settlements.order[-1] in [node for node in walk(any_predicate.plan.root) if node.waits_for_instant]
