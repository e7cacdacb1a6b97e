"""The cost model, and that the cheapest association is found."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from etalis_py.compiler.algebra.algebra import Variable
from etalis_py.compiler.association.association import (
    Chain,
    Condition,
    Estimate,
    Extent,
    Tree,
    cheapest,
    cost_of,
    left_deep,
    right_deep,
)

X, Y = Variable("x"), Variable("y")
WINDOW = Extent(window=10.0, horizon=0.0)
LASTING = Extent(window=None, horizon=100.0)


def events(rate: float, **values: float) -> Estimate:
    return Estimate(rate, 1, 1.0, {Variable(name): count for name, count in values.items()})


def sequence(*rates: float, extent: Extent = WINDOW, keys: float = 10.0) -> Chain:
    return Chain(tuple(events(rate, x=keys) for rate in rates), in_sequence=True, extent=extent)


def trees(operands: list[int], in_sequence: bool) -> Iterator[Tree]:
    """All associations; of a join, each with the smallest operand of a part on its left."""
    if len(operands) == 1:
        yield operands[0]
        return
    first, *rest = operands
    for mask in range(2 ** len(rest) - 1):
        chosen = [each for place, each in enumerate(rest) if mask >> place & 1]
        left, right = [first, *chosen], [each for each in rest if each not in chosen]
        if in_sequence and left[-1] > right[0]:
            continue
        for one in trees(left, in_sequence):
            yield from ((one, other) for other in trees(right, in_sequence))


@pytest.mark.parametrize("in_sequence", [True, False])
@pytest.mark.parametrize("extent", [WINDOW, LASTING])
def test_none_costs_less_than_the_cheapest(in_sequence: bool, extent: Extent) -> None:
    random = Random("association")
    for _ in range(60):
        size = random.randint(2, 5)
        operands = tuple(
            Estimate(
                10 ** random.uniform(-2, 2),
                random.choice((1, 1, 2)),
                1.0,
                {each: random.choice((1.0, 10.0, 1e4)) for each in (X, Y) if random.random() < 0.7},
            )
            for _ in range(size)
        )
        conditions = (Condition(frozenset({X, Y}), 0.1),)
        chain = Chain(operands, in_sequence, extent, conditions)
        tree, cost = cheapest(chain)
        costs = [cost_of(chain, each) for each in trees(list(range(size)), in_sequence)]
        assert cost == pytest.approx(min(costs))
        assert cost_of(chain, tree) == pytest.approx(cost)


def test_a_rare_last_step_is_waited_for_from_the_right() -> None:
    assert cheapest(sequence(100, 100, 0.1))[0] == right_deep(3)
    assert cheapest(sequence(100, 100, 100, 0.1))[0] == right_deep(4)


def test_a_rare_first_step_is_followed_from_the_left() -> None:
    assert cheapest(sequence(0.1, 100, 100))[0] == left_deep(3)


def test_halves_with_keys_of_their_own_are_paired_first() -> None:
    """Two orders and two payments, say, and what binds both is known of the first and of the last."""
    many = 1000.0
    operands = (events(100, x=many, z=many), events(100, x=many), events(100, y=many))
    last = events(100, y=many, z=many)
    assert cheapest(Chain((*operands, last), True, WINDOW))[0] == ((0, 1), (2, 3))


def test_steps_without_a_common_variable_are_not_paired_first() -> None:
    chain = Chain((events(10, x=1000), events(10, y=1000), events(10, x=1000, y=1000)), False, WINDOW)
    tree, _ = cheapest(chain)
    assert tree in (((0, 2), 1), (0, (1, 2)))


def test_a_selective_filter_is_tested_early() -> None:
    operands = (events(3, x=1, a=9), events(10, x=1, b=9), events(10, x=1, c=9))
    condition = Condition(frozenset({Variable("b"), Variable("c")}), 0.001)
    assert cheapest(Chain(operands, True, WINDOW))[0] == left_deep(3)
    assert cheapest(Chain(operands, True, WINDOW, (condition,)))[0] == right_deep(3)


def test_rates_agree_with_counting() -> None:
    """Two steps at 3 and 4 a second over one key: pairs in order within a window, and over all the time."""
    pair = Estimate(12.0, 2, 0.5, {})
    assert pair.rate(Extent(2.0, 0.0)) == 3 * 4 * 2
    assert pair.rate(Extent(None, 100.0)) == 12 * 100**2 / 2 / 100


def test_large_chains_are_done_at_once() -> None:
    tree, _ = cheapest(sequence(*[100.0] * 19, 0.1))
    assert tree == right_deep(20)
    cheapest(Chain(tuple(events(1.0, x=5) for _ in range(8)), False, WINDOW))
