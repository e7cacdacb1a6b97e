"""Verifies a proof again from its leaves: nothing in it is believed because the engine says so.

Leaves must be in the stream, or in the background, or have been made by a derivation that holds; each use of
an RDFS rule must be one; at each operator bindings, intervals and conditions must be what docs/semantics.md
says of its parts; and of what is said to be absent there must be none (``plan_solutions.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.aggregate_windows import PastWindow, RangeWindow, RowsWindow
from etalis_py.compiler.algebra.operators import Side
from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.plan.plan import (
    AbsencePlan,
    BetweenPlan,
    ConstructPlan,
    DescribePlan,
    ExistsPlan,
    ExtendPlan,
    FilterPlan,
    GapPlan,
    GroupPlan,
    Pair,
    PlanNode,
    ProjectPlan,
    RepeatPlan,
    SelectPlan,
    SkipPlan,
    TicksPlan,
    UnionPlan,
)
from etalis_py.compiler.plan.trace_columns import is_trace
from etalis_py.core.vocabulary import (
    RDF_TYPE,
    RDFS_DOMAIN,
    RDFS_RANGE,
    RDFS_SUBCLASSOF,
    RDFS_SUBPROPERTYOF,
)
from etalis_py.why import Inference, Kind, Proof, Why
from etalis_py.why.tree import Triple
from tests.oracle.aggregates import aggregated
from tests.oracle.axioms import vocabulary
from tests.oracle.entailment import Closure
from tests.oracle.policy_parts import matched
from tests.oracle.solutions import Dataset, Interval, Solution, hull, joined
from tests.oracle.values import ExpressionError
from tests.why.plan_solutions import NotCoveredError, PlanSolutions, in_time
from tests.why.plan_steps import LISTED, PlanSteps, with_iterations

__all__ = ["Checker"]


@dataclass
class Checker:
    """``said`` has no derived triples; ``complete`` is closed under entailment, with all that was made."""

    said: Dataset
    complete: Dataset
    queries: Mapping[str, CompiledQuery]
    counts: Counter[str] = field(default_factory=Counter)
    derivations: list[Why] = field(default_factory=list)

    def check(self, why: Why) -> None:
        """The proof of an answer.

        Raises:
            AssertionError: it does not hold.
        """
        match, proof = why.match, why.proof
        assert match is not None
        plan = self.queries[why.query].plan
        if match.boolean is None:
            assert proof.interval == match.interval
        else:
            assert proof.interval is not None
            assert proof.interval[1] == match.end
        match plan:
            case SelectPlan():
                shown = {name: term for name, term in proof.bindings.items() if name in match.variables}
                assert shown == dict(match.encoded)
            case ConstructPlan():
                assert match.encoded_triples is not None
                assert nameless(match.encoded_triples) == made(plan, proof)
            case DescribePlan(triple=triple):
                assert match.encoded_triples is not None
                assert match.encoded_triples == (tuple(proof.bindings[each.name] for each in triple),)
        todo, done = [proof], set[int]()
        while todo:  # derivations are as deep as the stream is long
            self.proof(todo.pop())
            new = [each for each in self.derivations if id(each) not in done]
            done |= set(map(id, new))
            todo += [each.proof for each in new]
            self.derivations.clear()

    def proof(self, proof: Proof) -> None:
        """A node and all below it."""
        self.counts[proof.kind.value] += 1
        for part in (*proof.parts, *proof.witnesses):
            self.proof(part)
        match proof.kind:
            case Kind.EVENT:
                self.event(proof)
            case Kind.BACKGROUND:
                self.background(proof)
            case Kind.WALK:
                self.path(proof)
            case Kind.ROW if isinstance(proof.node, TicksPlan):
                self.step(proof.node, proof)
            case Kind.ROW:
                assert proof.interval is None
                assert not proof.parts
            case Kind.OPERATOR:
                self.operator(proof)

    # ---- leaves -----------------------------------------------------------------------------------------

    def event(self, proof: Proof) -> None:
        assert proof.interval is not None
        assert proof.said is not None
        self.matches(proof)
        self.follows(proof)
        if proof.derivation is None:
            assert (proof.said, proof.interval) in self.said.stream
            return
        derivation = proof.derivation
        plan = self.queries[derivation.query].plan
        assert isinstance(plan, ConstructPlan)
        assert derivation.proof.interval == proof.interval
        assert nameless([proof.said]) <= made(plan, derivation.proof)
        self.derivations.append(derivation)
        self.counts["derivation"] += 1

    def background(self, proof: Proof) -> None:
        assert proof.interval is None
        if proof.triple is None:
            assert proof.graph in self.said.named
            return
        self.matches(proof)
        if proof.graph is not None:
            assert proof.triple in self.said.named[proof.graph]
            return
        assert proof.said is not None
        sources = proof.node.pattern.sources  # type: ignore[union-attr]
        if proof.is_vocabulary:
            ontology = Closure.with_axioms(self.said.background).ontology
            assert proof.said in vocabulary(ontology) | ontology, proof
        elif sources is None:
            assert proof.said in self.said.background, proof
        else:
            assert any(proof.said in self.said.named.get(each, ()) for each in sources)
        self.follows(proof)

    def matches(self, proof: Proof) -> None:
        """The triple matches the pattern, with these bindings."""
        assert proof.triple is not None
        pattern = proof.node.pattern  # type: ignore[union-attr]
        [found] = matched(pattern, proof.triple, proof.interval)
        own = {**found.mapping}
        if proof.graph is not None and isinstance(pattern.graph, algebra.Variable):
            own[pattern.graph.name] = proof.graph
        assert own == dict(proof.bindings)

    def follows(self, proof: Proof) -> None:
        triple = proof.said
        assert triple is not None
        for each in proof.inferences:
            assert each.schema in self.complete.background
            assert concluded(each, triple)
            triple = each.triple
            self.counts[each.rule] += 1
        assert triple == proof.triple

    def path(self, proof: Proof) -> None:
        path = proof.node.path  # type: ignore[union-attr]
        ends = [
            end.value if isinstance(end, algebra.Constant) else proof.bindings[end.name]
            for end in (path.subject, path.object)
        ]
        assert proof.interval == hull_of(proof.parts)
        if not proof.parts:
            assert path.zero
            assert ends[0] == ends[1]
            return
        assert path.many or len(proof.parts) == 1
        here = ends[0]
        for step in proof.parts:
            assert step.bindings[path.first.name] == here
            here = step.bindings[path.last.name]
        assert here == ends[1]

    # ---- operators --------------------------------------------------------------------------------------

    def operator(self, proof: Proof) -> None:
        node, parts = proof.node, proof.parts
        if isinstance(node, _STEPS) or (isinstance(node, Pair) and node.operator.next_only):
            self.step(node, proof)
            return
        if node is None:  # what chose an iteration
            assert proof.bindings == parts[0].bindings
            return
        if not isinstance(node, GroupPlan) and proof.interval != hull_of(parts):
            assert hull_of(parts) is None
            assert proof.interval == self.said.always
        match node:
            case Pair() if len(parts) == 2:
                self.pair(node, proof)
            case Pair():
                assert proof.bindings == parts[0].bindings
                self.alone(node, parts[0])
            case GapPlan():
                self.gap(node, proof)
            case FilterPlan(condition=condition, tests=tests):
                assert proof.bindings == parts[0].bindings
                self.witnesses(proof, tests)
                self.covered(
                    "FILTER", lambda: solutions(self).passes(condition, solution(proof), tests), wanted=True
                )
            case ExtendPlan():
                below = solution(parts[0], proof.interval)
                self.covered("BIND", lambda: solutions(self).extended(node, below) == solution(proof), True)
            case ProjectPlan():
                names = {each.name for each in node.schema.columns}
                assert proof.bindings == {n: t for n, t in parts[0].bindings.items() if n in names}
            case GroupPlan():
                self.group(node, proof)
            case UnionPlan():
                assert len(parts) == 1
                assert proof.bindings == parts[0].bindings
            case _:
                assert proof.bindings == parts[0].bindings

    def witnesses(self, proof: Proof, tests: tuple[ExistsPlan, ...]) -> None:
        """What EXISTS found is compatible, known in time, and passes the filters of its group."""
        shown = [each for each in tests if each.node.name.endswith("_packed")]
        if any(each.substituted is not None for each in tests):  # of these each part is a witness
            self.counts["EXISTS evaluated"] += 1
            for found in proof.witnesses:
                assert found.interval is None or found.interval[1] <= (proof.interval or (0, -1))[1]
            return
        for test, found in zip(shown, proof.witnesses, strict=True):
            self.counts["EXISTS found"] += 1
            self.witness(test, solution(proof), solution(found))

    def witness(self, test: ExistsPlan, one: Solution, other: Solution) -> None:
        both, condition = joined(one, other), test.condition
        assert both is not None
        if other.interval is not None:
            assert one.interval is not None
            assert other.interval[1] <= one.interval[1]
        if condition is not None:
            self.covered(
                "witness",
                lambda: solutions(self).passes(
                    condition, both, test.tests, other.interval, True, other.interval
                ),
                wanted=True,
            )

    def covered(self, what: str, test: Any, wanted: bool) -> None:
        """A test that some functions are too much for."""
        try:
            found = test()
        except NotCoveredError:
            self.counts[f"{what} not covered"] += 1
            return
        self.counts[what] += 1
        assert found is wanted, what

    def pair(self, pair: Pair, proof: Proof) -> None:
        left, right = map(solution, proof.parts)
        assert joined(left, right) == Solution(proof.bindings, hull(left.interval, right.interval))
        assert in_time(pair.operator.word, left.interval, right.interval)
        self.covered(
            pair.operator.word,
            lambda: next(solutions(self).pairs(pair, left, [right]), None) is not None,
            wanted=True,
        )

    def alone(self, pair: Pair, kept: Proof) -> None:
        """The optional side has no partner for what is kept."""
        assert pair.operator.optional is not None
        one, found = solution(kept), solutions(self)

        def partner() -> bool:
            if pair.operator.optional is Side.RIGHT:
                return next(found.pairs(pair, one, found.of(pair.right)), None) is not None
            return any(True for left in found.of(pair.left) for _ in found.pairs(pair, left, [one]))

        self.covered(f"{pair.operator.word} alone", partner, wanted=False)

    def step(self, node: PlanNode, proof: Proof) -> None:
        """The solution is one of those that the formulas make of its parts, and of all there is."""
        steps, parts = PlanSteps(solutions(self)), list(map(solution, proof.parts))
        names = [each.name for each in node.schema.columns if not is_trace(each)]
        wanted = solution(proof).restricted(names).key

        def given(found: Iterable[Solution]) -> bool:
            return any(each.restricted(names).key == wanted for each in found)

        def holds() -> bool:
            match node:
                case TicksPlan():
                    return given(steps.of(node))
                case AbsencePlan():
                    return given(steps.absences(node, parts))
                case BetweenPlan(left=left):
                    return given(steps.between(node, None if left is None else parts[:1], parts[-1:]))
                case Pair():
                    return given(steps.next_pairs(node, parts[:1], parts[1:]))
                case SkipPlan():
                    return given(steps.of(node))
                case RepeatPlan(left=left, then=then):
                    first = None if left is None else parts[0]
                    iterations = parts[left is not None : len(parts) - (then is not None)]
                    whole = with_iterations(solution(proof).restricted(names), node, iterations)
                    found = steps.repeated(node, first, listed=True)
                    return any(each.restricted([*names, LISTED]).key == whole.key for each in found)
                case _:
                    raise AssertionError(type(node).__name__)

        self.covered(_step_name(node), holds, wanted=True)

    def gap(self, gap: GapPlan, proof: Proof) -> None:
        first, last = map(solution, proof.parts)
        both = joined(first, last)
        assert both is not None
        assert both.mapping == proof.bindings
        assert first.interval is not None
        assert last.interval is not None
        assert first.interval[1] < last.interval[0]
        start, end = first.interval[1], last.interval[0]

        def between() -> bool:
            return any(
                joined(both, each) is not None
                and each.interval is not None
                and start < each.interval[0]
                and each.interval[1] < end
                for each in solutions(self).of(gap.between)
            )

        self.covered("gap", between, wanted=False)

    def group(self, group: GroupPlan, proof: Proof) -> None:
        """Members agree in the keys and are in the window, and the aggregates are those of all members."""
        keys = {key.name for key in group.keys}
        own = {name: term for name, term in proof.bindings.items() if name in keys}
        for part in proof.parts:
            assert {name: term for name, term in part.bindings.items() if name in keys} == own
            if part.interval is not None:
                assert proof.interval is not None
                assert in_window(group.extent, part.interval[1], proof.interval[1])
        for each in group.aggregates:
            values = [self.argument(each, part) for part in proof.parts]
            if each.function == "SAMPLE":
                assert proof.bindings.get(each.variable.name) in values or not values
                continue
            like = SimpleNamespace(name=each.function, distinct=each.distinct, separator=each.separator)
            try:
                wanted = aggregated(like, values)  # type: ignore[arg-type]
            except ExpressionError:
                wanted = None
            assert proof.bindings.get(each.variable.name) == wanted, each.function
        self.members(group, proof)

    def argument(self, aggregate: algebra.Aggregate, part: Proof) -> Any:
        if aggregate.argument is not None:
            return part.bindings.get(aggregate.argument.name)
        bindings = {name: term for name, term in part.bindings.items() if not name.startswith("_:")}
        return frozenset(bindings.items()) if aggregate.distinct else (1, "any")

    def members(self, group: GroupPlan, proof: Proof) -> None:
        """No solution of the group and of the window is missing."""
        if isinstance(group.extent, RowsWindow):
            return
        keys = {key.name for key in group.keys}
        own = {name: term for name, term in proof.bindings.items() if name in keys}

        def missing() -> bool:
            found = [
                each
                for each in solutions(self).of(group.input)
                if {name: term for name, term in each.mapping.items() if name in keys} == own
                and (
                    each.interval is None
                    or (
                        proof.interval is not None
                        and in_window(group.extent, each.interval[1], proof.interval[1])
                    )
                )
            ]
            return len(found) != len(proof.parts)

        self.covered("members", missing, wanted=False)


_STEPS = (AbsencePlan, BetweenPlan, TicksPlan, RepeatPlan, SkipPlan)


def _step_name(node: PlanNode) -> str:
    """As which a step is counted."""
    match node:
        case RepeatPlan(repeat=repeat):
            return f"REPEAT {repeat.mode.value}{' LONGEST' * repeat.longest}"
        case BetweenPlan(word=word):
            return word.split(" PER ")[0]
        case _:
            return type(node).__name__


def solutions(checker: Checker) -> PlanSolutions:
    return PlanSolutions(checker.complete)


def solution(proof: Proof, interval: Interval | None = None) -> Solution:
    return Solution(dict(proof.bindings), interval or proof.interval)


def hull_of(parts: Iterable[Proof]) -> Interval | None:
    found: Interval | None = None
    for part in parts:
        found = hull(found, part.interval)
    return found


def in_window(extent: Any, end: int, now: int) -> bool:
    match extent:
        case RangeWindow(width=width):
            return now - width < end <= now
        case PastWindow(begin=begin, until=until):
            return now - begin < end <= now - until
        case _:
            return end <= now


def concluded(inference: Inference, before: Triple) -> bool:
    """Whether it is one use of its rule (RDF 1.1 Semantics, section 9.2.1)."""
    (s, p, o), (about, relation, other), triple = before, inference.schema, inference.triple
    match inference.rule:
        case "vocabulary":
            return before == inference.schema == triple
        case "rdfs2":
            return (about, relation) == (p, RDFS_DOMAIN) and triple == (s, RDF_TYPE, other)
        case "rdfs3":
            return (about, relation) == (p, RDFS_RANGE) and triple == (o, RDF_TYPE, other)
        case "rdfs7":
            return (about, relation) == (p, RDFS_SUBPROPERTYOF) and triple == (s, other, o)
        case "rdfs9":
            wanted = (o, RDFS_SUBCLASSOF, RDF_TYPE)
            return (about, relation, p) == wanted and triple == (s, RDF_TYPE, other)
        case "rdfs5":
            return p == relation == RDFS_SUBPROPERTYOF and about == o and triple == (s, p, other)
        case "rdfs11":
            return p == relation == RDFS_SUBCLASSOF and about == o and triple == (s, p, other)
        case _:
            return False


def made(plan: ConstructPlan, proof: Proof) -> frozenset[object]:
    """The triples that a solution makes; what its blank nodes are called means nothing."""
    return nameless(
        tuple(term_of(term, proof.bindings) for term in pattern.terms) for pattern in plan.template
    )


def term_of(term: algebra.TermPattern, bindings: Mapping[str, Any]) -> Any:
    if isinstance(term, algebra.Constant):
        return term.value
    return "_:" if term.is_hidden else bindings.get(term.name)


def nameless(triples: Iterable[Any]) -> frozenset[object]:
    kept = (
        (s, p, o)
        for s, p, o in triples
        if isinstance(s, str) and isinstance(p, str) and not p.startswith("_:") and o is not None
    )
    return frozenset(
        tuple("_:" if isinstance(term, str) and term.startswith("_:") else term for term in triple)
        for triple in kept
    )
