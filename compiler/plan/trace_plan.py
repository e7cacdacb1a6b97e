"""The pass that makes a plan tell what each of its solutions is made of.

Each leaf gets one hidden column, in which its solutions tell what matched; every operator above carries the
columns of its inputs, as it carries any other, and at the root they are packed into one text. So goal stores,
policies and settlements know nothing of proofs, and the operators of the tree are those of the plan. This is
the rewriting of Perm (Glavic and Alonso, ICDE 2009), with occurrences in the place of rows: witnesses, with
one way of their combination (why-provenance with its proof, Cheney et al. 2009, section 2).

What is tested for its absence (MINUS, NOT EXISTS, the middle of a gap) has no columns. What EXISTS finds is
kept with the point that decides (``points.py``), and shown beside the solution. Does not change which
solutions there are, nor their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from typing_extensions import assert_never

from etalis_py.compiler.algebra.algebra import Aggregate, Apply, Constant, Exists, Expression, Variable
from etalis_py.compiler.algebra.operators import Side
from etalis_py.compiler.plan.plan import (
    ChangesPlan,
    ClosurePlan,
    ExistsPlan,
    ExtendPlan,
    FilterPlan,
    GroupPlan,
    InstantPlan,
    LookupPlan,
    Pair,
    PartPlan,
    PlanNode,
    ProjectPlan,
    QueryPlan,
    RepeatPlan,
    Scan,
    Schema,
    SnapshotPlan,
    TablePlan,
    TicksPlan,
    UnionPlan,
    UnitPlan,
    WaitPlan,
    children,
)
from etalis_py.compiler.plan.trace_columns import (
    ANSWER_COLUMN,
    PACK,
    TraceKind,
    is_trace,
    running_column,
    trace_column,
)
from etalis_py.core.vocabulary import XSD_BOOLEAN

__all__ = ["MEMBER_SEPARATOR", "trace_columns", "trace_plan"]

MEMBER_SEPARATOR = ","
_END = Apply("GETENDTIME", ())
"""When a row of a group holds, and what background alone gives at the one instant of a run."""

_Query = TypeVar("_Query", bound=QueryPlan)


def trace_plan(plan: _Query) -> _Query:
    """``plan``, whose root has one more column that tells what a solution is made of."""
    root = _Tracer(shows_witnesses=plan.policy is None).packed(plan.root, ANSWER_COLUMN)
    return replace(plan, root=root)


def trace_columns(schema: Schema) -> tuple[Variable, ...]:
    """The hidden columns, in order."""
    return tuple(each for each in schema.columns if is_trace(each))


class _Tracer:
    """Traces one query. ``shows_witnesses``: the trace says what EXISTS found; not under a policy, whose
    choices have the same tests.
    """

    def __init__(self, *, shows_witnesses: bool) -> None:
        self._shows_witnesses = shows_witnesses
        self._shown: dict[str, ExistsPlan] = {}

    def packed(self, node: PlanNode, column: Variable) -> ProjectPlan:
        """``node`` with its visible columns, and with what its solutions are made of as one column."""
        return _packed(self.traced(node), column)

    def traced(
        self,
        node: PlanNode,
    ) -> PlanNode:
        match node:
            case TicksPlan() | SnapshotPlan(always=True):
                leaf = replace(node, schema=_more(node.schema, [_leaf_column(node)]))
                return _shown(leaf, trace_column(TraceKind.VALUE, node.name), _END)
            case UnitPlan() | TablePlan() | LookupPlan() | Scan() | PartPlan():
                return replace(node, schema=_more(node.schema, [_leaf_column(node)]))
            case ClosurePlan():
                schema = _more(node.schema, [trace_column(TraceKind.LEAF, node.name)])
                return replace(node, schema=schema, input=self.traced(node.input))
            case Pair() | UnionPlan():
                return self._both(node)
            case RepeatPlan():
                return self._repeat(node)
            case ExtendPlan():
                below = self.traced(node.input)
                extended = replace(node, schema=_carrying(node.schema, below), input=below)
                return _shown(extended, trace_column(TraceKind.VALUE, node.name), node.variable)
            case GroupPlan():
                return self._group(node)
            case ChangesPlan():
                return self._changes(node)
            case InstantPlan() | SnapshotPlan(newest=None):
                below = self.traced(node.input)
                timed = replace(node, schema=_carrying(node.schema, below), input=below)
                return _shown(timed, trace_column(TraceKind.VALUE, node.name), _END)
            case FilterPlan():
                return self._filter(node)
            case WaitPlan(waits_for=tests):
                below = self.traced(node.input)
                shown = tuple(self._shown.get(each.name, each) for each in tests)
                return replace(node, schema=_carrying(node.schema, below), input=below, waits_for=shown)
            case _:
                return self._carried(node)

    def _changes(self, node: ChangesPlan) -> PlanNode:
        """What is gone, or still there, is made of what was there before, and is told now."""
        changed = self._carried(node)
        if not node.is_of_before:
            return changed
        return _shown(changed, trace_column(TraceKind.VALUE, node.name), _END)

    def _carried(self, node: PlanNode) -> PlanNode:
        """Solutions are made of those of all that is required, and of nothing else."""
        inputs = ((name, getattr(node, name)) for name in node.INPUTS)
        below = {name: self.traced(each) for name, each in inputs if each in node.required}
        columns = (column for each in below.values() for column in trace_columns(each.schema))
        certain = frozenset[Variable]().union(*(each.schema.certain for each in below.values()))
        schema = _more(node.schema, tuple(columns), certain)
        return replace(node, schema=schema, **below)  # type: ignore[arg-type]

    def _repeat(self, node: RepeatPlan) -> PlanNode:
        """A repetition also concatenates what its iterations are made of, and what each saw of others."""
        packed = trace_column(TraceKind.PACKED, node.name)
        members = trace_column(TraceKind.MEMBERS, node.name)
        listings = [_listing(members, packed)]
        if node.repeat.running:
            running = trace_column(TraceKind.MEMBERS, node.name, 1)
            listings.append(_listing(running, running_column(node.name)))
        around = [None if each is None else self.traced(each) for each in (node.left, node.then)]
        begun = node.repeat.begun
        if begun is not None and around[0] is not None:
            first = trace_column(TraceKind.MEMBERS, f"{node.name}_first")
            made_of = Apply(PACK, trace_columns(_last_of(around[0]).schema), span=node.span)
            around[0] = _extended(around[0], first, made_of, _more(around[0].schema, [first]))
            begun = (*begun, (packed, first))
        columns = [trace_columns(each.schema) for each in around if each is not None]
        listed = (each.variable for each in listings)
        schema = _more(node.schema, (*(column for each in columns for column in each), *listed), frozenset())
        measures = node.repeat.measures
        repeated: PlanNode = replace(
            node, schema=schema, left=around[0], then=around[1], group=self.packed(node.group, packed),
            repeat=replace(node.repeat, measures=(*measures, *listings), begun=begun),
        )  # fmt: skip
        for number, each in enumerate(measures, 1):
            repeated = _shown(repeated, trace_column(TraceKind.VALUE, node.name, number), each.variable)
        return _shown(repeated, trace_column(TraceKind.VALUE, node.name), _END)

    def _both(self, node: Pair | UnionPlan) -> PlanNode:
        left, right = self.traced(node.left), self.traced(node.right)
        columns = (*trace_columns(left.schema), *trace_columns(right.schema))
        certain: frozenset[Variable] = frozenset()
        if isinstance(node, Pair) and node.operator.has(Side.LEFT):
            certain |= left.schema.certain
        if isinstance(node, Pair) and node.operator.has(Side.RIGHT):
            certain |= right.schema.certain
        both = replace(node, schema=_more(node.schema, columns, certain), left=left, right=right)
        return replace(both, begins=False) if isinstance(both, Pair) else both  # each way to a pair is told

    def _filter(self, node: FilterPlan) -> PlanNode:
        """A filter also tells what those EXISTS found that it cannot do without."""
        wanted = _needed(node.condition) if self._shows_witnesses else frozenset()
        for test in node.tests:
            if test.expression in wanted and not test.is_minus:
                self._shown[test.name] = _with_trace(test)
        below = self.traced(node.input)
        tests = tuple(self._shown.get(each.name, each) for each in node.tests)
        shown = [trace_column(TraceKind.WITNESS, each.name) for each in tests if each.name in self._shown]
        schema = _more(_carrying(node.schema, below), shown, frozenset())
        return replace(node, schema=schema, input=below, tests=tests)

    def _group(self, node: GroupPlan) -> PlanNode:
        """A group also concatenates what its members are made of."""
        packed = trace_column(TraceKind.PACKED, node.name)
        below = self.packed(node.input, packed)
        members = trace_column(TraceKind.MEMBERS, node.name)
        listing = _listing(members, packed)
        group: PlanNode = replace(
            node,
            schema=_more(node.schema, [members]),
            aggregates=(*node.aggregates, listing),
            input=below,
        )
        present = trace_column(TraceKind.LEAF, node.name)
        group = _extended(group, present, Constant((True, XSD_BOOLEAN)), _more(group.schema, [present]))
        for number, each in enumerate(node.aggregates, 1):
            group = _shown(group, trace_column(TraceKind.VALUE, node.name, number), each.variable)
        return _shown(group, trace_column(TraceKind.VALUE, node.name), _END)


def _last_of(node: PlanNode) -> PlanNode:
    """What follows the repetition that ``node`` passes on."""
    while not isinstance(node, RepeatPlan):
        [node] = children(node)
    assert node.then is not None
    return node.then


def _listing(members: Variable, packed: Variable) -> Aggregate:
    return Aggregate(members, "GROUP_CONCAT", packed, distinct=False, separator=MEMBER_SEPARATOR)


def _with_trace(test: ExistsPlan) -> ExistsPlan:
    """``test``, whose solutions have a trace; or their parts have one each."""
    inside = _Tracer(shows_witnesses=False)
    column = trace_column(TraceKind.PACKED, test.name)
    if test.substituted is None:
        return replace(test, node=inside.packed(test.node, column))
    parts = tuple(_with_trace(each) if each.is_part else each for each in test.tests)
    below = inside.traced(test.node)
    text = Apply(PACK, trace_columns(below.schema), span=below.span)
    return replace(test, node=_extended(below, column, text, _more(below.schema, [column])), tests=parts)


def _needed(condition: Expression) -> frozenset[Exists]:
    """The EXISTS that must be true where the condition is."""
    match condition:
        case Exists():
            return frozenset({condition})
        case Apply(function="&&", arguments=arguments):
            return frozenset().union(*map(_needed, arguments))
        case Variable() | Constant() | Apply():
            return frozenset()
        case _:
            assert_never(condition)


def _more(schema: Schema, columns: Sequence[Variable], certain: frozenset[Variable] | None = None) -> Schema:
    """``schema`` with hidden columns behind the others."""
    sure = frozenset(columns) if certain is None else certain & frozenset(columns)
    return replace(schema, columns=(*schema.columns, *columns), certain=schema.certain | sure)


def _leaf_column(node: PlanNode) -> Variable:
    """What a leaf matched, or what is kept of a part is made of."""
    if isinstance(node, PartPlan):
        return trace_column(TraceKind.WITNESS, node.part)
    return trace_column(TraceKind.LEAF, node.name)


def _carrying(schema: Schema, below: PlanNode) -> Schema:
    return _more(schema, trace_columns(below.schema), below.schema.certain)


def _shown(below: PlanNode, column: Variable, shown: Expression) -> PlanNode:
    """One more column that keeps a value."""
    return _extended(below, column, shown, _more(below.schema, [column], frozenset()))


def _extended(below: PlanNode, column: Variable, expression: Expression, schema: Schema) -> ExtendPlan:
    return ExtendPlan(
        f"{below.name}_why", schema, below.window, below.eventful, below.timeless, below.span,
        column, expression, below,
    )  # fmt: skip


def _packed(below: PlanNode, column: Variable) -> ProjectPlan:
    """The visible columns of ``below`` and all hidden ones as one."""
    columns = trace_columns(below.schema)
    schema = _more(below.schema, [column])
    extended = _extended(below, column, Apply(PACK, columns, span=below.span), schema)
    shown = tuple(each for each in below.schema.columns if not is_trace(each))
    kept = frozenset((*shown, column))
    schema = replace(schema, columns=(*shown, column), certain=schema.certain & kept)
    return ProjectPlan(
        f"{below.name}_packed", schema, below.window, below.eventful, below.timeless, below.span, extended
    )
