"""What a run of REPEAT is made of: its row, what it shares with others, and the stores that hold runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from etalis_py.compiler.algebra.algebra import RepeatMode, Variable
from etalis_py.compiler.algebra.window import narrower
from etalis_py.compiler.plan.plan import RepeatPlan, Schema
from etalis_py.compiler.plan.trace_columns import running_column
from etalis_py.compiler.rules.iteration_values import IterationValues
from etalis_py.compiler.rules.prolog_terms import (
    EMPTY_LIST,
    TRUE,
    Atom,
    Compound,
    Number,
    Term,
    Var,
    conjunction,
    either,
    list_term,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import COUNT, END, OPEN, START, Store, VariableNames
from etalis_py.compiler.rules.writing import Sides, Waiting, insert

__all__ = [
    "ANY",
    "BEFORE",
    "BEGIN",
    "BROKEN",
    "LAST",
    "NO",
    "OTHER",
    "RANK",
    "SHORTER",
    "TRAIL",
    "UNTIL",
    "WHOSE",
    "YES",
    "Runs",
]

ANY, BEGIN, BEFORE, LAST = Var("_"), Var("Start1"), Var("End1"), Var("Last")
WHOSE, TRAIL, SHORTER, BROKEN = Var("Whose"), Var("Trail"), Var("Shorter"), Var("Broken")
RANK, OTHER, UNTIL = Var("Rank"), Var("Other"), Var("Until")
NO, YES = Number(0), Number(1)


class Runs:
    """The runs of one repetition."""

    def __init__(self, node: RepeatPlan, names: VariableNames) -> None:
        self.node, self.repeat, self.names = node, node.repeat, names
        group = node.group.schema
        self.left = Schema((), frozenset()) if node.left is None else node.left.schema
        shared = [each for each in self.repeat.shared if each in group]
        certain = group.certain & (
            self.left.certain | frozenset(each for each in shared if each not in self.left)
        )
        self.join = [each for each in shared if each in certain]
        self.loose = [each for each in shared if each not in certain]
        self.sides = Sides(names, self.loose)
        self.own = [each for each in group.columns if each not in shared]
        self.outside = [each for each in self.left.columns if each not in shared]
        each_its_own = self.repeat.per if self.repeat.mode is RepeatMode.ALL else ()
        self.maybe_new = [each for each in shared if each in self.loose and each in each_its_own]
        self.new = [each for each in shared if each not in self.left or each in self.maybe_new]
        self.values = IterationValues(node.repeat, group.columns, names)
        self.store = Store.within(node.window, f"{node.name}_run", self.arity)
        self.store = replace(self.store, shown=self.shown())
        self.past = replace(Store.within(node.window, f"{node.name}_past", self.arity + 1), shown=())
        opened = len(self.left.columns) + 2 + self.are_numbered
        self.open = Store.within(node.window, f"{node.name}_open", opened)
        self.groups = Waiting(node, (START, END, *self.columns_of_group("R")), "group")
        self.opened = Waiting(node, (START, END, *map(names, self.left.columns)), "left")
        self.taken = Waiting(node, self.row().arguments, "taken")
        self.grown = Waiting(node, self.row(loose="").arguments, "grown")

    @property
    def breaks(self) -> bool:
        """Whether it is noted that something has come after a run."""
        return self.node.scope is not None

    @property
    def parts_broken(self) -> bool:
        """Whether runs that something has come after are kept apart, where no others need them."""
        return self.breaks and self.node.then is None

    @property
    def apart(self) -> Store:
        """Broken runs, each for as long as an iteration may have begun before it was broken."""
        store = Store.within(self.lasting, f"{self.node.name}_broken", self.arity)
        return replace(store, shown=())

    @property
    def lasting(self) -> int | None:
        """What is shorter than this may be an iteration."""
        return narrower(self.node.window, self.node.group.window)

    @property
    def gives_longest(self) -> bool:
        """Whether runs are given when they are broken."""
        return self.repeat.longest and self.node.then is None

    @property
    def gives_grown(self) -> bool:
        """Whether each run that grew at this instant is given."""
        return self.node.then is None and not self.repeat.longest

    def as_grown(self, row: Compound) -> Term:
        """A run that is to be given at this instant."""
        return insert(Compound(self.grown.store.name, row.arguments)) if self.gives_grown else TRUE

    @property
    def keeps_past(self) -> bool:
        """Whether earlier states of a run are kept, which changes in its place."""
        return self.node.then is not None and self.repeat.mode is RepeatMode.ALL

    @property
    def opens_later(self) -> bool:
        """Whether a run begins with its first iteration only, since that has values of PER."""
        return self.node.left is not None and bool(self.new)

    @property
    def takes(self) -> bool:
        """Whether a run takes the next iteration and is gone."""
        return self.repeat.mode is RepeatMode.NEXT or self.repeat.operator.next_only

    @property
    def arity(self) -> int:
        """How many columns a run has."""
        lists = (self.join, self.loose, self.outside, self.values.of_none(), self._trail())
        return sum(map(len, lists)) + 4

    def row(
        self,
        *,
        loose: str = "L",
        last: Term = LAST,
        count: Term = COUNT,
        begin: Term = BEGIN,
        before: Term = BEFORE,
        new: bool = False,
        trail: tuple[Term, ...] = (WHOSE, TRAIL, SHORTER, BROKEN),
    ) -> Compound:
        """A run as it is stored: what it shares, its end and start, the end of what is before it, a count."""
        names = self.names
        return Compound(
            self.store.name,
            (
                *map(names, self.join),
                last,
                begin,
                before,
                count,
                *(names(each, loose) for each in self.loose),
                *map(names, self.outside),
                *self.values.columns("N" if new else ""),
                *self._trail(trail),
            ),
        )

    def shown(self) -> tuple[Term, ...]:
        """What a user sees of a run that waits for more, or for what follows."""
        names = self.names
        known = (*map(names, self.loose), *map(names, self.outside), *self.values.of_any())
        trail = self._trail((ANY, ANY, ANY, OPEN if self.node.then is None else ANY))
        return (*map(names, self.join), END, START, ANY, COUNT, *known, *trail)

    def _trail(self, trail: tuple[Term, ...] = (WHOSE, TRAIL, SHORTER, BROKEN)) -> tuple[Term, ...]:
        """What the longest runs are found by, and of STRICT whether something has come after the last one."""
        if self.repeat.longest:
            return trail
        if self.are_numbered:
            return trail[:1]
        return trail[-1:] if self.repeat.mode is RepeatMode.STRICT else ()

    def none_yet(self) -> tuple[Term, ...]:
        """The last columns of a run without iterations."""
        return (*self.values.of_none(), *self._trail((WHOSE, EMPTY_LIST, Atom("none"), NO)))

    def columns_of_group(self, side: str) -> tuple[Term, ...]:
        """The columns of an iteration; those that may be unbound by a side of their own."""
        return self.sides.columns(self.node.group.schema.columns, side)

    @property
    def are_numbered(self) -> bool:
        """Whether runs are told apart by a number: where what they share changes, it does not."""
        repeat = self.repeat
        changes = repeat.mode is RepeatMode.ALL and self.opens_later and bool(self.loose)
        return repeat.longest or repeat.then_next or changes

    @property
    def whose(self) -> Term:
        """Runs may say whose they are: no other solution that stands before has this number."""
        if not self.are_numbered:
            return TRUE
        return conjunction(struct("next_rank", RANK), unify(WHOSE, struct("i", END, RANK)))

    @property
    def looks_at_last(self) -> bool:
        """Whether what chooses the iterations of LONGEST looks no further back than to the last one."""
        repeat = self.repeat
        any_number = repeat.longest and repeat.high is None
        return any_number and all(each.function == "LAST" for each in repeat.running)

    @property
    def is_greedy(self) -> bool:
        """Whether no run is the end of another, and one iteration is enough to tell whose it is."""
        return self.looks_at_last and self.node.left is None and self.node.then is None

    def other(
        self,
        last: Term,
        trail: Term,
        shorter: Term,
        count: Term = ANY,
        values: tuple[Term, ...] | None = None,
    ) -> Compound:
        """Another run with the same keys."""
        return Compound(
            self.store.name,
            (
                *map(self.names, self.join), last, ANY, ANY, count,
                *(ANY for _ in (*self.loose, *self.outside)),
                *(self.values.of_any() if values is None else values),
                Atom("none") if self.node.left is None else WHOSE, trail, shorter, ANY,
            ),
        )  # fmt: skip

    @property
    def known(self) -> dict[Variable, None]:
        """What is seen of a run by what follows."""
        measured = (each.variable for each in self.repeat.measures)
        return dict.fromkeys((*self.left.columns, *self.repeat.shared, *measured))

    def known_values(self) -> Iterator[Term]:
        """The last columns of any run of what stands before."""
        yield from self.values.of_any()
        yield from self._trail((WHOSE, ANY, ANY, ANY))

    def enough(self) -> Term:
        """A run has as many iterations as are asked for."""
        low, high = self.repeat.low, self.repeat.high
        goals = [struct("=<", Number(low), COUNT)] if low else []
        goals += [] if high is None else [struct("=<", COUNT, Number(high))]
        return conjunction(*goals)

    def measured(self) -> Term:
        """What is aggregated over a run."""
        return self.values.aggregated(self.repeat.measures, COUNT)

    def is_maximal(self) -> Term:
        """No longer run ends with all of this one."""
        if self.is_greedy:
            return TRUE
        ends_with = struct("ends_with", OTHER, TRAIL, Atom("true"))
        return self.there_is_no(self.other(LAST, OTHER, ANY), ends_with)

    def there_is_no(self, run: Compound, *goals: Term) -> Term:
        """No run is such, broken or not."""
        runs = [run, Compound(self.apart.name, run.arguments)] if self.parts_broken else [run]
        return conjunction(*(struct("\\+", conjunction(each, *goals)) for each in runs))

    def traced_running(self) -> Term:
        """Of a traced plan: what the condition saw of the iterations before."""
        column = running_column(self.node.name)
        if all(each.argument != column for each in self.repeat.measures):
            return TRUE
        running = (struct("value", self.names(each.variable)) for each in self.repeat.running)
        return struct("pack_trace", list_term(tuple(running)), self.names(column))

    def states(self) -> Term:
        """A run as it was when what follows began."""
        row = self.row(loose="")
        states = conjunction(row, struct("<", LAST, START))
        if not self.keeps_past:
            return states
        past = struct(self.past.name, *row.arguments, UNTIL)
        return either(states, conjunction(past, struct("<", LAST, START), struct("=<", START, UNTIL)))
