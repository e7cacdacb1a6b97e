"""The rules of an engine that is measured, with wrappers around them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from time import thread_time

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.embedding import prolog
from etalis_py.engine.knowledge import Knowledge
from etalis_py.engine.portion import Portion
from etalis_py.engine.rule_base import RuleBase
from etalis_py.profiling.counts import OUTSIDE, Probes
from etalis_py.profiling.rules import Wrapping

__all__ = ["WatchedRules"]

_PREPARING = OUTSIDE.index("preparing") + 1


class WatchedRules(RuleBase):
    """A `RuleBase` whose rules have ``probes``."""

    def __init__(self, module: str, knowledge: Knowledge, *, at_instant: bool, shares: bool = True) -> None:
        super().__init__(module, knowledge, at_instant=at_instant)
        self.probes: list[Probes] = []
        self.seconds = 0.0
        """Processor time that it took to tell Prolog of the rules."""
        self._has_equal_parts = shares
        self._slots, self._places = len(OUTSIDE), 0
        self._is_measured = False
        self._add_probes(0, [])

    def complete(self) -> None:
        """As `RuleBase.complete`; what rules do before the first event is measured too."""
        began = thread_time()
        try:
            super().complete()
        finally:
            self.seconds += thread_time() - began
            if self._is_measured:
                prolog.do("etalis_profile", "end_profile", self._module, _PREPARING)
                self._is_measured = False

    def _new_portion(self, queries: list[CompiledQuery]) -> Portion:
        return Portion(self._module, queries, shares=self._has_equal_parts, prepare=self._all_wrapped)

    def _all_wrapped(self, queries: Iterable[CompiledQuery]) -> list[CompiledQuery]:
        wrapped = [self._wrapped(each) for each in queries]
        prolog.do("etalis_profile", "begin_profile", self._module, _PREPARING)
        self._is_measured = True
        return wrapped

    def _wrapped(self, query: CompiledQuery) -> CompiledQuery:
        wrapping = Wrapping(query.plan, query.rules, slots=self._slots, places=self._places)
        self._add_probes(len(wrapping.probes), [each.description for each in wrapping.stores])
        self._slots += len(wrapping.probes)
        self._places += len(wrapping.stores)
        self.probes.append(Probes(query, wrapping.probes, wrapping.stores))
        return replace(query, generated=wrapping.rules)

    def _add_probes(self, rules: int, stores: list[list[object]]) -> None:
        prolog.do("etalis_profile", "add_probes", self._module, rules, stores)
