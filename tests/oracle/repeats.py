"""REPEAT on bags of solutions: runs, which of them are longest, and all that there are.

B is the group that is repeated, a is what stands before it, or nothing. A run r = (a, [b1, .., bk]) is a
match of REPEAT; what it measures is not known here. Iterations are told apart by identity: equal solutions
of B are different iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple, TypeAlias

from tests.oracle.following import Follows, Side, any_after
from tests.oracle.orders import standard_key
from tests.oracle.relations import before
from tests.oracle.solutions import Solution, joined

__all__ = ["Fits", "Repeated", "Repetition", "Run", "Then", "Times"]


@dataclass(frozen=True, slots=True)
class Run:
    """``solution``: what all iterations share, from the start of the first part to the end of the last.

    ``first`` is a, None where nothing stands before.
    """

    first: Solution | None
    iterations: tuple[Solution, ...]
    solution: Solution

    @property
    def last(self) -> Solution:
        """What is shared, at the interval of the last iteration, or of a: what comes next follows this."""
        if not self.iterations:
            return self.solution
        return Solution(self.solution.mapping, self.iterations[-1].interval)


Fits: TypeAlias = Callable[[Run, Solution], bool]
"""F(r, b): the step conditions, which see PREV, FIRST and the aggregates of the iterations so far."""


@dataclass(frozen=True, slots=True)
class Times:
    """REPEAT m TO n; without n any number."""

    least: int
    most: int | None

    def __contains__(self, run: Run) -> bool:
        number = len(run.iterations)
        return self.least <= number and (self.most is None or number <= self.most)


@dataclass(frozen=True, slots=True)
class Repeated:
    """⟦B⟧ with F, and the variables that all iterations share: those that the left side binds, and PER's."""

    side: Side
    shared: Collection[str]
    fits: Fits

    @property
    def in_the_end(self) -> Repeated:
        """All that there is in the end."""
        return replace(self, side=self.side.in_the_end)

    def extended(self, run: Run, each: Solution) -> Run:
        """With one more iteration; variables that are not shared are not seen outside."""
        kept = each.restricted(name for name in each.mapping if name in self.shared)
        both = joined(run.solution, kept)
        assert both is not None
        return Run(run.first, (*run.iterations, each), both)


def begun(first: Solution | None) -> Run:
    """No iteration yet."""
    return Run(first, (), Solution({}, None) if first is None else first)


class Then(NamedTuple):
    """C behind a repetition: ⟦C⟧, and which of it counts after one solution.

    ``is_next``: only the first that makes a match; ``between`` says what rules a later one out besides.
    """

    side: Side
    follows: Follows
    is_next: bool
    between: Follows


@dataclass(frozen=True, slots=True)
class Repetition:
    """A SEQ_f REPEAT m TO n: B, ``lead`` for SEQ_f, ``step`` for the mode, ``scope`` for S of STRICT.

    ``measured`` gives what is seen of a run outside: μa, μ|PER and measures(r), from min s to e(last).
    """

    repeated: Repeated
    per: Collection[str]
    times: Times
    lead: Follows
    step: Follows
    scope: Side | None
    last_instant: int
    measured: Callable[[Run], Solution]

    # ---- NEXT, STRICT and ANY ------------------------------------------------------------------------

    def each_run(self, first: Solution | None) -> Iterator[Solution]:
        """REPEAT = { (μa with μ|PER and measures(r), min s, e(last)) : r ∈ Rm .. Rn }

        With m = 0 also A itself.
        """
        return (self.measured(run) for run in self._runs(begun(first), self.repeated) if run in self.times)

    def each_run_from(self, before: Solution, first: Solution) -> Iterator[Solution]:
        """The same of the runs (before, [first, ..]), where R1 = { (before, [first]) }"""
        run = self.repeated.extended(begun(before), first)
        return (self.measured(run) for run in self._runs(run, self.repeated) if run in self.times)

    def fits_first(self, before: Solution, each: Solution) -> bool:
        """F(r, b) of a run with no iteration yet."""
        return self.repeated.fits(begun(before), each)

    def _runs(self, run: Run, repeated: Repeated) -> Iterator[Run]:
        """R1 = { (a, [b]) : b follows a by SEQ_f }; with nothing before: every b
        Rk+1 = { (r, [..., b]) : r ∈ Rk, b follows r by SEQ (ANY), SEQ NEXT, SEQ STRICT }

        From (a, []), where there is an a, to all of Rn. follows: r ~ b on shared variables only; last
        iteration ≺ b; F(r, b).
        """
        current = [run]
        if run.first is not None:
            yield run
        while current and len(current[0].iterations) != self.times.most:
            current = [
                repeated.extended(run, each) for run in current for each in self._following(run, repeated)
            ]
            yield from current

    def _following(self, run: Run, repeated: Repeated) -> Iterable[Solution]:
        if run.first is None and not run.iterations:
            found = repeated.side.found
            return [each for each in found if each.interval is not None and repeated.fits(run, each)]
        side = replace(repeated.side, condition=lambda _, each: repeated.fits(run, each))
        return (self.step if run.iterations else self.lead)(run.last, side)

    # ---- LONGEST -------------------------------------------------------------------------------------

    def longest(self, first: Solution | None) -> Iterator[Solution]:
        """LONGEST (i) and (iii): last in its chain"""
        found = list(self._runs(begun(first), self.repeated.in_the_end))
        for run in self._maximal(found):
            until = self._broken(run, [other for other in found if _is_longer(other, run)])
            if until is not None:
                yield self.measured(replace(run, solution=until))

    def longest_before(self, first: Solution | None, then: Then) -> Iterator[tuple[Solution, Solution]]:
        """LONGEST (i) and (ii): followed by C; no longer r' of the same beginning with e(r') < s(c) that
        makes a match with the same c. Each r with its c.
        """
        found = list(self._runs(begun(first), self.repeated.in_the_end))
        for run in self._maximal(found):
            longer = [other for other in found if _is_longer(other, run)]
            for each in self._matches(run, then.side, then):
                alone = replace(then.side, found=[each])
                if not any(self._matches(other, alone, then) for other in longer):
                    yield self.measured(run), each

    def _maximal(self, found: Sequence[Run]) -> list[Run]:
        """(i): no r' ∈ R1 .. Rn has the same a and r as a proper suffix"""
        return [
            run for run in found if run in self.times and not any(_is_suffix(run, other) for other in found)
        ]

    def _broken(self, run: Run, longer: Sequence[Run]) -> Solution | None:
        """(iii): nothing extends r, and the end is that of the first event of the scope after r
        (of r itself where k = n; of the last instant where the input ends)

        Nothing extends r by that end, that is: what ends later is not known then.
        """
        assert run.solution.interval is not None
        assert self.scope is not None
        _, end = run.solution.interval
        if len(run.iterations) == self.times.most:
            return run.solution
        last = run.last
        breaking = [
            _end(each)
            for each in self.scope.settled
            if joined(last, each) is not None and before(last, each) and self.scope.condition(last, each)
        ]
        until = min(breaking, default=max(end, self.last_instant))
        if any(_end(other.iterations[len(run.iterations)]) <= until for other in longer):
            return None
        return run.solution.until(until)

    def _matches(self, run: Run, side: Side, then: Then) -> list[Solution]:
        return then.follows(replace(self.measured(run), interval=run.last.interval), side)

    # ---- ALL -----------------------------------------------------------------------------------------

    def each_growth(self, first: Solution | None) -> Iterator[Solution]:
        """A SEQ REPEAT {B} = one solution for each instant at which T(a, ·) grew and m ≤ |T| ≤ n

        It ends there. With m = 0 also A itself.
        """
        for states in self._growing(first):
            for _, same in groupby(states, lambda each: (bool(each.iterations), _end(each.last))):
                run = list(same)[-1]
                if run in self.times:
                    yield self.measured(run)

    def all_before(self, first: Solution | None, then: Then) -> Iterator[tuple[Solution, Solution]]:
        """A SEQ REPEAT {B} SEQ C = { a·c with measures(T(a, s(c))) : a ≺ c, a ~ c, m ≤ |T| ≤ n }

        Each a with its measures, and c. With NEXT before C: of these the first. What must not be between lies
        after the last of T.
        """
        for states in self._growing(first):
            found = self._before(states, then, then.side.found)
            if then.is_next:
                ends = [_end(each) for _, each in self._before(states, then, then.side.settled)]
                found = [(run, each) for run, each in found if not any(end < _end(each) for end in ends)]
            for run, each in found:
                if self._fit(run, each, then, then.between):
                    yield self.measured(run), each

    def _before(
        self, states: Sequence[Run], then: Then, found: Sequence[Solution]
    ) -> list[tuple[Run, Solution]]:
        """T(a, s(c)) with each c that it makes a match with."""
        begun_before = [
            (_until(states, each.interval[0]), each) for each in found if each.interval is not None
        ]
        return [
            (run, each)
            for run, each in begun_before
            if run is not None and run in self.times and self._fit(run, each, then, any_after)
        ]

    def _fit(self, run: Run, each: Solution, then: Then, follows: Follows) -> bool:
        last = replace(self.measured(run), interval=run.last.interval)
        return bool(follows(last, replace(then.side, found=[each])))

    def _growing(self, first: Solution | None) -> Iterator[list[Run]]:
        """T(a, ·) for each value of PER: made by going through b ∈ ⟦B⟧, b ~ a on shared variables, a ≺ b,
        in the order of (end, start, bindings), taking each with F(a, taken so far, b)

        With nothing before: every b for which F holds as the first begins; all later ones are taken.
        The states of each T, from that with nothing but a, or but the first b.
        """
        repeated = self.repeated
        if first is None:
            for each in repeated.side.settled:
                if each.interval is not None and repeated.fits(begun(None), each):
                    yield self._taking(repeated.extended(begun(None), each))
            return
        own = [each for each in self.per if each not in first.mapping]
        values = {
            frozenset(each.restricted(own).mapping.items())
            for each in repeated.side.settled
            if joined(first, each) is not None and before(first, each)
        }
        for value in values if own else [frozenset()]:
            yield self._taking(begun(Solution({**first.mapping, **dict(value)}, first.interval)))

    def _taking(self, run: Run) -> list[Run]:
        """The states of one T(a, ·), from the one that is given."""
        start, states = run.last, [run]
        for each in sorted(self.repeated.side.settled, key=_order):
            if joined(start, each) is not None and before(start, each) and self.repeated.fits(run, each):
                run = self.repeated.extended(run, each)
                states.append(run)
        return states


def _until(states: Sequence[Run], start: int) -> Run | None:
    """T(a, s(c)): what was taken of e(b) < s(c); None before the beginning."""
    earlier = [each for each in states if _end(each.last) < start]
    return earlier[-1] if earlier else None


def _is_longer(longer: Run, run: Run) -> bool:
    """Whether ``run`` is a proper prefix."""
    return len(longer.iterations) > len(run.iterations) and _same(longer.iterations, run.iterations)


def _is_suffix(run: Run, longer: Run) -> bool:
    """Whether ``run`` is a proper suffix; a run of nothing is none of any."""
    extra = len(longer.iterations) - len(run.iterations)
    return bool(run.iterations) and extra > 0 and _same(longer.iterations[extra:], run.iterations)


def _same(some: Sequence[Solution], others: Sequence[Solution]) -> bool:
    """Whether these begin with those."""
    return all(one is other for one, other in zip(some, others, strict=False))


def _order(solution: Solution) -> tuple[object, ...]:
    bindings = sorted((name, standard_key(value)) for name, value in solution.mapping.items())
    return (0, 0, bindings) if solution.interval is None else (*reversed(solution.interval), bindings)


def _end(solution: Solution) -> int:
    assert solution.interval is not None
    return solution.interval[1]
