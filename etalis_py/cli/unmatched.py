"""Why a query found nothing, where that is plain to see: patterns that nothing can have matched.

For streams that cannot be read once more; ``no_answers/`` finds out more of others. Predicates and classes of
the stream are noted as it passes, at no cost worth naming; what a pattern's subject or object may be is not
looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from etalis_py.compiler.algebra.algebra import Constant, TriplePattern
from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.explain.readable import readable_for
from etalis_py.compiler.plan.plan import (
    ClosurePlan,
    ConstructPlan,
    PlanNode,
    RepeatPlan,
    Scan,
)
from etalis_py.compiler.plan.triggers import PatternKnowledge
from etalis_py.core.errors import EtalisWarning
from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import RDF_TYPE
from etalis_py.no_answers.seen import Seen
from etalis_py.streams import Batch

__all__ = ["Noted"]

_COUNTED: Final = 100_000
"""Among so many events a name is looked for that may be meant."""


class Noted:
    """What passed: properties and classes of the stream, and how many answers each query had."""

    def __init__(self) -> None:
        self._seen = Seen()
        self._predicates: set[Encoded] = set()
        self._classes: set[Encoded] = set()
        self._answers: Counter[str] = Counter()

    def stream(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The batches, noted as they pass."""
        for batch in batches:
            if self._seen.events < _COUNTED:
                self._seen.add(batch)
            here = set(batch.p)
            self._predicates |= here
            if RDF_TYPE in here:
                pairs = zip(batch.p, batch.o, strict=True)
                self._classes.update(target for predicate, target in pairs if predicate == RDF_TYPE)
            yield batch

    def answers(self, queries: Iterable[str]) -> None:
        """Count answers; ``queries`` has the name of the query of each."""
        self._answers.update(queries)

    def unanswered(self, queries: Sequence[CompiledQuery]) -> list[CompiledQuery]:
        """The queries that had no answer."""
        return [each for each in queries if not self._answers[each.name]]

    def reasons(
        self, knowledge: PatternKnowledge, queries: Sequence[CompiledQuery]
    ) -> Iterator[EtalisWarning]:
        """EW20 for each query without answers that has patterns nothing can have matched."""
        made = [
            triple
            for query in queries
            if isinstance(query.plan, ConstructPlan) and self._answers[query.name]
            for triple in query.plan.template
        ]
        for query in self.unanswered(queries):
            if not query.plan.root.eventful:
                yield _nothing(query, "no event can be in one; --at TIME asks at an instant")
                continue
            missing = [
                scan
                for scan in _required(query.plan.root)
                if not self._may_have_matched(scan.pattern, knowledge, made)
            ]
            if missing:
                hints = dict.fromkeys(
                    hint for scan in missing if (hint := self._instead(scan.pattern, query))
                )
                what = f"nothing matches {_shown(query, missing)}"
                yield _nothing(query, what, "; ".join(hints) or None)

    def _instead(self, pattern: TriplePattern, query: CompiledQuery) -> str | None:
        """What the stream has under a name that is like the one looked for."""
        is_class = pattern.predicate == Constant(RDF_TYPE)
        term = pattern.object if is_class else pattern.predicate
        if not isinstance(term, Constant) or not isinstance(term.value, str):
            return None
        near = self._seen.near(term.value, is_class=is_class)
        return None if near is None else f"the stream has {readable_for(query).iri(near)}"

    def _may_have_matched(
        self, pattern: TriplePattern, knowledge: PatternKnowledge, made: Sequence[TriplePattern]
    ) -> bool:
        if knowledge.may_match(pattern) or any(knowledge.may_trigger(each, pattern) for each in made):
            return True
        for trigger in knowledge.triggers(pattern):
            if trigger.predicate is None:
                return bool(self._predicates)
            if trigger.predicate in self._predicates and (
                trigger.is_entailed or self._class_was_seen(pattern)
            ):
                return True
        return False

    def _class_was_seen(self, pattern: TriplePattern) -> bool:
        if pattern.predicate == Constant(RDF_TYPE) and isinstance(pattern.object, Constant):
            return pattern.object.value in self._classes
        return True


def _required(
    node: PlanNode,
) -> Iterator[Scan]:
    """The patterns that every answer needs."""
    match node:
        case Scan():
            if node.eventful:
                yield node
        case ClosurePlan(path=path) if path.zero:
            return
        case RepeatPlan(repeat=repeat):
            for each in (*node.required, *((node.group,) if repeat.low else ())):
                yield from _required(each)
        case _:  # what EXISTS and MINUS look for is not needed
            for each in node.required:
                yield from _required(each)


def _nothing(query: CompiledQuery, why: str, hint: str | None = None) -> EtalisWarning:
    what = "never true" if query.form == "ask" else "no answers"
    return EtalisWarning("EW20", f"{query.name}: {what}, since {why}", hint=hint)


def _shown(query: CompiledQuery, scans: Sequence[Scan]) -> str:
    readable = readable_for(query)
    return ", nor ".join(
        f"{readable.triple(scan.pattern)} (line {query.text.line_of(scan.span)})" for scan in scans
    )
