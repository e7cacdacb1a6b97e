"""The rules of ``A SEQ C`` without a B between (``gaps.py``).

Let the A of a pair have ended at x, let its C begin at y, and let m be the latest start of a B that ended
before y. A B lies between exactly if x < m. So of the Bs of a key only those are kept that start later than
all before them, and one look at the newest that ended in time decides for all As. As are looked through from
the newest on, and no further than m: an A that some B came after is not touched again. It is kept for the
window's length, since a C that lasts may begin before that B.

x is not always the end of the A of the pair: the optional chain may have another A, with the same values and
the same start, that ended earlier. That is known when the A comes, and kept with it. Nor is y always the
start of its C; but for a point it is, and then the pair is decided at once. Otherwise it waits until the
instant is complete.
"""

from __future__ import annotations

from collections.abc import Sequence

from etalis_py.compiler.algebra.algebra import Variable
from etalis_py.compiler.plan.plan import GapPlan, PlanNode
from etalis_py.compiler.rules.generations import Order, read_from, written_to
from etalis_py.compiler.rules.names import settlement_name
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
from etalis_py.compiler.rules.rules import ANSWER, END, START, Rule, RuleKind, Store, StoreKind, VariableNames

__all__ = ["GapRules"]

_BEGIN, _FIRST_END, _LIMIT, _LATEST = Var("Start1"), Var("End1"), Var("Limit"), Var("Latest")
_X, _Y, _HASH, _ANY = Var("X"), Var("Y"), Var("Hash"), Var("_")
_FOREVER = 1 << 62


class GapRules:
    """Generates the rules of one gap."""

    def __init__(self, gap: GapPlan, names: VariableNames) -> None:
        self._gap = gap
        self._names = names
        self._between = tuple(each for each in gap.between.schema.columns if each in self._pair_columns)
        own = (each for each in gap.first.schema.columns if each not in gap.join)
        self._own = tuple(own)
        self._firsts = self._store("first", len(gap.first.schema.columns) + 3)
        self._agains = self._store("again", len(gap.again.schema.columns) + 3)
        self._betweens = self._store("between", len(self._between) + 2)
        lasts = len(gap.last_again.schema.columns) + 1
        self._lasts = Store(f"{gap.name}_last", lasts, StoreKind.INSTANT, group=gap.name)
        waiting = len(self._pair_columns) + 3
        self._waiting = Store(f"{gap.name}_waiting", waiting, StoreKind.SETTLED)

    @property
    def _pair_columns(self) -> tuple[Variable, ...]:
        """The columns of A SEQ C."""
        return tuple(dict.fromkeys((*self._gap.first.schema.columns, *self._gap.last.schema.columns)))

    def _store(self, which: str, arity: int) -> Store:
        name, window = f"{self._gap.name}_{which}", self._gap.window
        return Store(name, arity, StoreKind.LASTING if window is None else StoreKind.WINDOW, window)

    def stores(self) -> list[Store]:
        """What is kept of A, of A again, of B, of C in this instant, and the pairs that wait."""
        return [self._firsts, self._agains, self._betweens, self._lasts, self._waiting]

    def rules(self) -> list[Rule]:
        """What the parts leave behind, what C finds, and what waits for the end of the instant."""
        gap = self._gap
        return [
            self._insertion(
                gap.first, self._hashed, self._earliest_end, written_to(self._firsts, self._new_first)
            ),
            self._insertion(gap.again, self._hashed, written_to(self._agains, self._new_again)),
            self._insertion(gap.between, self._new_between()),
            self._insertion(gap.last_again, self._new_last()),
            self._check(),
            self._candidates(),
            *self._latest_rules(),
            self._settled(),
            self._rule(RuleKind.SETTLING, self._settle(_ANY, _ANY), self._waiting.emptied, FAIL),
        ]

    # ---- what is left behind ----------------------------------------------------------------------------

    def _insertion(self, node: PlanNode, *insert: Term) -> Rule:
        return self._rule(RuleKind.INSERTION, self._solution(node), *insert, FAIL)

    def _new_first(self, predicate: str) -> Term:
        return struct("asserta", self._first(predicate, START, END))

    def _first(self, predicate: str, start: Term, end: Term) -> Term:
        return struct(predicate, *self._values(self._gap.join), end, start, _X, *self._values(self._own))

    def _new_again(self, predicate: str) -> Term:
        there = self._again(predicate, _ANY)  # with the earliest end: it came first
        return if_then_else(there, TRUE, struct("assertz", self._again(predicate, END)))

    def _again(self, predicate: str, end: Term) -> Term:
        """Found by a hash of all that is known of it: by itself no column tells many apart."""
        return struct(predicate, _HASH, START, *self._values(self._gap.again.schema.columns), end)

    @property
    def _hashed(self) -> Term:
        values = self._values(self._gap.again.schema.columns)
        return struct("term_hash", struct("again", START, *values), _HASH)

    @property
    def _earliest_end(self) -> Term:
        """X is that of the As of the optional chain that go with this one, which is one of them."""
        found = read_from(self._agains, lambda each: self._again(each, _X))
        return if_then_else(found, TRUE, unify(_X, END))

    def _new_between(self) -> Term:
        """Keep a B unless one that ended no later starts no earlier."""
        decides = conjunction(self._latest(Number(_FOREVER), _LATEST), struct(">=", _LATEST, START))
        insert = written_to(
            self._betweens, lambda each: struct("asserta", self._between_point(each, START, END))
        )
        return if_then_else(decides, TRUE, insert)

    def _between_point(self, predicate: str, start: Term, end: Term) -> Term:
        return struct(predicate, *self._values(self._between), start, end)

    def _new_last(self) -> Term:
        fresh = struct("current_instant", Atom(self._gap.name), END)
        return conjunction(fresh, struct("assertz", self._last(START)))

    def _last(self, start: Term) -> Term:
        return struct(self._lasts.name, *self._values(self._gap.last_again.schema.columns), start)

    # ---- what C finds -----------------------------------------------------------------------------------

    def _check(self) -> Rule:
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
        wait = conjunction(
            struct("assertz", self._waits),
            struct("settle_later", Atom(settlement_name(self._gap))),
            FAIL,
        )
        is_point = struct("=:=", START, END)
        limit = _LIMIT if known.issuperset(self._between) else _LATEST
        return self._rule(
            RuleKind.CHECKING,
            self._solution(self._gap.last),
            find,
            self._within(_BEGIN),
            if_then_else(is_point, struct("=<", limit, _X), wait),
            self._result(_BEGIN),
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
        return self._rule(
            RuleKind.CHECKING,
            struct(self._candidate_name, _LIMIT, START, END, *self._candidate_values),
            read_from(self._firsts, lambda each: self._first(each, _BEGIN, _FIRST_END), Order.NEWEST_FIRST),
            no_more,
            struct("<", _FIRST_END, START),
        )

    def _latest(self, before: Term, latest: Term) -> Term:
        return struct(f"{self._gap.name}_latest", *self._values(self._between), before, END, latest)

    def _latest_rules(self) -> list[Rule]:
        """The latest start of a B that ended before Y: that of the newest of them."""
        found = read_from(
            self._betweens, lambda each: self._between_point(each, _LATEST, _FIRST_END), Order.NEWEST_FIRST
        )
        head, nothing = self._latest(_Y, _LATEST), self._latest(_ANY, _LATEST)
        return [
            self._rule(RuleKind.CHECKING, head, found, struct("<", _FIRST_END, _Y), Atom("!")),
            self._rule(RuleKind.CHECKING, nothing, unify(_LATEST, Number(-_FOREVER))),
        ]

    # ---- what waits for the end of the instant ------------------------------------------------------------

    @property
    def _waits(self) -> Term:
        return struct(self._waiting.name, _BEGIN, END, _X, *self._values(self._pair_columns))

    def _settle(self, end: Term, answer: Term) -> Term:
        return struct(settlement_name(self._gap), end, answer)

    def _settled(self) -> Rule:
        """Pairs whose C lasted: Cs of this instant that began later may have a B before them."""
        is_between = conjunction(self._last(_Y), self._latest(_Y, _LATEST), struct("<", _X, _LATEST))
        return self._rule(
            RuleKind.SETTLING,
            self._settle(END, ANSWER),
            self._waits,
            struct("\\+", is_between),
            self._result(_BEGIN),
        )

    # ---- what all have ------------------------------------------------------------------------------------

    def _values(self, variables: Sequence[Variable]) -> tuple[Term, ...]:
        return tuple(map(self._names, variables))

    def _solution(self, node: PlanNode) -> Term:
        return struct(node.name, START, END, *self._values(node.schema.columns), ANSWER)

    def _result(self, start: Term) -> Term:
        known = frozenset(self._pair_columns)
        columns = (self._names(each) if each in known else UNBOUND for each in self._gap.schema.columns)
        return struct(self._gap.name, start, END, *columns, ANSWER)

    def _within(self, start: Term) -> Term:
        if self._gap.window is None:
            return TRUE
        return struct("<", struct("-", END, start), Number(self._gap.window))

    def _rule(self, kind: RuleKind, head: Term, *goals: Term) -> Rule:
        return Rule(kind, head, conjunction(*goals), self._gap.span)
