"""The rules of an engine: what Prolog gets of its queries, and when.

Queries wait until something happens. Those that were added before the first element, or between two that
were sent, have then seen the same events, and what they have in common is computed once
(``compiler/plan/sharing.py``). To add a query costs the same however many there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b

from etalis_py.compiler.algebra.algebra import TriplePattern
from etalis_py.compiler.compile import CompiledQuery, add_settlements, never, program_text
from etalis_py.compiler.plan.places import asks_places
from etalis_py.compiler.plan.settlements import Settlements, own_predicate
from etalis_py.compiler.plan.sharing import share
from etalis_py.compiler.rules.names import consumption_name, settlement_of
from etalis_py.core.literals import Encoded
from etalis_py.embedding import prolog
from etalis_py.engine.crossing import store_description
from etalis_py.engine.knowledge import Knowledge

__all__ = ["RuleBase"]


class RuleBase:
    """The rules of the engine in ``module``, and the order in which it settles what waits for an instant.

    ``at_instant``: its run has one instant. ``shares``: equal parts of queries are computed once.
    """

    def __init__(self, module: str, knowledge: Knowledge, *, at_instant: bool, shares: bool = True) -> None:
        self.shares = shares
        self._module = module
        self._knowledge = knowledge
        self._at_instant = at_instant
        self._is_only = False
        self._waiting: list[CompiledQuery] = []
        self._settlements = Settlements(knowledge.may_trigger, self._predicates)
        self._ordered = self._settlements.order
        self._ordered_count = 0
        self._ordered_names: set[str] = set()
        self._settled_by: dict[str, str] = {}
        self.loaded: list[CompiledQuery] = []
        """The queries that Prolog knows, as they are without the others."""
        self.fingerprints: list[list[list[str]]] = []
        """Name and digest of the rules of each query, in the portions in which Prolog got them."""
        self.asks_places = False
        """Whether a pattern asks for the stream or the element of an occurrence."""
        self.added = 0
        """How often queries were added."""
        self.goals_from: dict[str, str] = {}
        """Where the left goals of a SEQ are, if another one keeps them."""

    def add(self, compiled: Sequence[CompiledQuery], others: Collection[CompiledQuery]) -> None:
        """Add queries, ``others`` being those that were added before.

        Raises:
            CompileError: EP205, the program would not be stratified; nothing is added.
        """
        self._order(compiled, others)
        self._waiting += compiled
        self.added += 1
        if not self.shares:
            self.complete()

    @property
    def waits(self) -> bool:
        """Whether queries were added that Prolog does not know yet."""
        return bool(self._waiting)

    def complete(self) -> None:
        """Load the added queries into Prolog: events are about to come."""
        if not self._waiting:
            return
        queries, self._waiting = self._waiting, []
        self.asks_places = self.asks_places or any(asks_places(each.plan) for each in queries)
        self.loaded += (replace(each, generated=None) for each in queries)
        fingerprints: list[list[str]] = []
        self.fingerprints.append(fingerprints)
        for each in self._shared(queries) if self.shares else queries:
            rules = each.rules
            stores = [store_description(store) for store in rules.stores]
            predicates = [*each.solutions, *each.timeless]
            text = program_text(rules)
            prolog.do("etalis_engine", "add_query", self._module, stores, predicates, text)
            fingerprints.append([each.name, _digest(each, stores, predicates, text)])
        self._load_order(queries)
        if self._at_instant:
            prolog.do("etalis_engine", "set_only_query", self._module, "true" if self._is_only else "false")

    def complete_in(self, portions: Sequence[int]) -> None:
        """As ``complete``, for an engine with no queries yet: in portions of so many queries.

        Another engine got them so, because some were added between elements; these share nothing with
        those before them.
        """
        queries, self._waiting = self._waiting, []
        self._settlements, self._is_only = Settlements(self._knowledge.may_trigger, self._predicates), False
        for count in (*portions, len(queries)):
            for query in queries[:count]:
                self._order([query], [*self.loaded, *self._waiting])
                self._waiting.append(query)
            queries = queries[count:]
            self.complete()

    def _shared(self, queries: list[CompiledQuery]) -> Iterator[CompiledQuery]:
        sharing = share([each.plan for each in queries])
        self._settled_by |= sharing.taken_from
        self.goals_from |= sharing.goals_from
        for query, plan in zip(queries, sharing.plans, strict=True):
            if plan is query.plan:
                yield query
            else:
                yield replace(query, plan=plan, generated=None)

    @property
    def taken_from(self) -> dict[str, str]:
        """Which node does the work of each that is shared."""
        return self._settled_by

    # ---- the order of settlements -----------------------------------------------------------------------

    def _order(self, compiled: Sequence[CompiledQuery], others: Collection[CompiledQuery]) -> None:
        if self._at_instant and not others and len(compiled) == 1:
            # One query at one instant is a question of plain SPARQL: it does not see what it makes.
            self._settlements, self._is_only = Settlements(never), True
        elif self._is_only:
            settlements = Settlements(self._knowledge.may_trigger, self._predicates)
            add_settlements(settlements, [*others, *compiled])
            self._settlements, self._is_only = settlements, False
            return
        add_settlements(self._settlements, compiled, others)

    def _load_order(self, queries: list[CompiledQuery]) -> None:
        """A shared operator is settled where the first of those comes that it stands for."""
        order = self._settlements.order
        if order is not self._ordered:
            self._ordered, self._ordered_count, self._ordered_names = order, 0, set()
        added = (self._settled_by.get(node.name, node.name) for node in order[self._ordered_count :])
        new = [name for name in dict.fromkeys(added) if name not in self._ordered_names]
        if new:
            self._set_order(len(self._ordered_names) + 1, list(map(settlement_of, new)))
        self._ordered_count = len(order)
        self._ordered_names.update(new)
        for number in (each.plan.number for each in queries if each.plan.policy is not None):
            self._set_order(-number, [consumption_name(number)])  # when all operators are settled

    def _set_order(self, first: int, names: list[str]) -> None:
        prolog.do("etalis_engine", "set_settlement_order", self._module, first, names)

    def _predicates(self, pattern: TriplePattern) -> list[Encoded | None]:
        return [*own_predicate(pattern), *(each.predicate for each in self._knowledge.triggers(pattern))]


def _digest(query: CompiledQuery, *rules: object) -> str:
    """Identifies the rules of a query and the form of its answers."""
    return blake2b(repr((query.form, query.variables, rules)).encode(), digest_size=16).hexdigest()
