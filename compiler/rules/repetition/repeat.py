"""The rules of REPEAT: runs of iterations.

What is repeated waits until the instant is complete. Then it goes, in the order of starts and bindings,
through the runs that were there: ALL extends a run in its place, the other modes make a new one beside it. A
run has one row for what can be seen of it: how many iterations, the first and the last values, and a list of
what else is aggregated, the newest first, which longer runs share.

What follows ALL asks for the run as it was when that began; earlier states are kept for what lasts.
"""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.compiler.plan.plan import RepeatPlan
from etalis_py.compiler.rules.names import settlement_name
from etalis_py.compiler.rules.prolog_terms import Atom, struct
from etalis_py.compiler.rules.repetition.breaking import Breaking
from etalis_py.compiler.rules.repetition.following import Following
from etalis_py.compiler.rules.repetition.iterations import Iterations
from etalis_py.compiler.rules.repetition.longest import Longest
from etalis_py.compiler.rules.repetition.openings import Openings
from etalis_py.compiler.rules.repetition.runs import BEGIN, Runs
from etalis_py.compiler.rules.repetition.scopes import Scopes
from etalis_py.compiler.rules.rules import Rule, RuleSet, Store, VariableNames
from etalis_py.compiler.rules.writing import insertion, own_solution, settling, solution

__all__ = ["RepeatRules"]


class RepeatRules:
    """Generates the rules of one repetition."""

    def __init__(self, node: RepeatPlan, names: VariableNames) -> None:
        self._node, self._runs = node, Runs(node, names)
        self._scopes = Scopes(self._runs)
        self._openings, self._breaking = Openings(self._runs), Breaking(self._runs)
        self._iterations = Iterations(self._runs, self._openings, self._scopes)
        self._longest = Longest(self._runs, self._breaking)
        self._following = Following(self._runs, self._scopes, self._runs.states())

    def rule_set(self) -> RuleSet:
        """What waits for the end of the instant, what is made of it then, and what follows."""
        if not self._node.eventful:
            return RuleSet()
        scopes = self._scopes.all
        rules = (rule for scope in scopes for rule in scope.rules)
        stores = (store for scope in scopes for store in scope.stores)
        ends = struct("settle_at_end", Atom(settlement_name(self._node)))
        return RuleSet(
            (*rules, *self._rules()),
            (*self._stores(), *stores),
            (ends,) if self._runs.gives_longest else (),
        )

    def _rules(self) -> Iterator[Rule]:
        node, runs = self._node, self._runs
        yield insertion(node, solution(node.group, runs.columns_of_group("R")), runs.groups.keep)
        yield from self._openings.rules()
        if runs.breaks:
            yield self._breaking.noted()
        yield self._iterations.extended()
        yield from self._iterations.taken_away()
        yield from self._openings.settled()
        if node.then is not None:
            yield from self._following.rules(node.then)
        if runs.gives_longest:
            yield from self._longest.rules()
        elif runs.breaks:
            yield from self._breaking.rules()
        if runs.gives_grown:
            yield from self._grown()
        if runs.breaks:
            yield self._breaking.breaking.forgotten
        if node.gives_left:
            yield runs.opened.forgotten

    def _grown(self) -> Iterator[Rule]:
        """Where nothing follows, runs that grew at this instant are given."""
        node, runs = self._node, self._runs
        given = own_solution(node, runs.names, BEGIN)
        yield settling(node, runs.grown.kept, runs.enough(), runs.measured(), given)
        yield runs.grown.forgotten

    def _stores(self) -> Iterator[Store]:
        runs, following = self._runs, self._following
        yield runs.store
        yield runs.groups.store
        if self._node.gives_left:
            yield runs.opened.store
        if runs.opens_later:
            yield runs.open
        if runs.keeps_past:
            yield runs.past
        if runs.breaks:
            yield self._breaking.breaking.store
        if runs.parts_broken:
            yield runs.apart
        if runs.takes:
            yield runs.taken.store
        if self._iterations.takes_opened:
            yield self._iterations.followed.store
        if runs.repeat.then_next:
            yield following.chosen.store if following.goes_with_next else following.given
        if runs.gives_grown:
            yield runs.grown.store
