"""The two sides of an operator that pairs: their columns, and when two solutions agree.

The rules that react to events and those that search background share it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from etalis_py.compiler.algebra.algebra import Variable
from etalis_py.compiler.algebra.operators import Side
from etalis_py.compiler.plan.plan import Pair, PlanNode
from etalis_py.compiler.rules.exists import expressions_with
from etalis_py.compiler.rules.expression_goals import Scope
from etalis_py.compiler.rules.prolog_terms import TRUE, Term, Var, conjunction, hand_over, struct
from etalis_py.compiler.rules.rules import END, VariableNames

__all__ = ["PairSides"]


class PairSides:
    """The sides of one Pair; ``left`` and ``right`` are the Prolog variables of their columns, in order.

    What a side always binds is the value of the pair; where it may be unbound it has a variable of its own.
    """

    def __init__(self, pair: Pair, names: VariableNames) -> None:
        self._pair = pair
        self._names = names
        self.left = self._values(pair.left, "L")
        self.right = self._values(pair.right, "R")

    def _values(self, node: PlanNode, letter: str) -> Mapping[Variable, Var]:
        own = (each for each in self._pair.shared if each not in node.schema.certain)
        letters = dict.fromkeys(own, letter)
        return {each: self._names(each, letters.get(each, "")) for each in node.schema.columns}

    def of(self, side: Side) -> Mapping[Variable, Var]:
        """Those of one side."""
        return self.left if side is Side.LEFT else self.right

    def merged(self) -> Term:
        """Make shared variables agree that one side or both may leave unbound."""
        return conjunction(
            *(
                struct("compatible", self.left[each], self.right[each], self._names(each))
                for each in self._pair.shared
            )
        )

    def handed_over(self, *, to_left: bool) -> Term:
        """Values that one side may have and the other always has: known before background is searched."""
        taker, source, target = (
            (self._pair.left, self.right, self.left) if to_left else (self._pair.right, self.left, self.right)
        )
        return conjunction(
            *(
                hand_over(source[each], target[each])
                for each in self._pair.shared
                if each in taker.schema.certain
            )
        )

    def condition(
        self,
        interval: tuple[Term, Term] | None,
        numbers: Iterator[int] | None = None,
        ends: Term | None = END,
    ) -> Term:
        """The filter of the optional side, whose interval is ``interval``; None for background alone.

        ``ends``: when the pair ends; None where both sides are background.
        """
        pair = self._pair
        if pair.condition is None:
            return TRUE
        certain = pair.left.schema.certain | pair.right.schema.certain
        values = {each: self._names(each) for each in pair.schema.columns}
        decided = pair.operator.kept
        times = {} if decided is None or ends is None else dict.fromkeys(pair.side(decided).schema.ends, ends)
        scope = Scope(values, certain, interval, ends, times=times)
        return expressions_with(scope, pair.tests, self._names, numbers).condition(pair.condition)
