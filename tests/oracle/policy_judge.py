"""What holds always, and the conditions and tests of the oracle of the policies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Expression, Pattern
from tests.oracle.algebra_expressions import Sight, truth, value
from tests.oracle.braces import Braces
from tests.oracle.policy_parts import Here, Made, few, matched
from tests.oracle.solutions import Interval, Solution, Triple, joined
from tests.oracle.substitution import substituted

__all__ = ["Judge"]


@dataclass
class Judge(ABC):
    """Decides what is true of solutions; ``background`` is closed under entailment."""

    background: frozenset[Triple]
    braces: Braces

    @abstractmethod
    def happened(self, pattern: Pattern, until: Interval) -> list[Solution]:
        """All solutions of a pattern that end no later than ``until``, consumed or not."""

    @abstractmethod
    def until_now(self, here: Here) -> list[Made]:
        """All that ended at a place up to now, consumed or not."""

    # ---- Solutions from background alone -------------------------------------------------------------

    def always(self, pattern: Pattern, here: Here) -> list[Solution]:
        """The solutions from background alone."""
        return few(self._holding(pattern, here))

    def _holding(self, pattern: Pattern, here: Here) -> list[Solution]:
        def below(inner: Pattern, step: object = 0) -> list[Solution]:
            return self.always(inner, here.into(step))

        match pattern:
            case algebra.Unit():
                return [Solution({}, None)]
            case algebra.Table(variables=columns, rows=rows):
                named = [zip([each.name for each in columns], row, strict=True) for row in rows]
                return [
                    Solution({name: cell for name, cell in row if cell is not None}, None) for row in named
                ]
            case algebra.TriplePattern():
                known = self.background if pattern.place is None or pattern.place.background else ()
                return [each for triple in known for each in matched(pattern, triple, None)]
            case algebra.Filter(condition=condition, pattern=inner):
                return [each for each in below(inner) if self.holds(condition, each)]
            case algebra.Extend(pattern=inner):
                return [self.extended(pattern, each) for each in below(inner)]
            case algebra.Project(pattern=inner, variables=shown):
                return [each.restricted([name.name for name in shown]) for each in below(inner)]
            case algebra.Distinct(pattern=inner):
                return list({each.key: each for each in below(inner)}.values())
            case algebra.OrderBy(pattern=inner):
                return below(inner)
            case algebra.Union(left=left, right=right):
                return [*below(left), *below(right, 1)]
            case algebra.Minus(left=left):
                return [each for each in below(left) if not self.subtracted(pattern, each, here)]
            case _:
                return self._holding_pairs(pattern, here)

    def _holding_pairs(self, pattern: Pattern, here: Here) -> list[Solution]:
        def below(inner: Pattern, step: object) -> list[Solution]:
            return self.always(inner, here.into(step))

        if not isinstance(pattern, algebra.Pair):
            raise NotImplementedError(type(pattern).__name__)
        left, right = pattern.left, pattern.right
        match pattern.operator.word:
            case "Join":
                found = (joined(one, other) for one in below(left, "left") for other in below(right, "right"))
                return [each for each in found if each is not None]
            case "OPTIONAL":
                return [
                    each
                    for one in below(left, "left")
                    for each in self._always_optional(one, below(right, "right"), pattern.condition) or [one]
                ]
            case "EQUALSOPTIONAL":
                return below(left, "left")
            case "OPTIONALSEQ":
                return below(right, "right")
            case _:  # both must have happened
                return []

    def _always_optional(
        self, one: Solution, others: list[Solution], condition: Expression | None
    ) -> list[Solution]:
        found = [both for other in others if (both := joined(one, other)) is not None]
        return [both for both in found if self.condition_holds(condition, both, None)]

    # ---- Expressions and tests -----------------------------------------------------------------------

    def condition_holds(
        self, condition: Expression | None, both: Solution, interval: Interval | None
    ) -> bool:
        """An optional operator's own condition, of a pair whose optional side has ``interval``."""
        return condition is None or self.holds(condition, both, interval, timed=True)

    def judged(self, pattern: Pattern, both: Solution, here: Here) -> bool:
        """Whether a pair passes the filters directly above its operator, in the same braces."""
        own = self.braces.around(pattern)
        for step in here.above:
            if isinstance(step, algebra.Extend):
                both = self.extended(step, both)
            elif self.braces.around(step) == own and not self.holds(step.condition, both):
                return False
        return True

    def extended(self, step: algebra.Extend, solution: Solution) -> Solution:
        """A solution with the value of a BIND."""
        sight = self._sight(solution, solution.interval, solution.interval)
        return solution.extended(step.variable.name, value(step.expression, sight))

    def holds(
        self,
        condition: Expression,
        solution: Solution,
        interval: Interval | None = None,
        *,
        timed: bool = False,
    ) -> bool:
        """Whether a filter lets a solution pass; ``timed``: time functions speak of ``interval``."""
        seen = interval if timed else solution.interval
        return truth(condition, self._sight(solution, seen, solution.interval)) is True

    def _sight(self, solution: Solution, interval: Interval | None, tested: Interval | None) -> Sight:
        def exists(test: algebra.Exists) -> bool:
            pattern = substituted(test.pattern, solution.mapping)
            if tested is not None and self.happened(pattern, tested):
                return True
            return bool(self.always(pattern, Here("unrestricted")))

        return Sight(solution.mapping, interval, exists)

    def subtracted(self, pattern: algebra.Minus, solution: Solution, here: Here) -> bool:
        """Whether MINUS takes the solution away."""
        there = here.test(0)
        found = [each.solution for each in self.until_now(there)] if solution.interval is not None else []
        return any(
            joined(solution, other) is not None and any(name in solution.mapping for name in other.mapping)
            for other in [*found, *self.always(pattern.right, there)]
        )
