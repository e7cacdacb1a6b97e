"""What a pattern means: DESIGN section 4, read aloud, over a finite stream.

Every operator looks at all pairs of solutions of its sides. No order of arrival, no goals, no windows, and
nothing shared with the engine but the algebra and the encoding of terms.

The one thing that needs care is "else A alone" where other queries add to the stream: whether there is a
partner is asked of ``settled``, a data set of its own. ``program.py`` makes both the same in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from etalis_py.compiler import algebra
from etalis_py.compiler.algebra import Expression, Pattern
from etalis_py.terms import Encoded
from tests.oracle.expressions import Scope, holds, value_or_none
from tests.oracle.solutions import Dataset, Solution, joined

__all__ = ["TooMuchError", "evaluate"]

MOST_SOLUTIONS = 1000


class TooMuchError(Exception):
    """There is more than a test wants to see."""


def evaluate(pattern: Pattern, data: Dataset, settled: Dataset | None = None) -> list[Solution]:
    """The solutions of ``pattern`` over ``data``, a bag in no particular order."""
    return _Evaluator(data, settled or data).solutions(pattern)


@dataclass(frozen=True, slots=True)
class _Evaluator:
    data: Dataset
    settled: Dataset

    def solutions(self, pattern: Pattern) -> list[Solution]:
        """All solutions of a pattern."""
        found = list(islice(self._solutions(pattern), MOST_SOLUTIONS + 1))
        if len(found) > MOST_SOLUTIONS:
            raise TooMuchError
        return found

    def _solutions(self, pattern: Pattern) -> Iterable[Solution]:
        match pattern:
            case algebra.Unit():
                return [Solution({}, None)]
            case algebra.TriplePattern():
                return self._matches(pattern)
            case algebra.Filter() | algebra.Extend() | algebra.Project() | algebra.Distinct():
                return self._changed(pattern)
            case _:
                return self._combined(pattern)

    def _combined(self, pattern: algebra.BinaryPattern) -> Iterable[Solution]:
        match pattern:
            case algebra.Join(left=left, right=right):
                return self._pairs(left, right, _any_time)
            case algebra.SeqJoin(left=left, right=right):
                return self._pairs(left, right, _before)
            case algebra.EqualsJoin(left=left, right=right):
                return self._pairs(left, right, _same_interval)
            case algebra.Union(left=left, right=right):
                return [*self.solutions(left), *self.solutions(right)]
            case algebra.Optional(left=left, right=right, condition=condition):
                return self._optional(left, right, condition, _not_later)
            case algebra.EqualsOptional(left=left, right=right, condition=condition):
                return self._optional(left, right, condition, _same_interval)
            case algebra.OptionalSeq(left=left, right=right, condition=condition):
                return self._optional(right, left, condition, _after)
            case _:
                raise NotImplementedError(type(pattern).__name__)

    def _changed(
        self, pattern: algebra.Filter | algebra.Extend | algebra.Project | algebra.Distinct
    ) -> Iterable[Solution]:
        match pattern:
            case algebra.Filter(condition=condition, pattern=inner):
                return [each for each in self.solutions(inner) if holds(condition, _scope(each))]
            case algebra.Extend(pattern=inner, variable=variable, expression=expression):
                return [_extended(each, variable.name, expression) for each in self.solutions(inner)]
            case algebra.Project(pattern=inner, variables=variables):
                names = [variable.name for variable in variables]
                return [each.restricted(names) for each in self.solutions(inner)]
            case algebra.Distinct(pattern=inner):
                return {each.key: each for each in self.solutions(inner)}.values()
            case _:
                raise NotImplementedError(type(pattern).__name__)

    def _matches(self, pattern: algebra.TriplePattern) -> Iterator[Solution]:
        for triple, interval in [*self.data.stream, *((each, None) for each in self.data.background)]:
            mapping: dict[str, Encoded] = {}
            for wanted, term in zip(pattern.terms, triple, strict=True):
                value = wanted.value if isinstance(wanted, algebra.Constant) else mapping.get(wanted.name)
                if value not in (None, term):
                    break
                if isinstance(wanted, algebra.Variable):
                    mapping[wanted.name] = term
            else:
                yield Solution(mapping, interval)

    def _pairs(
        self, left: Pattern, right: Pattern, related: Callable[[Solution, Solution], bool]
    ) -> Iterator[Solution]:
        right_solutions = self.solutions(right)
        for one in self.solutions(left):
            for other in right_solutions:
                both = joined(one, other)
                if both is not None and related(one, other):
                    yield both

    def _optional(
        self,
        kept: Pattern,
        optional: Pattern,
        condition: Expression | None,
        related: Callable[[Solution, Solution], bool],
    ) -> Iterator[Solution]:
        """Each related pair with the condition true; ``kept`` alone where there is none."""

        def partners(one: Solution, others: list[Solution]) -> Iterator[Solution]:
            for other in others:
                both = joined(one, other)
                if both is None or not related(one, other):
                    continue
                if condition is None or holds(condition, Scope(both.mapping, other.interval)):
                    yield both

        others = self.solutions(optional)
        settled = evaluate(optional, self.settled)
        for one in self.solutions(kept):
            yield from partners(one, others)
            if not any(True for _ in partners(one, settled)):
                yield one


def _any_time(_one: Solution, _other: Solution) -> bool:
    return True


def _before(one: Solution, other: Solution) -> bool:
    return one.interval is not None and other.interval is not None and one.interval[1] < other.interval[0]


def _after(one: Solution, other: Solution) -> bool:
    return _before(other, one)


def _same_interval(one: Solution, other: Solution) -> bool:
    return one.interval is not None and one.interval == other.interval


def _not_later(one: Solution, other: Solution) -> bool:
    """``other`` ends when ``one`` does, or before; a timeless one ended before everything."""
    if other.interval is None:
        return True
    return one.interval is not None and other.interval[1] <= one.interval[1]


def _scope(solution: Solution) -> Scope:
    return Scope(solution.mapping, solution.interval)


def _extended(solution: Solution, name: str, expression: Expression) -> Solution:
    value = value_or_none(expression, _scope(solution))
    if value is None:
        return solution
    return Solution({**solution.mapping, name: value}, solution.interval)
