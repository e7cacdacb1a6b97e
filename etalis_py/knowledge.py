"""What the compiler asks of an engine's background: could it match a pattern, what triggers a pattern.

Does not load anything: ``ontologies/background.py`` does.
"""

from __future__ import annotations

from etalis_py import prolog
from etalis_py.compiler.algebra import Constant, TriplePattern
from etalis_py.compiler.strata import unifies
from etalis_py.compiler.triggers import Trigger, plain_triggers, trigger_of
from etalis_py.literals import Encoded

__all__ = ["Knowledge"]


class Knowledge:
    """Answers the compiler's questions; without a background module, as if nothing were known."""

    def __init__(self, module: str | None = None) -> None:
        self._module = module
        self._triggers: dict[tuple[Encoded | None, Encoded | None], list[Trigger]] = {}

    @property
    def module(self) -> str | None:
        """The Prolog module that holds the background and the user's predicates."""
        return self._module

    def may_match(self, pattern: TriplePattern) -> bool:
        """Whether background alone could match ``pattern``."""
        if self._module is None:
            return False
        arguments = (self._module, _ground(pattern.predicate), _ground(pattern.object))
        return bool(prolog.holds("etalis_engine", "pattern_may_match", *arguments))

    def triggers(self, pattern: TriplePattern) -> list[Trigger]:
        """Which occurrences can match ``pattern``, entailment included."""
        if self._module is None:
            return plain_triggers(pattern)
        key = (_ground(pattern.predicate), _ground(pattern.object))
        if key not in self._triggers:
            found = prolog.call("etalis_engine", "pattern_triggers", self._module, *key)
            self._triggers[key] = [trigger_of(predicate, way) for predicate, way in found]
        return self._triggers[key]

    def is_below(self, lower: str, upper: str) -> bool:
        """Whether the class ``lower`` is ``upper`` or a subclass of it."""
        if lower == upper or self._module is None:
            return lower == upper
        return prolog.holds("etalis_rdfs_schema", "superclass", self._module, lower, upper)

    def classes_below(self, name: str, most: int = 2_000) -> list[str] | None:
        """The subclasses of a class; None where there are more than ``most``."""
        if self._module is None:
            return []
        found: list[str] = prolog.call("etalis_rdfs_schema", "subclasses", self._module, name)
        return found if len(found) <= most else None

    def user_predicates(self) -> list[tuple[str, int]]:
        """Name and arity of the Prolog predicates that a query may call."""
        if self._module is None:
            return []
        found = prolog.call("etalis_user_predicates", "defined_predicates", self._module)
        return [(name, arity) for name, arity in found]

    def may_trigger(self, template: TriplePattern, pattern: TriplePattern) -> bool:
        """Whether a triple made from ``template`` could match ``pattern``."""
        if self._module is None or unifies(template, pattern):
            return unifies(template, pattern)
        made = _ground(template.predicate)
        return any(
            trigger.is_entailed and (None in (made, trigger.predicate) or made == trigger.predicate)
            for trigger in self.triggers(pattern)
        )


def _ground(term: object) -> Encoded | None:
    return term.value if isinstance(term, Constant) else None
