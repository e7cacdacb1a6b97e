"""The order in which an engine settles what waits for the end of an instant, as queries are added.

Prolog is told of what changes: to add a query costs the same however many there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from etalis_py import prolog
from etalis_py.compiler.algebra import TriplePattern
from etalis_py.compiler.compile import CompiledQuery, add_settlements, never
from etalis_py.compiler.rule_names import consumption_name, settlement_name
from etalis_py.compiler.settlements import Settlements, own_predicate
from etalis_py.knowledge import Knowledge
from etalis_py.literals import Encoded

__all__ = ["Settling"]

_FIRST_CONSUMPTION = 1 << 30
"""What answers are made of is consumed when all operators are settled."""


class Settling:
    """What the engine in ``module`` settles, and when; ``at_instant``: its run has one instant."""

    def __init__(self, module: str, knowledge: Knowledge, *, at_instant: bool) -> None:
        self._module = module
        self._knowledge = knowledge
        self._at_instant = at_instant
        self._is_only = False
        self._settlements = Settlements(knowledge.may_trigger, self._predicates)
        self._told = self._settlements.order
        self._told_count = 0

    def add(self, compiled: Sequence[CompiledQuery], others: Collection[CompiledQuery]) -> None:
        """Order further queries, ``others`` being those that there are; Prolog is not told yet.

        Raises:
            CompileError: EP205, the program would not be stratified; nothing is added.
        """
        if self._at_instant and not others and len(compiled) == 1:
            # One query at one instant is a question of plain SPARQL: it does not see what it makes.
            self._is_only = True
            self._settlements = Settlements(never)
        elif self._is_only:
            compiled, others = [*others, *compiled], ()
            settlements = Settlements(self._knowledge.may_trigger, self._predicates)
            add_settlements(settlements, compiled, others)
            self._settlements, self._is_only = settlements, False
            return
        add_settlements(self._settlements, compiled, others)

    def tell(self, compiled: Iterable[CompiledQuery]) -> None:
        """Tell Prolog what has changed, ``compiled`` being the queries that were added."""
        order = self._settlements.order
        if order is not self._told:
            self._told, self._told_count = order, 0
        new = [settlement_name(node) for node in order[self._told_count :]]
        if new:
            self._set_order(self._told_count + 1, new)
            self._told_count = len(order)
        for number in (each.plan.number for each in compiled if each.plan.policy is not None):
            self._set_order(_FIRST_CONSUMPTION + number, [consumption_name(number)])
        if self._at_instant:
            prolog.do("etalis_engine", "set_only_query", self._module, "true" if self._is_only else "false")

    def _set_order(self, first: int, names: list[str]) -> None:
        prolog.do("etalis_engine", "set_settlement_order", self._module, first, names)

    def _predicates(self, pattern: TriplePattern) -> list[Encoded | None]:
        return [*own_predicate(pattern), *(each.predicate for each in self._knowledge.triggers(pattern))]
