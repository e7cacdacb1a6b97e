"""The operators that compare intervals: all ways in which two can lie, and what finding goals costs.

A  |-----|                     A SEQ B                A  |-----|               A MEETS B
B          |---|                                      B        |---|

A  |-----|                     A OVERLAPS B           A  |--|                  A STARTS B
B     |------|                                        B  |-----|

A    |--|                      A DURING B             A     |--|               A FINISHES B
B  |------|                                           B  |-----|
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Sequence
from itertools import product

import pytest

from etalis_py.compiler.algebra.operators import OPERATORS, Endpoint, Operator, Side
from etalis_py.engine.engine import Engine
from tests.oracle.relations import RELATIONS
from tests.oracle.solutions import Interval, Solution

INTERVALS = [(start, end) for start in range(5) for end in range(start, 5)]
PAIRS = list(product(INTERVALS, repeat=2))
ALLEN = ("SEQ", "MEETS", "OVERLAPS", "STARTS", "DURING", "FINISHES", "EQUALS")


def holds(word: str, left: Interval, right: Interval) -> bool:
    return RELATIONS[word](Solution({}, left), Solution({}, right))


def sent(engine: Engine, occurrences: Sequence[tuple[str, str, Interval]]) -> None:
    """Send triples ``<urn:subject> <urn:predicate> "1"`` with these intervals, in the order of their ends."""
    ordered = sorted(occurrences, key=lambda each: each[2][1])
    engine.send_batch(
        {
            "start": [start for _, _, (start, _) in ordered],
            "end": [end for _, _, (_, end) in ordered],
            "s": [f"<urn:{subject}>" for subject, _, _ in ordered],
            "p": [f"<urn:{predicate}>" for _, predicate, _ in ordered],
            "o": ['"1"'] * len(ordered),
        }
    )


def test_of_any_two_intervals_one_relation_holds() -> None:
    for left, right in PAIRS:
        ways = [word for word in ALLEN if holds(word, left, right)]
        inverses = [word for word in ALLEN if word != "EQUALS" and holds(word, right, left)]
        assert len(ways) + len(inverses) == 1, (left, right, ways, inverses)


@pytest.mark.parametrize("sides_swapped", [False, True])
@pytest.mark.parametrize("word", RELATIONS)
def test_all_ways_to_lie(word: str, sides_swapped: bool) -> None:
    """Each pair of intervals has a subject of its own; whichever comes first at one end."""
    query = f"SELECT ?x {{ {{ ?x <urn:p> ?a }} {word} {{ ?x <urn:q> ?b }} }}"
    occurrences = []
    for number, (left, right) in enumerate(PAIRS):
        both = [(f"x{number}", "p", left), (f"x{number}", "q", right)]
        occurrences += both[::-1] if sides_swapped else both
    with Engine() as engine:
        engine.register(query, name="q")
        sent(engine, occurrences)
        engine.finish()
        found = {str(each["x"]): (each.start, each.end) for each in engine.matches("q")}
    assert found == {
        f"urn:x{number}": (min(left[0], right[0]), max(left[1], right[1]))
        for number, (left, right) in enumerate(PAIRS)
        if holds(word, left, right)
    }


@pytest.mark.parametrize("word", RELATIONS)
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_in_a_window(word: str, limit: int) -> None:
    """A bound on the length of the pair is pushed to its sides: no answer is lost or gained by that."""
    bound = f'FILTER (getDURATION() <= "PT0.00000{limit}S"^^xsd:dayTimeDuration)'
    query = f"SELECT ?x {{ {{ ?x <urn:p> ?a }} {word} {{ ?x <urn:q> ?b }} {bound} }}"
    with Engine() as engine:
        engine.register(query, name="q")
        numbered = list(enumerate(PAIRS))
        sent(
            engine,
            [(f"x{n}", "p", left) for n, (left, _) in numbered]
            + [(f"x{n}", "q", r) for n, (_, r) in numbered],
        )
        engine.finish()
        found = {str(each["x"]) for each in engine.matches("q")}
    assert found == {
        f"urn:x{n}"
        for n, (left, right) in numbered
        if holds(word, left, right) and max(left[1], right[1]) - min(left[0], right[0]) <= limit
    }


# ---- what follows from the table ---------------------------------------------------------------------------


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda each: each.word)
def test_what_the_table_implies_is_true(operator: Operator) -> None:
    """All that an operator says of its ends, over all pairs of intervals that are one."""
    times = [dict(zip(Endpoint, (*left, *right), strict=True)) for left, right in PAIRS]
    signs = {"<": int.__lt__, "=<": int.__le__, "=": int.__eq__}
    pairs = [
        each
        for each in times
        if all(signs[order](each[one], each[other]) for one, order, other in operator.relation)
    ]
    assert pairs
    for one, other in product(Endpoint, repeat=2):
        implied = operator.order(one, other)
        for order, is_so in (("<", int.__lt__), ("=", int.__eq__), ("=<", int.__le__)):
            if all(is_so(each[one], each[other]) for each in pairs):
                assert implied == order, (one, other)
                break
        else:
            assert implied is None, (one, other)
    for side in Side:
        assert operator.begins(side) == all(each[side.start] <= each[side.other.start] for each in pairs)
        assert operator.ends(side) == all(each[side.end] >= each[side.other.end] for each in pairs)
    at_once = any(len(set(each.values())) == 1 for each in pairs)
    assert operator.holds_at_one_instant == at_once


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda each: each.word)
def test_an_operator_stays_itself_on_its_way_to_a_worker(operator: Operator) -> None:
    assert pickle.loads(pickle.dumps(operator)) is operator


# ---- what it costs -----------------------------------------------------------------------------------------


def seconds_a_pair(word: str, waiting: int) -> float:
    """Processor time of an interval that finds one partner, among so many that wait with their key."""
    far = 10 * waiting
    if word == "MEETS":
        lefts = [(10 * n, 10 * n + 5) for n in range(waiting)]
        rights = [(10 * (n % waiting) + 5, 2 * far + n) for n in range(500)]
    elif word == "STARTS":
        lefts = [(10 * n, far + n) for n in range(waiting)]
        rights = [(10 * (n % waiting), 2 * far + n) for n in range(500)]
    else:
        lefts = [(10 * n + 1, far + 2 * n) for n in range(waiting)]
        rights = [(10 * n, far + 2 * n) for n in range(waiting)]
    with Engine() as engine:
        engine.register(f"SELECT ?x {{ {{ ?x <urn:p> ?a }} {word} {{ ?x <urn:q> ?b }} }}", name="q")
        before = time.process_time()
        if word == "FINISHES":
            sent(engine, [*(("x", "p", each) for each in lefts), *(("x", "q", each) for each in rights)])
        else:
            sent(engine, [("x", "p", each) for each in lefts])
            before = time.process_time()
            sent(engine, [("x", "q", each) for each in rights])
        taken = time.process_time() - before
        engine.finish()
        assert sum(1 for _ in engine.matches("q")) == len(rights)
    return taken / len(rights)


@pytest.mark.parametrize("word", ["MEETS", "STARTS", "FINISHES"])
def test_partners_are_found_by_the_end_that_is_equal(word: str) -> None:
    """A scan of what waits with the key would take a hundred times as long."""
    few, many = (min(seconds_a_pair(word, waiting) for _ in range(3)) for waiting in (100, 10_000))
    assert many < 15 * few
