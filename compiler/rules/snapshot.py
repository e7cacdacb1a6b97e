"""The rules of windows on streams: lives, what lives at an instant, and what begins to, or does no more.

The interval of a solution below a Snapshot is its life: from the first instant at which it is in its windows
until before another. Lives of one solution that touch are one life. ``rules/engine/evaluations.pl`` makes the
instants of the schedule, also where nothing happens then.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from typing_extensions import assert_never

from etalis_py.compiler.algebra.algebra import CHANGE, Place
from etalis_py.compiler.algebra.changes import COMES, GOES
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
from etalis_py.compiler.plan.plan import ChangesPlan, ClosurePlan, PlanNode, SnapshotPlan, UnusedPlan, walk
from etalis_py.compiler.plan.trace_columns import is_trace
from etalis_py.compiler.rules.names import settlement_name
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
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
    change,
    forget,
    insert,
    insertion,
    own_solution,
    passing,
    rule,
    settle_on_grid,
    settling,
    solution,
    used_column,
)

__all__ = [
    "FROM",
    "UNTIL",
    "evaluations",
    "instants_in",
    "life_goal",
    "lives_name",
    "moments_of",
    "noted_instants",
    "snapshot_rules",
    "trace_terms",
    "visible_columns",
]

FROM, UNTIL = Var("From"), Var("Until")
"""The life of an occurrence in a window."""

_LAST = Var("Last")
_GONE, _SINCE, _TO, _ANY = Var("Gone"), Var("Since"), Var("To"), Var("_")
_BEGIN, _ENDING = Var("Begin"), Var("Ending")
"""The life that follows from one in a wider window."""


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
    """The goal that finds the life of an occurrence (``stream_windows.py``); fails where it has none."""
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
    came, gone = _later(END, late), _later(START if extent.whole else END, extent.width + late)
    if extent.step is None and extent.origin is not None:
        came = struct("max", came, Number(extent.origin))
    return conjunction(old_enough, *_held(extent, END, came, gone, (begin, UNTIL)))


def _held(extent: TimeExtent, ended: Term, came: Term, gone: Term, life: tuple[Var, Var]) -> Iterator[Term]:
    """The goals that find the ``life`` of what ``ended``; they fail where it has none.

    In a window that slides it would be there from ``came`` until before ``gone``.
    """
    begin, until = life
    grid = closings(extent)
    if grid is None:
        yield from (struct("is", begin, came), struct("is", until, gone))
    elif extent.moving:
        last = struct("-", _GONE, Number(1))
        since = struct("mod", struct("-", last, Number(grid.first or 0)), Number(grid.period))
        yield unify(begin, ended) if isinstance(ended, Var) else struct("is", begin, ended)
        yield from (struct("is", _GONE, gone), struct("is", _LAST, struct("-", last, since)))
        if grid.first is not None:
            yield struct("=<", Number(grid.first), _LAST)
        yield struct("is", until, struct("+", _LAST, Number(1 - int(extent.closed_open))))
    else:
        yield struct("is", begin, _first_on(grid, came))
        yield from (struct("is", _GONE, gone), struct("is", until, _first_on(grid, _GONE)))
    yield struct("<", begin, until)


def _taken_life(node: SnapshotPlan) -> tuple[tuple[Term, ...], Term, Term]:
    """The goals that find the life of a solution of what is below, and from when until when it is."""
    if node.narrowed is None:
        return (), START, END
    extent = node.narrowed.extent
    ended, gone = _later(START, -int(extent.closed_open)), _later(END, -node.narrowed.by)
    return tuple(_held(extent, ended, START, gone, (_BEGIN, _ENDING))), _BEGIN, _ENDING


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
    if reach is not None:
        reach += node.pause
    store = Store.within(
        reach,
        lives_name(node),
        len(visible_columns(node, names)) + len(trace_terms(node, names, traced=True)) + 2,
    )
    if node.pairs_begin:
        return _beginnings_heard(node, names)
    if node.changes and not node.always:
        traced = trace_terms(node, names, traced=True)  # the last life of an instant tells its reasons
        if node.tells_at_once and not traced:
            return _beginnings_told(node, reach, names)
        return _lives_told(node, store, names)
    merged = _merged_life(node, store, names)
    there = _kept_life(store, node, names, FROM, UNTIL), struct("=<", FROM, END)
    if node.changes:
        first = settling(node, *there, *_first_only(node, names))
        return RuleSet((*merged, first), (store, _begun(node)), evaluations(node, store.name))
    still = SingleTraces(names).unit(node) if node.always else struct("<", END, UNTIL)
    given = settling(node, *there, still, own_solution(node, names, END))
    return RuleSet((*merged, given), (store,), evaluations(node, store.name))


def _merged_life(
    node: SnapshotPlan, store: Store, names: VariableNames, moments: Store | None = None
) -> tuple[Rule, ...]:
    """Each life that touches a new one goes into it; what is `always` there has one life alone.

    ``moments`` are the instants at which something changes, where these are kept.
    """

    def life(since: Term, until: Term) -> Term:
        columns = names.columns(node.input)
        return struct(f"{node.name}_life", since, until, *columns, *used_column(node.input), ANSWER)

    known = _kept_life(store, node, names, _SINCE, _TO, traced=False)
    touches: Term = TRUE
    if not node.always:
        touches = conjunction(struct("=<", _SINCE, END), struct("=<", START, _TO))
    new = life(START, END)
    taken, since, until = _taken_life(node)
    if moments is not None:
        taken = (*taken, *noted_instants(node, moments, since, until))
    if node.pause:
        taken, since, until = (*taken, *_at_evaluations(node, since, until)), FROM, UNTIL
    return (
        passing(node, node.input, names, *taken, life(since, until)),
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


def _at_evaluations(node: SnapshotPlan, since: Term, until: Term) -> tuple[Term, ...]:
    """The goals that find from which evaluation until before which a life lasts; they fail without one."""

    def first(time: Term) -> Term:
        instants = [_first_on(each, time) for each in node.schedule.grids]
        return reduce(lambda one, other: struct("min", one, other), instants)

    last = struct("min", Number(FOREVER), first(until))
    return struct("is", FROM, first(since)), struct("is", UNTIL, last), struct("<", FROM, UNTIL)


def _lives_told(node: SnapshotPlan, store: Store, names: VariableNames) -> RuleSet:
    """At each instant what begins to live then, and what lives no more, which is forgotten.

    No life that begins at an instant touches one that ends then: they would be one.
    """
    stores: tuple[Store, ...] = (store,)
    moments: Store | None = None
    instants = evaluations(node, store.name)
    if node.schedule.report is not Report.CLOSE:
        moments = moments_of(node)
        stores, instants = (store, moments), (_instants_of(node, moments),)
    began, ended = (_kept_life(store, node, names, *life) for life in ((END, UNTIL), (FROM, END)))
    return RuleSet(
        (
            *_merged_life(node, store, names, moments),
            settling(node, ended, change(node, names, GOES, END)),
            settling(node, began, change(node, names, COMES, END)),
            settling(node, ended, forget(ended), FAIL),
        ),
        stores,
        instants,
    )


def _beginnings_told(node: SnapshotPlan, reach: int | None, names: VariableNames) -> RuleSet:
    """What begins to live, as it does; what lives no more is replaced, or forgotten with the window.

    Of each solution the last life is kept: until when it is.
    """
    columns = names.columns(node.input)
    begins = solution(node, (*columns, Number(COMES)), START, end=START)
    if isinstance(node.input, ClosurePlan) and node.input.tells_beginnings:
        return RuleSet((passing(node, node.input, names, begins),))
    store = Store.within(reach, lives_name(node), len(columns) + 1)

    def life(since: Term, until: Term) -> Term:
        return struct(f"{node.name}_life", since, until, *columns, ANSWER)

    new, known = life(START, END), struct(store.name, *columns, _TO)
    latest = struct("is", UNTIL, struct("max", END, _TO))
    lasts = forget(known), latest, insert(struct(store.name, *columns, UNTIL))
    taken, since, until = _taken_life(node)
    rules = (
        passing(node, node.input, names, *taken, life(since, until)),
        rule(RuleKind.INSERTION, node, new, known, Atom("!"), *lasts, struct("<", _TO, START), begins),
        rule(RuleKind.INSERTION, node, new, insert(struct(store.name, *columns, END)), begins),
    )
    return RuleSet(rules, (store,))


def _beginnings_heard(node: SnapshotPlan, names: VariableNames) -> RuleSet:
    """What begins to live, as its input tells it: at once, or at the next instant of the schedule."""
    columns = names.columns(node.input)
    if node.tells_at_once:
        begins = solution(node, (*columns, Number(COMES)), START)
        return RuleSet((passing(node, node.input, names, begins),))
    store = Store(f"{node.name}_beginning", len(columns) + 1, StoreKind.LASTING)
    now = struct(store.name, END, *columns)
    told = (now, forget(now)) if node.waits_for_next else (store.emptied,)
    rules = (
        insertion(node, own_solution(node.input, names), insert(struct(store.name, START, *columns))),
        settling(node, now, change(node, names, COMES, END)),
        settling(node, *told, FAIL),
    )
    return RuleSet(rules, (store,), evaluations(node, store.name))


def _begun(node: SnapshotPlan) -> Store:
    """When what is always there came, if it did."""
    return Store(f"{node.name}_begun", 1, StoreKind.LASTING)


def _first_only(node: SnapshotPlan, names: VariableNames) -> tuple[Term, ...]:
    """What is always there comes at the first evaluation."""
    begun = _begun(node).name
    never = struct("\\+", struct(begun, _ANY))
    return never, insert(struct(begun, END)), change(node, names, COMES, END)


def _element_rules(node: SnapshotPlan, names: VariableNames) -> RuleSet:
    """Elements say when the query is evaluated: when they come, or come into a window and leave it."""
    store = moments_of(node)
    times = (START, END) if node.schedule.report is Report.CHANGE else (START,)
    kept = insertion(node, own_solution(node.input, names), *noted_instants(node, store, *times))
    given: tuple[Term, ...] = (SingleTraces(names).unit(node), own_solution(node, names, END))
    stores: tuple[Store, ...] = (store,)
    if node.changes:
        given, stores = _first_only(node, names), (store, _begun(node))
    return RuleSet((kept, settling(node, *given)), stores, instants_in(node, store))


def moments_of(node: SnapshotPlan) -> Store:
    """The instants at which something changes."""
    return Store(f"{node.name}_moments", 1, StoreKind.LASTING)


def noted_instants(node: SnapshotPlan, moments: Store, *times: Term) -> tuple[Term, ...]:
    """The goals that note that something changes at ``times``."""
    query = _whose(node)
    return tuple(struct("note_change", query, Atom(moments.name), each) for each in times)


def instants_in(node: SnapshotPlan, moments: Store) -> tuple[Term, ...]:
    """What has the node settled when something changes, be it of another node."""
    return _on_changes(node), _instants_of(node, moments)


def _instants_of(node: SnapshotPlan, moments: Store) -> Term:
    """What has the node settled when something changes of its own."""
    lasts = Atom("lasting" if node.schedule.lasts and not _has_own_instants(node) else "passing")
    settlement = Atom(settlement_name(node))
    return struct("change_instants", settlement, _whose(node), Atom(moments.name), lasts)


def _on_changes(node: SnapshotPlan | ChangesPlan | UnusedPlan) -> Term:
    return struct("settle_on_changes", Atom(settlement_name(node)), _whose(node))


def _whose(node: SnapshotPlan | ChangesPlan | UnusedPlan) -> Term:
    """Whose instants they are: the query's, or its own of a node."""
    return Atom(node.name) if _has_own_instants(node) else Number(node.schedule.query)


def _has_own_instants(node: SnapshotPlan | ChangesPlan | UnusedPlan) -> bool:
    """Whether its changes come at other instants than the query's, too, and so after the last of these."""
    if not isinstance(node, SnapshotPlan) or not node.changes or node.always:
        return False
    beyond = node.newest is not None and node.newest.beyond
    return node.schedule.report is Report.ARRIVAL or beyond


def lives_name(node: SnapshotPlan) -> str:
    """The store of its lives."""
    return f"{node.name}_lives"


def _kept_life(
    store: Store, node: PlanNode, names: VariableNames, since: Term, to: Term, *, traced: bool = True
) -> Term:
    """A life as it is stored; not ``traced``: whatever it is made of."""
    return struct(
        store.name, *visible_columns(node, names), to, since, *trace_terms(node, names, traced=traced)
    )


def visible_columns(node: PlanNode, names: VariableNames) -> tuple[Term, ...]:
    """What solutions are told apart by: neither what they are made of, nor whether they come or go."""
    return tuple(names(each) for each in node.schema.columns if not is_trace(each) and each != CHANGE)


def trace_terms(node: PlanNode, names: VariableNames, *, traced: bool) -> tuple[Term, ...]:
    """What solutions are made of; not ``traced``: anything."""
    if isinstance(node, SnapshotPlan) and node.always:
        return ()
    return tuple(names(each) if traced else _ANY for each in node.schema.columns if is_trace(each))


def evaluations(node: SnapshotPlan | ChangesPlan | UnusedPlan, *stores: str) -> tuple[Term, ...]:
    """What has the node settled at the instants of its schedule, while one of ``stores`` holds something."""
    if node.schedule.report is not Report.CLOSE:
        return (_on_changes(node),)
    always = [each for each in walk(node) if isinstance(each, SnapshotPlan) and each.always]
    lasts: Term = Atom("passing")
    if node.schedule.lasts:
        lasts = Atom("lasting")
    elif always and (not isinstance(node, SnapshotPlan) or node.always):
        lasts = struct("always", Atom(lives_name(always[0])))
    return tuple(settle_on_grid(node, grid, store, lasts) for grid in node.schedule.grids for store in stores)
