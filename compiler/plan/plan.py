"""The binary plan: the algebra with everything the rules need to know about each operator.

Each node has a name of its own, its columns, its join variables and its window bound. Every operator has
at most two inputs. The three ways in which solutions come about (now, earlier, from background alone) are
the business of ``rules``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, TypeAlias, TypeVar

from typing_extensions import override

from etalis_py.compiler.algebra.aggregate_windows import RangeWindow, Window
from etalis_py.compiler.algebra.algebra import (
    CHANGE,
    Aggregate,
    Closure,
    Exists,
    Expression,
    OrderKey,
    Repeat,
    TermPattern,
    TriplePattern,
    Variable,
)
from etalis_py.compiler.algebra.operators import Operator, Side
from etalis_py.compiler.algebra.policies import Policy
from etalis_py.compiler.algebra.stream_windows import (
    CountExtent,
    Extent,
    Grid,
    Report,
    Schedule,
    TimeExtent,
    closings,
    takes_at_once,
)
from etalis_py.compiler.parse.relation_to_stream import RelationToStream
from etalis_py.compiler.plan.age import Age
from etalis_py.compiler.spans import Span
from etalis_py.core.terms import Encoded
from etalis_py.core.value_class import value_class
from etalis_py.ontologies.state_declarations import Change

__all__ = [
    "AbsencePlan",
    "AskPlan",
    "BetweenPlan",
    "ChangesPlan",
    "ChosenPlan",
    "ClosurePlan",
    "ConstructPlan",
    "DescribePlan",
    "DistinctPlan",
    "ExistsPlan",
    "ExtendPlan",
    "FilterPlan",
    "GapPlan",
    "GroupPlan",
    "InstantPlan",
    "LookupPlan",
    "Narrowed",
    "OrderPlan",
    "Pair",
    "PartPlan",
    "PlanNode",
    "ProjectPlan",
    "QueryPlan",
    "RepeatPlan",
    "Scan",
    "Schema",
    "SelectPlan",
    "Shared",
    "SkipPlan",
    "SlicePlan",
    "SnapshotPlan",
    "StatePlan",
    "Step",
    "TablePlan",
    "TicksPlan",
    "UnionPlan",
    "UnitPlan",
    "UnusedPlan",
    "WaitPlan",
    "asked_inputs",
    "asked_nodes",
    "children",
    "decided_tests",
    "inputs",
    "stands_for_elements",
    "walk",
    "with_nested",
]


@value_class
class Schema:
    """The columns of a node's solutions."""

    columns: tuple[Variable, ...]
    certain: frozenset[Variable]
    """Bound in every solution; the others may be unbound."""
    used: bool = False
    """Under a policy: solutions that are events tell the occurrences they are made of, in one more column."""
    ends: frozenset[Variable] = frozenset()
    """Hold the end of the solution itself."""

    def __contains__(self, variable: Variable) -> bool:
        return variable in self.columns


@value_class
class PlanBase:
    """What every node has, and says of itself: as said here it holds for most on one input, and for leaves.

    ``window`` bounds the duration of the solutions that matter: end - start < window, in microseconds;
    None is no bound. ``eventful``: the stream can give solutions; ``timeless``: background alone can.
    """

    INPUTS: ClassVar[tuple[str, ...]] = ()
    """The fields that hold the nodes directly below, or None."""
    BY_CLOCK: ClassVar[bool] = False
    """The passing of time itself makes solutions."""

    name: str
    schema: Schema
    window: int | None
    eventful: bool
    timeless: bool
    span: Span

    @property
    def required(self) -> tuple[PlanNode, ...]:
        """The nodes directly below of which each solution has one."""
        return children(self)

    @property
    def waits_for_instant(self) -> bool:
        """Whether solutions wait until the instant is complete; such a node has a settlement."""
        return False

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """What is evaluated for each solution."""
        return ()

    @property
    def looked_up(self) -> tuple[ExistsPlan, ...]:
        """The EXISTS in its expressions, which were decided before."""
        return ()


@value_class
class UnitPlan(PlanBase):
    """The empty group."""


@value_class
class TablePlan(PlanBase):
    """VALUES."""

    rows: tuple[tuple[Encoded | None, ...], ...]


@value_class
class LookupPlan(PlanBase):
    """Looks up the named graphs of the background, or the answers of a ``predicate`` of the user's."""

    graph: TermPattern | None
    predicate: str | None = None
    arguments: tuple[TermPattern, ...] = ()


@value_class
class Scan(PlanBase):
    """A triple pattern.

    ``once``: the run has one instant, so that a background triple that the stream holds too is one triple.
    """

    pattern: TriplePattern
    once: bool = False


@value_class
class ExistsPlan:
    """A test by EXISTS or MINUS, of solutions that have certain columns.

    Of ``node``'s solutions those are kept that a tested one can meet: found by ``join``, variables certain on
    both sides, then compared in ``shared``. ``overlap``: at least one variable must be bound on both sides
    (of MINUS, where none is certain on both).

    With ``substituted`` nothing is kept of ``node``: it is evaluated for the tested solution's values of
    these variables, over what is kept of its parts (``PartPlan``), which are tests as well.
    """

    name: str
    expression: Exists
    node: PlanNode
    join: tuple[Variable, ...]
    shared: tuple[Variable, ...]
    condition: Expression | None = None
    """The filters of the group that speak of the solution tested, where it is joined."""
    substituted: tuple[Variable, ...] | None = None
    is_part: bool = False
    """What is kept is for the operators above it: with its interval where they ask for it (``is_timed``)."""
    is_timed: bool = False
    is_minus: bool = False
    overlap: bool = False
    depth: int = 0
    """In how many conditions of other tests it stands: those are decided later than their solutions end."""
    tests: tuple[ExistsPlan, ...] = ()
    """The tests within ``condition``; where values are substituted, the parts, and the tests above them."""
    age: Age | None = None
    """How old a solution of ``node`` may be that is found."""
    at_instant: bool = False
    """Only a solution of the same instant counts: windows on streams are looked at."""


@value_class
class Step:
    """A filter above a pair, or a BIND of ``variable`` below such a filter; ``schema`` is its input's."""

    expression: Expression
    variable: Variable | None
    schema: Schema
    tests: tuple[ExistsPlan, ...] = ()


@value_class
class Pair(PlanBase):
    """An operator that pairs the solutions of two sides.

    ``condition`` is the filter of the optional side. ``join`` are the variables certain on both sides, by
    which goals are found; ``shared`` are the others that both sides have.
    """

    INPUTS = ("left", "right")

    operator: Operator
    left: PlanNode
    right: PlanNode
    condition: Expression | None
    join: tuple[Variable, ...]
    shared: tuple[Variable, ...]
    tests: tuple[ExistsPlan, ...] = ()
    """The EXISTS of the condition, and of ``steps``."""
    asks: GroupPlan | None = None
    """The group on the right side whose rows the solutions of the left side ask for."""
    policy: Policy | None = None
    steps: tuple[Step, ...] = ()
    """Under a policy: what judges a pair before one is chosen, lowest first."""
    left_is_open: bool = False
    """A path on the left side may have no step: other patterns say for which terms."""
    left_goals: str | None = None
    """The pair whose goals of the left side are the goals of this one, too."""
    anti: bool = False
    """Only what is alone counts: pairs of an optional operator need not be given."""
    begins: bool = False
    """Of lives: each pair is given once, at the instant at which it begins to live; its end is not told."""

    @property
    def chooses_late(self) -> bool:
        """Whether partners are chosen when the instant is complete: what ends later chooses."""
        both = self.left.eventful and self.right.eventful
        either = self.operator.optional is None and self.operator.earlier is None
        return self.policy is not None and both and either

    def side(self, side: Side) -> PlanNode:
        """The input on one side."""
        return self.left if side is Side.LEFT else self.right

    @property
    @override
    def required(self) -> tuple[PlanNode, ...]:
        return tuple(self.side(each) for each in Side if self.operator.has(each))

    @property
    @override
    def waits_for_instant(self) -> bool:
        return self.operator.waits_for_instant or self.operator.next_only or self.chooses_late

    @property
    @override
    def expressions(self) -> tuple[Expression, ...]:
        return _there(self.condition)

    @property
    @override
    def looked_up(self) -> tuple[ExistsPlan, ...]:
        return (*self.tests, *(test for step in self.steps for test in step.tests))


@value_class
class GapPlan(PlanBase):
    """``first SEQ last`` without a solution of ``between`` that lies between (``gaps.py``).

    More exactly: without ``again SEQ between SEQ last_again`` that has the same interval and agrees, where
    each ``first`` brings an ``again`` and each ``last`` a ``last_again``; None where these are the same.
    ``join`` are the variables of both ``first`` and ``last``.
    """

    INPUTS = ("first", "last", "again", "between", "last_again")

    first: PlanNode
    last: PlanNode
    again: PlanNode | None
    between: PlanNode
    last_again: PlanNode | None
    join: tuple[Variable, ...]

    @property
    @override
    def required(self) -> tuple[PlanNode, ...]:
        return (self.first, self.last)

    @property
    @override
    def waits_for_instant(self) -> bool:
        return True


@value_class
class BetweenPlan(PlanBase):
    """``left SEQ right``, or ``right`` alone, without a solution of ``none`` between (`algebra.Gap`)."""

    INPUTS = ("left", "none", "right")

    left: PlanNode | None
    none: PlanNode
    right: PlanNode
    operator: Operator
    step: Expression | None
    condition: Expression | None
    length: int | None
    word: str
    tests: tuple[ExistsPlan, ...] = ()
    """The EXISTS of ``condition``; ``right`` waits for them, and for those of ``step``."""
    step_tests: tuple[ExistsPlan, ...] = ()

    @property
    @override
    def required(self) -> tuple[PlanNode, ...]:
        return _there(self.left, self.right)

    @property
    @override
    def waits_for_instant(self) -> bool:
        return self.operator.next_only

    @property
    @override
    def expressions(self) -> tuple[Expression, ...]:
        return _there(self.step, self.condition)

    @property
    @override
    def looked_up(self) -> tuple[ExistsPlan, ...]:
        return (*self.tests, *self.step_tests)


@value_class
class AbsencePlan(PlanBase):
    """``left``, when its deadline has come without a solution of ``none`` (`algebra.Absence`)."""

    INPUTS = ("left", "none")

    left: PlanNode
    none: PlanNode | None
    condition: Expression | None
    length: int
    from_start: bool
    tests: tuple[ExistsPlan, ...] = ()
    """The EXISTS of ``condition``, for which ``none`` waits."""

    @property
    @override
    def required(self) -> tuple[PlanNode, ...]:
        return (self.left,)

    @property
    @override
    def waits_for_instant(self) -> bool:
        return True

    @property
    @override
    def expressions(self) -> tuple[Expression, ...]:
        return _there(self.condition)

    @property
    @override
    def looked_up(self) -> tuple[ExistsPlan, ...]:
        return self.tests


@value_class
class TicksPlan(PlanBase):
    """A solution at each multiple of ``period`` microseconds."""

    BY_CLOCK = True

    period: int

    @property
    @override
    def waits_for_instant(self) -> bool:
        return True


@value_class
class RepeatPlan(PlanBase):
    """Runs of iterations of ``group`` (`algebra.Repeat`)."""

    INPUTS = ("left", "group", "then", "scope", "first_scope", "last_scope")

    left: PlanNode | None
    group: PlanNode
    then: PlanNode | None
    scope: PlanNode | None
    first_scope: PlanNode | None
    last_scope: PlanNode | None
    repeat: Repeat
    tests: tuple[ExistsPlan, ...] = ()
    """The EXISTS of what chooses an iteration; ``group`` waits for them, and ``then`` for the others."""
    then_tests: tuple[ExistsPlan, ...] = ()
    last_tests: tuple[ExistsPlan, ...] = ()

    @property
    def gives_left(self) -> bool:
        """Whether what stands before is a match by itself or holds an iteration: it is given in its turn."""
        is_match = self.repeat.low == 0 or self.repeat.begun is not None
        return self.left is not None and self.then is None and is_match

    @property
    @override
    def required(self) -> tuple[PlanNode, ...]:
        return _there(self.left, self.then)

    @property
    @override
    def waits_for_instant(self) -> bool:
        return True

    @property
    @override
    def expressions(self) -> tuple[Expression, ...]:
        return _there(self.repeat.condition, self.repeat.then_condition, self.repeat.last_condition)

    @property
    @override
    def looked_up(self) -> tuple[ExistsPlan, ...]:
        return (*self.tests, *self.then_tests, *self.last_tests)


@value_class
class SkipPlan(PlanBase):
    """Of solutions that overlap those that count (`algebra.Skip`)."""

    INPUTS = ("input",)

    keys: tuple[Variable, ...]
    to_next: bool
    ended: Variable | None
    input: PlanNode

    @property
    @override
    def waits_for_instant(self) -> bool:
        return True


@value_class
class WaitPlan(PlanBase):
    """Solutions that wait for the end of the instant, when the tests above can be decided."""

    INPUTS = ("input",)

    input: PlanNode
    waits_for: tuple[ExistsPlan, ...]

    @property
    @override
    def waits_for_instant(self) -> bool:
        return self.eventful


@value_class
class InstantPlan(PlanBase):
    """In a run at one instant: solutions from background alone hold at that instant."""

    INPUTS = ("input",)

    input: PlanNode

    @property
    @override
    def waits_for_instant(self) -> bool:
        return True


@value_class
class ClosurePlan(PlanBase):
    """Walks along the steps that ``input`` gives.

    ``tells_beginnings``: where steps have lives, a walk is given when there was none between its ends just
    before.
    """

    INPUTS = ("input",)

    path: Closure
    input: PlanNode
    once: bool = False
    """The run has one instant: a walk that the background gives alone is not a second solution."""
    tells_beginnings: bool = False


@value_class
class GroupPlan(PlanBase):
    """Aggregates.

    ``always``: asked at every instant, though nothing arrives (a run at one instant). ``on_demand``: only the
    rows of keys that the other side of an EQUALS has at the same instant. ``arrives_with_key``: where that
    side has a key, ``input`` has a solution with it at the same instant. ``read_above``: it tells no changes,
    since the Changes above reads all of its rows when it gives them.
    """

    INPUTS = ("input",)

    keys: tuple[Variable, ...]
    aggregates: tuple[Aggregate, ...]
    extent: Window | None
    input: PlanNode
    always: bool = False
    on_demand: bool = False
    arrives_with_key: bool = False
    read_above: bool = False

    @property
    def step(self) -> int | None:
        """Microseconds between two evaluations, where arrivals do not decide."""
        return self.extent.step if isinstance(self.extent, RangeWindow) else None

    @property
    def is_of_instant(self) -> bool:
        """Whether it is over what windows on streams hold at one instant: a row for each group then."""
        return self.of_changes or self._is_of_snapshot

    @property
    def of_changes(self) -> bool:
        """Whether its input tells changes, and so does it."""
        return CHANGE in self.schema

    @property
    def _is_of_snapshot(self) -> bool:
        return self.extent == RangeWindow(1) and any(isinstance(each, SnapshotPlan) for each in walk(self))

    @property
    @override
    def waits_for_instant(self) -> bool:
        return self.eventful


@value_class
class OrderPlan(PlanBase):
    """The solutions of one instant in order."""

    INPUTS = ("input",)

    keys: tuple[OrderKey, ...]
    input: PlanNode

    @property
    @override
    def waits_for_instant(self) -> bool:
        return self.eventful


@value_class
class SlicePlan(PlanBase):
    """Some of the solutions of one instant; of changes in the order of ``keys`` (`algebra.Slice`)."""

    INPUTS = ("input",)

    offset: int
    limit: int | None
    input: PlanNode
    keys: tuple[OrderKey, ...] | None = None

    @property
    @override
    def waits_for_instant(self) -> bool:
        return self.keys is not None


@value_class
class UnionPlan(PlanBase):
    """Either side, padded with unbound columns."""

    INPUTS = ("left", "right")

    left: PlanNode
    right: PlanNode

    @property
    @override
    def required(self) -> tuple[PlanNode, ...]:
        return ()


@value_class
class FilterPlan(PlanBase):
    """Solutions for which the condition is true."""

    INPUTS = ("input",)

    condition: Expression
    input: PlanNode
    tests: tuple[ExistsPlan, ...] = ()

    @property
    @override
    def expressions(self) -> tuple[Expression, ...]:
        return (self.condition,)

    @property
    @override
    def looked_up(self) -> tuple[ExistsPlan, ...]:
        return self.tests


@value_class
class ExtendPlan(PlanBase):
    """One more column."""

    INPUTS = ("input",)

    variable: Variable
    expression: Expression
    input: PlanNode
    tests: tuple[ExistsPlan, ...] = ()

    @property
    @override
    def expressions(self) -> tuple[Expression, ...]:
        return (self.expression,)

    @property
    @override
    def looked_up(self) -> tuple[ExistsPlan, ...]:
        return self.tests


@value_class
class PartPlan(PlanBase):
    """What is kept of a part of a group that is evaluated for one solution, by the name of the part.

    ``path``: where an end is substituted, a walk of no step stays there. ``at_instant``: the run has one
    instant, at which background holds.
    """

    part: str
    path: Closure | None = None
    at_instant: bool = False


@value_class
class ProjectPlan(PlanBase):
    """Fewer columns, in another order."""

    INPUTS = ("input",)

    input: PlanNode


@value_class
class DistinctPlan(PlanBase):
    """One of each (bindings, start, end)."""

    INPUTS = ("input",)

    input: PlanNode


@value_class
class Narrowed:
    """The window of all triples of a Snapshot whose input has their lives in another (`widths`).

    That one slides, and is ``by`` microseconds wider than ``extent``.
    """

    extent: TimeExtent
    by: int


@value_class
class SnapshotPlan(PlanBase):
    """What lives at each instant of ``schedule`` (`algebra.Snapshot`).

    ``reach``: so many microseconds after the occurrence that makes it a life has ended; None: never.
    ``ends_heard``: what is above asks for what goes. ``narrowed``: lives of ``input`` are of a wider window.
    """

    INPUTS = ("input",)
    BY_CLOCK = True

    schedule: Schedule
    reach: int | None
    always: bool
    newest: CountExtent | None
    changes: bool
    input: PlanNode
    ends_heard: bool = True
    narrowed: Narrowed | None = None

    @property
    def pause(self) -> int:
        """So long at most, in microseconds, a change waits for an instant of the schedule's grids."""
        if not self.changes or self.always or not self.schedule.grids:
            return 0
        on_grid = (closings(each) in self.schedule.grids for each in self._extents())
        return 0 if all(on_grid) else max(each.period for each in self.schedule.grids)

    @property
    def tells_at_once(self) -> bool:
        """Whether what comes is told when it does: a life begins as the last of its occurrences ends."""
        if self.ends_heard or self.always or self.reach is None or self.schedule.report is not Report.CHANGE:
            return False
        return all(takes_at_once(each) for each in self._extents())

    @property
    def begins_in_order(self) -> bool:
        """Whether lives come in the order in which they begin, those of all windows alike."""
        if self.tells_at_once:
            return True
        if self.ends_heard or self.always or self.reach is None or self.schedule.report is not Report.CLOSE:
            return False
        grids = {_grid_of(each) for each in self._extents()}
        return len(grids) == 1 and {grid for grid, _ in grids} == set(self.schedule.grids)

    @property
    def pairs_begin(self) -> bool:
        """Whether its input tells each solution once, as it begins to live (`Pair.begins`)."""
        return any(isinstance(each, Pair) and each.begins for each in walk(self.input))

    @property
    def waits_for_next(self) -> bool:
        """Whether what comes at an instant of the schedule is in a window from the next one on only."""
        return any(isinstance(each, TimeExtent) and each.closed_open for each in self._extents())

    def _extents(self) -> Iterator[Extent]:
        if self.narrowed is not None:
            return iter((self.narrowed.extent,))
        places = (each.pattern.place for each in walk(self) if isinstance(each, Scan))
        return (place.extent for place in places if place is not None and place.extent is not None)

    @property
    @override
    def waits_for_instant(self) -> bool:
        return True


@value_class
class ChangesPlan(PlanBase):
    """What is there, new, or gone, at each instant of ``schedule`` (`algebra.Changes`)."""

    INPUTS = ("input",)
    BY_CLOCK = True

    to_stream: RelationToStream
    schedule: Schedule
    held: Variable | None
    input: PlanNode

    @property
    def is_of_before(self) -> bool:
        """Whether it gives what was there before, or came into a window of the newest after it ended."""
        is_newest = isinstance(self.input, SnapshotPlan) and self.input.newest is not None
        return self.to_stream != "ISTREAM" or is_newest

    @property
    def waits(self) -> bool:
        """Whether not all instants count: one that does is an arrival, or one of which a solution says so."""
        return self.schedule.report is Report.ARRIVAL or self.held is not None

    @property
    def tells_at_once(self) -> bool:
        """Whether what comes, or goes, is told when it does."""
        return not self.waits and self.to_stream != "RSTREAM" and _tells_once(self.input)

    @property
    @override
    def waits_for_instant(self) -> bool:
        return True


@value_class
class ChosenPlan(PlanBase):
    """What ends first or last of an instant (`algebra.Chosen`)."""

    INPUTS = ("input",)

    keys: tuple[Variable, ...]
    start: Variable
    end: Variable
    last: bool
    input: PlanNode

    @property
    @override
    def waits_for_instant(self) -> bool:
        return True


@value_class
class UnusedPlan(PlanBase):
    """What is made of no triple that was consumed before, and is consumed where it ``consumes``.

    ``consumed`` is the store of what a MATCH has consumed, for ``reach`` microseconds; None: for ever.
    """

    INPUTS = ("input",)

    consumed: str
    triples: tuple[tuple[TermPattern, ...], ...]
    consumes: bool
    reach: int | None
    input: PlanNode

    @property
    def schedule(self) -> Schedule:
        """When what is consumed is so: at the evaluations of what it is found in."""
        return next(each.schedule for each in walk(self) if isinstance(each, SnapshotPlan))

    @property
    @override
    def waits_for_instant(self) -> bool:
        return self.consumes or CHANGE in self.schema


PlanNode: TypeAlias = (
    UnitPlan | TablePlan | LookupPlan | Scan | PartPlan | TicksPlan
    | WaitPlan | InstantPlan | ClosurePlan | FilterPlan | ExtendPlan | GroupPlan | OrderPlan | SlicePlan
    | ProjectPlan | DistinctPlan | SkipPlan | SnapshotPlan | ChangesPlan | ChosenPlan | UnusedPlan
    | Pair | UnionPlan | GapPlan | BetweenPlan | AbsencePlan | RepeatPlan
)  # fmt: skip


# ---- whole queries ------------------------------------------------------------------------------------


@value_class
class Shared:
    """What a plan has in common with those of other queries, by the names of nodes.

    The rules of ``taken`` are another query's; ``given`` are nodes to whose solutions rules of other queries,
    or several of this query, react.
    """

    taken: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()


@value_class
class SelectPlan:
    """A SELECT query: solutions of ``root`` are its answers; ``ordered``: the order they come in counts."""

    number: int
    root: PlanNode
    ordered: bool
    span: Span
    policy: Policy | None = None
    shared: Shared = Shared()


@value_class
class ConstructPlan:
    """A CONSTRUCT query: solutions of ``root`` add the template's triples to ``stream``."""

    number: int
    root: PlanNode
    template: tuple[TriplePattern, ...]
    span: Span
    policy: Policy | None = None
    shared: Shared = Shared()
    stream: str | None = None


@value_class
class AskPlan:
    """An ASK query: ``true`` at each instant at which ``root`` has a solution."""

    number: int
    root: PlanNode
    span: Span
    policy: Policy | None = None
    shared: Shared = Shared()


@value_class
class DescribePlan:
    """A DESCRIBE query: solutions of ``root`` are triples, in this order of columns."""

    number: int
    root: PlanNode
    triple: tuple[Variable, Variable, Variable]
    span: Span
    policy: Policy | None = None
    shared: Shared = Shared()


@value_class
class StatePlan:
    """A pattern of a rules file: solutions of ``root`` begin or end the state ``name(arguments)``."""

    number: int
    root: PlanNode
    name: str
    change: Change
    arguments: tuple[Variable, ...]
    span: Span
    policy: Policy | None = None
    shared: Shared = Shared()


QueryPlan: TypeAlias = SelectPlan | ConstructPlan | AskPlan | DescribePlan | StatePlan


def children(node: PlanBase) -> tuple[PlanNode, ...]:
    """The nodes directly below; not what tests look for."""
    return _there(*(getattr(node, name) for name in node.INPUTS))


_Found = TypeVar("_Found")


def _there(*found: _Found | None) -> tuple[_Found, ...]:
    return tuple(each for each in found if each is not None)


def inputs(node: PlanNode) -> tuple[PlanNode, ...]:
    """The nodes directly below, with the patterns of tests that are decided here."""
    tests = (test.node for test in decided_tests(node) if test.substituted is None)
    return (*children(node), *tests)


def asked_inputs(node: PlanNode) -> tuple[PlanNode, ...]:
    """The nodes directly below in a group that is evaluated for one solution."""
    match node:
        case FilterPlan(input=below, tests=(ExistsPlan(is_minus=True) as test,)):
            return (below, test.node)
        case Pair() | UnionPlan() | FilterPlan() | ExtendPlan() | ProjectPlan() | PartPlan():
            return children(node)
        case _:
            raise AssertionError("no operator of such a group")


def asked_nodes(test: ExistsPlan) -> Iterator[PlanNode]:
    """The nodes of a group that is evaluated for one solution, inputs first; none of another test."""
    if test.substituted is not None:
        yield from _asked_nodes(test.node)


def _asked_nodes(node: PlanNode) -> Iterator[PlanNode]:
    for below in asked_inputs(node):
        yield from _asked_nodes(below)
    yield node


def decided_tests(node: PlanNode) -> tuple[ExistsPlan, ...]:
    """The tests that are decided when ``node`` settles the instant, those within their conditions too."""
    if isinstance(node, WaitPlan):
        return with_nested(node.waits_for)
    if isinstance(node, Pair) and node.operator.earlier is None and node.waits_for_instant:
        return with_nested(node.tests)
    return ()


def with_nested(tests: tuple[ExistsPlan, ...]) -> tuple[ExistsPlan, ...]:
    """The tests, each behind those within it."""
    return tuple(each for test in tests for each in (*with_nested(test.tests), test))


def stands_for_elements(node: PlanNode) -> bool:
    """Whether all elements of the query's streams are among the solutions of ``node``, as STRICT has it."""
    if isinstance(node, DistinctPlan | ExtendPlan | UnionPlan):
        return any(map(stands_for_elements, children(node)))
    return isinstance(node, Scan) and node.pattern.given


def _grid_of(extent: Extent) -> tuple[Grid | None, bool]:
    """At which instants lives begin in a window, and whether what comes then waits for the next one."""
    if not isinstance(extent, TimeExtent) or extent.moving:
        return None, False
    return closings(extent), extent.closed_open


def _tells_once(node: PlanNode) -> bool:
    """Whether no solution comes and goes at one instant: lives that touch are one, and all stay different."""
    match node:
        case SnapshotPlan(changes=True):
            return True
        case ProjectPlan(input=below):
            return set(below.schema.columns) == set(node.schema.columns) and _tells_once(below)
        case FilterPlan(input=below, tests=()) | ExtendPlan(input=below, tests=()):
            return _tells_once(below)
        case _:
            return False


def walk(node: PlanNode) -> Iterator[PlanNode]:
    """``node`` and all below it, inputs before the operators they feed; without recursion."""
    todo = [(node, False)]
    while todo:
        current, inputs_done = todo.pop()
        if inputs_done:
            yield current
        else:
            todo.append((current, True))
            todo += ((each, False) for each in reversed(inputs(current)))
