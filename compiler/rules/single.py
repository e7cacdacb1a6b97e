"""The rules of everything but pairs: triggers, and operators that pass one solution on."""

from __future__ import annotations

from typing_extensions import assert_never

from etalis_py.compiler.algebra.algebra import Apply, Constant, Place, Variable
from etalis_py.compiler.plan.plan import (
    AskPlan,
    ConstructPlan,
    DescribePlan,
    DistinctPlan,
    ExistsPlan,
    ExtendPlan,
    FilterPlan,
    PlanNode,
    ProjectPlan,
    QueryPlan,
    Scan,
    SelectPlan,
    SlicePlan,
    StatePlan,
    UnionPlan,
)
from etalis_py.compiler.plan.solution_scan import SolutionScan, StreamScan
from etalis_py.compiler.plan.trace_columns import PACK, is_trace
from etalis_py.compiler.rules.exists import ExistsRules, expressions_with
from etalis_py.compiler.rules.expression_goals import ExpressionCompiler, Scope
from etalis_py.compiler.rules.names import consumption_name
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
    UNBOUND,
    Atom,
    Number,
    Term,
    Var,
    conjunction,
    list_term,
    rdf_term,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import (
    ANSWER,
    END,
    START,
    USED,
    Rule,
    RuleKind,
    Store,
    StoreKind,
    VariableNames,
    used_column,
)
from etalis_py.compiler.rules.trace_goals import TOLD, SingleTraces, packing_goal
from etalis_py.core.vocabulary import RDF_TYPE

__all__ = ["SingleRules", "extend_goal", "filter_goal", "seen_store"]

_RANK = Var("Rank")
_STREAM = Var("_Stream")


class SingleRules:
    """Generates triggers, passing rules and answers of one query, the one with ``number``."""

    def __init__(self, names: VariableNames, number: int = 0) -> None:
        self._names = names
        self._number = number
        self._traces = SingleTraces(names)

    def columns(self, node: PlanNode) -> tuple[Term, ...]:
        """The variables of a node's solution."""
        return tuple(self._names(each) for each in node.schema.columns)

    def _solution(self, node: PlanNode, answer: Term = ANSWER) -> Term:
        return struct(node.name, START, END, *self.columns(node), *used_column(node), answer)

    def term(self, term: Variable | Constant) -> Term:
        """A variable or a constant of a pattern."""
        return self._names(term) if isinstance(term, Variable) else rdf_term(term.value)

    # ---- triggers ---------------------------------------------------------------------------------------

    def trigger(self, scan: Scan) -> Rule:
        """An occurrence finds its patterns by its predicate, or its class, through clause indexing."""
        if isinstance(scan, SolutionScan):
            return self._solution_trigger(scan)
        pattern = scan.pattern
        subject, predicate, target = (self.term(each) for each in pattern.terms)
        places = () if pattern.place is None else (self._place(pattern.place),)
        kind = "placed_" if places else ""
        if isinstance(pattern.predicate, Variable):
            head = struct(f"{kind}any_trigger", predicate, subject, target, START, END, *places, ANSWER)
        elif pattern.predicate.value == RDF_TYPE and isinstance(pattern.object, Constant):
            head = struct(f"{kind}type_trigger", target, subject, START, END, *places, ANSWER)
        else:
            head = struct(f"{kind}trigger", predicate, subject, target, START, END, *places, ANSWER)
        made_of: Term = TRUE
        if scan.schema.used:
            occurrence = struct("o", END, subject, predicate, target, START, *self._stream(pattern.place))
            made_of = unify(USED, list_term((occurrence,)))
        told = self._traces.occurrence(scan, (subject, predicate, target))
        beside = _no_solution(target) if isinstance(scan, StreamScan) else TRUE
        body = conjunction(
            _within(scan), beside, self._is_named(pattern.place), made_of, told, self._solution(scan)
        )
        return Rule(RuleKind.TRIGGER, head, body, scan.span)

    def _place(self, place: Place) -> Term:
        """What ``seen_as/4`` (places.pl) has for the patterns that ask for a stream, or for an element."""
        stream, name, element = (
            other if each is None else self.term(each)
            for each, other in (
                (place.stream, _STREAM),
                (place.name, Var("_")),
                (place.element, Var("_")),
            )
        )
        return struct("stream", stream) if place.element is None else struct("element", stream, name, element)

    def _stream(self, place: Place | None) -> tuple[Term, ...]:
        """Of an occurrence that is consumed in a stream, the stream."""
        if place is None:
            return ()
        return (_STREAM if place.stream is None else self.term(place.stream),)

    def _is_named(self, place: Place | None) -> Term:
        """The element has a name, which a variable of GRAPH stands for."""
        if place is None or not isinstance(place.name, Variable):
            return TRUE
        return struct("\\==", self._names(place.name), Atom(""))

    def _solution_trigger(self, scan: SolutionScan) -> Rule:
        """A solution of an earlier stage is one of the node that was cut off there."""
        solution = struct("solution", Var("_"), *self.columns(scan))
        head = struct("trigger", Atom(scan.predicate), Var("_"), solution, START, END, ANSWER)
        return Rule(RuleKind.TRIGGER, head, self._solution(scan), scan.span)

    # ---- one solution in, one out -----------------------------------------------------------------------

    def passing(
        self, node: FilterPlan | ExtendPlan | ProjectPlan | DistinctPlan | SlicePlan | UnionPlan
    ) -> list[Rule]:
        """How solutions of the inputs of ``node`` become solutions of it."""
        match node:
            case FilterPlan(input=below):
                test = filter_goal(node, self._names, (START, END))
                return [self._rule(below, conjunction(test, self._solution(node)), node)]
            case ExtendPlan(input=below):
                value = extend_goal(node, self._names, (START, END))
                return [self._rule(below, conjunction(value, self._solution(node)), node)]
            case ProjectPlan(input=below):
                return [self._passed(below, node)]
            case DistinctPlan(input=below):
                return [self._rule(below, self._once(node), node)]
            case SlicePlan(input=below):
                return [self._rule(below, conjunction(slice_goal(node), self._solution(node)), node)]
            case UnionPlan(left=left, right=right):
                return [self._passed(left, node), self._passed(right, node)]
            case _:
                assert_never(node)

    def _passed(self, below: PlanNode, node: PlanNode) -> Rule:
        columns = (*self.padded(below, node), *used_column(node))
        return self._rule(below, struct(node.name, START, END, *columns, ANSWER), node)

    def _rule(self, below: PlanNode, body: Term, node: PlanNode) -> Rule:
        return Rule(RuleKind.PASSING, self._solution(below), body, node.span)

    def padded(self, below: PlanNode, node: PlanNode) -> tuple[Term, ...]:
        """The columns of ``node``, unbound where ``below`` does not have them."""
        return tuple(self._names(each) if each in below.schema else UNBOUND for each in node.schema.columns)

    def _once(self, node: DistinctPlan) -> Term:
        """Equal solutions end at one instant, so only those of this instant need be remembered."""
        columns = (self._names(each) for each in node.schema.columns if not is_trace(each))
        seen = struct(seen_store(node).name, *columns, START)
        return conjunction(
            self._use(node),
            struct("current_instant", Atom(node.name), END),
            struct("\\+", seen),
            struct("assertz", seen),
            self._solution(node),
        )

    # ---- answers ----------------------------------------------------------------------------------------

    def answer(self, plan: QueryPlan) -> Rule:
        """What a solution of the whole query does."""
        number = Number(plan.number)
        match plan:
            case SelectPlan(root=root, ordered=False):
                row = struct("row", *self.columns(root))
                body = unify(ANSWER, struct("a", START, number, row))
            case SelectPlan(root=root):
                ranked = struct("o", number, _RANK, START, struct("row", *self.columns(root)))
                body = conjunction(struct("next_rank", _RANK), unify(ANSWER, ranked))
            case AskPlan():
                body = unify(ANSWER, struct("a", END, number, Atom("ask")))
            case DescribePlan(triple=triple):
                described = struct("t", *(self._names(each) for each in triple))
                body = unify(ANSWER, struct("a", START, number, struct("triples", list_term((described,)))))
            case ConstructPlan(root=root):
                body = self._construct(number, root, plan)
            case StatePlan(root=root):
                return Rule(RuleKind.STATE, self._solution(root), self._state(plan), plan.span)
            case _:
                assert_never(plan)
        body, outcome = conjunction(body, self._use(plan.root)), ANSWER
        told = self._traces.answer(plan, body)
        if told is not None:
            body, outcome = told, TOLD
        return Rule(RuleKind.ANSWER, self._solution(plan.root, outcome), body, plan.span)

    def _use(self, node: PlanNode) -> Term:
        """Under a policy: what an answer is made of is consumed when the instant closes."""
        if not node.schema.used:
            return TRUE
        return struct("use_occurrences", Atom(consumption_name(self._number)), USED)

    def _state(self, plan: StatePlan) -> Term:
        """The change is noted, and there is no answer; a variable that the pattern has not is unbound."""
        columns = plan.root.schema.columns
        arguments = (self._names(each) if each in columns else UNBOUND for each in plan.arguments)
        note = "begin_state" if plan.change == "begins" else "end_state"
        return conjunction(struct(note, struct(plan.name, *arguments), END), FAIL)

    def _construct(self, number: Number, root: PlanNode, plan: ConstructPlan) -> Term:
        terms = [term for each in plan.template for term in each.terms]
        blanks = dict.fromkeys(each for each in terms if isinstance(each, Variable) and each.is_hidden)
        goals = [struct("fresh_blank_node", self._names(each, "B")) for each in blanks]
        triples = (
            struct("t", *(self._template_term(term, root) for term in each.terms)) for each in plan.template
        )
        stream, made = Atom(plan.stream or ""), list_term(tuple(triples))
        return conjunction(*goals, struct("construct", number, stream, START, END, made, ANSWER))

    def _template_term(self, term: Variable | Constant, root: PlanNode) -> Term:
        """A blank node of a template is a fresh one; those of the pattern have nothing to do with it."""
        if isinstance(term, Variable) and term.is_hidden:
            return self._names(term, "B")
        if isinstance(term, Variable) and term not in root.schema:
            return UNBOUND
        return self.term(term)


def _within(node: PlanNode) -> Term:
    """An occurrence that is itself too long for the window is of no use."""
    if node.window is None:
        return TRUE
    return struct("<", struct("-", END, START), Number(node.window))


def _no_solution(target: Term) -> Term:
    """The event is none that an earlier stage made of a solution."""
    return struct(
        "\\+", conjunction(struct("compound", target), struct("functor", target, Atom("solution"), Var("_")))
    )


def slice_goal(node: SlicePlan) -> Term:
    """The goal that counts the solutions of an instant and holds for those of the slice."""
    limit = Atom("none") if node.limit is None else Number(node.limit)
    return struct("in_slice", Atom(node.name), END, Number(node.offset), limit)


def seen_store(node: DistinctPlan) -> Store:
    """Where DISTINCT keeps the solutions of one instant."""
    columns = sum(not is_trace(each) for each in node.schema.columns)
    return Store(f"{node.name}_seen", columns + 1, StoreKind.INSTANT, group=node.name)


def filter_goal(node: FilterPlan, names: VariableNames, interval: tuple[Term, Term] | None) -> Term:
    """The goal that is the filter's condition."""
    compiler = _compiler(node.input, names, interval, node.tests)
    found = (ExistsRules(each, names).witness(compiler) for each in node.tests)
    return conjunction(compiler.condition(node.condition), *found)


def extend_goal(node: ExtendPlan, names: VariableNames, interval: tuple[Term, Term] | None) -> Term:
    """The goal that binds the new variable, to the unbound mark where its expression is an error."""
    packed = node.expression
    if isinstance(packed, Apply) and packed.function == PACK:
        told = tuple(each for each in packed.arguments if isinstance(each, Variable))
        return packing_goal(told, names, names(node.variable))
    expressions = _compiler(node.input, names, interval, node.tests)
    return expressions.binding(names(node.variable), node.expression)


def _compiler(
    below: PlanNode,
    names: VariableNames,
    interval: tuple[Term, Term] | None,
    tests: tuple[ExistsPlan, ...],
) -> ExpressionCompiler:
    values = {each: names(each) for each in below.schema.columns}
    return expressions_with(Scope.of(values, below.schema.certain, interval), tests, names)
