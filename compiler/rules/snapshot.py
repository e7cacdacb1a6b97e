"""The rules of windows on streams: lives, what lives at an instant, and what is new or gone since the last.

The interval of a solution below a Snapshot is its life: from the first instant at which it is in its windows
until before another. Lives of one solution that touch are one life. ``rules/engine/evaluations.pl`` makes the
instants of the schedule, also where nothing happens then.
"""

from __future__ import annotations

from typing import Final

from typing_extensions import assert_never

from etalis_py.compiler.algebra.algebra import Place
from etalis_py.compiler.algebra.snapshots import HELD
from etalis_py.compiler.algebra.stream_windows import (
    FOREVER,
    CountExtent,
    Extent,
    Grid,
    Landmark,
    PastExtent,
    Report,
    TimeExtent,
    closings,
)
from etalis_py.compiler.plan.plan import ChangesPlan, PlanNode, Scan, SnapshotPlan, walk
from etalis_py.compiler.plan.trace_columns import is_trace
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
    rdf_term,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import (
    ANSWER,
    END,
    START,
    Rule,
    RuleKind,
    RuleSet,
    Store,
    StoreKind,
    VariableNames,
)
from etalis_py.compiler.rules.trace_goals import SingleTraces
from etalis_py.compiler.rules.writing import (
    Waiting,
    forget,
    insert,
    insertion,
    own_solution,
    passing,
    rule,
    settle_later,
    settling,
    used_column,
)

__all__ = ["FROM", "UNTIL", "changes_rules", "life_goal", "snapshot_rules"]

FROM, UNTIL = Var("From"), Var("Until")
"""The life of an occurrence in a window."""

_LAST, _ROWS, _OLD = Var("Last"), Var("Rows"), Var("Old")
_HELD: Final = rdf_term(HELD)
_GONE, _SINCE, _TO, _ANY = Var("Gone"), Var("Since"), Var("To"), Var("_")


# ---- lives --------------------------------------------------------------------------------------------


def life_goal(place: Place) -> Term:
    """The goal that finds the interval of an occurrence in a window (`algebra.Place`)."""
    assert place.extent is not None
    if not place.begins_at_once:
        return _life(place.extent, FROM)
    held = if_then_else(_life(place.extent, _SINCE), TRUE, unify(UNTIL, END))
    if isinstance(place.extent, Landmark | CountExtent):  # the schedule says how long that matters
        held = unify(UNTIL, END)
    return conjunction(unify(FROM, END), held)


def _life(extent: Extent, begin: Var) -> Term:
    """The goal that finds the life of an occurrence (`stream_windows.life`); fails where it has none."""
    match extent:
        case TimeExtent():
            return _time_life(extent, begin)
        case Landmark(begin=first):
            begun = TRUE if first is None else struct("=<", Number(first), END)
            return conjunction(begun, unify(begin, END), unify(UNTIL, Number(FOREVER)))
        case PastExtent():
            came, gone = _later(END, extent.until), _later(END, extent.begin)
            grid = closings(extent)
            if grid is None:
                return conjunction(struct("is", begin, came), struct("is", UNTIL, gone))
            known = struct("is", begin, _first_on(grid, came)), struct("is", UNTIL, _first_on(grid, gone))
            return conjunction(*known, struct("<", begin, UNTIL))
        case CountExtent():  # others come, and then it is no longer among the newest
            return conjunction(unify(begin, END), unify(UNTIL, Number(FOREVER)))
        case _:
            assert_never(extent)


def _time_life(extent: TimeExtent, begin: Var) -> Term:
    late = int(extent.closed_open)
    old_enough: Term = TRUE
    if extent.origin is not None:
        old_enough = struct("=<", Number(extent.origin + 1 - late), END)
    gone = _later(START if extent.whole else END, extent.width + late)
    grid = closings(extent)
    if grid is not None and extent.moving:
        last = struct("-", _GONE, Number(1))
        since = struct("mod", struct("-", last, Number(grid.first or 0)), Number(grid.period))
        known = conjunction(
            unify(begin, END),
            struct("is", _GONE, gone),
            struct("is", _LAST, struct("-", last, since)),
            TRUE if grid.first is None else struct("=<", Number(grid.first), _LAST),
            struct("is", UNTIL, struct("+", _LAST, Number(1 - late))),
        )
    elif grid is None:
        came = _later(END, late)
        came = came if extent.origin is None else struct("max", came, Number(extent.origin))
        known = conjunction(struct("is", begin, came), struct("is", UNTIL, gone))
    else:
        known = conjunction(
            struct("is", begin, _first_on(grid, _later(END, late))),
            struct("is", _GONE, gone),
            struct("is", UNTIL, _first_on(grid, _GONE)),
        )
    return conjunction(old_enough, known, struct("<", begin, UNTIL))


def _later(time: Term, by: int) -> Term:
    return struct("+", time, Number(by)) if by else time


def _first_on(grid: Grid, time: Term) -> Term:
    """The first instant of the grid at ``time`` or later."""
    base = 0 if grid.first is None else grid.first
    found = struct("+", time, struct("mod", struct("-", Number(base), time), Number(grid.period)))
    return found if grid.first is None else struct("max", Number(grid.first), found)


# ---- what lives at an instant -------------------------------------------------------------------------


def snapshot_rules(node: SnapshotPlan, names: VariableNames) -> RuleSet:
    """Lives are kept, and merged where they touch; at each instant of the schedule what lives is given."""
    if node.always and node.schedule.report is not Report.CLOSE:
        return _element_rules(node, names)
    reach = None if node.always else node.reach
    store = Store.within(
        reach, _lives_name(node), len(_visible(node, names)) + len(_traces(node, names, traced=True)) + 2
    )
    if node.changes:
        return _lives_told(node, store, names)
    merged = _merged_life(node, store, names)
    given = settling(
        node,
        _kept_life(store, node, names, FROM, UNTIL),
        struct("=<", FROM, END),
        SingleTraces(names).unit(node) if node.always else struct("<", END, UNTIL),
        own_solution(node, names, END),
    )
    surplus = () if node.newest is None else (_surplus(node, node.newest, store, names),)
    return RuleSet((*merged, *surplus, given), (store,), _evaluations(node, store))


def _merged_life(node: SnapshotPlan, store: Store, names: VariableNames, *noted: Term) -> tuple[Rule, ...]:
    """Each life that touches a new one goes into it; what is `always` there has one life alone.

    ``noted`` are goals on the new one as it comes.
    """

    def life(since: Term, until: Term) -> Term:
        columns = names.columns(node.input)
        return struct(f"{node.name}_life", since, until, *columns, *used_column(node.input), ANSWER)

    known = _kept_life(store, node, names, _SINCE, _TO, traced=False)
    touches: Term = TRUE
    if not node.always:
        touches = conjunction(struct("=<", _SINCE, END), struct("=<", START, _TO))
    new = life(START, END)
    return (
        passing(node, node.input, names, *noted, new),
        rule(
            RuleKind.INSERTION,
            node,
            new,
            known,
            touches,
            Atom("!"),
            forget(known),
            struct("is", FROM, struct("min", START, _SINCE)),
            struct("is", UNTIL, struct("max", END, _TO)),
            life(FROM, UNTIL),
        ),
        rule(RuleKind.INSERTION, node, new, insert(_kept_life(store, node, names, START, END)), FAIL),
    )


def _lives_told(node: SnapshotPlan, store: Store, names: VariableNames) -> RuleSet:
    """At each instant what begins to live then, and what lives no more, which is forgotten.

    No life that begins at an instant touches one that ends then: they would be one.
    """
    stores: tuple[Store, ...] = (store,)
    noted: tuple[Term, ...] = ()
    instants = _evaluations(node, store)
    if node.schedule.report is not Report.CLOSE:
        moments = Store(f"{node.name}_moments", 1, StoreKind.LASTING)
        stores, noted = (store, moments), _noted(node, moments, START, END)
        instants = (_on_changes(node), _instants_in(node, moments))
    began, ended = (_kept_life(store, node, names, *life) for life in ((END, UNTIL), (FROM, END)))
    return RuleSet(
        (
            *_merged_life(node, store, names, *noted),
            settling(node, ended, _gone(node, names)),
            settling(node, began, own_solution(node, names, END)),
            settling(node, ended, forget(ended), FAIL),
        ),
        stores,
        instants,
    )


def _gone(node: SnapshotPlan, names: VariableNames) -> Term:
    """A solution that lives no more."""
    return struct(f"{node.name}_gone", END, *names.columns(node), ANSWER)


def _surplus(node: SnapshotPlan, newest: CountExtent, store: Store, names: VariableNames) -> Rule:
    """What is not among the newest is forgotten before they are given."""
    place = next(each.pattern.place for each in walk(node) if isinstance(each, Scan))
    assert place is not None
    assert place.element is not None
    kept = _kept_life(store, node, names, _SINCE, _TO, traced=False)
    row = struct("row", names(place.element), *_visible(node, names))
    count = struct("triples" if newest.triples else "elements", Number(newest.count))
    return settling(
        node,
        struct("findall", row, kept, _ROWS),
        struct("surplus", count, _ROWS, _OLD),
        struct("forall", struct("member", row, _OLD), forget(kept)),
        FAIL,
    )


def _element_rules(node: SnapshotPlan, names: VariableNames) -> RuleSet:
    """Elements say when the query is evaluated: when they come, or come into a window and leave it."""
    store = Store(f"{node.name}_moments", 1, StoreKind.LASTING)
    times = (START, END) if node.schedule.report is Report.CHANGE else (START,)
    kept = insertion(node, own_solution(node.input, names), *_noted(node, store, *times))
    given = settling(node, SingleTraces(names).unit(node), own_solution(node, names, END))
    return RuleSet((kept, given), (store,), (_on_changes(node), _instants_in(node, store)))


def _noted(node: SnapshotPlan, moments: Store, *times: Term) -> tuple[Term, ...]:
    query = Number(node.schedule.query)
    return tuple(struct("note_change", query, Atom(moments.name), each) for each in times)


def _instants_in(node: SnapshotPlan, moments: Store) -> Term:
    lasts = Atom("lasting" if node.schedule.lasts else "passing")
    query, settlement = Number(node.schedule.query), Atom(settlement_name(node))
    return struct("change_instants", settlement, query, Atom(moments.name), lasts)


def _on_changes(node: SnapshotPlan | ChangesPlan) -> Term:
    return struct("settle_on_changes", Atom(settlement_name(node)), Number(node.schedule.query))


def _lives_name(node: SnapshotPlan) -> str:
    return f"{node.name}_lives"


def _kept_life(
    store: Store, node: PlanNode, names: VariableNames, since: Term, to: Term, *, traced: bool = True
) -> Term:
    """A life as it is stored; not ``traced``: whatever it is made of."""
    return struct(store.name, *_visible(node, names), to, since, *_traces(node, names, traced=traced))


def _visible(node: PlanNode, names: VariableNames) -> tuple[Term, ...]:
    return tuple(names(each) for each in node.schema.columns if not is_trace(each))


def _traces(node: PlanNode, names: VariableNames, *, traced: bool) -> tuple[Term, ...]:
    if isinstance(node, SnapshotPlan) and node.always:
        return ()
    return tuple(names(each) if traced else _ANY for each in node.schema.columns if is_trace(each))


def _evaluations(node: SnapshotPlan | ChangesPlan, store: Store) -> tuple[Term, ...]:
    """What has the node settled at the instants of its schedule, so long as ``store`` holds something."""
    if node.schedule.report is not Report.CLOSE:
        return (_on_changes(node),)
    always = [each for each in walk(node) if isinstance(each, SnapshotPlan) and each.always]
    lasts: Term = Atom("passing")
    if node.schedule.lasts:
        lasts = Atom("lasting")
    elif always and (isinstance(node, ChangesPlan) or node.always):
        lasts = struct("always", Atom(_lives_name(always[0])))
    return tuple(
        struct(
            "settle_on_grid",
            Atom(settlement_name(node)),
            Number(period),
            Atom("none") if first is None else Number(first),
            Atom(store.name),
            lasts,
        )
        for period, first in node.schedule.grids
    )


# ---- what is new, or gone -----------------------------------------------------------------------------


def changes_rules(node: ChangesPlan, names: VariableNames) -> RuleSet:
    """The solutions of one instant are kept as a bag, with which those of the next one are compared.

    Where only some instants count, one of the solutions says so, and those of the others are none.
    """
    if isinstance(node.input, SnapshotPlan) and node.input.changes:
        return _changes_told(node, node.input, names)
    columns = len(node.schema.columns)
    now = Store(f"{node.name}_now", columns, StoreKind.SETTLED)
    before = Store(f"{node.name}_before", columns, StoreKind.LASTING)

    def row(store: Store, *, traced: bool = True) -> Term:
        return struct(store.name, *_visible(node, names), *_traces(node, names, traced=traced))

    keep = insertion(node, own_solution(node.input, names), insert(row(now)), settle_later(node))
    was_there, given = forget(row(before, traced=False)), own_solution(node, names, END)
    counts: Term = TRUE
    if node.held is not None:
        counts = struct(now.name, *(_HELD if each == node.held else _ANY for each in node.schema.columns))
    rules: tuple[Rule, ...]
    if node.gone:
        rules = (settling(node, row(now), was_there, FAIL), settling(node, counts, row(before), given))
    else:
        rules = (settling(node, row(now), if_then_else(was_there, FAIL, TRUE), given),)
    turn = (
        settling(node, counts, before.emptied, row(now), insert(row(before)), FAIL),
        settling(node, counts, now.emptied, FAIL),
    )
    instants = _evaluations(node, before) if node.held is None else ()  # else what is held says when
    return RuleSet((keep, *rules, *turn), (now, before), instants)


def _changes_told(node: ChangesPlan, below: SnapshotPlan, names: VariableNames) -> RuleSet:
    """What begins to live, or lives no more; where columns are left out one stands against another."""
    new, gone = own_solution(below, names), _gone(below, names)
    told, other = (gone, new) if node.gone else (new, gone)
    given = own_solution(node, names, END)
    if set(_visible(node, names)) == set(_visible(below, names)):
        return RuleSet(
            (rule(RuleKind.PASSING, node, told, given), rule(RuleKind.INSERTION, node, other, FAIL))
        )
    nowhere = [each for each in node.schema.columns if each not in below.schema]
    unbound = [unify(names(each), UNBOUND) for each in nowhere]
    against = struct(f"{node.name}_against", *_visible(node, names))
    columns = (*_visible(node, names), *_traces(node, names, traced=True))
    waiting = Waiting(node, columns)
    store = Store(f"{node.name}_against", len(_visible(node, names)), StoreKind.SETTLED)
    return RuleSet(
        (
            rule(RuleKind.INSERTION, node, told, *unbound, waiting.keep, FAIL),
            rule(RuleKind.INSERTION, node, other, *unbound, insert(against), settle_later(node), FAIL),
            waiting.settled(if_then_else(forget(against), FAIL, TRUE), given),
            settling(node, store.emptied, FAIL),
            waiting.forgotten,
        ),
        (waiting.store, store),
    )
