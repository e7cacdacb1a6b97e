"""What the compiler asks of an engine's background: could it match a pattern, what triggers a pattern.

Does not load anything: ``ontologies/background.py`` does.
"""

from __future__ import annotations

from etalis_py.compiler.algebra.algebra import Constant, TriplePattern
from etalis_py.compiler.lint.nearest import nearest
from etalis_py.compiler.plan.strata import reaches, unifies
from etalis_py.compiler.plan.triggers import Trigger, plain_triggers, trigger_of
from etalis_py.core.literals import Encoded
from etalis_py.embedding import prolog

__all__ = ["Knowledge"]


class Knowledge:
    """Answers the compiler's questions; without a background module, as if nothing were known."""

    def __init__(self, module: str | None = None) -> None:
        self._module = module
        self._triggers: dict[tuple[Encoded | None, Encoded | None], list[Trigger]] = {}
        self._names: dict[str, dict[str, set[str]]] = {}
        self._near: dict[tuple[str, bool], str | None] = {}

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

    @property
    def has_graphs(self) -> bool:
        """Whether the background has a named graph."""
        return self._module is not None and prolog.holds(
            "etalis_background_graphs", "has_graphs", self._module
        )

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

    def near(self, iri: str, *, is_class: bool) -> str | None:
        """A class or property of the files, written nearly as ``iri``; None if ``iri`` is one itself."""
        if self._module is None:
            return None
        key = (iri, is_class)
        if key not in self._near:
            self._near[key] = self._nearest(iri, "class" if is_class else "property")
        return self._near[key]

    def has_name(self, iri: str, *, is_class: bool) -> bool:
        """Whether the files have a class or property ``iri``."""
        return self._module is not None and self._has(iri, "class" if is_class else "property")

    def _has(self, iri: str, kind: str) -> bool:
        return prolog.holds("etalis_background_names", "background_name", self._module, kind, iri)

    def _nearest(self, iri: str, kind: str) -> str | None:
        if self._has(iri, kind):
            return None
        namespace, local = _divided(iri)
        found = nearest(local, self._named(kind).get(namespace, ()))
        return None if found is None else namespace + found

    def _named(self, kind: str) -> dict[str, set[str]]:
        """The local names of all classes or properties, by their namespaces."""
        if kind not in self._names:
            names = self._names[kind] = {}
            for iri in prolog.call("etalis_background_names", "background_names", self._module, kind):
                namespace, local = _divided(iri)
                names.setdefault(namespace, set()).add(local)
        return self._names[kind]

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
        if not reaches(template, pattern):
            return False
        made = _ground(template.predicate)
        return any(
            trigger.is_entailed and (None in (made, trigger.predicate) or made == trigger.predicate)
            for trigger in self.triggers(pattern)
        )


def _divided(iri: str) -> tuple[str, str]:
    """Namespace and local name.

    >>> _divided("http://example.org/goods#Fish")
    ('http://example.org/goods#', 'Fish')
    """
    place = max(map(iri.rfind, "#/:")) + 1
    return iri[:place], iri[place:]


def _ground(term: object) -> Encoded | None:
    return term.value if isinstance(term, Constant) else None
