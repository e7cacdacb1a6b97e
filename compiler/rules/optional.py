"""The rules of OPTIONAL, OPTIONALSEQ and EQUALSOPTIONAL: goals of the optional side, and points that decide.

A solution of the optional side matters in two ways: as part of a pair, and because the other side is then not
given alone. Pairs need goals, but only as long as the window lets them, and none where pairs are not wanted
(an anti-join). That there was a partner needs a point (``points.py``), and that for ever: ``A OPTIONAL B``
does not give A alone however long ago B was. Only where the condition itself asks for what is young is that
over, too.
"""

from __future__ import annotations

from etalis_py.compiler.algebra.algebra import Variable
from etalis_py.compiler.algebra.operators import Side
from etalis_py.compiler.plan.age import age_bound
from etalis_py.compiler.plan.plan import Pair
from etalis_py.compiler.rules.pair import PairRules, SideTerms
from etalis_py.compiler.rules.points import Moment, Points, deciding_moment, needed_columns
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
    Atom,
    Number,
    Term,
    Var,
    conjunction,
    either,
    if_then_else,
    soft_if,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import END, START, Rule, RuleKind, RuleSet, Store, VariableNames
from etalis_py.compiler.rules.writing import Waiting, forget, fresh_instant, rule

__all__ = ["OptionalRules"]

_EARLIER_START, _EARLIER_END = Var("Start1"), Var("End1")


class OptionalRules(PairRules):
    """Generates the rules of one optional operator, without a policy."""

    def __init__(self, pair: Pair, names: VariableNames) -> None:
        super().__init__(pair, names)
        assert pair.operator.optional is not None
        self._optional = self._side(pair.operator.optional)
        self._kept = self._side(pair.operator.optional.other)
        self._before = self._in_time(pair.operator.optional)
        self._begin, self._start = self._beginning(pair.operator.optional)
        self._same_end = pair.operator.same_end
        self._age = age_bound(pair.condition, self._kept.node.schema.ends)
        self._waiting = Waiting(pair, (START, END, *self._kept.columns))
        self._points = self._needed_points()
        self._goals = self._needed_goals()

    # ---- what is kept -----------------------------------------------------------------------------------

    def _needed_points(self) -> Points | None:
        """The points that decide whether there was a partner; None where the goals do."""
        pair, side = self._pair, self._optional
        if self._same_end or not side.node.eventful:
            return None
        moment = deciding_moment(pair.condition)
        if self._before != TRUE:  # besides, a partner must lie as the operator says
            only_end = self._bounds_end and moment in (Moment.NONE, Moment.EARLIEST_END)
            moment = Moment.EARLIEST_END if only_end else Moment.ALL
        goals_decide = pair.window is None or self._age is not None or moment is Moment.ALL
        if goals_decide and not pair.anti:
            return None
        common = (*pair.join, *pair.shared)
        columns = needed_columns(side.node.schema.columns, common, pair.condition)
        return Points(f"{pair.name}_point", columns, moment, self._age)

    def _needed_goals(self) -> Store | None:
        """Where the optional side's part of a pair waits for the other one."""
        store = self._optional.store
        if not self._optional.node.eventful or (self._points is not None and self._pair.anti):
            return None
        if self._same_end:
            return store
        width = self._pair.window if self._age is None else self._age.width
        lasts = self._age is None and self._points is None
        return Store.within(None if lasts else width, store.name, store.arity)

    def rule_set(self) -> RuleSet:
        """What the optional side leaves behind, what waits, and what is given with a partner or alone."""
        left_behind = [self._insertion(self._optional)] if self._optional.node.eventful else []
        stores = [] if self._goals is None else [self._goals]
        if self._points is not None:
            stores.append(self._points.store)
        if self._pair.operator.waits_for_instant:
            rules = [
                self._wait(),
                *left_behind,
                self._waiting.settled(self._decided()),
                self._waiting.forgotten,
            ]
            stores.append(self._waiting.store)
        else:
            rules = [*left_behind, rule(RuleKind.CHECKING, self._pair, self._kept.solution, self._decided())]
        if self._points is not None and self._points.moment is Moment.ALL:
            rules.append(self._search(self._points))
        return RuleSet(tuple(rules), tuple(stores))

    # ---- insertion --------------------------------------------------------------------------------------

    def _insert(self, side: SideTerms) -> Term:
        """Keep a solution of the optional side, as goal and as point."""
        goal = TRUE if self._goals is None else super()._insert(side)
        point = TRUE if self._points is None else self._points.added(self._own)
        return conjunction(self._clean, goal, point)

    @property
    def _clean(self) -> Term:
        return fresh_instant(self._pair) if self._same_end else TRUE

    def _own(self, variable: Variable) -> Term:
        """The value of a variable in a solution of the optional side."""
        return self._optional.values[variable]

    def _wait(self) -> Rule:
        """A solution waits until the instant is complete; it may ask a group for its row."""
        goals = (self._clean, self._waiting.keep, FAIL if self._pair.asks is None else self._asked)
        return rule(RuleKind.INSERTION, self._pair, self._kept.solution, *goals)

    @property
    def _asked(self) -> Term:
        """Have the row of a solution's key made, once."""
        made = struct("\\+", self._goal(self._optional, END, END))
        return conjunction(struct("==", START, END), self._demand, made, self._row)

    # ---- decision ---------------------------------------------------------------------------------------

    def _decided(self) -> Term:
        """The pairs of a solution, or it alone."""
        alone = self._result(START, alone=self._kept)
        if self._points is not None:
            alone = conjunction(struct("\\+", self._met(self._points)), alone)
        partners = [] if self._goals is None else [self._earlier_partner()]
        if self._optional.node.timeless and not self._pair.operator.needs_times:
            partners.append(self._timeless_partner())
        return soft_if(either(*partners), self._result(self._start), alone) if partners else alone

    @property
    def _bounds_end(self) -> bool:
        """Whether the operator only says until when the partner must have ended."""
        return all(each.first is self._optional.side.end for each in self._pair.operator.relation)

    def _earlier_partner(self) -> Term:
        """Each goal that makes a pair; where points decide, none that is too long for the window."""
        start, end = self._ends_of_goal(self._optional.side)
        goals = self._goal(self._optional, start, end)
        fits = conjunction(self._sides.merged(), self._sides.condition((start, end)))
        within = TRUE if self._points is None else self._within(self._start)
        if within == TRUE:
            return conjunction(goals, self._before, fits, self._begin)
        return conjunction(goals, self._before, self._begin, within, fits)

    def _timeless_partner(self) -> Term:
        handed = self._sides.handed_over(to_left=self._optional.side is Side.LEFT)
        found = conjunction(handed, self._optional.timeless, self._sides.merged())
        return conjunction(found, self._sides.condition(None), unify(self._start, START))

    # ---- was there a partner? ---------------------------------------------------------------------------

    def _met(self, points: Points) -> Term:
        """Succeeds where a point says that there was a partner."""
        if points.moment is Moment.ALL:
            return struct(self._search_name, START, END, *self._kept.columns)
        found = points.point(self._own, _EARLIER_START, _EARLIER_END)
        start, end = points.interval(_EARLIER_START, _EARLIER_END)
        interval = (start or START, end or END)  # the condition does not ask for what was not kept
        return conjunction(found, self._before, self._sides.merged(), self._sides.condition(interval))

    @property
    def _search_name(self) -> str:
        return f"{self._pair.name}_met"

    def _search(self, points: Points) -> Rule:
        """Looks through points from the earliest end on; those too old to decide anything go."""
        point = points.point(self._own, _EARLIER_START, _EARLIER_END)
        young: Term = TRUE
        if self._age is not None:
            time = _EARLIER_START if self._age.of_start else _EARLIER_END
            is_young = struct("<", struct("-", END, time), Number(self._age.width))
            young = if_then_else(is_young, TRUE, conjunction(forget(point), FAIL))
        before = self._before
        if before != TRUE and self._bounds_end:  # those that follow end no earlier
            before = if_then_else(before, TRUE, conjunction(Atom("!"), FAIL))
        return rule(
            RuleKind.CHECKING,
            self._pair,
            struct(self._search_name, START, END, *self._kept.columns),
            point,
            young,
            before,
            self._sides.merged(),
            self._sides.condition((_EARLIER_START, _EARLIER_END)),
        )
