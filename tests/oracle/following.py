"""What comes after what: SEQ, SEQ NEXT, SEQ STRICT, SEQ NOT .. SEQ and NOT .. SEQ, on bags of solutions.

x ~ y: the mappings are compatible. x·y: their join, from min(s(x), s(y)) to max(e(x), e(y)).
x ≺ y: e(x) < s(y). F: the conditions of a group that speak of variables which it does not bind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from tests.oracle.relations import before
from tests.oracle.solutions import Solution, joined

__all__ = [
    "Condition",
    "Follows",
    "Side",
    "any_after",
    "next_after",
    "nothing_before",
    "pairs_of",
    "strictly_after",
    "without",
]

Condition: TypeAlias = Callable[[Solution, Solution], bool]
"""F(x, y): whether the step conditions of the group that gave y are true next to x; an error is not."""


def _always(_one: Solution, _other: Solution) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Side:
    """⟦B⟧ as it is known, and as it is in the end; what rules something out is asked of the end."""

    found: Sequence[Solution]
    settled: Sequence[Solution]
    condition: Condition = _always

    @property
    def in_the_end(self) -> Side:
        """All that there is in the end."""
        return replace(self, found=self.settled)


Follows: TypeAlias = Callable[[Solution, Side], list[Solution]]
"""The solutions of a side that come after one solution, in one of the modes."""


def any_after(one: Solution, side: Side) -> list[Solution]:
    """Q(a) = { b ∈ ⟦B⟧ : a ~ b, a ≺ b, F(a, b) }"""
    return [
        each
        for each in side.found
        if joined(one, each) is not None and before(one, each) and side.condition(one, each)
    ]


def next_after(one: Solution, side: Side) -> list[Solution]:
    """{ b ∈ Q(a) : no b' ∈ Q(a) with e(b') < e(b) }"""
    all_ends = [_end(each) for each in any_after(one, side.in_the_end)]
    return [each for each in any_after(one, side) if not any(end < _end(each) for end in all_ends)]


def strictly_after(scope: Side) -> Follows:
    """{ b ∈ Q(a) : no z ∈ S with z ~ a·b, a ≺ z ≺ b }"""
    return without(scope, any_after)


def without(none: Side, follows: Follows) -> Follows:
    """{ b after a by SEQ[f] : no n ∈ ⟦N⟧, n ~ a·b, a ≺ n ≺ b, F(a·b, n) }"""

    def after(one: Solution, side: Side) -> list[Solution]:
        return [each for each in follows(one, side) if not _is_between(one, each, none)]

    return after


def _is_between(one: Solution, other: Solution, none: Side) -> bool:
    both = joined(one, other)
    assert both is not None
    return any(
        joined(both, each) is not None
        and before(one, each)
        and before(each, other)
        and none.condition(both, each)
        for each in none.settled
    )


def pairs_of(left: Iterable[Solution], right: Side, follows: Follows) -> Iterator[Solution]:
    """A SEQ[f] B = { a·b : b after a by SEQ[f] }"""
    for one in left:
        for other in follows(one, right):
            both = joined(one, other)
            assert both is not None
            yield both


def nothing_before(none: Side, length: int | None, right: Sequence[Solution]) -> list[Solution]:
    """NOT N FOR d SEQ B = { b ∈ ⟦B⟧ : no n ∈ ⟦N⟧ with n ~ b, s(b) - d ≤ e(n) < s(b), F(b, n) }

    Without FOR: e(n) < s(b). ``length`` is d in microseconds.
    """

    def is_before(each: Solution, one: Solution) -> bool:
        return (
            joined(one, each) is not None
            and before(each, one)
            and (length is None or _start(one) - length <= _end(each))
            and none.condition(one, each)
        )

    return [one for one in right if not any(is_before(each, one) for each in none.settled)]


def _start(solution: Solution) -> int:
    assert solution.interval is not None
    return solution.interval[0]


def _end(solution: Solution) -> int:
    assert solution.interval is not None
    return solution.interval[1]
