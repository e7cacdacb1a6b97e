"""The binary plan: the algebra with everything the rules need to know about each operator.

Each node has a name of its own, its columns, its join variables and its window bound. Every operator has
at most two inputs. The three ways in which solutions come about (now, earlier, from background alone) are
the business of ``rules``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from typing_extensions import assert_never

from etalis_py.compiler.algebra.aggregate_windows import RangeWindow, Window
from etalis_py.compiler.algebra.algebra import (
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
from etalis_py.compiler.algebra.stream_windows import CountExtent, Schedule
from etalis_py.compiler.plan.age import Age
from etalis_py.compiler.spans import Span
from etalis_py.core.terms import Encoded
from etalis_py.ontologies.state_declarations import Change

__all__ = [
    "AbsencePlan",
    "AskPlan",
    "BetweenPlan",
    "ChangesPlan",
    "ClosurePlan",
    "ConstructPlan",
    "DescribePlan",
    "DistinctPlan",
    "ExistsPlan",
    "ExtendPlan",
    "FilterPlan",
    "GapPlan",
    "GraphNamesPlan",
    "GroupPlan",
    "InstantPlan",
    "Leaf",
    "OneInput",
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
    "StepPlan",
    "TablePlan",
    "TicksPlan",
    "UnionPlan",
    "UnitPlan",
    "WaitPlan",
    "asked_inputs",
    "asked_nodes",
    "children",
    "decided_tests",
    "inputs",
    "stands_for_elements",
    "waits_for_instant",
    "walk",
    "with_nested",
]


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class PlanBase:
    """What every node has.

    ``window`` bounds the duration of the solutions that matter: end - start < window, in microseconds;
    None is no bound. ``eventful``: the stream can give solutions; ``timeless``: background alone can.
    """

    name: str
    schema: Schema
    window: int | None
    eventful: bool
    timeless: bool
    span: Span


@dataclass(frozen=True, slots=True)
class UnitPlan(PlanBase):
    """The empty group."""


@dataclass(frozen=True, slots=True)
class TablePlan(PlanBase):
    """VALUES."""

    rows: tuple[tuple[Encoded | None, ...], ...]


@dataclass(frozen=True, slots=True)
class GraphNamesPlan(PlanBase):
    """The named graphs of the background, or the answers of a ``predicate`` of the user's."""

    graph: TermPattern | None
    predicate: str | None = None
    arguments: tuple[TermPattern, ...] = ()


@dataclass(frozen=True, slots=True)
class Scan(PlanBase):
    """A triple pattern.

    ``once``: the run has one instant, so that a background triple that the stream holds too is one triple.
    """

    pattern: TriplePattern
    once: bool = False


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Step:
    """A filter above a pair, or a BIND of ``variable`` below such a filter; ``schema`` is its input's."""

    expression: Expression
    variable: Variable | None
    schema: Schema
    tests: tuple[ExistsPlan, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair(PlanBase):
    """An operator that pairs the solutions of two sides.

    ``condition`` is the filter of the optional side. ``join`` are the variables certain on both sides, by
    which goals are found; ``shared`` are the others that both sides have.
    """

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

    @property
    def chooses_late(self) -> bool:
        """Whether partners are chosen when the instant is complete: what ends later chooses."""
        both = self.left.eventful and self.right.eventful
        either = self.operator.optional is None and self.operator.earlier is None
        return self.policy is not None and both and either

    def side(self, side: Side) -> PlanNode:
        """The input on one side."""
        return self.left if side is Side.LEFT else self.right


@dataclass(frozen=True, slots=True)
class GapPlan(PlanBase):
    """``first SEQ last`` without a solution of ``between`` that lies between (``gaps.py``).

    More exactly: without ``again SEQ between SEQ last_again`` that has the same interval and agrees, where
    each ``first`` brings an ``again`` and each ``last`` a ``last_again``. ``join`` are the variables of both
    ``first`` and ``last``.
    """

    first: PlanNode
    last: PlanNode
    again: PlanNode
    between: PlanNode
    last_again: PlanNode
    join: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class BetweenPlan(PlanBase):
    """``left SEQ right``, or ``right`` alone, without a solution of ``none`` between (`algebra.Gap`)."""

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


@dataclass(frozen=True, slots=True)
class AbsencePlan(PlanBase):
    """``left``, when its deadline has come without a solution of ``none`` (`algebra.Absence`)."""

    left: PlanNode
    none: PlanNode | None
    condition: Expression | None
    length: int
    from_start: bool
    tests: tuple[ExistsPlan, ...] = ()
    """The EXISTS of ``condition``, for which ``none`` waits."""


@dataclass(frozen=True, slots=True)
class TicksPlan(PlanBase):
    """A solution at each multiple of ``period`` microseconds."""

    period: int


@dataclass(frozen=True, slots=True)
class RepeatPlan(PlanBase):
    """Runs of iterations of ``group`` (`algebra.Repeat`)."""

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


@dataclass(frozen=True, slots=True)
class SkipPlan(PlanBase):
    """Of solutions that overlap those that count (`algebra.Skip`)."""

    keys: tuple[Variable, ...]
    to_next: bool
    ended: Variable | None
    input: PlanNode


@dataclass(frozen=True, slots=True)
class WaitPlan(PlanBase):
    """Solutions that wait for the end of the instant, when the tests above can be decided."""

    input: PlanNode
    waits_for: tuple[ExistsPlan, ...]


@dataclass(frozen=True, slots=True)
class InstantPlan(PlanBase):
    """In a run at one instant: solutions from background alone hold at that instant."""

    input: PlanNode


@dataclass(frozen=True, slots=True)
class ClosurePlan(PlanBase):
    """Walks along the steps that ``input`` gives."""

    path: Closure
    input: PlanNode
    once: bool = False
    """The run has one instant: a walk that the background gives alone is not a second solution."""


@dataclass(frozen=True, slots=True)
class GroupPlan(PlanBase):
    """Aggregates.

    ``always``: asked at every instant, though nothing arrives (a run at one instant). ``on_demand``: only the
    rows of keys that the other side of an EQUALS has at the same instant. ``arrives_with_key``: where that
    side has a key, ``input`` has a solution with it at the same instant.
    """

    keys: tuple[Variable, ...]
    aggregates: tuple[Aggregate, ...]
    extent: Window | None
    input: PlanNode
    always: bool = False
    on_demand: bool = False
    arrives_with_key: bool = False

    @property
    def step(self) -> int | None:
        """Microseconds between two evaluations, where arrivals do not decide."""
        return self.extent.step if isinstance(self.extent, RangeWindow) else None

    @property
    def is_of_instant(self) -> bool:
        """Whether it is over what windows on streams hold at one instant: a row for each group then."""
        return self.extent == RangeWindow(1) and any(isinstance(each, SnapshotPlan) for each in walk(self))


@dataclass(frozen=True, slots=True)
class OrderPlan(PlanBase):
    """The solutions of one instant in order."""

    keys: tuple[OrderKey, ...]
    input: PlanNode


@dataclass(frozen=True, slots=True)
class SlicePlan(PlanBase):
    """Some of the solutions of one instant."""

    offset: int
    limit: int | None
    input: PlanNode


@dataclass(frozen=True, slots=True)
class UnionPlan(PlanBase):
    """Either side, padded with unbound columns."""

    left: PlanNode
    right: PlanNode


@dataclass(frozen=True, slots=True)
class FilterPlan(PlanBase):
    """Solutions for which the condition is true."""

    condition: Expression
    input: PlanNode
    tests: tuple[ExistsPlan, ...] = ()


@dataclass(frozen=True, slots=True)
class ExtendPlan(PlanBase):
    """One more column."""

    variable: Variable
    expression: Expression
    input: PlanNode
    tests: tuple[ExistsPlan, ...] = ()


@dataclass(frozen=True, slots=True)
class PartPlan(PlanBase):
    """What is kept of a part of a group that is evaluated for one solution, by the name of the part.

    ``path``: where an end is substituted, a walk of no step stays there. ``at_instant``: the run has one
    instant, at which background holds.
    """

    part: str
    path: Closure | None = None
    at_instant: bool = False


@dataclass(frozen=True, slots=True)
class ProjectPlan(PlanBase):
    """Fewer columns, in another order."""

    input: PlanNode


@dataclass(frozen=True, slots=True)
class DistinctPlan(PlanBase):
    """One of each (bindings, start, end)."""

    input: PlanNode


@dataclass(frozen=True, slots=True)
class SnapshotPlan(PlanBase):
    """What lives at each instant of ``schedule`` (`algebra.Snapshot`).

    ``reach``: so many microseconds after the occurrence that makes it a life has ended; None: never.
    """

    schedule: Schedule
    reach: int | None
    always: bool
    newest: CountExtent | None
    changes: bool
    input: PlanNode


@dataclass(frozen=True, slots=True)
class ChangesPlan(PlanBase):
    """What is new, or ``gone``, at each instant of ``schedule`` (`algebra.Changes`).

    Its input may be a Snapshot with ``changes``, which has more columns.
    """

    gone: bool
    schedule: Schedule
    held: Variable | None
    input: PlanNode


Leaf: TypeAlias = UnitPlan | TablePlan | GraphNamesPlan | Scan | PartPlan | TicksPlan
OneInput: TypeAlias = (
    WaitPlan
    | InstantPlan
    | ClosurePlan
    | FilterPlan
    | ExtendPlan
    | GroupPlan
    | OrderPlan
    | SlicePlan
    | ProjectPlan
    | DistinctPlan
    | SkipPlan
    | SnapshotPlan
    | ChangesPlan
)
StepPlan: TypeAlias = BetweenPlan | AbsencePlan | RepeatPlan
PlanNode: TypeAlias = Leaf | OneInput | Pair | UnionPlan | GapPlan | StepPlan


# ---- whole queries ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shared:
    """What a plan has in common with those of other queries, by the names of nodes.

    The rules of ``taken`` are another query's; ``given`` are nodes to whose solutions rules of other queries,
    or several of this query, react.
    """

    taken: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SelectPlan:
    """A SELECT query: solutions of ``root`` are its answers; ``ordered``: the order they come in counts."""

    number: int
    root: PlanNode
    ordered: bool
    span: Span
    policy: Policy | None = None
    shared: Shared = Shared()


@dataclass(frozen=True, slots=True)
class ConstructPlan:
    """A CONSTRUCT query: solutions of ``root`` add the template's triples to ``stream``."""

    number: int
    root: PlanNode
    template: tuple[TriplePattern, ...]
    span: Span
    policy: Policy | None = None
    shared: Shared = Shared()
    stream: str | None = None


@dataclass(frozen=True, slots=True)
class AskPlan:
    """An ASK query: ``true`` at each instant at which ``root`` has a solution."""

    number: int
    root: PlanNode
    span: Span
    policy: Policy | None = None
    shared: Shared = Shared()


@dataclass(frozen=True, slots=True)
class DescribePlan:
    """A DESCRIBE query: solutions of ``root`` are triples, in this order of columns."""

    number: int
    root: PlanNode
    triple: tuple[Variable, Variable, Variable]
    span: Span
    policy: Policy | None = None
    shared: Shared = Shared()


@dataclass(frozen=True, slots=True)
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


def children(node: PlanNode) -> tuple[PlanNode, ...]:
    """The nodes directly below; not what tests look for."""
    match node:
        case UnitPlan() | TablePlan() | GraphNamesPlan() | Scan() | PartPlan() | TicksPlan():
            return ()
        case BetweenPlan():
            return _there(node.left, node.none, node.right)
        case AbsencePlan():
            return _there(node.left, node.none)
        case RepeatPlan():
            return _there(node.left, node.group, node.then, node.scope, node.first_scope, node.last_scope)
        case Pair(left=left, right=right) | UnionPlan(left=left, right=right):
            return (left, right)
        case GapPlan():
            return (node.first, node.last, node.again, node.between, node.last_again)
        case (
            WaitPlan(input=below)
            | InstantPlan(input=below)
            | ClosurePlan(input=below)
            | FilterPlan(input=below)
            | ExtendPlan(input=below)
            | GroupPlan(input=below)
            | OrderPlan(input=below)
            | SlicePlan(input=below)
            | ProjectPlan(input=below)
            | DistinctPlan(input=below)
            | SkipPlan(input=below)
            | SnapshotPlan(input=below)
            | ChangesPlan(input=below)
        ):
            return (below,)
        case _:
            assert_never(node)


def _there(*nodes: PlanNode | None) -> tuple[PlanNode, ...]:
    return tuple(each for each in nodes if each is not None)


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
        case (
            UnitPlan()
            | TablePlan()
            | GraphNamesPlan()
            | Scan()
            | GapPlan()
            | BetweenPlan()
            | AbsencePlan()
            | TicksPlan()
            | RepeatPlan()
            | SkipPlan()
            | WaitPlan()
            | InstantPlan()
            | ClosurePlan()
            | GroupPlan()
            | OrderPlan()
            | SlicePlan()
            | DistinctPlan()
            | SnapshotPlan()
            | ChangesPlan()
        ):
            raise AssertionError("no operator of such a group")
        case _:
            assert_never(node)


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
    if isinstance(node, Pair) and node.operator.earlier is None and waits_for_instant(node):
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


def waits_for_instant(node: PlanNode) -> bool:
    """Whether solutions wait until the instant is complete; such a node has a settlement."""
    match node:
        case Pair(operator=operator):
            return operator.waits_for_instant or operator.next_only or node.chooses_late
        case BetweenPlan(operator=operator):
            return operator.next_only
        case AbsencePlan() | TicksPlan() | RepeatPlan() | SkipPlan() | SnapshotPlan() | ChangesPlan():
            return True
        case WaitPlan() | GroupPlan() | OrderPlan():
            return node.eventful
        case InstantPlan() | GapPlan():
            return True
        case (
            UnitPlan()
            | TablePlan()
            | GraphNamesPlan()
            | Scan()
            | PartPlan()
            | UnionPlan()
            | ClosurePlan()
            | FilterPlan()
            | ExtendPlan()
            | SlicePlan()
            | ProjectPlan()
            | DistinctPlan()
        ):
            return False
        case _:
            assert_never(node)


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
