"""The rules of ``A SEQ C`` without a B between (``gaps.py``).

Let the A of a pair have ended at x, let its C begin at y, and let m be the latest start of a B that ended
before y. A B lies between exactly if x < m. So of the Bs of a key only those are kept that start no earlier
than all before them, and one look at the newest that ended in time decides for all As. As are looked through
from the newest on, and no further than m: an A that some B came after is not touched again. It is kept for
the window's length, since a C that lasts may begin before that B.

x is not always the end of the A of the pair: the optional chain may have another A, with the same values and
the same start, that ended earlier. That is known when the A comes, and kept with it. (Where both chains have
the same As it is known of a point without a look.) Nor is y always the start of its C; but for a point it
is, and then the pair is decided at once. Otherwise it waits until the instant is complete.
"""

from __future__ import annotations

from collections.abc import Sequence

from etalis_py.compiler.algebra.algebra import Variable
from etalis_py.compiler.plan.plan import GapPlan, PlanNode
from etalis_py.compiler.plan.trace_columns import is_trace
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
    UNBOUND,
    Atom,
    Number,
    Term,
    Var,
    conjunction,
    if_then_else,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import (
    END,
    START,
    Rule,
    RuleKind,
    RuleSet,
    Store,
    StoreKind,
    VariableNames,
)
from etalis_py.compiler.rules.writing import (
    Waiting,
    fresh_instant,
    insert,
    insertion,
    newest,
    own_solution,
    rule,
    solution,
    within,
)

__all__ = ["GapRules"]

_BEGIN, _FIRST_END, _LIMIT, _LATEST = Var("Start1"), Var("End1"), Var("Limit"), Var("Latest")
_X, _Y, _ENDED, _ANY = Var("X"), Var("Y"), Var("End2"), Var("_")
_IS_POINT = struct("=:=", START, END)
_FOREVER = 1 << 62


class GapRules:
    """Generates the rules of one gap."""

    def __init__(self, gap: GapPlan, names: VariableNames) -> None:
        self._gap = gap
        self._names = names
        self._pair = tuple(dict.fromkeys((*gap.first.schema.columns, *gap.last.schema.columns)))
        self._between = tuple(each for each in gap.between.schema.columns if each in self._pair)
        self._own = tuple(each for each in gap.first.schema.columns if each not in gap.join)
        self._firsts = self._store("first", len(gap.first.schema.columns) + 3)
        self._agains = [] if gap.again is None else [self._store("again", len(gap.again.schema.columns) + 2)]
        self._betweens = self._store("between", len(self._between) + 2)
        self._last_again = gap.last if gap.last_again is None else gap.last_again
        self._of_last = tuple(each for each in self._last_again.schema.columns if not is_trace(each))
        self._lasts = Store(f"{gap.name}_last", len(self._of_last) + 1, StoreKind.INSTANT, group=gap.name)
        self._waiting = Waiting(gap, (_BEGIN, END, _X, *self._values(self._pair)))

    def _store(self, which: str, arity: int) -> Store:
        return Store.within(self._gap.window, f"{self._gap.name}_{which}", arity)

    def rule_set(self) -> RuleSet:
        """What the parts leave behind, what C finds, and what waits for the end of the instant."""
        gap, names = self._gap, self._names
        first = own_solution(gap.first, names)
        agains = () if gap.again is None else (self._new_again(gap.again),)
        rules = (
            insertion(gap, first, self._earliest_end, self._new_first()),
            *agains,
            insertion(gap, own_solution(gap.between, names), self._new_between()),
            *self._lasts_rules(),
            self._candidates(),
            self._latest_rule(),
            self._settled(),
            self._waiting.forgotten,
        )
        kept = (self._firsts, *self._agains, self._betweens, self._lasts, self._waiting.store)
        return RuleSet(rules, kept)

    # ---- what is left behind ----------------------------------------------------------------------------

    def _new_first(self) -> Term:
        return insert(self._first(START, END, self._values(self._own)))

    def _first(self, start: Term, end: Term, own: Sequence[Term]) -> Term:
        return struct(self._firsts.name, *self._values(self._gap.join), end, start, _X, *own)

    def _new_again(self, again: PlanNode) -> Rule:
        there = self._again(again, _ANY)  # with the earliest end: it came first
        new = if_then_else(there, TRUE, insert(self._again(again, END)))
        return insertion(self._gap, own_solution(again, self._names), new)

    def _again(self, again: PlanNode, end: Term) -> Term:
        return struct(f"{self._gap.name}_again", START, *self._values(again.schema.columns), end)

    @property
    def _earliest_end(self) -> Term:
        """X is that of the As of the optional chain that go with this one, which is one of them."""
        is_last = unify(_X, END)
        if self._gap.again is not None:
            return if_then_else(self._again(self._gap.again, _X), TRUE, is_last)
        own = tuple(_ANY if is_trace(each) else self._names(each) for each in self._own)
        return if_then_else(_IS_POINT, is_last, if_then_else(self._first(START, _ANY, own), TRUE, is_last))

    def _new_between(self) -> Term:
        """Keep a B, unless it lasts and one that ended no later starts no earlier."""
        decides = conjunction(self._latest(Number(_FOREVER), _LATEST), struct(">=", _LATEST, START))
        keep = insert(self._between_point(START, END))
        return if_then_else(_IS_POINT, keep, if_then_else(decides, TRUE, keep))

    def _between_point(self, start: Term, end: Term) -> Term:
        return struct(self._betweens.name, *self._values(self._between), start, end)

    def _lasts_rules(self) -> tuple[Rule, ...]:
        """Keep a C for this instant, and find its As."""
        keep = conjunction(fresh_instant(self._gap), insert(self._last(START)))
        if self._last_again is self._gap.last:
            return (self._check(RuleKind.BOTH, keep),)
        again = insertion(self._gap, own_solution(self._last_again, self._names), keep)
        return again, self._check(RuleKind.CHECKING)

    def _last(self, start: Term) -> Term:
        return struct(self._lasts.name, *self._values(self._of_last), start)

    # ---- what C finds -----------------------------------------------------------------------------------

    def _check(self, kind: RuleKind, *before: Term) -> Rule:
        known = frozenset(self._gap.last.schema.columns)
        candidate = struct(self._candidate_name, _LIMIT, START, END, *self._candidate_values)
        if known.issuperset(self._between):
            find = conjunction(self._latest(START, _LIMIT), candidate)
        else:  # which Bs count depends on the A
            find = conjunction(
                unify(_LIMIT, Number(-_FOREVER)),
                candidate,
                self._latest(START, _LATEST),
                struct("=<", _LATEST, _FIRST_END),
            )
        limit = _LIMIT if known.issuperset(self._between) else _LATEST
        return rule(
            kind,
            self._gap,
            own_solution(self._gap.last, self._names),
            *before,
            find,
            within(self._gap.window, _BEGIN),
            if_then_else(_IS_POINT, struct("=<", limit, _X), conjunction(self._waiting.keep, FAIL)),
            self._result,
        )

    @property
    def _candidate_name(self) -> str:
        return f"{self._gap.name}_candidate"

    @property
    def _candidate_values(self) -> tuple[Term, ...]:
        return (*self._values(self._gap.join), _BEGIN, _FIRST_END, _X, *self._values(self._own))

    def _candidates(self) -> Rule:
        """The As that ended before C began, from the newest on, and no earlier than the limit."""
        no_more = if_then_else(struct(">=", _FIRST_END, _LIMIT), TRUE, conjunction(Atom("!"), FAIL))
        return rule(
            RuleKind.CHECKING,
            self._gap,
            struct(self._candidate_name, _LIMIT, START, END, *self._candidate_values),
            newest(self._first(_BEGIN, _FIRST_END, self._values(self._own))),
            no_more,
            struct("<", _FIRST_END, START),
        )

    def _latest(self, before: Term, latest: Term) -> Term:
        return struct(f"{self._gap.name}_latest", *self._values(self._between), before, END, latest)

    def _latest_rule(self) -> Rule:
        """The latest start of a B that ended before Y: that of the newest of them."""
        newest_one = conjunction(newest(self._between_point(_LATEST, _ENDED)), struct("<", _ENDED, _Y))
        found = if_then_else(newest_one, TRUE, unify(_LATEST, Number(-_FOREVER)))
        return rule(RuleKind.CHECKING, self._gap, self._latest(_Y, _LATEST), found)

    # ---- what waits for the end of the instant ------------------------------------------------------------

    def _settled(self) -> Rule:
        """Pairs whose C lasted: Cs of this instant that began later may have a B before them."""
        is_between = conjunction(self._last(_Y), self._latest(_Y, _LATEST), struct("<", _X, _LATEST))
        return self._waiting.settled(struct("\\+", is_between), self._result)

    # ---- what all have ------------------------------------------------------------------------------------

    def _values(self, variables: Sequence[Variable]) -> tuple[Term, ...]:
        return tuple(map(self._names, variables))

    @property
    def _result(self) -> Term:
        known = (self._names(each) if each in self._pair else UNBOUND for each in self._gap.schema.columns)
        return solution(self._gap, tuple(known), _BEGIN)
