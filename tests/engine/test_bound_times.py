"""A bound on times that BIND gave to variables is a window where it bounds the whole match."""

from __future__ import annotations

from random import Random

import pytest

from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.plan.plan import FilterPlan, inputs
from tests.engine.conftest import run

FIRST = "{ ?x :p ?v BIND (getSTARTTIME() AS ?s) }"
MIDDLE = "{ ?x :r ?u BIND (getENDTIME() AS ?m) }"
LAST = "{ ?x :q ?w BIND (getENDTIME() AS ?t) }"
LENGTH = '"PT3S"^^xsd:duration'
BOUND = f"?t - ?s <= {LENGTH}"


@pytest.mark.parametrize(
    ("pattern", "condition", "window"),
    [
        (f"{FIRST} SEQ {LAST}", BOUND, 3_000_001),
        (f"{FIRST} SEQ {LAST}", f"?t < ?s + {LENGTH}", 3_000_000),
        (f"{FIRST} SEQ {LAST}", f"?s + {LENGTH} > ?t", 3_000_000),
        (f"{FIRST} SEQ {LAST}", f"getENDTIME() - ?s < {LENGTH}", 3_000_000),
        (f"{FIRST} SEQ {MIDDLE} SEQ {LAST}", BOUND, 3_000_001),
        (f"{FIRST} SEQ {{ {MIDDLE} SEQ {LAST} }}", BOUND, 3_000_001),
        (f"{FIRST} EQUALS {LAST}", BOUND, 3_000_001),
        (f"{{ {FIRST} SEQ {LAST} }} OPTIONAL {MIDDLE}", BOUND, 3_000_001),
        (f"{{ {FIRST} SEQ {LAST} }} MINUS {{ ?x :r ?u }}", BOUND, 3_000_001),
        ("?x :p ?v . ?x :q ?w BIND (getSTARTTIME() AS ?s) BIND (getENDTIME() AS ?t)", BOUND, 3_000_001),
        (f"{FIRST} {LAST}", BOUND, None),
        (f"{FIRST} UNION {LAST}", BOUND, None),
        (f"{FIRST} OPTIONAL {LAST}", BOUND, None),
        (f"{FIRST} OPTIONALSEQ {LAST}", BOUND, None),
        (f"{LAST} SEQ {FIRST}", f"?s - ?t < {LENGTH}", None),
        (f"{FIRST} SEQ {LAST}", f"?s - ?t < {LENGTH}", None),
        (f"{FIRST} SEQ {LAST}", '?t - ?s < "P1M"^^xsd:duration', None),
    ],
)
def test_answers_are_those_without_a_window(pattern: str, condition: str, window: int | None) -> None:
    """Beside a condition that says the same, and that no window is taken from."""
    query, plain = (
        f"SELECT * {{ {pattern} FILTER ({each}) }}" for each in (condition, f"{condition} || false")
    )
    assert (_window(query), _window(plain)) == (window, None)
    for seed in range(5):
        rows = _rows(Random(seed))
        assert run(query, rows) == run(plain, rows)


def _window(query: str) -> int | None:
    """Of what the filter judges."""
    [compiled] = compile_program(f"PREFIX : <urn:> {query}", name="q")
    todo = [compiled.plan.root]
    while todo:
        node = todo.pop()
        if isinstance(node, FilterPlan) and node.window is not None:
            return node.window
        todo += inputs(node)
    return None


def _rows(random: Random) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for number in range(60):
        end = number // 3
        times = (max(0, end - random.choice((0, 0, 1, 4))), end)
        rows.append((times, random.choice("ab"), random.choice("pqr"), random.choice("cd")))
    return rows


SEQ = "{{ ?x :p ?v BIND (getSTARTTIME() AS ?s) }} SEQ {{ ?x :q ?w BIND (getENDTIME() AS ?t) }} FILTER ({0})"
OPTIONAL_EARLIER = "{{ ?x :p ?v FILTER ({0}) }} OPTIONALSEQ {{ ?x :q ?w BIND (getENDTIME() AS ?t) }}"


@pytest.mark.parametrize(
    ("pattern", "condition"),
    [
        (OPTIONAL_EARLIER, f"getSTARTTIME() > ?t - {LENGTH}"),
        (OPTIONAL_EARLIER, f"?t - {LENGTH} >= getENDTIME()"),
        (OPTIONAL_EARLIER, f"!(?t - getSTARTTIME() < {LENGTH})"),
        (OPTIONAL_EARLIER, f"?t <= getSTARTTIME() + {LENGTH}"),
        (OPTIONAL_EARLIER, '?t - "P0Y"^^xsd:yearMonthDuration > getSTARTTIME()'),
        (SEQ, f"getENDTIME() > getSTARTTIME() + {LENGTH}"),
        (SEQ, f"?t - getSTARTTIME() = {LENGTH} || ?t < ?s"),
        (SEQ, 'getDURATION() < "PT03.0S"^^xsd:duration'),
        ("?x :p ?v FILTER ({0})", "getSTARTTIME() < getENDTIME()"),
        ("?x :p ?v FILTER ({0})", 'getSTARTTIME() > getENDTIME() - "P99999999999999999999D"^^xsd:duration'),
    ],
)
def test_times_that_are_known_compare_as_any_do(pattern: str, condition: str) -> None:
    """Beside the same condition of values that are computed."""
    computed = condition
    for name in ("getSTARTTIME", "getENDTIME", "getDURATION"):
        computed = computed.replace(f"{name}()", f"COALESCE({name}())")
    query, plain = (f"SELECT * {{ {pattern.format(each)} }}" for each in (condition, computed))
    for seed in range(3):
        rows = _rows(Random(seed))
        assert run(query, rows) == run(plain, rows)
