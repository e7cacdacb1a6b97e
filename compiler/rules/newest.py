"""The rules of windows of elements: the newest ones, told by what comes and what goes.

What came since the last instant waits for the next. Then the newest of it come, and as many of the oldest go
as are too many. What is there stands in the order of age, so an instant costs what it changes. Of a window
with steps it waits until there are as many as a step has; what is over then waits on.
"""

from __future__ import annotations

from collections.abc import Sequence

from etalis_py.compiler.algebra.changes import COMES, GOES
from etalis_py.compiler.algebra.stream_windows import Report
from etalis_py.compiler.plan.plan import Scan, SnapshotPlan, walk
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
    Number,
    Term,
    Var,
    conjunction,
    either,
    if_then_else,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import END, START, RuleSet, Store, StoreKind, VariableNames
from etalis_py.compiler.rules.snapshot import (
    evaluations,
    instants_in,
    moments_of,
    noted_instants,
    trace_terms,
    visible_columns,
)
from etalis_py.compiler.rules.writing import change, forget, insert, insertion, own_solution, settling

__all__ = ["newest_rules"]

_ANY, _NEW, _KEPT = Var("_"), Var("New"), Var("Kept")
_BEFORE, _NOW, _GOING = Var("Before"), Var("Now"), Var("Going")
_CAME, _OVER, _COUNT, _NEXT, _COME = Var("Came"), Var("Over"), Var("Count"), Var("Next"), Var("Come")


def newest_rules(node: SnapshotPlan, names: VariableNames) -> RuleSet:
    """What is among the newest from an instant on, or is no more."""
    newest = node.newest
    assert newest is not None
    rows = _Rows(node, names)
    new, kept, size = (
        Store(f"{node.name}_{which}", arity, StoreKind.LASTING)
        for which, arity in (("new", rows.arity), ("kept", rows.arity), ("size", 1))
    )
    held = struct(size.name, _BEFORE)
    noted: tuple[Term, ...] = ()
    if node.schedule.report is not Report.CLOSE:
        noted = noted_instants(node, moments_of(node), START)
    steps = _Steps(node, newest.step, noted)
    stores: tuple[Store, ...] = (new, kept, size, *steps.stores)
    instants = evaluations(node, steps.due or new.name)
    if noted:
        stores = (*stores, moments_of(node))
        instants = instants_in(node, moments_of(node))
    known, waits = rows.of(new, traced=False), conjunction(insert(rows.of(new)), steps.counted)
    come = struct("+", _BEFORE, _COME)
    turn = conjunction(
        steps.are_due,
        struct("findall", rows.of(new, "row"), rows.of(new), steps.came),
        new.emptied,
        steps.taken,
        if_then_else(held, forget(held), unify(_BEFORE, Number(0))),
        struct("among_newest", Number(newest.count), _NEW, _KEPT, _COME),
        struct("is", _NOW, struct("min", Number(newest.count), come)),
        struct("is", _GOING, struct("-", come, _NOW)),
        insert(struct(size.name, _NOW)),
    )
    each_going, each_kept = (
        struct("between", Number(1), _GOING, _ANY),
        struct("member", rows.of(new, "row"), _KEPT),
    )
    goes = conjunction(each_going, rows.oldest(kept))
    comes = conjunction(each_kept, insert(rows.of(kept)))
    waits_on = conjunction(struct("member", rows.of(new, "row"), _OVER), insert(rows.of(new)), FAIL)
    changes = either(
        *(() if newest.step is None else (waits_on,)),
        conjunction(goes, change(node, names, GOES, END)),
        conjunction(comes, change(node, names, COMES, END)),
    )
    return RuleSet(
        (
            insertion(node, own_solution(node.input, names), if_then_else(known, FAIL, waits)),
            settling(node, turn, changes),
        ),
        stores,
        instants,
    )


class _Steps:
    """What waits until there are so many of it; then ``noted`` notes that something changes."""

    def __init__(self, node: SnapshotPlan, step: int | None, noted: Sequence[Term]) -> None:
        self._step, self._noted = step, noted
        self._waiting, self._due = (
            Store(f"{node.name}_{which}", 1, StoreKind.LASTING) for which in ("waiting", "due")
        )

    @property
    def stores(self) -> tuple[Store, ...]:
        """How many wait, and whether these are enough."""
        return () if self._step is None else (self._waiting, self._due)

    @property
    def due(self) -> str | None:
        """The store that holds something when there are enough."""
        return None if self._step is None else self._due.name

    @property
    def counted(self) -> Term:
        """The goal that counts one more, and notes when it is that there are enough."""
        if self._step is None:
            return conjunction(*self._noted)
        before = struct(self._waiting.name, _BEFORE)
        return conjunction(
            if_then_else(before, forget(before), unify(_BEFORE, Number(0))),
            struct("is", _COUNT, struct("+", _BEFORE, Number(1))),
            insert(struct(self._waiting.name, _COUNT)),
            if_then_else(
                struct("=:=", _COUNT, Number(self._step)),
                conjunction(insert(struct(self._due.name, END)), *self._noted),
                TRUE,
            ),
        )

    @property
    def are_due(self) -> Term:
        """The goal that succeeds if there are enough, once."""
        return TRUE if self._step is None else forget(struct(self._due.name, _ANY))

    @property
    def came(self) -> Var:
        """What waited."""
        return _NEW if self._step is None else _CAME

    @property
    def taken(self) -> Term:
        """The goal that divides what came into what comes now, and what waits on."""
        if self._step is None:
            return TRUE
        return conjunction(
            struct("whole_steps", Number(self._step), _CAME, _NEW, _OVER, _NEXT),
            self._waiting.emptied,
            insert(struct(self._waiting.name, _NEXT)),
        )


class _Rows:
    """The solutions in a store: the element first."""

    def __init__(self, node: SnapshotPlan, names: VariableNames) -> None:
        place = next(each.pattern.place for each in walk(node) if isinstance(each, Scan))
        assert place is not None
        assert place.element is not None
        self._element = names(place.element)
        self._columns = tuple(each for each in visible_columns(node, names) if each != self._element)
        self._made_of = trace_terms(node, names, traced=True)
        self.arity = 1 + len(self._columns) + len(self._made_of)

    def of(self, store: Store, name: str | None = None, *, traced: bool = True) -> Term:
        """One of them; not ``traced``: whatever it is made of."""
        made_of = self._made_of if traced else (_ANY,) * len(self._made_of)
        return struct(name or store.name, self._element, *self._columns, *made_of)

    def oldest(self, store: Store) -> Term:
        """Forget each of the oldest element."""
        row = self.of(store)
        first = struct(store.name, self._element, *(_ANY,) * (self.arity - 1))
        return conjunction(if_then_else(first, TRUE, FAIL), row, forget(row))
