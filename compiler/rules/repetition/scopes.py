"""What may not lie between the iterations of a run, before the first and behind the last."""

from __future__ import annotations

from etalis_py.compiler.algebra.algebra import Expression
from etalis_py.compiler.plan.plan import BetweenPlan, ExistsPlan, PlanNode, Schema, UnitPlan
from etalis_py.compiler.rules.between import Absent
from etalis_py.compiler.rules.repetition.runs import Runs

__all__ = ["Scopes"]


class Scopes:
    """The scopes of one repetition."""

    def __init__(self, runs: Runs) -> None:
        self._runs, self._node, self._repeat, self._names = runs, runs.node, runs.repeat, runs.names

    @property
    def all(self) -> list[Absent]:
        """Those that there are."""
        found = (self.between, self.before_first, self.after_last)
        return [each for each in found if each is not None]

    @property
    def between(self) -> Absent | None:
        """What may not lie between two iterations."""
        runs, node = self._runs, self._node
        if node.scope is None:
            return None
        columns = tuple(dict.fromkeys((*runs.left.columns, *self._repeat.shared)))
        run = Schema(columns, runs.left.certain | frozenset(runs.join))
        return self._absent(
            "scope", node.scope, run, node.group, runs.lasting if runs.parts_broken else node.window
        )

    @property
    def before_first(self) -> Absent | None:
        """What may not lie between what stands before and the first iteration."""
        node = self._node
        if node.first_scope is None:
            return None
        return self._absent("first_scope", node.first_scope, self._runs.left, node.group, node.window)

    @property
    def after_last(self) -> Absent | None:
        """What may not lie between the last iteration and what follows."""
        runs, node = self._runs, self._node
        if node.last_scope is None or node.then is None:
            return None
        run = Schema(tuple(runs.known), runs.left.certain | frozenset(runs.join))
        condition, tests = self._repeat.last_condition, node.last_tests
        return self._absent("last_scope", node.last_scope, run, node.then, node.window, condition, tests)

    def _absent(
        self,
        which: str,
        scope: PlanNode,
        before: Schema,
        after: PlanNode,
        window: int | None,
        condition: Expression | None = None,
        tests: tuple[ExistsPlan, ...] = (),
    ) -> Absent:
        node = self._node
        name = f"{node.name}_{which}"
        left = UnitPlan(name, before, None, True, False, node.span)
        gap = BetweenPlan(
            name, before, window, True, False, node.span, left, scope, after,
            self._repeat.operator, None, condition, None, "STRICT", tests,
        )  # fmt: skip
        return Absent(gap, self._names)
