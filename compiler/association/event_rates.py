"""How often the events of a stream match a pattern, from what is known of their predicates and classes.

Where an ontology lets events of other predicates or classes match, they count as well. Does not measure
and does not read files: ``etalis_py/rates.py`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Protocol, TypeAlias

from etalis_py.compiler.algebra.algebra import Constant, TriplePattern, Variable
from etalis_py.compiler.association.association import Estimate
from etalis_py.compiler.parse.names import Names
from etalis_py.compiler.plan.triggers import PatternKnowledge, Trigger
from etalis_py.core.terms import Encoded
from etalis_py.core.value_class import value_class

__all__ = ["EventKind", "Frequency", "KnownRates", "PatternRate", "RateSource"]

PatternRate: TypeAlias = Callable[[TriplePattern], Estimate | None]
"""The estimate for a pattern; None where its rate is not known."""

_VALUES: Final = 100.0
"""How many subjects or objects there are, where that is not given."""


class RateSource(Protocol):
    """What the compiler knows of rates."""

    def of_patterns(self, names: Names) -> PatternRate:
        """The rates for a query that has these prefixes."""


class RateKnowledge(PatternKnowledge, Protocol):
    """What is asked of the ontology."""

    def is_below(self, lower: str, upper: str) -> bool:
        """Whether the class ``lower`` is ``upper`` or a subclass of it."""


@value_class
class EventKind:
    """Events with a predicate, or with a predicate and an object (a class, for rdf:type)."""

    predicate: str
    object: Encoded | None = None


@value_class
class Frequency:
    """Events a second, and how many subjects and objects they have; None where that is not known."""

    rate: float
    subjects: float | None = None
    objects: float | None = None


@value_class
class KnownRates:
    """The rates of events of several kinds.

    ``seen_for`` (seconds): they were counted for so long, and there was no other event; then ``made`` are the
    triples that queries make, whose rates are not known.
    """

    kinds: Mapping[EventKind, Frequency]
    knowledge: RateKnowledge
    seen_for: float | None = None
    made: tuple[TriplePattern, ...] = ()

    def __call__(self, pattern: TriplePattern) -> Estimate | None:
        """The estimate for a pattern; None where its rate is not known."""
        if not pattern.eventful:
            return Estimate(1.0, 0, 1.0, {})  # never matched by an event
        if any(self.knowledge.may_trigger(template, pattern) for template in self.made):
            return None
        found = [
            (trigger, frequency)
            for trigger in self.knowledge.triggers(pattern)
            for frequency in self._of_trigger(trigger, pattern)
        ]
        if not found and self.seen_for is None:
            return None
        rate = sum(frequency.rate for _, frequency in found)
        if self.seen_for is not None:
            rate = rate or 0.5 / self.seen_for  # it may come yet
        values = {
            "s": sum(_count(frequency, trigger.subject_is) for trigger, frequency in found),
            "p": float(len(found)),
            "o": sum(_count(frequency, trigger.object_is) for trigger, frequency in found),
        }
        return _with_terms(pattern, rate, {place: max(count, 1.0) for place, count in values.items()})

    def _of_trigger(self, trigger: Trigger, pattern: TriplePattern) -> list[Frequency]:
        """The frequencies of the events that match ``pattern`` by ``trigger``."""
        if trigger.predicate is None:
            predicates = dict.fromkeys(kind.predicate for kind in self.kinds)
            return [each for predicate in predicates for each in self._of_predicate(predicate)]
        if not isinstance(pattern.object, Constant) or trigger.way not in ("same", "subproperty", "class"):
            return self._of_predicate(trigger.predicate)
        wanted = pattern.object.value
        if trigger.way == "class":
            found = self._below(trigger.predicate, wanted)
        else:
            found = self._kinds(kind for kind in self.kinds if kind == EventKind(trigger.predicate, wanted))
        if found or self.seen_for is not None:
            return found
        return [
            Frequency(each.rate / (each.objects or _VALUES), each.subjects, 1.0)
            for each in self._kinds([EventKind(trigger.predicate)])
        ]

    def _of_predicate(self, predicate: str) -> list[Frequency]:
        """Of all events with a predicate: given as one, or object by object."""
        return self._kinds([EventKind(predicate)]) or self._kinds(
            kind for kind in self.kinds if kind.predicate == predicate
        )

    def _below(self, predicate: str, wanted: Encoded) -> list[Frequency]:
        return self._kinds(
            kind
            for kind in self.kinds
            if kind.predicate == predicate and isinstance(kind.object, str) and isinstance(wanted, str)
            if kind.object == wanted or self.knowledge.is_below(kind.object, wanted)
        )

    def _kinds(self, kinds: Iterable[EventKind]) -> list[Frequency]:
        return [self.kinds[kind] for kind in kinds if kind in self.kinds]


def _count(frequency: Frequency, place: str | None) -> float:
    """How many terms events of some frequency have at a place."""
    match place:
        case "s":
            return frequency.subjects or _VALUES
        case "o":
            return frequency.objects or _VALUES
        case _:
            return 1.0


def _with_terms(pattern: TriplePattern, rate: float, counts: Mapping[str, float]) -> Estimate:
    """The estimate for events of a ``rate``, which have so many subjects, predicates and objects."""
    values: dict[Variable, float] = {}
    for place, term in zip("spo", pattern.terms, strict=True):
        if isinstance(term, Constant):
            if place == "s":  # of predicates and objects only those that fit were counted
                rate /= counts[place]
        elif term in values:
            rate /= max(values[term], counts[place])
            values[term] = min(values[term], counts[place])
        else:
            values[term] = counts[place]
    return Estimate(rate, 1, 1.0, values)
