"""From a traced plan and the hidden columns of one solution to its proof.

Columns hold what the leaves matched; bindings and intervals follow from them operator by operator, as
docs/semantics.md defines them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from typing_extensions import assert_never

from etalis_py.compiler.algebra.algebra import Constant, Place, TermPattern, Variable, conjuncts
from etalis_py.compiler.algebra.stream_windows import CountExtent
from etalis_py.compiler.explain.plan_printer import operator_text
from etalis_py.compiler.explain.readable import Readable
from etalis_py.compiler.plan.plan import (
    AbsencePlan,
    BetweenPlan,
    ChangesPlan,
    ClosurePlan,
    ExistsPlan,
    ExtendPlan,
    FilterPlan,
    GapPlan,
    GroupPlan,
    InstantPlan,
    LookupPlan,
    Pair,
    PartPlan,
    PlanNode,
    ProjectPlan,
    RepeatPlan,
    Scan,
    SnapshotPlan,
    TablePlan,
    TicksPlan,
    UnionPlan,
    UnitPlan,
    WaitPlan,
)
from etalis_py.compiler.plan.trace_columns import is_trace
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.spans import Span
from etalis_py.core.terms import Encoded
from etalis_py.why.absences import absences, test_text
from etalis_py.why.reading import (
    TraceColumns,
    leaf,
    members,
    read_columns,
    read_term,
    read_triple,
    read_value,
    shown_value,
    witness,
)
from etalis_py.why.runs import condition_text, run_absences, run_text
from etalis_py.why.tree import Kind, Proof

__all__ = ["ProofBuilder"]

Leaf = Callable[[Proof, Any], Proof]
"""Completes an event or background triple: how it follows, or why a CONSTRUCT made it."""


class ProofBuilder:
    """Builds the proofs of one query."""

    def __init__(self, text: QueryText, readable: Readable, complete: Leaf) -> None:
        self._text = text
        self._readable = readable
        self._complete = complete

    def proof(self, node: PlanNode, traced: TraceColumns) -> Proof | None:
        """The proof of a solution of ``node``; None where the node has no share in it."""
        match node:
            case TicksPlan() | SnapshotPlan(always=True):
                moment = self._moment(node, traced)
                return None if moment is None else self._node(Kind.ROW, node, moment, {})
            case UnitPlan() | TablePlan() | LookupPlan() | Scan() | ClosurePlan():
                found = leaf(node, traced)
                return None if found is None else self._leaf(node, found)
            case Pair() | GapPlan() | UnionPlan() | BetweenPlan():
                return self._several(node, traced)
            case AbsencePlan():
                return self._absence(node, traced)
            case RepeatPlan():
                return self._repeat(node, traced)
            case GroupPlan():
                return self._group(node, traced)
            case ExtendPlan() if is_trace(node.variable):
                return self.proof(node.input, traced)
            case PartPlan():
                raise AssertionError("nothing is traced for a group that is evaluated for one solution")
            case _:
                below = self.proof(node.input, traced)
                return None if below is None else self._above(node, below, traced)

    def _node(
        self,
        kind: Kind,
        node: PlanNode,
        interval: tuple[int, int] | None,
        bindings: Mapping[str, Encoded],
        parts: Iterable[Proof] = (),
    ) -> Proof:
        text = test_text(node) or operator_text(node, self._readable)
        return Proof(kind, text, self._line(node.span), interval, bindings, tuple(parts), node=node)

    def _line(self, span: Span) -> int:
        return self._text.line_of(span)

    # ---- leaves -----------------------------------------------------------------------------------------

    def _leaf(self, node: UnitPlan | TablePlan | LookupPlan | Scan | ClosurePlan, found: list[Any]) -> Proof:
        match node:
            case UnitPlan():
                return self._node(Kind.ROW, node, None, {})
            case TablePlan(rows=rows):
                cells = zip(node.schema.columns, rows[found[1] - 1], strict=False)
                row = {variable.name: value for variable, value in cells if value is not None}
                return self._node(Kind.ROW, node, None, row)
            case LookupPlan(predicate=str(), arguments=arguments):
                answer = tuple(map(read_term, found[1]))
                return self._node(Kind.ROW, node, None, matched(arguments, answer))
            case LookupPlan(graph=graph):
                assert graph is not None, "it is no goal"
                name = str(read_term(found[1]))
                proof = self._node(Kind.BACKGROUND, node, None, matched((graph,), (name,)))
                return replace(proof, graph=name)
            case Scan():
                return self._triple(node, found)
            case ClosurePlan():
                return self._walk(node, found)
            case _:
                assert_never(node)

    def _triple(self, node: Scan, found: list[Any]) -> Proof:
        triple = read_triple(found[1:4])
        bindings = matched(node.pattern.terms, triple)
        if found[0] == "event":
            _, _, _, _, start, end, origin, *place = found
            proof = self._node(Kind.EVENT, node, (start, end), bindings)
            proof = replace(proof, triple=triple, said=triple)
            return self._complete(_placed(proof, node.pattern.place, place), origin)
        graph = None
        if found[0] == "graph":
            graph = str(read_term(found[4]))
            assert node.pattern.graph is not None
            bindings = {**bindings, **matched((node.pattern.graph,), (graph,))}
        proof = self._node(Kind.BACKGROUND, node, None, bindings)
        return self._complete(replace(proof, triple=triple, said=triple, graph=graph), None)

    def _walk(self, node: ClosurePlan, found: list[Any]) -> Proof:
        _, first, last, texts = found
        path = node.path
        parts = []
        for each in texts:
            step = self.proof(node.input, read_columns(node.input, each))
            assert step is not None
            parts.append(step)
        bindings = matched((path.subject, path.object), (read_term(first), read_term(last)))
        if isinstance(path.graph, Variable):
            bindings |= _of_first(parts, path.graph.name)
        return self._node(Kind.WALK, node, hull(parts), bindings, parts)

    # ---- operators --------------------------------------------------------------------------------------

    def _several(self, node: Pair | GapPlan | UnionPlan | BetweenPlan, traced: TraceColumns) -> Proof | None:
        sides = (node.first, node.last) if isinstance(node, GapPlan) else (node.left, node.right)
        found = (self.proof(each, traced) for each in sides if each is not None)
        parts = [each for each in found if each is not None]
        if not parts:
            return None
        if isinstance(node, UnionPlan):
            return self._node(Kind.OPERATOR, node, parts[0].interval, parts[0].bindings, parts)
        bindings: dict[str, Encoded] = {}
        for part in parts:
            bindings |= part.bindings
        proof = self._node(Kind.OPERATOR, node, hull(parts), bindings, parts)
        return replace(proof, absent=tuple(absences(node, parts, self._readable, traced)))

    def _absence(self, node: AbsencePlan, traced: TraceColumns) -> Proof | None:
        """What was there when the deadline had come."""
        left = self.proof(node.left, traced)
        if left is None or left.interval is None:
            return None
        start, end = left.interval
        due = (start if node.from_start else end) + node.length
        proof = self._node(Kind.OPERATOR, node, (start, due), left.bindings, [left])
        return replace(proof, absent=tuple(absences(node, [left], self._readable, traced)))

    def _repeat(self, node: RepeatPlan, traced: TraceColumns) -> Proof | None:
        """A run: what stands before, each iteration, and what follows."""
        iterations = list(self._iterations(node, traced))
        around = [None if each is None else self.proof(each, traced) for each in (node.left, node.then)]
        parts = [each for each in (around[0], *iterations, around[1]) if each is not None]
        moment = self._moment(node, traced)
        if not parts or moment is None:
            return None
        bindings: dict[str, Encoded] = {}
        for part in around:
            bindings |= {} if part is None else part.bindings
        for shared in node.repeat.shared:
            bindings |= _of_first(parts, shared.name)
        shown = [each for each in node.repeat.measures if not is_trace(each.variable)]
        for number, each in enumerate(shown, 1):
            value = shown_value(node, traced, number)
            bindings |= {} if value is None else {each.variable.name: value}
        visible = replace(node, repeat=replace(node.repeat, measures=tuple(shown)))
        whole = hull(parts)
        assert whole is not None
        proof = self._node(Kind.OPERATOR, visible, (whole[0], moment[0]), bindings, parts)
        absent = tuple(run_absences(visible, iterations, proof, self._readable))
        return replace(proof, text=run_text(visible, proof, len(iterations), self._readable), absent=absent)

    def _iterations(self, node: RepeatPlan, traced: TraceColumns) -> Iterator[Proof]:
        """Each iteration; under what the condition saw, where there is one."""
        below, repeat = _packed_input(node.group), node.repeat
        left = None if node.left is None else self.proof(node.left, traced)
        known = {} if left is None else left.bindings
        seen = members(node, traced, 1) if repeat.running else []
        for number, each in enumerate(members(node, traced), 1):
            iteration = self.proof(below, read_columns(below, each))
            assert iteration is not None
            if repeat.condition is None:
                yield iteration
                continue
            values = {**known, **iteration.bindings}
            if repeat.running:
                saw = map(read_value, seen[number - 1])
                values |= {
                    aggregate.variable.name: value
                    for aggregate, value in zip(repeat.running, saw, strict=True)
                    if value is not None
                }
            conditions = " && ".join(self._text.written(part.span) for part in conjuncts(repeat.condition))
            text = f"iteration {number}: {condition_text(conditions, node, values, self._readable)}"
            line = self._line(repeat.condition.span)
            yield Proof(Kind.OPERATOR, text, line, iteration.interval, iteration.bindings, (iteration,))

    def _above(self, node: PlanNode, below: Proof, traced: TraceColumns) -> Proof:
        interval, bindings = below.interval, below.bindings
        match node:
            case WaitPlan():
                return below
            case SnapshotPlan(newest=CountExtent()):  # what keeps its changes tells when
                return below
            case SnapshotPlan() | ChangesPlan(is_of_before=True):
                return self._node(Kind.OPERATOR, node, self._moment(node, traced), bindings, [below])
            case InstantPlan():
                if interval is not None:
                    return below
                return self._node(Kind.OPERATOR, node, self._moment(node, traced), bindings, [below])
            case ProjectPlan():
                shown = {each.name for each in node.schema.columns}
                if shown.issuperset(bindings):
                    return below
                bindings = {name: value for name, value in bindings.items() if name in shown}
                return self._node(Kind.OPERATOR, node, interval, bindings, [below])
            case ExtendPlan(variable=variable):
                value = shown_value(node, traced)
                bindings = bindings if value is None else {**bindings, variable.name: value}
                return self._node(Kind.OPERATOR, node, interval, bindings, [below])
            case FilterPlan(tests=tests):
                found = tuple(each for test in tests for each in self._witness(test, traced))
                proof = self._node(Kind.OPERATOR, node, interval, bindings, [below])
                absent = tuple(absences(node, [below], self._readable, traced))
                return replace(proof, absent=absent, witnesses=found)
            case _:
                return self._node(Kind.OPERATOR, node, interval, bindings, [below])

    def _witness(self, test: ExistsPlan, traced: TraceColumns) -> Iterator[Proof]:
        found = witness(test, traced)
        if found is None:
            return
        if test.substituted is not None:
            yield from self._parts(test, found)
        else:
            below = _packed_input(test.node)
            proof = self.proof(below, read_columns(below, found))
            assert proof is not None
            yield proof

    def _parts(self, test: ExistsPlan, found: Sequence[Any]) -> Iterator[Proof]:
        """What was found of each part of a group that is evaluated for each match."""
        assert isinstance(test.node, ExtendPlan)
        traced = read_columns(test.node.input, found)
        for part in test.tests:
            text = witness(part, traced)
            if text is not None:
                below = _packed_input(part.node)
                proof = self.proof(below, read_columns(below, text))
                assert proof is not None
                yield proof

    def _moment(self, node: PlanNode, traced: TraceColumns, number: int = 0) -> tuple[int, int] | None:
        """When a row holds."""
        time = shown_value(node, traced, number)
        if time is None or isinstance(time, str):
            return None
        assert isinstance(time[0], int)
        return time[0], time[0]

    def _group(self, node: GroupPlan, traced: TraceColumns) -> Proof | None:
        if leaf(node, traced) is None:
            return None
        below = _packed_input(node.input)
        found = (self.proof(below, read_columns(below, each)) for each in members(node, traced))
        parts = [each for each in found if each is not None]
        bindings: dict[str, Encoded] = {}
        for key in node.keys:
            bindings |= _of_first(parts, key.name)
        shown = [each for each in node.aggregates if not is_trace(each.variable)]
        for number, each in enumerate(shown, 1):
            value = shown_value(node, traced, number)
            bindings |= {} if value is None else {each.variable.name: value}
        visible = replace(node, aggregates=tuple(shown))
        proof = self._node(Kind.OPERATOR, visible, self._moment(node, traced), bindings, parts)
        return replace(proof, absent=() if parts else ("no solution was in the group",))


def matched(patterns: Iterable[TermPattern], terms: Iterable[Encoded]) -> dict[str, Encoded]:
    """The bindings of the variables among ``patterns``."""
    found = {}
    for pattern, term in zip(patterns, terms, strict=True):
        match pattern:
            case Variable(name=name):
                found[name] = term
            case Constant():
                pass
    return found


def _packed_input(packing: PlanNode) -> PlanNode:
    """The node whose hidden columns were packed."""
    assert isinstance(packing, ProjectPlan)
    assert isinstance(packing.input, ExtendPlan)
    return packing.input.input


def _placed(proof: Proof, asked: Place | None, found: Sequence[str]) -> Proof:
    """The proof of an event of which the pattern asks the stream, and perhaps the element."""
    if asked is None:
        return proof
    stream, graph = found[0], found[1] if len(found) > 1 else ""
    bindings = dict(proof.bindings)
    for term, value in ((asked.stream, stream), (asked.name, graph)):
        bindings |= {} if term is None else matched((term,), (value,))
    return replace(proof, bindings=bindings, stream=stream, graph=graph or None)


def _of_first(parts: Iterable[Proof], name: str) -> dict[str, Encoded]:
    """The binding of a variable in the first of the parts that binds it; all agree on it."""
    return next(({name: part.bindings[name]} for part in parts if name in part.bindings), {})


def hull(parts: Iterable[Proof]) -> tuple[int, int] | None:
    """From the first start to the last end of those parts that have an interval."""
    intervals = [part.interval for part in parts if part.interval is not None]
    if not intervals:
        return None
    return min(start for start, _ in intervals), max(end for _, end in intervals)
