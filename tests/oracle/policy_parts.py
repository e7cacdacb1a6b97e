"""What the oracle of the policies speaks of: solutions with what they are made of, and places in a query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, TypeAlias, TypeVar

from etalis_py.compiler.algebra import algebra
from etalis_py.core.terms import Encoded
from tests.oracle.evaluator import TooMuchError
from tests.oracle.solutions import Interval, Placed, Solution, Triple

__all__ = ["Here", "Made", "Place", "Policy", "Used", "few", "matched", "merged", "seen"]

Policy: TypeAlias = Literal["unrestricted", "chronological", "recent"]
Place: TypeAlias = "tuple[object, ...]"
MOST_SOLUTIONS = 500

_Any = TypeVar("_Any")
Above: TypeAlias = "tuple[algebra.Filter | algebra.Extend, ...]"


@dataclass(frozen=True, slots=True)
class Used:
    """An occurrence that is a part of a solution; without ``stream`` it is that of all streams merged."""

    triple: Triple
    interval: Interval
    stream: str | None


@dataclass(frozen=True, slots=True)
class Made:
    """A solution, and the occurrences it is made of."""

    solution: Solution
    used: frozenset[Used] = frozenset()

    @property
    def interval(self) -> Interval:
        """Of a solution that is an event."""
        assert self.solution.interval is not None
        return self.solution.interval


@dataclass(frozen=True, slots=True)
class Here:
    """Where in the query: its place, the policy, the window, and the filters directly above, lowest first."""

    policy: Policy
    place: Place = ()
    window: int | None = None
    above: Above = ()

    def into(self, step: object, *, window: int | None = None, above: Above = ()) -> Here:
        """One operator down."""
        return Here(self.policy, (*self.place, step), window, above)

    def test(self, number: int) -> Here:
        """Within EXISTS and MINUS all combinations count, and all that happened."""
        return Here("unrestricted", (*self.place, "test", number))


def few(found: Iterable[_Any]) -> list[_Any]:
    """All of them, unless that is too much for a naive evaluation."""
    some = list(islice(found, MOST_SOLUTIONS + 1))
    if len(some) > MOST_SOLUTIONS:
        raise TooMuchError
    return some


def merged(found: Iterable[Made]) -> list[Made]:
    """DISTINCT: one of each, made of all that are the same."""
    some: dict[object, Made] = {}
    for each in found:
        known = some.setdefault(each.solution.key, each)
        some[each.solution.key] = replace(known, used=known.used | each.used)
    return list(some.values())


def seen(pattern: algebra.TriplePattern, instant: Iterable[Placed]) -> Iterator[Made]:
    """What a pattern makes of the occurrences of an instant: each once that is one for it."""
    place = pattern.place
    found: dict[object, Made] = {}
    for each in instant:
        if place is None:
            if not each.by_name_only:
                found.update(_seen(pattern, each, (), None))
            continue
        where: list[tuple[algebra.TermPattern, Encoded]] = []
        if place.stream is not None:
            where.append((place.stream, each.stream))
        if place.name is not None and each.graph is None:
            continue
        if place.name is not None:
            where.append((place.name, str(each.graph)))
        if place.element is not None:
            start, end = each.interval
            where.append((place.element, f"{each.stream} {each.graph or ''} {start} {end}"))
        found.update(_seen(pattern, each, where, each.stream))
    yield from found.values()


def _seen(
    pattern: algebra.TriplePattern,
    each: Placed,
    where: Iterable[tuple[algebra.TermPattern, Encoded]],
    stream: str | None,
) -> Iterator[tuple[object, Made]]:
    """With what tells it apart: within a stream, two elements are one unless the pattern asks for them."""
    for solution in matched(pattern, each.triple, each.interval, where):
        used = Used(each.triple, each.interval, stream)
        yield (used, solution.key), Made(solution, frozenset([used]))


def matched(
    pattern: algebra.TriplePattern,
    triple: Triple,
    interval: Interval | None,
    where: Iterable[tuple[algebra.TermPattern, Encoded]] = (),
) -> Iterator[Solution]:
    """The solution in which the pattern is the triple, if there is one; ``where`` is of the place."""
    mapping: dict[str, Encoded] = {}
    for wanted, term in (*zip(pattern.terms, triple, strict=True), *where):
        known = (
            wanted.value if isinstance(wanted, algebra.Constant) else mapping.setdefault(wanted.name, term)
        )
        if known != term:
            return
    yield Solution(mapping, interval)
