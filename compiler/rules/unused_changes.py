"""The rules of what a MATCH consumes, in what changes (`algebra.Unused`).

What an evaluation found is consumed when the rest of its instant is settled. Solutions that are made of it go
at the next evaluation, whatever else changes then, and others do not come: so all that are there when an
evaluation has been settled are those that came at it.
"""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.compiler.algebra.algebra import CHANGE, Variable
from etalis_py.compiler.algebra.changes import COMES, GOES
from etalis_py.compiler.plan.plan import UnusedPlan
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
    UNBOUND,
    Term,
    conjunction,
    if_then_else,
    struct,
)
from etalis_py.compiler.rules.rules import END, Rule, RuleKind, RuleSet, Store, StoreKind, VariableNames
from etalis_py.compiler.rules.snapshot import evaluations
from etalis_py.compiler.rules.writing import change, forget, insert, rule, settle_later, settling

__all__ = ["UnusedChangesRules"]


class UnusedChangesRules:
    """Generates the rules of one node that knows what was consumed; some consume themselves."""

    def __init__(self, node: UnusedPlan, names: VariableNames) -> None:
        self._node = node
        self._names = names
        self._others = tuple(each for each in node.schema.columns if each != CHANGE)
        arity = len(node.triples[0])
        self._rows = tuple(
            Store(f"{node.name}_rows_{number}", arity + len(self._others), StoreKind.LASTING)
            for number, _ in enumerate(node.triples, 1)
        )
        self._new = Store(f"{node.name}_new", len(self._others), StoreKind.SETTLED)
        self._consumed = Store.within(node.reach, node.consumed, arity)
        self._fresh = Store(f"{node.consumed}_now", arity, StoreKind.LASTING)

    def rule_set(self) -> RuleSet:
        """The reaction to what comes and goes, to what was consumed, and what is consumed now."""
        rules = (self._comes(), self._goes(), *self._used_up())
        stores = self._rows
        if self._node.consumes:
            rules = (*rules, settling(self._node, self._fresh.emptied, FAIL), *self._consumption())
            stores = (*stores, self._new, self._consumed, self._fresh)
        return RuleSet(rules, stores, evaluations(self._node, self._fresh.name))

    # ---- terms ------------------------------------------------------------------------------------------

    @property
    def _columns(self) -> tuple[Term, ...]:
        return tuple(map(self._names, self._others))

    def _kept(self) -> Iterator[Term]:
        """A solution as it is stored: found by each of its triples."""
        for store, triple in zip(self._rows, self._node.triples, strict=True):
            yield struct(store.name, *map(self._names.term, triple), *self._columns)

    def _triples(self, store: Store) -> list[Term]:
        return [struct(store.name, *map(self._names.term, each)) for each in self._node.triples]

    # ---- rules ------------------------------------------------------------------------------------------

    def _comes(self) -> Rule:
        node = self._node
        unused = (struct("\\+", each) for each in self._triples(self._consumed))
        new = (insert(struct(self._new.name, *self._columns)), settle_later(node)) if node.consumes else ()
        head = change(node.input, self._names, COMES)
        kept = map(insert, self._kept())
        return rule(RuleKind.BOTH, node, head, *unused, *kept, *new, change(node, self._names, COMES))

    def _goes(self) -> Rule:
        head = change(self._node.input, self._names, GOES)
        return rule(
            RuleKind.BOTH, self._node, head, *self._forgotten(), change(self._node, self._names, GOES)
        )

    def _forgotten(self) -> Iterator[Term]:
        yield from map(forget, self._kept())
        if self._node.consumes:
            yield if_then_else(forget(struct(self._new.name, *self._columns)), TRUE, TRUE)

    def _used_up(self) -> Iterator[Rule]:
        """What is made of what the evaluation before consumed goes."""
        for fresh, row in zip(self._triples(self._fresh), self._kept(), strict=True):
            goes = change(self._node, self._names, GOES, END)
            yield settling(self._node, fresh, row, *self._forgotten(), goes)

    def _consumption(self) -> Iterator[Rule]:
        node, new = self._node, struct(self._new.name, *self._columns)
        both = zip(node.triples, self._triples(self._consumed), self._triples(self._fresh), strict=True)
        for (element, *_), consumed, fresh in both:
            assert isinstance(element, Variable)
            certain = element in node.schema.certain
            there = TRUE if certain else struct("\\==", self._names(element), UNBOUND)
            use = conjunction(insert(consumed), insert(fresh))
            yield settling(node, new, there, if_then_else(consumed, TRUE, use), FAIL)
        yield settling(node, self._new.emptied, FAIL)
