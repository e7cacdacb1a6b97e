"""The rules of REPEAT: runs of iterations.

What is repeated waits until the instant is complete. Then it goes, in the order of starts and bindings,
through the runs that were there: ALL extends a run in its place, the other modes make a new one beside it. A
run has one row for what can be seen of it: how many iterations, the first and the last values, and a list of
what else is aggregated, the newest first, which longer runs share.

What follows ALL asks for the run as it was when that began; earlier states are kept for what lasts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count

from etalis_py.compiler.algebra.algebra import Expression, RepeatMode, Variable, expression_variables
from etalis_py.compiler.algebra.window import narrower
from etalis_py.compiler.plan.plan import (
    BetweenPlan,
    ExistsPlan,
    PlanNode,
    RepeatPlan,
    Schema,
    UnitPlan,
)
from etalis_py.compiler.plan.trace_columns import running_column
from etalis_py.compiler.rules.between import Absent
from etalis_py.compiler.rules.exists import expressions_with
from etalis_py.compiler.rules.expression_goals import Scope
from etalis_py.compiler.rules.iteration_values import IterationValues
from etalis_py.compiler.rules.names import settlement_name
from etalis_py.compiler.rules.prolog_terms import (
    EMPTY_LIST,
    FAIL,
    TRUE,
    Atom,
    Compound,
    Number,
    Term,
    Var,
    conjunction,
    either,
    if_then_else,
    list_term,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import (
    COUNT,
    END,
    OPEN,
    START,
    Rule,
    RuleKind,
    RuleSet,
    Store,
    VariableNames,
)
from etalis_py.compiler.rules.writing import (
    Sides,
    Waiting,
    forget,
    insert,
    insertion,
    own_solution,
    rule,
    settling,
    solution,
    within,
)

__all__ = ["RepeatRules"]

_ROWS, _ORDERED, _OPENED = Var("Rows"), Var("Ordered"), Var("Opened")
_BEGIN, _BEFORE, _LAST, _COUNT = Var("Start1"), Var("End1"), Var("Last"), COUNT
_UNTIL, _NEXT, _ANY = Var("Until"), Var("Next"), Var("_")
_WHOSE, _TRAIL, _SHORTER, _BROKEN = Var("Whose"), Var("Trail"), Var("Shorter"), Var("Broken")
_RANK, _ITERATION, _OTHER, _OTHER_LAST = Var("Rank"), Var("Iteration"), Var("Other"), Var("OtherLast")
_OTHER_COUNT, _GIVEN = Var("OtherCount"), Var("Given")
_NO, _YES = Number(0), Number(1)


class RepeatRules:
    """Generates the rules of one repetition."""

    def __init__(self, node: RepeatPlan, names: VariableNames) -> None:
        self._node, self._repeat, self._names = node, node.repeat, names
        group = node.group.schema
        self._left = Schema((), frozenset()) if node.left is None else node.left.schema
        shared = [each for each in self._repeat.shared if each in group]
        certain = group.certain & (
            self._left.certain | frozenset(each for each in shared if each not in self._left)
        )
        self._join = [each for each in shared if each in certain]
        self._loose = [each for each in shared if each not in certain]
        self._sides = Sides(names, self._loose)
        self._own = [each for each in group.columns if each not in shared]
        self._outside = [each for each in self._left.columns if each not in shared]
        each_its_own = self._repeat.per if self._repeat.mode is RepeatMode.ALL else ()
        self._maybe_new = [each for each in shared if each in self._loose and each in each_its_own]
        self._new = [each for each in shared if each not in self._left or each in self._maybe_new]
        self._values = IterationValues(node.repeat, group.columns, names)
        self._run = Store.within(node.window, f"{node.name}_run", self._arity)
        self._run = replace(self._run, shown=self._shown())
        self._past = replace(Store.within(node.window, f"{node.name}_past", self._arity + 1), shown=())
        opened = len(self._left.columns) + 2 + self._are_numbered
        self._open = Store.within(node.window, f"{node.name}_open", opened)
        self._groups = Waiting(node, (START, END, *self._columns_of_group("R")), "group")
        self._opened = Waiting(node, (START, END, *map(names, self._left.columns)), "left")
        self._taken = Waiting(node, self._row().arguments, "taken")
        self._grown = Waiting(node, self._row(loose="").arguments, "grown")

    def rule_set(self) -> RuleSet:
        """What waits for the end of the instant, what is made of it then, and what follows."""
        node = self._node
        if not node.eventful:
            return RuleSet()
        scopes = [each for each in (self._scope, self._first_scope, self._last_scope) if each is not None]
        rules = [
            *(each for scope in scopes for each in scope.rules),
            insertion(node, solution(node.group, self._columns_of_group("R")), self._groups.keep),
            *self._opening(),
            *([self._noted_breaking()] if self._breaks else []),
            self._extended(),
            *self._taken_away(),
            *self._settled_openings(),
            *(() if node.then is None else self._following(node.then)),
            *(self._longest() if self._gives_longest else self._broken() if self._breaks else ()),
            *(self._answers() if self._gives_grown else ()),
            *self._forgotten(),
        ]
        stores = [self._run, self._groups.store]
        stores += [self._opened.store] if node.gives_left else []
        stores += [self._open] if self._opens_later else []
        stores += [self._past] if self._keeps_past else []
        stores += [self._breaking.store] if self._breaks else []
        stores += [self._apart] if self._parts_broken else []
        stores += [self._taken.store] if self._takes else []
        stores += [self._followed.store] if self._takes_opened else []
        if self._repeat.then_next:
            stores.append(self._chosen.store if self._goes_with_next else self._given)
        stores += [self._grown.store] if self._gives_grown else []
        stores += [each for scope in scopes for each in scope.stores]
        ends = struct("settle_at_end", Atom(settlement_name(node)))
        return RuleSet(tuple(rules), tuple(stores), (ends,) if self._gives_longest else ())

    @property
    def _breaks(self) -> bool:
        """Whether it is noted that something has come after a run."""
        return self._node.scope is not None

    @property
    def _parts_broken(self) -> bool:
        """Whether runs that something has come after are kept apart, where no others need them."""
        return self._breaks and self._node.then is None

    @property
    def _apart(self) -> Store:
        """Broken runs, each for as long as an iteration may have begun before it was broken."""
        store = Store.within(self._lasting, f"{self._node.name}_broken", self._arity)
        return replace(store, shown=())

    @property
    def _lasting(self) -> int | None:
        """What is shorter than this may be an iteration."""
        return narrower(self._node.window, self._node.group.window)

    @property
    def _gives_longest(self) -> bool:
        """Whether runs are given when they are broken."""
        return self._repeat.longest and self._node.then is None

    @property
    def _gives_grown(self) -> bool:
        """Whether each run that grew at this instant is given."""
        return self._node.then is None and not self._repeat.longest

    def _as_grown(self, row: Compound) -> Term:
        return insert(Compound(self._grown.store.name, row.arguments)) if self._gives_grown else TRUE

    @property
    def _keeps_past(self) -> bool:
        """Whether earlier states of a run are kept, which changes in its place."""
        return self._node.then is not None and self._repeat.mode is RepeatMode.ALL

    @property
    def _opens_later(self) -> bool:
        """Whether a run begins with its first iteration only, since that has values of PER."""
        return self._node.left is not None and bool(self._new)

    @property
    def _takes(self) -> bool:
        return self._repeat.mode is RepeatMode.NEXT or self._repeat.operator.next_only

    # ---- rows of runs -----------------------------------------------------------------------------------

    @property
    def _arity(self) -> int:
        lists = (self._join, self._loose, self._outside, self._values.of_none(), self._trail())
        return sum(map(len, lists)) + 4

    def _row(
        self,
        *,
        loose: str = "L",
        last: Term = _LAST,
        count: Term = _COUNT,
        begin: Term = _BEGIN,
        before: Term = _BEFORE,
        new: bool = False,
        trail: tuple[Term, ...] = (_WHOSE, _TRAIL, _SHORTER, _BROKEN),
    ) -> Compound:
        """A run as it is stored: what it shares, its end and start, the end of what is before it, a count."""
        names = self._names
        return Compound(
            self._run.name,
            (
                *map(names, self._join),
                last,
                begin,
                before,
                count,
                *(names(each, loose) for each in self._loose),
                *map(names, self._outside),
                *self._values.columns("N" if new else ""),
                *self._trail(trail),
            ),
        )

    def _shown(self) -> tuple[Term, ...]:
        """What a user sees of a run that waits for more, or for what follows."""
        names = self._names
        known = (*map(names, self._loose), *map(names, self._outside), *self._values.of_any())
        trail = self._trail((_ANY, _ANY, _ANY, OPEN if self._node.then is None else _ANY))
        return (*map(names, self._join), END, START, _ANY, COUNT, *known, *trail)

    def _trail(self, trail: tuple[Term, ...] = (_WHOSE, _TRAIL, _SHORTER, _BROKEN)) -> tuple[Term, ...]:
        """What the longest runs are found by, and of STRICT whether something has come after the last one."""
        if self._repeat.longest:
            return trail
        if self._are_numbered:
            return trail[:1]
        return trail[-1:] if self._repeat.mode is RepeatMode.STRICT else ()

    def _none_yet(self) -> tuple[Term, ...]:
        """The last columns of a run without iterations."""
        return (*self._values.of_none(), *self._trail((_WHOSE, EMPTY_LIST, Atom("none"), _NO)))

    def _columns_of_group(self, side: str) -> tuple[Term, ...]:
        return self._sides.columns(self._node.group.schema.columns, side)

    # ---- what stands before -----------------------------------------------------------------------------

    def _opening(self) -> Iterator[Rule]:
        """What stands before waits for later iterations."""
        node = self._node
        if node.left is None or not node.left.eventful:
            return
        head = own_solution(node.left, self._names)
        if node.gives_left:
            yield insertion(node, head, self._opened.keep)
        else:
            yield insertion(node, head, self._whose, insert(self._begun()))

    def _settled_openings(self) -> Iterator[Rule]:
        if self._node.gives_left:
            holds_one = self._repeat.begun is not None
            begun = self._with_first() if holds_one else self._begun()
            made = self._first_of_left() if holds_one else self._whose
            yield settling(self._node, self._opened.kept, made, insert(begun), self._as_grown(begun), FAIL)

    def _with_first(self) -> Compound:
        """A run whose first iteration ends what stands before."""
        return self._row(
            loose="", last=END, count=Number(1), begin=START, before=END, new=True,
            trail=(_WHOSE, _TRAIL, _SHORTER, _NO),
        )  # fmt: skip

    def _first_of_left(self) -> Term:
        """The values of the first iteration, as what stands before has them."""
        pairs = self._repeat.begun or ()
        values = (unify(self._names(own), self._names(kept)) for own, kept in pairs)
        seen = self._traced_running()
        none_before = TRUE if seen == TRUE else self._values.aggregated(self._repeat.running, None)
        return conjunction(*values, none_before, seen, self._values.begun())

    @property
    def _whose(self) -> Term:
        """Runs may say whose they are: no other solution that stands before has this number."""
        if not self._are_numbered:
            return TRUE
        return conjunction(struct("next_rank", _RANK), unify(_WHOSE, struct("i", END, _RANK)))

    def _begun(self) -> Compound:
        """The goal of what stands before: a run of no iteration, or what gets one for each value of PER."""
        if self._opens_later:
            whose = (_WHOSE,) if self._are_numbered else ()
            columns: tuple[Term, ...] = tuple(map(self._names, self._left.columns))
            return Compound(self._open.name, (END, START, *columns, *whose))
        loose = (self._names(each) for each in self._loose)
        times = (END, START, END, Number(0))
        shared: tuple[Term, ...] = (*map(self._names, self._join), *times, *loose)
        return Compound(self._run.name, (*shared, *map(self._names, self._outside), *self._none_yet()))

    # ---- iterations -------------------------------------------------------------------------------------

    def _extended(self) -> Rule:
        """Each iteration of the instant, in order, with each run that it fits."""
        iteration = struct("row", START, *self._ordered_columns())
        return settling(
            self._node,
            struct("findall", iteration, self._groups.kept, _ROWS),
            self._groups.store.emptied,
            struct("iterations_in_order", _ROWS, _ORDERED),
            struct("member", iteration, _ORDERED),
            self._numbered,
            either(*self._ways()),
            FAIL,
        )

    @property
    def _are_numbered(self) -> bool:
        """Whether runs are told apart by a number: where what they share changes, it does not."""
        repeat = self._repeat
        changes = repeat.mode is RepeatMode.ALL and self._opens_later and bool(self._loose)
        return repeat.longest or repeat.then_next or changes

    @property
    def _numbered(self) -> Term:
        if not self._are_numbered:
            return TRUE
        return conjunction(struct("next_rank", _RANK), unify(_ITERATION, struct("i", END, _RANK)))

    def _ordered_columns(self) -> tuple[Term, ...]:
        columns = sorted(self._node.group.schema.columns, key=lambda each: (each.is_hidden, each.name))
        return self._sides.columns(columns, "R")

    def _ways(self) -> Iterator[Term]:
        """What an iteration may do."""
        if self._opens_later:
            yield self._new_values()
        yield conjunction(self._may_go_on(), self._fits(), self._new_run())
        if self._node.left is None:
            yield self._first()

    def _may_go_on(self) -> Term:
        """A point goes on with nothing that something has come after; what lasts may have begun before."""
        node, run = self._node, self._row()
        if not self._breaks:
            return run
        scope = node.scope.schema.columns if node.scope is not None else ()
        may_be_between = TRUE if set(scope) & set(self._own) else struct("<", START, END)
        if self._parts_broken:
            return either(run, conjunction(may_be_between, Compound(self._apart.name, run.arguments)))
        if may_be_between == TRUE:
            return run
        unbroken: Term = unify(_BROKEN, _NO)
        if node.left is not None:  # the first iteration follows in another way
            unbroken = either(unbroken, conjunction(unify(_BROKEN, _YES), unify(_COUNT, Number(0))))
        return conjunction(either(conjunction(struct("=:=", START, END), unbroken), may_be_between), run)

    def _new_values(self) -> Term:
        """What stands before gets a run for each value of PER."""
        names, node = self._names, self._node
        columns = self._sides.columns(self._left.columns, "L")
        whose = (_WHOSE,) if self._are_numbered else ()
        found = struct(self._open.name, _BEFORE, _BEGIN, *columns, *whose)
        shared = [names(each, self._side_of_new(each)) for each in self._loose]
        row = struct(
            self._run.name, *map(names, self._join), _BEFORE, _BEGIN, _BEFORE, Number(0), *shared,
            *map(names, self._outside), *self._none_yet(),
        )  # fmt: skip
        if self._are_numbered and self._repeat.mode is RepeatMode.ALL:
            shared = [names(each) if each in self._new else _ANY for each in self._loose]
        known = struct(
            self._run.name, *map(names, self._join), _ANY, _BEGIN, _BEFORE, _ANY, *shared,
            *map(names, self._outside), *self._known_values(),
        )  # fmt: skip
        agree = (
            struct(
                "compatible",
                names(each, "L"),
                names(each, "R"),
                names(each) if each in self._maybe_new else _ANY,
            )
            for each in self._loose
            if each in self._left
        )
        opened = conjunction(
            found,
            struct("<", _BEFORE, START),
            within(node.window, _BEGIN),
            *agree,
            struct("\\+", known),
        )
        made = struct("run", *row.arguments) if isinstance(row, Compound) else row
        listed = struct("findall", made, opened, _OPENED)
        return conjunction(listed, struct("member", made, _OPENED), insert(row), FAIL)

    def _side_of_new(self, variable: Variable) -> str:
        """What a run begins with: a value of PER, or what stands before has."""
        if variable in self._maybe_new:
            return ""
        return "L" if variable in self._left else "R"

    def _known_values(self) -> Iterator[Term]:
        """The last columns of any run of what stands before."""
        yield from self._values.of_any()
        yield from self._trail((_WHOSE, _ANY, _ANY, _ANY))

    def _fits(self) -> Term:
        """How an iteration must lie, agree with a run, and what it must make true."""
        repeat, node = self._repeat, self._node
        after = struct("<", _BEFORE if repeat.mode is RepeatMode.ALL else _LAST, START)
        few: Term = TRUE
        if repeat.high is not None and repeat.mode is not RepeatMode.ALL:
            few = struct("<", _COUNT, Number(repeat.high))
        agree = self._sides.agree("L", "R")
        return conjunction(
            after, few, within(node.window, _BEGIN), *agree, self._nothing_between(), self._condition()
        )

    def _nothing_between(self) -> Term:
        later, first = (
            TRUE if each is None else each.not_between(_LAST, START)
            for each in (self._scope, self._first_scope)
        )
        if self._node.left is None or later == first:
            return later
        return if_then_else(struct("=:=", _COUNT, Number(0)), first, later)

    def _condition(self, *, first: bool = False) -> Term:
        """What chooses the iterations sees the run so far."""
        repeat, node = self._repeat, self._node
        if repeat.condition is None:
            return TRUE
        values = {each: self._names(each) for each in (*self._left.columns, *node.group.schema.columns)}
        values |= {each.variable: self._names(each.variable) for each in repeat.running}
        counts = frozenset(each.variable for each in repeat.running if each.function == "COUNT")
        certain = self._left.certain | node.group.schema.certain | counts
        scope = Scope(values, certain, (START, END), END)
        test = expressions_with(scope, node.tests, self._names).condition(repeat.condition)
        return conjunction(
            self._values.aggregated(repeat.running, None if first else _COUNT), test, self._traced_running()
        )

    def _traced_running(self) -> Term:
        """Of a traced plan: what the condition saw of the iterations before."""
        column = running_column(self._node.name)
        if all(each.argument != column for each in self._repeat.measures):
            return TRUE
        running = (struct("value", self._names(each.variable)) for each in self._repeat.running)
        return struct("pack_trace", list_term(tuple(running)), self._names(column))

    def _new_run(self) -> Term:
        """The run with one more iteration, in the place of the one before, or beside it."""
        repeat = self._repeat
        iterations = Compound("[|]", (_ITERATION, EMPTY_LIST if self._is_greedy else _TRAIL))
        trail = (_WHOSE, iterations, _TRAIL, _NO)
        new = self._row(loose="", last=END, count=_NEXT, new=True, trail=trail)
        changed = conjunction(
            struct("is", _NEXT, struct("-", _COUNT, Number(-1))), self._values.extended(_COUNT)
        )
        if repeat.mode is RepeatMode.ALL:
            old = self._row()
            past = insert(struct(self._past.name, *old.arguments, END))
            past = if_then_else(struct("<", _LAST, END), past, TRUE) if self._keeps_past else TRUE
            again = Compound(self._grown.store.name, old.arguments)
            once = if_then_else(forget(again), TRUE, TRUE) if self._gives_grown else TRUE
            return conjunction(changed, forget(old), past, once, insert(new), self._as_grown(new))
        limited = struct("limited_runs", Atom(self._run.name)) if repeat.mode is RepeatMode.ANY else TRUE
        return conjunction(self._take(), limited, changed, insert(new), self._as_grown(new))

    def _take(self) -> Term:
        """A run that takes the next one has it when the instant is through."""
        if not self._takes:
            return TRUE
        is_first = struct("=:=", _COUNT, Number(0))
        takes_first, takes_later = self._repeat.operator.next_only, self._repeat.mode is RepeatMode.NEXT
        keep = insert(self._taken.kept)
        if self._takes_opened:
            return if_then_else(is_first, insert(self._followed.kept), keep if takes_later else TRUE)
        if takes_first and takes_later:
            return keep
        return if_then_else(is_first, keep if takes_first else TRUE, keep if takes_later else TRUE)

    @property
    def _takes_opened(self) -> bool:
        """Whether the next one, of whatever values of PER, is the first iteration."""
        return (
            self._opens_later and self._repeat.operator.next_only and self._repeat.mode is not RepeatMode.ALL
        )

    @property
    def _followed(self) -> Waiting:
        """What stands before, when its first iteration has come."""
        columns = self._sides.columns(self._left.columns, "L")
        whose = (_WHOSE,) if self._are_numbered else ()
        return Waiting(self._node, (_BEFORE, _BEGIN, *columns, *whose), "followed")

    def _first(self) -> Term:
        """Where nothing stands before, each iteration that fits as a first one begins a run."""
        names = self._names
        agree = (unify(names(each), names(each, "R")) for each in self._loose)
        whose = Atom("none") if self._repeat.longest else _ITERATION
        new = self._row(
            loose="", last=END, count=Number(1), begin=START, before=END, new=True,
            trail=(whose, list_term((_ITERATION,)), EMPTY_LIST, _NO),
        )  # fmt: skip
        alone = self._begins_alone()
        return conjunction(
            *agree,
            alone,
            self._condition(first=True),
            self._values.begun(),
            insert(new),
            self._as_grown(new),
        )

    def _begins_alone(self) -> Term:
        """Of LONGEST: what was just now the last of another run would be the end of that for ever."""
        if not self._looks_at_last:
            return TRUE
        just = self._other(END, Compound("[|]", (_ITERATION, _ANY)), _ANY)
        return struct("\\+", just)

    @property
    def _looks_at_last(self) -> bool:
        """Whether what chooses the iterations of LONGEST looks no further back than to the last one."""
        repeat = self._repeat
        any_number = repeat.longest and repeat.high is None
        return any_number and all(each.function == "LAST" for each in repeat.running)

    @property
    def _is_greedy(self) -> bool:
        """Whether no run is the end of another, and one iteration is enough to tell whose it is."""
        return self._looks_at_last and self._node.left is None and self._node.then is None

    # ---- the longest ------------------------------------------------------------------------------------

    def _other(
        self,
        last: Term,
        trail: Term,
        shorter: Term,
        count: Term = _ANY,
        values: tuple[Term, ...] | None = None,
    ) -> Compound:
        """Another run with the same keys."""
        return Compound(
            self._run.name,
            (
                *map(self._names, self._join), last, _ANY, _ANY, count,
                *(_ANY for _ in (*self._loose, *self._outside)),
                *(self._values.of_any() if values is None else values),
                Atom("none") if self._node.left is None else _WHOSE, trail, shorter, _ANY,
            ),
        )  # fmt: skip

    def _is_maximal(self) -> Term:
        """No longer run ends with all of this one."""
        if self._is_greedy:
            return TRUE
        ends_with = struct("ends_with", _OTHER, _TRAIL, Atom("true"))
        return self._there_is_no(self._other(_LAST, _OTHER, _ANY), ends_with)

    def _ends_here(self) -> Term:
        """No iteration was added to it."""
        return self._there_is_no(self._other(_ANY, _ANY, _TRAIL))

    def _there_is_no(self, run: Compound, *goals: Term) -> Term:
        """No run is such, broken or not."""
        runs = [run, Compound(self._apart.name, run.arguments)] if self._parts_broken else [run]
        return conjunction(*(struct("\\+", conjunction(each, *goals)) for each in runs))

    def _longest(self) -> Iterator[Rule]:
        """Where nothing follows: runs that are broken, full, or that the end of the input breaks."""
        node, high = self._node, self._repeat.high
        row, done = self._unbroken()
        given = own_solution(node, self._names, _BEGIN)
        last = (self._enough(), self._is_maximal(), self._ends_here(), self._measured(), given)
        not_full = TRUE if high is None else struct("<", _COUNT, Number(high))
        yield settling(node, self._found_broken(row), not_full, forget(row), self._parted(), *last)
        ended = conjunction(struct("input_ends", Atom("any")), row, not_full)
        yield settling(node, ended, forget(row), self._parted(), *last)
        if high is None:
            return
        full, given_before = (
            self._row(loose="", last=END, count=Number(high), trail=(_WHOSE, _TRAIL, _SHORTER, each))
            for each in (_NO, _YES)
        )
        known = conjunction(unify(_LAST, END), unify(_COUNT, Number(high)))
        yield settling(
            node, full, forget(full), insert(given_before), known, self._is_maximal(), self._measured(), given
        )
        is_full = struct("=:=", _COUNT, Number(high))
        yield settling(node, self._found_broken(done), is_full, forget(done), self._parted(), FAIL)

    def _unbroken(self) -> tuple[Compound, Compound]:
        """A run that nothing has come after yet, and the same when something has."""
        no, yes = (self._row(loose="", trail=(_WHOSE, _TRAIL, _SHORTER, each)) for each in (_NO, _YES))
        return no, yes

    def _found_broken(self, run: Compound) -> Term:
        """A run with something of this instant that began after its end."""
        after = struct("<", _LAST, Var("StartZ"))
        return conjunction(self._breaking.kept, run, after, *self._agreeing())

    def _parted(self) -> Term:
        """Put a broken run where those are."""
        row, broken = self._unbroken()
        if not self._parts_broken:
            return insert(broken)
        apart = insert(Compound(self._apart.name, row.arguments))
        if self._node.left is None:
            return apart
        return if_then_else(
            struct("=:=", _COUNT, Number(0)), insert(broken), apart
        )  # a first one may still come

    def _broken(self) -> Iterator[Rule]:
        row, _ = self._unbroken()
        yield settling(self._node, self._found_broken(row), forget(row), self._parted(), FAIL)

    @property
    def _breaking(self) -> Waiting:
        """What may break runs at this instant."""
        assert self._node.scope is not None
        return Waiting(self._node, (Var("StartZ"), *self._breaking_columns()), "breaking")

    def _breaking_columns(self) -> list[Term]:
        certain = self._node.scope.schema.certain if self._node.scope is not None else frozenset()
        sure = frozenset(self._join) | self._left.certain
        return [
            self._names(each, "" if each in sure & certain else "Z") for each in self._breaking_variables()
        ]

    def _breaking_variables(self) -> list[Variable]:
        assert self._node.scope is not None
        known = frozenset((*self._left.columns, *self._repeat.shared))
        return [each for each in self._node.scope.schema.columns if each in known]

    def _agreeing(self) -> Iterator[Term]:
        for variable, column in zip(self._breaking_variables(), self._breaking_columns(), strict=True):
            if column != self._names(variable):
                yield struct("compatible", self._names(variable), column, _ANY)

    def _noted_breaking(self) -> Rule:
        node = self._node
        assert node.scope is not None
        kept = Waiting(node, (START, *map(self._names, self._breaking_variables())), "breaking")
        return insertion(node, own_solution(node.scope, self._names), kept.keep)

    # ---- answers ----------------------------------------------------------------------------------------

    def _enough(self) -> Term:
        low, high = self._repeat.low, self._repeat.high
        goals = [struct("=<", Number(low), _COUNT)] if low else []
        goals += [] if high is None else [struct("=<", _COUNT, Number(high))]
        return conjunction(*goals)

    def _answers(self) -> Iterator[Rule]:
        """Where nothing follows, runs that grew at this instant are given."""
        given = own_solution(self._node, self._names, _BEGIN)
        yield settling(self._node, self._grown.kept, self._enough(), self._measured(), given)
        yield self._grown.forgotten

    def _measured(self) -> Term:
        return self._values.aggregated(self._repeat.measures, _COUNT)

    def _following(self, then: PlanNode) -> Iterator[Rule]:
        """What follows looks for runs as they were when it began."""
        loose = self._met_loosely(then)
        met = Sides(self._names, loose)
        columns, values = met.columns(then.schema.columns, "T"), met.columns(self._node.schema.columns, "W")
        sides, numbers = dict.fromkeys(loose, "W"), count(1)
        yield rule(
            RuleKind.CHECKING,
            self._node,
            solution(then, columns),
            self._states(),
            self._enough(),
            within(self._node.window, _BEGIN),
            self._measured(),
            *met.agree("", "T", "W"),
            self._judged(sides, numbers),
            self._next_taken(),
            self._nothing_after(_LAST, sides),
            self._is_longest_before(then, numbers) if self._repeat.longest else TRUE,
            solution(self._node, values, _BEGIN),
        )
        if self._goes_with_next:
            row = self._row(loose="")
            yield self._chosen.settled(row, forget(row), FAIL)
            past = struct(self._past.name, *row.arguments, _UNTIL)
            yield self._chosen.settled(past, forget(past), FAIL)
            yield self._chosen.forgotten

    def _met_loosely(self, then: PlanNode) -> list[Variable]:
        """Variables of runs and of what follows, one of which may be unbound."""
        sure = self._left.certain | frozenset(self._join)
        common = [each for each in then.schema.columns if each in self._known]
        return [each for each in common if each not in sure & then.schema.certain]

    def _judged(self, sides: Mapping[Variable, str], numbers: Iterator[int]) -> Term:
        """What chooses what follows."""
        condition, then = self._repeat.then_condition, self._node.then
        if condition is None or then is None:
            return TRUE
        values = {
            each: self._names(each, sides.get(each, "")) for each in (*self._known, *then.schema.columns)
        }
        counts = (each.variable for each in self._repeat.measures if each.function == "COUNT")
        certain = self._left.certain.union(self._join, counts, then.schema.certain)
        scope = Scope(values, certain, (START, END), END)
        tests = self._node.then_tests
        return expressions_with(scope, tests, self._names, numbers).condition(condition)

    def _nothing_after(self, last: Term, sides: Mapping[Variable, str]) -> Term:
        """Nothing lies between the last iteration and what follows."""
        absent = self._last_scope
        return TRUE if absent is None else absent.not_between(last, START, sides)

    # ---- the next one -----------------------------------------------------------------------------------

    @property
    def _goes_with_next(self) -> bool:
        """Whether a run goes with the first that fits: not where others would take its place."""
        return self._repeat.then_next and not self._repeat.longest and not self._opens_later

    @property
    def _chosen(self) -> Waiting:
        """Runs of ALL that have what they waited for, when the instant is through."""
        return Waiting(self._node, (_WHOSE,), "chosen")

    def _next_taken(self) -> Term:
        """A run takes the first that fits."""
        if not self._repeat.then_next:
            return TRUE
        if self._goes_with_next:
            return self._chosen.keep
        now = self._had(_TRAIL, END)
        return conjunction(self._had_none(_TRAIL), if_then_else(now, TRUE, insert(now)))

    def _had(self, trail: Term, end: Term) -> Compound:
        whose = Atom("none") if self._node.left is None else _WHOSE
        own = (trail,) if self._repeat.longest else map(self._names, self._maybe_new)
        return Compound(self._given.name, (*map(self._names, self._join), whose, *own, end))

    def _had_none(self, trail: Term) -> Term:
        """It has taken none at an earlier instant."""
        return struct("\\+", conjunction(self._had(trail, _GIVEN), struct("<", _GIVEN, END)))

    @property
    def _given(self) -> Store:
        """Which runs that stay have taken what follows, and when."""
        own = 1 if self._repeat.longest else len(self._maybe_new)
        name = f"{self._node.name}_given"
        return replace(Store.within(self._node.window, name, len(self._join) + own + 2), shown=())

    def _states(self) -> Term:
        """A run as it was when what follows began."""
        row = self._row(loose="")
        states = conjunction(row, struct("<", _LAST, START))
        if not self._keeps_past:
            return states
        past = struct(self._past.name, *row.arguments, _UNTIL)
        return either(states, conjunction(past, struct("<", _LAST, START), struct("=<", START, _UNTIL)))

    def _taken_away(self) -> Iterator[Rule]:
        if self._takes:
            yield self._taken.settled(forget(self._row()), FAIL)
            yield self._taken.forgotten
        if self._takes_opened:
            none = self._row(count=Number(0))
            yield self._followed.settled(forget(Compound(self._open.name, self._followed.columns)), FAIL)
            yield self._followed.settled(none, forget(none), FAIL)
            yield self._followed.forgotten

    def _is_longest_before(self, then: PlanNode, numbers: Iterator[int]) -> Term:
        """No longer run of the same beginning had ended before what follows and makes a match with it."""
        repeat = self._repeat
        longer = [
            self._other(_OTHER_LAST, _OTHER, _ANY, _OTHER_COUNT, self._values.columns("O")),
            struct("<", _OTHER_LAST, START),
            struct("longer", _OTHER, _TRAIL, Atom("true")),
        ]
        measured = [each for each in repeat.measures if each.variable in self._deciding(then)]
        sides = {each.variable: "O" for each in measured}
        loose = self._met_loosely(then)
        longer.append(self._values.aggregated(measured, _OTHER_COUNT, "O"))
        longer += Sides(self._names, (each for each in loose if each in sides)).agree("O", "T", "Q")
        sides |= {each: "Q" if each in sides else "W" for each in loose}
        longer.append(self._judged(sides, numbers) if measured else TRUE)
        longer.append(self._had_none(_OTHER) if repeat.then_next else TRUE)
        longer.append(self._nothing_after(_OTHER_LAST, sides))
        return conjunction(self._is_maximal(), struct("\\+", conjunction(*longer)))

    def _deciding(self, then: PlanNode) -> frozenset[Variable]:
        """What decides whether a run and what follows make a match."""
        conditions = (self._repeat.then_condition, self._repeat.last_condition)
        seen = (expression_variables(each) for each in conditions if each is not None)
        return frozenset(then.schema.columns).union(*seen)

    def _forgotten(self) -> Iterator[Rule]:
        if self._breaks:
            yield self._breaking.forgotten
        if self._node.gives_left:
            yield self._opened.forgotten

    # ---- scopes -----------------------------------------------------------------------------------------

    @property
    def _scope(self) -> Absent | None:
        """What may not lie between two iterations."""
        node = self._node
        if node.scope is None:
            return None
        columns = tuple(dict.fromkeys((*self._left.columns, *self._repeat.shared)))
        run = Schema(columns, self._left.certain | frozenset(self._join))
        return self._absent(
            "scope", node.scope, run, node.group, self._lasting if self._parts_broken else node.window
        )

    @property
    def _first_scope(self) -> Absent | None:
        """What may not lie between what stands before and the first iteration."""
        node = self._node
        if node.first_scope is None:
            return None
        return self._absent("first_scope", node.first_scope, self._left, node.group, node.window)

    @property
    def _last_scope(self) -> Absent | None:
        """What may not lie between the last iteration and what follows."""
        node = self._node
        if node.last_scope is None or node.then is None:
            return None
        run = Schema(tuple(self._known), self._left.certain | frozenset(self._join))
        condition, tests = self._repeat.last_condition, node.last_tests
        return self._absent("last_scope", node.last_scope, run, node.then, node.window, condition, tests)

    @property
    def _known(self) -> dict[Variable, None]:
        """What is seen of a run by what follows."""
        measured = (each.variable for each in self._repeat.measures)
        return dict.fromkeys((*self._left.columns, *self._repeat.shared, *measured))

    def _absent(
        self,
        which: str,
        scope: PlanNode,
        before: Schema,
        after: PlanNode,
        window: int | None,
        condition: Expression | None = None,
        tests: tuple[ExistsPlan, ...] = (),
    ) -> Absent:
        node = self._node
        name = f"{node.name}_{which}"
        left = UnitPlan(name, before, None, True, False, node.span)
        gap = BetweenPlan(
            name, before, window, True, False, node.span, left, scope, after,
            self._repeat.operator, None, condition, None, "STRICT", tests,
        )  # fmt: skip
        return Absent(gap, self._names)
