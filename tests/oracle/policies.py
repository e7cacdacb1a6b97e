"""What the selection and consumption policies mean: the definition of docs/semantics.md, read aloud.

Instant by instant, every operator looks at all solutions of its sides that are left: nothing is indexed, and
nothing is forgotten but what is consumed. Which filters judge the pairs of an operator: ``braces.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Pattern
from etalis_py.compiler.algebra.window import duration_bound, narrower
from etalis_py.engine.answer_order import term_order
from tests.oracle.policy_judge import Judge
from tests.oracle.policy_parts import Here, Made, Place, Policy, Used, few, merged, seen
from tests.oracle.relations import RELATIONS, any_time
from tests.oracle.solutions import Interval, Placed, Solution, joined

__all__ = ["Made", "Policy", "PolicyEvaluator"]

_RELATIONS = {
    **RELATIONS,
    "Join": any_time,
    "OPTIONAL": any_time,  # of the partners that are there
    "OPTIONALSEQ": RELATIONS["SEQ"],
    "EQUALSOPTIONAL": RELATIONS["EQUALS"],
}


@dataclass
class PolicyEvaluator(Judge):
    """One query: what it finds at each instant in turn."""

    pattern: Pattern
    policy: Policy
    consumed: set[Used] = field(default_factory=set)
    _past: dict[Place, list[Made]] = field(default_factory=dict)
    _current: dict[Place, list[Made]] = field(default_factory=dict)
    _instant: frozenset[Placed] = frozenset()
    _earlier: list[frozenset[Placed]] = field(default_factory=list)

    def at(self, instant: frozenset[Placed]) -> list[Made]:
        """The solutions that end now; may be asked again with more occurrences of the same instant."""
        self._instant, self._current = instant, {}
        return self._now(self.pattern, Here(self.policy))

    def close(self, answered: Iterable[Made]) -> None:
        """The instant is over: what its answers are made of is consumed."""
        for place, found in self._current.items():
            self._past.setdefault(place, []).extend(found)
        self._earlier.append(self._instant)
        if self.policy != "unrestricted":
            self.consumed |= {each for made in answered for each in made.used}

    # ---- Solutions that end now ----------------------------------------------------------------------

    def _now(self, pattern: Pattern, here: Here) -> list[Made]:
        if here.place not in self._current:
            self._current[here.place] = few(self._found(pattern, here))
        return self._current[here.place]

    def _before(self, here: Here) -> list[Made]:
        """What ended before and contains nothing that is consumed."""
        past = self._past.get(here.place, [])
        if here.policy == "unrestricted":
            return past
        return [each for each in past if not each.used & self.consumed]

    def _found(self, pattern: Pattern, here: Here) -> Iterable[Made]:
        match pattern:
            case algebra.Unit() | algebra.Table():
                return []
            case algebra.TriplePattern(graph=None, sources=None):
                return seen(pattern, self._instant)
            case algebra.Filter(condition=condition, pattern=inner):
                window = narrower(here.window, duration_bound(condition, inner))
                found = self._now(inner, here.into(0, window=window, above=(pattern, *here.above)))
                return [each for each in found if self.holds(condition, each.solution)]
            case algebra.Extend(pattern=inner):
                above = (pattern, *here.above) if here.above else ()
                found = self._now(inner, here.into(0, window=here.window, above=above))
                return [replace(each, solution=self.extended(pattern, each.solution)) for each in found]
            case algebra.Project(pattern=inner, variables=shown):
                found = self._now(inner, here.into(0, window=here.window))
                names = [each.name for each in shown]
                return [replace(each, solution=each.solution.restricted(names)) for each in found]
            case algebra.Distinct(pattern=inner):
                return merged(self._now(inner, here.into(0, window=here.window)))
            case algebra.OrderBy(pattern=inner):
                return self._now(inner, here.into(0))
            case algebra.Union(left=left, right=right):
                sides = ((0, left), (1, right))
                return [
                    each for n, side in sides for each in self._now(side, here.into(n, window=here.window))
                ]
            case algebra.Minus(left=left):
                self._now(pattern.right, here.test(0))
                found = self._now(left, here.into(0, window=here.window))
                return [each for each in found if not self.subtracted(pattern, each.solution, here)]
            case algebra.Pair():
                return self._paired(pattern, here)
            case _:
                raise NotImplementedError(type(pattern).__name__)

    def happened(self, pattern: Pattern, until: Interval) -> list[Solution]:
        """All solutions of a pattern that end no later than ``until``, consumed or not."""
        evaluator = PolicyEvaluator(self.background, self.braces, pattern, "unrestricted")
        found: list[Solution] = []
        for instant in (*self._earlier, self._instant):
            if all(each.interval[1] <= until[1] for each in instant):
                found += [each.solution for each in evaluator.at(instant)]
                evaluator.close([])
        return found

    def until_now(self, here: Here) -> list[Made]:
        """All that ended at a place up to now, consumed or not."""
        return [*self._past.get(here.place, []), *self._current.get(here.place, [])]

    # ---- Pairs ---------------------------------------------------------------------------------------

    def _paired(self, pattern: algebra.Pair, here: Here) -> Iterator[Made]:
        """What the solutions that complete a pair now make of it."""
        word = pattern.operator.word
        seq = word == "OPTIONALSEQ"
        optional = word in ("OPTIONAL", "EQUALSOPTIONAL")
        left = self._side(pattern.left, here.into("left", window=None if seq else here.window))
        right = self._side(pattern.right, here.into("right", window=None if optional else here.window))
        choice = _Choice(self, pattern, here)
        match word:
            case "Join" | "PAR":
                for one in left.now:
                    yield from choice.of(one, right.before, "right")
                    yield from choice.always(one, right.always if word == "Join" else [])
                for one in right.now:
                    yield from choice.of(one, [*left.before, *left.now], "left")
                    yield from choice.always(one, left.always if word == "Join" else [])
            case "OPTIONAL" | "OPTIONALSEQ" | "EQUALSOPTIONAL":
                yield from self._optionally(word, left, right, choice)
            case "EQUALS" | "FINISHES":
                for one in right.now:
                    yield from choice.of(one, left.now, "left")
            case _:  # of those that come earlier
                for one in right.now:
                    yield from choice.of(one, left.before, "left")

    def _side(self, pattern: Pattern, here: Here) -> _Side:
        return _Side(self._now(pattern, here), self._before(here), self.always(pattern, here))

    def _optionally(self, word: str, left: _Side, right: _Side, choice: _Choice) -> Iterator[Made]:
        """The pairs of a kept solution; it stays alone where it has no partner at all."""
        kept = right.now if word == "OPTIONALSEQ" else left.now
        for one in kept:
            match word:
                case "OPTIONALSEQ":
                    found = list(choice.of(one, left.before, "left"))
                case "EQUALSOPTIONAL":
                    found = list(choice.of(one, right.now, "right"))
                case _:
                    found = list(choice.of(one, [*right.before, *right.now], "right"))
                    found += choice.always(one, right.always)
            yield from found if found or choice.met else [one]


@dataclass(frozen=True, slots=True)
class _Side:
    """The solutions of one side: those that end now, those left of before, and those that hold always."""

    now: list[Made]
    before: list[Made]
    always: list[Solution]


@dataclass
class _Choice:
    """The choice of one operator's completing solutions."""

    evaluator: PolicyEvaluator
    pattern: algebra.Pair
    here: Here
    met: bool = False
    """Whether the last one met a partner by the operator's own rules, whatever the filters above say."""

    def of(self, one: Made, others: list[Made], side: Literal["left", "right"]) -> Iterator[Made]:
        """The pair with the one partner that is chosen; all pairs where nothing is restricted."""
        self.met = False
        candidates = []
        for other in others:
            pair = self._pair(one, other, side)
            if pair is None:
                continue
            self.met = True
            if self.here.policy == "unrestricted":
                yield pair
            elif self._wanted(pair):
                candidates.append((self._rank(other, side), pair))
        if candidates:
            yield min(candidates, key=lambda each: each[0])[1]

    def always(self, one: Made, others: list[Solution]) -> Iterator[Made]:
        """Each pair with what holds always."""
        for other in others:
            both = joined(one.solution, other)
            if both is None:
                continue
            if self.evaluator.condition_holds(self.pattern.condition, both, None):
                yield Made(both, one.used)

    def _pair(self, one: Made, other: Made, side: Literal["left", "right"]) -> Made | None:
        both = joined(one.solution, other.solution)
        left, right = (other, one) if side == "left" else (one, other)
        related = _RELATIONS[self.pattern.operator.word](left.solution, right.solution)
        if both is None or not related:
            return None
        if not self.evaluator.condition_holds(self.pattern.condition, both, other.interval):
            return None
        return Made(both, one.used | other.used)

    def _wanted(self, pair: Made) -> bool:
        start, end = pair.interval
        if self.here.window is not None and end - start >= self.here.window:
            return False
        return self.evaluator.judged(self.pattern, pair.solution, self.here)

    def _rank(self, other: Made, side: Literal["left", "right"]) -> tuple[Any, ...]:
        """Less is better: by end and start, then by bindings; last by what it is made of."""
        start, end = other.interval
        times = (end, start) if self.here.policy == "chronological" else (-end, -start)
        columns = algebra.variables(getattr(self.pattern, side))
        bindings = [term_order(other.solution.mapping.get(each.name)) for each in columns]
        return *times, bindings, sorted(map(_used_order, other.used))


def _used_order(used: Used) -> tuple[Any, ...]:
    """An occurrence of all streams merged is before those of a stream."""
    start, end = used.interval
    return (used.stream is not None, end, *map(term_order, used.triple), start, used.stream or "")
