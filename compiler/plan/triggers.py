"""Which occurrences can match a triple pattern, as far as their predicates tell.

With an ontology a pattern has more triggers than its own predicate: those of subproperties, and for a type
those of every property whose domain or range gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, TypeAlias

from etalis_py.compiler.algebra.algebra import Constant, TriplePattern
from etalis_py.compiler.plan.strata import reaches, unifies
from etalis_py.core.value_class import value_class

__all__ = [
    "POSITIONS",
    "PatternKnowledge",
    "Position",
    "Trigger",
    "TriggerFinder",
    "may_fire",
    "plain_triggers",
    "trigger_of",
]

Position: TypeAlias = Literal["s", "p", "o"]
POSITIONS: tuple[Position, ...] = ("s", "p", "o")


@value_class
class Trigger:
    """A predicate whose occurrences can match a pattern (None: any predicate).

    ``subject_is`` and ``object_is`` say where such an occurrence has what matches the pattern's subject and
    object; None where that is nowhere in it. ``way`` is how it matches, in the words of
    ``rules/background/rdfs_triggers.pl``.
    """

    predicate: str | None
    way: str = "same"
    subject_is: Position | None = "s"
    object_is: Position | None = "o"

    @property
    def is_entailed(self) -> bool:
        """Whether the ontology is needed for the match."""
        return self.way != "same"

    def source_of(self, position: Position) -> Position | None:
        """Where an occurrence has what matches ``position`` of the pattern; None: nowhere in it."""
        match position:
            case "s":
                return self.subject_is
            case "o":
                return self.object_is
            case "p":
                return None if self.is_entailed else "p"


TriggerFinder: TypeAlias = Callable[[TriplePattern], Sequence[Trigger]]
"""Which occurrences can match a pattern."""


class PatternKnowledge(Protocol):
    """What is known of patterns when there is background."""

    def may_match(self, pattern: TriplePattern) -> bool:
        """Whether background alone could match ``pattern``."""

    def triggers(self, pattern: TriplePattern) -> Sequence[Trigger]:
        """Which occurrences can match ``pattern``."""

    def may_trigger(self, template: TriplePattern, pattern: TriplePattern) -> bool:
        """Whether a triple made from ``template`` could match ``pattern``."""


def may_fire(template: TriplePattern, trigger: Trigger, pattern: TriplePattern) -> bool:
    """Whether a triple made from ``template`` can be one that matches ``pattern`` by ``trigger``."""
    if not trigger.is_entailed:
        return unifies(template, pattern)
    made = template.predicate
    if not reaches(template, pattern):
        return False
    return trigger.predicate is None or not isinstance(made, Constant) or made.value == trigger.predicate


def plain_triggers(pattern: TriplePattern) -> list[Trigger]:
    """The trigger of a pattern without an ontology: its own predicate, or any."""
    predicate = pattern.predicate
    return [Trigger(str(predicate.value) if isinstance(predicate, Constant) else None)]


def trigger_of(predicate: str | None, way: str) -> Trigger:
    """The trigger for an answer of ``triggering_predicate/5``."""
    match way:
        case "same" | "subproperty":
            return Trigger(predicate, way)
        case "domain" | "class":
            return Trigger(predicate, way, "s", None)
        case "range":
            return Trigger(predicate, way, "o", None)
        case _:
            return Trigger(predicate, way, None, None)
