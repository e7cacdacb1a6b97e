"""The choice of an association by what it costs, and what `explain` tells of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Pattern
from etalis_py.compiler.association.associate import ChainPattern, associate
from etalis_py.compiler.association.association import (
    Chain,
    Estimate,
    Extent,
    Tree,
    cheapest,
    cost_of,
    left_deep,
    right_deep,
)
from etalis_py.compiler.association.estimates import conditions_of, estimate, seconds
from etalis_py.compiler.association.event_rates import PatternRate
from etalis_py.compiler.plan.build_plan import BackgroundTest
from etalis_py.core.value_class import value_class

__all__ = ["Alternative", "CostChooser", "OrderChoice", "choose_orders"]

HORIZON_EVENTS: Final = 10_000
"""Where no window bounds a chain, the cost is that of so many of its events."""
_LONGEST_HORIZON: Final = 1e15
"""Seconds."""

_WORTH_IT: Final = 0.9
"""Rates are estimates: the order that is written stays unless another one costs less than this part of it."""


@value_class
class Alternative:
    """An association, what it is called, and its cost in tested pairs a second."""

    name: str
    tree: Tree
    cost: float


@value_class
class OrderChoice:
    """What was chosen for one chain, and among what.

    ``rates`` are the solutions of each operand a second, None where that is not known: then there are no
    ``alternatives``, and the chain stays as it is written.
    """

    chain: ChainPattern
    rates: tuple[float | None, ...]
    alternatives: tuple[Alternative, ...]
    chosen: Tree


def choose_orders(
    query: algebra.Query, rate: PatternRate, background: BackgroundTest
) -> tuple[algebra.Query, tuple[OrderChoice, ...]]:
    """The query with its chains in the order that costs least, and what was chosen for each.

    ``background`` says which patterns background may match. Not for a query under a selection policy.
    """
    chooser = CostChooser(rate)
    pattern = associate(query.pattern, chooser, background)
    return replace(query, pattern=pattern), tuple(chooser.choices)


class CostChooser:
    """A `Chooser` that takes the order that costs least; ``choices`` are those made so far."""

    def __init__(self, rate: PatternRate) -> None:
        self._rate = rate
        self.choices: list[OrderChoice] = []

    def __call__(self, pattern: ChainPattern) -> Tree:
        """The association of a chain; as it is written, where the rates tell nothing."""
        choice = self._choice(pattern)
        self.choices.append(choice)
        return choice.chosen

    def _choice(self, pattern: ChainPattern) -> OrderChoice:
        extent = self._extent(pattern)
        found = [estimate(each, self._rate, extent) for each in pattern.operands]
        rates = tuple(None if each is None else each.rate(extent) for each in found)
        operands = [each for each in found if each is not None and each.events > 0]
        if len(operands) < len(found):
            return OrderChoice(pattern, rates, (), pattern.written)
        conditions = conditions_of(pattern.conditions)
        chain = Chain(tuple(operands), pattern.in_sequence, extent, conditions)
        alternatives = _alternatives(chain, pattern.written)
        best = min(alternatives, key=lambda each: each.cost)
        as_written = next(each for each in alternatives if each.tree == pattern.written)
        chosen = best.tree if best.cost < _WORTH_IT * as_written.cost else pattern.written
        return OrderChoice(pattern, rates, alternatives, chosen)

    def _extent(self, pattern: ChainPattern) -> Extent:
        window = None if pattern.window is None else seconds(pattern.window)
        known = (self._rate(each) for operand in pattern.operands for each in _triples(operand))
        total = sum(each.density for each in known if isinstance(each, Estimate) and each.events)
        horizon = HORIZON_EVENTS / total if total else 1.0
        return Extent(window, min(horizon, _LONGEST_HORIZON))


def _alternatives(chain: Chain, written: Tree) -> tuple[Alternative, ...]:
    """The order of the query, the plain ones, and the one that costs least; each once."""
    size = len(chain.operands)
    trees = {left_deep(size): "left", right_deep(size): "right"}
    if written not in trees:
        trees = {written: "as written", **trees}
    best, _ = cheapest(chain)
    if best not in trees:
        trees[best] = "bushy" if chain.in_sequence else "other"
    return tuple(Alternative(name, tree, cost_of(chain, tree)) for tree, name in trees.items())


def _triples(pattern: Pattern) -> Iterator[algebra.TriplePattern]:
    if isinstance(pattern, algebra.TriplePattern):
        yield pattern
    for each in algebra.children(pattern):
        yield from _triples(each)
