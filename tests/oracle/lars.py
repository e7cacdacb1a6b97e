"""What a LARS program means, by the definitions of the paper (section 2): time point by time point.

A window is filled anew at each, by the definition of what it holds. Knows nothing of queries and solutions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TypeAlias

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.stream_windows import CountExtent, Extent
from etalis_py.compiler.lars.program import (
    Assign,
    At,
    Atom,
    Before,
    Bound,
    Formula,
    InWindow,
    Multiple,
    Not,
    Null,
    Order,
    Program,
    Rule,
    Term,
    Test,
    Time,
)
from etalis_py.core.terms import Encoded
from tests.oracle.algebra_expressions import Sight, truth, value
from tests.oracle.extents import holds
from tests.oracle.places import Element
from tests.oracle.solutions import Clock, Placed, Triple

__all__ = ["Stream"]

_NULL = "null"
_ETERNITY = {"∞": 10**9, "-∞": -(10**9)}
Value: TypeAlias = "Encoded | int"
Bindings: TypeAlias = Mapping[str, Value]
_Facts: TypeAlias = dict[str, set[tuple[Value, ...]]]


@dataclass
class Stream:
    """A program over all that comes; ``stated`` is what came itself, ``placed`` has what follows from it."""

    program: Program
    stated: Sequence[Placed]
    placed: Sequence[Placed]
    background: frozenset[Triple]
    clock: Clock
    """The first time point that there is, and the last."""
    _facts: _Facts = field(default_factory=dict)
    _now: int = 0

    def at(self, time: int) -> tuple[bool, set[tuple[Value, ...]]]:
        """Whether there are answers then, and what they would be."""
        self._facts, self._now = {"triple": set(self.background)}, time
        # What trigger stands on comes behind it; an answer where there is no trigger is looked at, too.
        self._run(list(reversed(self.program.evaluations)))
        triggered = bool(self._facts.get("trigger"))
        self._facts["trigger"] = {()}
        self._run(self.program.rules)
        return triggered, self._facts.get("ans1", set())

    def answers(self) -> set[tuple[Value, ...]]:
        """Of a program without windows the answers; the last two of each are its start and its end."""
        self._facts = {"triple": set(self.background)}
        self._run(self.program.rules)
        return self._facts.get("ans1", set())

    def _run(self, rules: Sequence[Rule]) -> None:
        """The least model, predicate by predicate."""
        for _, same in groupby(rules, key=lambda each: _head(each).predicate):
            group = list(same)
            while True:
                known = self._facts.setdefault(_head(group[0]).predicate, set())
                new = {
                    self._told(rule, found)
                    for rule in group
                    for found in list(self._solutions(rule.body, {}))
                } - known
                if not new:
                    break
                known |= new

    @staticmethod
    def _told(rule: Rule, found: Bindings) -> tuple[Value, ...]:
        values = tuple(_value(each, found) for each in _head(rule).arguments)
        return (*values, _time(rule.head.time, found)) if isinstance(rule.head, At) else values

    def _solutions(self, body: Sequence[Formula], found: Bindings) -> Iterator[Bindings]:
        if not body:
            yield found
            return
        for each in self._true(body[0], found):
            yield from self._solutions(body[1:], each)

    def _true(self, formula: Formula, found: Bindings) -> Iterator[Bindings]:  # noqa: C901 - one for each
        match formula:
            case Atom(predicate=predicate, arguments=arguments):
                for fact in self._facts.get(predicate, ()):
                    yield from _matched(arguments, fact, found)
            case At(time=time, atom=atom):
                for each in self.placed:
                    fact = (*each.triple, each.stream, each.interval[0], each.interval[1])
                    yield from _matched((*atom.arguments, time), fact, found)
            case InWindow():
                yield from self._in_window(formula, self._now, found)
            case Before(formula=inner):
                yield from self._in_window(inner, self._now - 1, found)
            case Not(formula=inner):
                if next(self._true(inner, found), None) is None:
                    yield found
            case Test(expression=expression):
                if truth(expression, _sight(found)):
                    yield found
            case Assign(variable=variable, expression=expression):
                given = value(expression, _sight(found))
                yield {**found, variable.name: _NULL if given is None else given}
            case Order(first=first, word=word, second=second):
                one, other = _time(first, found), _time(second, found)
                if {"<": one < other, "=<": one <= other, "=": one == other}[word]:
                    yield found
            case Bound(time=time, word=word, first=first, second=second):
                times = _time(first, found), _time(second, found)
                yield {**found, time.name: min(times) if word == "min" else max(times)}
            case Multiple(time=time, period=period, origin=origin):
                if time.name != "T":
                    first, last = self.clock
                    for each in range(first + -first % period, last + 1, period):
                        yield {**found, time.name: each}
                elif self._now >= (origin or 0) and (self._now - (origin or 0)) % period == 0:
                    yield found

    def _in_window(self, formula: InWindow, now: int, found: Bindings) -> Iterator[Bindings]:
        window = self.program.windows[formula.window - 1]
        own = [each for each in self.stated if window.stream in (None, each.stream)]
        there = _content(window.extent, now, {_element(each) for each in own})
        for each in self.placed:
            if _element(each) in there:
                fact: tuple[Value, ...] = (*each.triple, each.stream, each.interval[1])
                time = () if formula.time is None else (formula.time,)
                yield from _matched((*formula.atom.arguments, *time), fact[: 4 + len(time)], found)


def _element(placed: Placed) -> Element:
    return Element(placed.stream, placed.graph, placed.interval)


def _content(extent: Extent, now: int, elements: set[Element]) -> set[Element]:
    if isinstance(extent, CountExtent):
        past = [each for each in elements if each.interval[1] <= now]
        newest = sorted(past, key=lambda each: (each.interval[1], each.interval[0], each.graph or ""))
        whole = newest[: len(newest) - len(newest) % (extent.step or 1)]
        return set(whole[-extent.count :])
    return {each for each in elements if holds(extent, now, *each.interval)}


def _head(rule: Rule) -> Atom:
    return rule.head.atom if isinstance(rule.head, At) else rule.head


def _sight(found: Bindings) -> Sight:
    values = {name: given for name, given in found.items() if given != _NULL and not isinstance(given, int)}
    return Sight(values, None, lambda _test: False)


def _time(time: Time, found: Bindings) -> int:
    given = _ETERNITY.get(time.name, found.get(time.name))
    assert isinstance(given, int), f"{time.name} has no value"
    return given + time.later


def _value(term: Term, found: Bindings) -> Value:
    match term:
        case algebra.Variable(name=name):
            return found[name]
        case algebra.Constant(value=known):
            return known
        case Null():
            return _NULL
        case Time():
            return _time(term, found)


def _matched(terms: Sequence[Term], fact: Sequence[Value], found: Bindings) -> Iterator[Bindings]:
    if len(terms) != len(fact):
        return
    own = dict(found)
    for term, known in zip(terms, fact, strict=True):
        if isinstance(term, algebra.Constant | Null) or (
            isinstance(term, Time) and (term.later or term.name in own)
        ):
            if _value(term, own) != known:
                return
        elif own.setdefault(term.name, known) != known:
            return
    yield own
