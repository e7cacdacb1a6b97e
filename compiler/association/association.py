"""Which association of a chain of operators costs least: left, right or bushy.

A SEQ B SEQ C means the same however it is bracketed, and the operands of a join may change places as well;
what is kept and tested on the way differs by orders of magnitude. Dynamic programming over the chain, with
a cost model as ZStream's (Mei and Madden, SIGMOD 2009, sections 4 and 5: inputs, and pairs tested, from
rates, window and selectivities), for goals that are found by the values of their join variables.

Knows nothing of patterns (``passes/associate.py`` does) nor of where rates come from (``event_rates.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import factorial, prod
from typing import Final, TypeAlias

from etalis_py.compiler.algebra.algebra import Variable
from etalis_py.core.value_class import value_class

__all__ = [
    "LARGEST_JOIN",
    "LARGEST_SEQUENCE",
    "Chain",
    "Condition",
    "Estimate",
    "Extent",
    "Tree",
    "cheapest",
    "combined",
    "cost_of",
    "left_deep",
    "right_deep",
]

Tree: TypeAlias = "int | tuple[Tree, Tree]"
"""An association: operands by their numbers, from 0."""

LARGEST_SEQUENCE: Final = 20
"""Operands; the work goes with the cube of their number."""
LARGEST_JOIN: Final = 8
"""Operands; the work goes with three to the power of their number."""

_KEPT: Final = 3.0
"""What it costs to keep a solution as a goal and to forget it, if to test a pair costs 1."""
_LOOKED_UP: Final = 1.0
"""What it costs to look for the goals of a solution's key."""


@value_class
class Extent:
    """For how long events are combined, in seconds: within the ``window``, or else all of the ``horizon``."""

    window: float | None
    horizon: float


@value_class
class Estimate:
    """How many solutions a pattern has.

    A solution is made of ``events`` events; ``density`` is the product of their rates (events a second) and
    of the shares of their combinations that agree; ``orders`` is the share of those that come in the right
    order. ``values``: how many values of a variable there are, where that is known.
    """

    density: float
    events: int
    orders: float
    values: Mapping[Variable, float]

    def rate(self, extent: Extent) -> float:
        """Solutions a second: in the window, or in the mean over the horizon where there is no window."""
        if extent.window is None:
            return self.density * self.orders * extent.horizon ** (self.events - 1)
        return self.density * self.orders * self.events * extent.window ** (self.events - 1)


@value_class
class Condition:
    """A filter: it is tested where all its variables are known, and lets a share of the solutions pass."""

    variables: frozenset[Variable]
    passes: float


@value_class
class Chain:
    """Operands of one operator, ``in_sequence`` (SEQ) or not (a join)."""

    operands: tuple[Estimate, ...]
    in_sequence: bool
    extent: Extent
    conditions: tuple[Condition, ...] = ()


def left_deep(operands: int) -> Tree:
    """``((0 1) 2) ...``: the first operand of the second and later levels is all that came before."""
    tree: Tree = 0
    for number in range(1, operands):
        tree = (tree, number)
    return tree


def right_deep(operands: int) -> Tree:
    """``... (n-2 (n-1 n))``."""
    tree: Tree = operands - 1
    for number in reversed(range(operands - 1)):
        tree = (number, tree)
    return tree


def cost_of(chain: Chain, tree: Tree) -> float:
    """What an association costs, in tested pairs a second.

    >>> often, rarely = (Estimate(rate, 1, 1.0, {}) for rate in (100.0, 0.01))
    >>> chain = Chain((often, often, rarely), in_sequence=True, extent=Extent(window=10.0, horizon=0.0))
    >>> round(cost_of(chain, left_deep(3))), round(cost_of(chain, right_deep(3)))
    (410400, 10620)
    """
    return _Costs(chain).of(tree)[0]


def cheapest(chain: Chain) -> tuple[Tree, float]:
    """The association that costs least, and its cost in tested pairs a second."""
    costs = _Costs(chain)
    whole = (1 << len(chain.operands)) - 1
    best: dict[int, tuple[float, Tree]] = {}
    for mask in _parts(chain, whole):
        number = mask.bit_length() - 1
        if mask == 1 << number:
            best[mask] = (0.0, number)
            continue
        choices = [
            (best[left][0] + best[right][0] + costs.of_pair(left, right), (best[left][1], best[right][1]))
            for left, right in _splits(chain, mask)
        ]
        best[mask] = min(choices, key=lambda choice: choice[0])
    cost, tree = best[whole]
    return tree, cost


def _parts(chain: Chain, whole: int) -> Iterator[int]:
    """The sets of operands that a part of an association can have, as bits, smaller ones first."""
    size = len(chain.operands)
    if not chain.in_sequence:
        yield from range(1, whole + 1)
        return
    for length in range(1, size + 1):
        for first in range(size - length + 1):
            yield ((1 << length) - 1) << first


def _splits(chain: Chain, mask: int) -> Iterator[tuple[int, int]]:
    """The two sides that ``mask`` can come of; of a join, the left one has the first operand."""
    lowest = mask & -mask
    if chain.in_sequence:
        cut = lowest << 1
        while cut & mask:
            yield mask & (cut - 1), mask & ~(cut - 1)
            cut <<= 1
        return
    rest = mask ^ lowest
    right = rest
    while right:
        yield mask ^ right, right
        right = (right - 1) & rest


class _Costs:
    """The cost model of one chain; sets of operands are bits."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._estimates: dict[int, Estimate] = {}

    def of(self, tree: Tree) -> tuple[float, int]:
        """The cost of an association, and its operands."""
        if isinstance(tree, int):
            return 0.0, 1 << tree
        (left_cost, left), (right_cost, right) = map(self.of, tree)
        return left_cost + right_cost + self.of_pair(left, right), left | right

    def of_pair(self, left: int, right: int) -> float:
        """The cost of one operator: goals kept, goals looked for, pairs tested, each second."""
        first, second = self.estimate(left), self.estimate(right)
        rates = first.rate(self._chain.extent), second.rate(self._chain.extent)
        kept, looking = (rates[0], rates[1]) if self._chain.in_sequence else (sum(rates), sum(rates))
        return _KEPT * kept + _LOOKED_UP * looking + self._tested(first, second, rates)

    def _tested(self, left: Estimate, right: Estimate, rates: tuple[float, float]) -> float:
        """Pairs of one key of which the earlier one is still kept; of SEQ, the left one has to end first."""
        common = left.values.keys() & right.values.keys()
        agree = prod(1 / max(left.values[each], right.values[each]) for each in common)
        extent, in_sequence = self._chain.extent, self._chain.in_sequence
        if extent.window is not None:
            return rates[0] * rates[1] * extent.window * agree * (1 if in_sequence else 2)
        share = right.events / (left.events + right.events) if in_sequence else 1.0
        return rates[0] * rates[1] * extent.horizon * agree * share

    def estimate(self, mask: int) -> Estimate:
        """The solutions of some operands together; the same for each way to put them together."""
        if mask not in self._estimates:
            operands = [each for number, each in enumerate(self._chain.operands) if mask >> number & 1]
            self._estimates[mask] = combined(operands, self._chain.in_sequence, self._chain.conditions)
        return self._estimates[mask]


def combined(
    operands: Sequence[Estimate], in_sequence: bool, conditions: Sequence[Condition] = ()
) -> Estimate:
    """The solutions of a chain of ``operands``.

    Values of a variable are thought to be equally frequent, and those of which there are fewer to be among
    those of which there are more (Selinger et al., SIGMOD 1979).
    """
    if len(operands) == 1:
        return operands[0]
    numbers: dict[Variable, list[float]] = {}
    for operand in operands:
        for variable, count in operand.values.items():
            numbers.setdefault(variable, []).append(count)
    agree = prod(min(counts) / prod(counts) for counts in numbers.values())
    passes = prod(each.passes for each in conditions if each.variables <= numbers.keys())
    events = sum(each.events for each in operands)
    orders = prod(each.orders for each in operands)
    if in_sequence:
        orders *= prod(factorial(each.events) for each in operands) / factorial(events)
    density = prod(each.density for each in operands) * agree * passes
    return Estimate(density, events, orders, {variable: min(counts) for variable, counts in numbers.items()})
