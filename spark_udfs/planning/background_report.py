"""What a worker reports of the background, for a driver that has none: as much as the patterns need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from etalis_py.compiler.algebra.algebra import Constant, TermPattern, TriplePattern
from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.plan.plan import Scan, walk
from etalis_py.compiler.plan.triggers import PatternKnowledge, Trigger, may_fire, plain_triggers, trigger_of
from etalis_py.core.vocabulary import RDF_TYPE

__all__ = ["Background", "ReportedBackground", "patterns_of", "read_report", "report_on"]


@dataclass(frozen=True, slots=True)
class ReportedBackground:
    """Patterns by predicate and object (`_key`): whether background matches them, and their triggers.

    A pattern that nothing was reported of is one of a program without background.
    """

    matched: frozenset[str] = frozenset()
    found: Mapping[str, Sequence[Trigger]] = field(default_factory=dict)
    below: Mapping[str, Sequence[str] | None] = field(default_factory=dict)
    near_names: Mapping[tuple[str, bool], str | None] = field(default_factory=dict)
    """Names that the background has in a similar form, by name and whether it is a class."""

    def may_match(self, pattern: TriplePattern) -> bool:
        """Whether background alone could match ``pattern``."""
        return _key(pattern) in self.matched

    def triggers(self, pattern: TriplePattern) -> Sequence[Trigger]:
        """Which occurrences can match ``pattern``."""
        return self.found.get(_key(pattern)) or plain_triggers(pattern)

    def classes_below(self, name: str) -> Sequence[str] | None:
        """The subclasses of a class of some pattern; None where there are too many."""
        return self.below.get(name, ())

    def near(self, iri: str, *, is_class: bool) -> str | None:
        """A class or property of the background, written nearly as ``iri``."""
        return self.near_names.get((iri, is_class))

    def may_trigger(self, template: TriplePattern, pattern: TriplePattern) -> bool:
        """Whether a triple made from ``template`` could match ``pattern``."""
        return any(may_fire(template, trigger, pattern) for trigger in self.triggers(pattern))


def patterns_of(compiled: Sequence[CompiledQuery]) -> Iterator[TriplePattern]:
    """The patterns of a program."""
    for query in compiled:
        for node in walk(query.plan.root):
            if isinstance(node, Scan):
                yield node.pattern


class Background(PatternKnowledge, Protocol):
    """What an engine knows of its background."""

    def classes_below(self, name: str) -> Sequence[str] | None:
        """The subclasses of a class; None where there are too many."""

    def near(self, iri: str, *, is_class: bool) -> str | None:
        """A class or property of the background, written nearly as ``iri``."""


def report_on(compiled: Sequence[CompiledQuery], knowledge: Background) -> list[Any]:
    """What is known of each pattern, fit for JSON."""
    return [
        [
            _key(each),
            knowledge.may_match(each),
            [[trigger.predicate, trigger.way] for trigger in knowledge.triggers(each)],
            [[name, knowledge.classes_below(name)] for name, is_class in _names(each) if is_class],
            [[name, is_class, knowledge.near(name, is_class=is_class)] for name, is_class in _names(each)],
        ]
        for each in patterns_of(compiled)
    ]


def read_report(report: Sequence[Any]) -> ReportedBackground:
    """The background as `report_on` saw it."""
    return ReportedBackground(
        frozenset(key for key, matched, *_ in report if matched),
        {key: [trigger_of(predicate, way) for predicate, way in ways] for key, _, ways, *_ in report},
        {name: below for *_, classes, _ in report for name, below in classes},
        {(name, is_class): near for *_, names in report for name, is_class, near in names},
    )


def _names(pattern: TriplePattern) -> Iterator[tuple[str, bool]]:
    """The class or property that a pattern names, and whether it is a class."""
    is_class = _ground(pattern.predicate) == RDF_TYPE
    name = _ground(pattern.object if is_class else pattern.predicate)
    if isinstance(name, str):
        yield name, is_class


def _key(pattern: TriplePattern) -> str:
    """The same text wherever a pattern with this predicate and object is compiled."""
    return repr((_ground(pattern.predicate), _ground(pattern.object)))


def _ground(term: TermPattern) -> object:
    return term.value if isinstance(term, Constant) else None
