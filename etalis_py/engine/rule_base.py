"""The rules of an engine: what Prolog gets of its queries, and when.

Queries wait until something happens. Those that were added before the first element, or between two that
were sent, have then seen the same events, and what they have in common is computed once
(``portion.py``). To add a query costs the same however many there are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from etalis_py.compiler.algebra.algebra import TriplePattern
from etalis_py.compiler.compile import CompiledQuery, add_settlements, never
from etalis_py.compiler.plan.places import asks_places
from etalis_py.compiler.plan.renaming import names_of, numbered, renamed
from etalis_py.compiler.plan.settlements import Settlements, own_predicate
from etalis_py.compiler.plan.widths import narrowed, narrowings_of
from etalis_py.compiler.rules.names import consumption_name, settlement_of
from etalis_py.core.literals import Encoded
from etalis_py.embedding import prolog
from etalis_py.engine.knowledge import Knowledge
from etalis_py.engine.portion import Portion

__all__ = ["Renamed", "RuleBase"]

Renamed: TypeAlias = tuple[int, Mapping[str, str], Mapping[str, int]]
"""The number of a query, other names of its nodes and tests by those that follow from it, and how much wider
the windows are that some of these have for others (`narrowed`).
"""


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
        self._portions: list[Portion] = []
        self.asks_places = False
        """Whether a pattern asks for the stream or the element of an occurrence."""
        self.changed = 0
        """How often queries were added or removed."""
        self.removed = 0
        """How often they were removed."""
        self._inherited: dict[int, dict[str, str]] = {}
        """By the number of a query that parts of others became parts of: its names for them, and theirs."""
        self.taken_from: dict[str, str] = {}
        """Which node does the work of each that is shared."""
        self.goals_from: dict[str, str] = {}
        """Where the left goals of a SEQ are, if another one keeps them."""

    @property
    def loaded(self) -> list[CompiledQuery]:
        """The queries that Prolog knows, as they are without the others; see ``Portion.queries``."""
        return [query for portion in self._portions for query in portion.queries]

    @property
    def fingerprints(self) -> list[list[list[str]]]:
        """Name and digest of the rules of each query, in the portions in which Prolog got them."""
        return [portion.fingerprints for portion in self._portions]

    def add(self, compiled: Sequence[CompiledQuery], others: Collection[CompiledQuery]) -> None:
        """Add queries, ``others`` being those that were added before.

        Raises:
            CompileError: EP205, the program would not be stratified; nothing is added.
        """
        self._order(compiled, others)
        self._waiting += compiled
        self.changed += 1
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
        portion = self._new_portion(queries)
        self._portions.append(portion)
        self._note_sharing(portion)
        self._load_order(queries)
        self._tell_only()

    def _new_portion(self, queries: list[CompiledQuery]) -> Portion:
        return Portion(self._module, queries, shares=self.shares)

    def _note_sharing(self, portion: Portion) -> None:
        self.taken_from |= portion.sharing.taken_from
        self.goals_from |= portion.sharing.goals_from

    def _tell_only(self) -> None:
        if self._at_instant:
            prolog.do("etalis_engine", "set_only_query", self._module, "true" if self._is_only else "false")

    def complete_in(self, portions: Sequence[Sequence[str]], renamed: Mapping[str, Renamed]) -> None:
        """As ``complete``, for an engine that has seen nothing: in portions, which list names of queries.

        Another engine got them so, because some were added between elements; these share nothing with
        those before them. ``renamed`` is that of the other engine.
        """
        queries = self._withdrawn()
        if [each.name for each in queries] == [name for portion in portions for name in portion]:
            as_they_are = [(each.plan.number, dict[str, str](), dict[str, int]()) for each in queries]
            queries = [
                _renamed(each, *renamed.get(each.name, same))
                for each, same in zip(queries, as_they_are, strict=True)
            ]
            self._inherited = {number: dict(names) for number, names, _ in renamed.values() if names}
        for count in (*map(len, portions), len(queries)):
            for query in queries[:count]:
                self._order([query], [*self.loaded, *self._waiting])
                self._waiting.append(query)
            queries = queries[count:]
            self.complete()

    def _withdrawn(self) -> list[CompiledQuery]:
        """All queries, none of which Prolog knows any more."""
        queries = [*self.loaded, *self._waiting]
        for portion in self._portions:
            portion.remove({each.plan.number for each in portion.queries})
        self._portions, self._waiting = [], []
        self.taken_from, self.goals_from = {}, {}
        self._settlements, self._is_only = Settlements(self._knowledge.may_trigger, self._predicates), False
        return queries

    @property
    def inherited_numbers(self) -> set[int]:
        """The numbers of queries that left, and of which parts are parts of others now, with their names."""
        names = (other for names in self._inherited.values() for other in names.values())
        return {int(name[1 : name.index("_")]) for name in names}

    @property
    def renamed(self) -> dict[str, Renamed]:
        """Number, names of parts and windows, of queries that have others than in a new engine, or may have:
        some left.
        """
        found: dict[str, Renamed] = {}
        for place, query in enumerate(self.loaded, start=1):
            number, wider = query.plan.number, narrowings_of(query.plan)
            if number != place or number in self._inherited or wider:
                found[query.name] = number, self._inherited.get(number, {}), wider
        return found

    def remove(self, numbers: Collection[int]) -> list[CompiledQuery]:
        """Remove the queries with these numbers; those of which parts have other names now.

        What others share with them stays, with its goals.
        """
        before = {each.plan.number: each for each in (*self.loaded, *self._waiting)}
        self._waiting = [each for each in self._waiting if each.plan.number not in numbers]
        for portion in self._portions:
            self._inherit(portion.remove(numbers))
        self._inherited = {
            number: names for number, names in self._inherited.items() if number not in numbers
        }
        self._portions = [each for each in self._portions if each.queries]
        self.taken_from, self.goals_from = {}, {}
        for portion in self._portions:
            self._note_sharing(portion)
        self.changed += 1
        self.removed += 1
        self.asks_places = any(asks_places(each.plan) for each in self.loaded)
        left = [*self.loaded, *self._waiting]
        heirs = [each for each in left if each.plan is not before[each.plan.number].plan]
        moved = {*numbers, *(each.plan.number for each in heirs)}
        self._order_without([each for number, each in before.items() if number in moved], heirs, left)
        return heirs

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

    def _inherit(self, names: Mapping[int, Mapping[str, str]]) -> None:
        for number, new in names.items():
            old = self._inherited.get(number, {})
            self._inherited[number] = {**new, **{name: new.get(other, other) for name, other in old.items()}}

    def _order_without(
        self,
        gone: Sequence[CompiledQuery],
        heirs: Sequence[CompiledQuery],
        left: Sequence[CompiledQuery],
    ) -> None:
        if self._at_instant and len(left) == 1:
            self._settlements, self._is_only = Settlements(never), True
            add_settlements(self._settlements, left)
        else:
            self._settlements.remove({name for each in gone for name in names_of(each.plan)})
            add_settlements(self._settlements, heirs, left)
        if not self._waiting:  # else when they are loaded
            self._load_order(self.loaded)
            self._tell_only()

    def _load_order(self, queries: list[CompiledQuery]) -> None:
        """A shared operator is settled where the first of those comes that it stands for."""
        order = self._settlements.order
        if order is not self._ordered:
            self._ordered, self._ordered_count, self._ordered_names = order, 0, set()
        added = (self.taken_from.get(node.name, node.name) for node in order[self._ordered_count :])
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


def _renamed(
    query: CompiledQuery, number: int, names: Mapping[str, str], wider: Mapping[str, int]
) -> CompiledQuery:
    plan = narrowed(renamed(numbered(query.plan, number), names), wider)
    return replace(query, plan=plan, generated=None)
