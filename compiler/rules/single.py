"""The rules of everything but pairs: triggers, and operators that pass one solution on."""

from __future__ import annotations

from typing_extensions import assert_never

from etalis_py.compiler.algebra.algebra import Constant, Place, TriplePattern, Variable
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
    children,
)
from etalis_py.compiler.plan.solution_scan import SolutionScan
from etalis_py.compiler.plan.trace_columns import is_trace
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
    RuleSet,
    Store,
    StoreKind,
    VariableNames,
)
from etalis_py.compiler.rules.snapshot import FROM, UNTIL, life_goal
from etalis_py.compiler.rules.trace_goals import TRACE, SingleTraces, packing_of
from etalis_py.compiler.rules.writing import (
    fresh_instant,
    insert,
    own_solution,
    passing,
    rule,
    solution,
    within,
)
from etalis_py.core.vocabulary import RDF_TYPE, XSD_DATETIME, XSD_INTEGER

__all__ = [
    "answer_rules",
    "distinct_rules",
    "extend_goal",
    "extend_rules",
    "filter_goal",
    "filter_rules",
    "padding_rules",
    "slice_rules",
    "trigger_rules",
]

_RANK, _STREAM, _GRAPH = Var("Rank"), Var("_Stream"), Var("_Graph")
_MILLISECONDS, _SENT = Var("Milliseconds"), Var("Sent")


# ---- triggers -----------------------------------------------------------------------------------------


def trigger_rules(scan: Scan, names: VariableNames) -> RuleSet:
    """An occurrence finds its patterns by its predicate, or its class, through clause indexing."""
    if not scan.eventful:
        return RuleSet()
    if isinstance(scan, SolutionScan):
        return RuleSet((_solution_trigger(scan, names),))
    pattern = scan.pattern
    subject, predicate, target = map(names.term, pattern.terms)
    places = () if pattern.place is None else (_place(pattern.place, names),)
    kind = "placed_" if places else ""
    if isinstance(pattern.predicate, Variable):
        head = struct(f"{kind}any_trigger", predicate, subject, target, START, END, *places, ANSWER)
    elif pattern.predicate.value == RDF_TYPE and isinstance(pattern.object, Constant):
        head = struct(f"{kind}type_trigger", target, subject, START, END, *places, ANSWER)
    else:
        head = struct(f"{kind}trigger", predicate, subject, target, START, END, *places, ANSWER)
    made_of: Term = TRUE
    if scan.schema.used:
        occurrence = struct("o", END, subject, predicate, target, START, *_stream(pattern.place, names))
        made_of = unify(USED, list_term((occurrence,)))
    trace = SingleTraces(names).occurrence(scan, (subject, predicate, target), places)
    # An occurrence that is itself too long for the window is of no use.
    window, named = within(scan.window, START), _is_named(pattern.place, names)
    found = own_solution(scan, names)
    if pattern.place is not None and pattern.place.extent is not None:
        window = conjunction(life_goal(pattern.place), _times(pattern.place, names))
        found = solution(scan, names.columns(scan), FROM, end=UNTIL)
    given = _is_given(pattern) if pattern.given else TRUE
    goals = (window, named, _is_sent(pattern, names), given, made_of, trace, found)
    return RuleSet((rule(RuleKind.TRIGGER, scan, head, *goals),))


def _place(place: Place, names: VariableNames) -> Term:
    """What places.pl has for the patterns that ask for a stream, or for an element."""
    stream, name, element = (
        other if each is None else names.term(each)
        for each, other in (
            (place.stream, _STREAM),
            (place.name, _GRAPH),
            (place.element, Var("_")),
        )
    )
    if place.element is None:
        return struct("stream", stream)
    return struct("triple" if place.of_triples else "element", stream, name, element)


def _stream(place: Place | None, names: VariableNames) -> tuple[Term, ...]:
    """Of an occurrence that is consumed in a stream, the stream."""
    if place is None:
        return ()
    return (_STREAM if place.stream is None else names.term(place.stream),)


def _is_sent(pattern: TriplePattern, names: VariableNames) -> Term:
    """The triple is the one that was sent, see places.pl."""
    place = pattern.place
    if place is None or not place.sent:
        return TRUE
    assert place.element is not None
    sent = unify(names(place.element), struct("triple", Var("_"), _SENT))
    return conjunction(sent, unify(_SENT, struct("t", *map(names.term, pattern.terms))))


def _is_given(pattern: TriplePattern) -> Term:
    """An element of the streams that the pattern asks for has the interval of the occurrence."""
    stream = None if pattern.place is None else pattern.place.stream
    streams = (Atom(str(stream.value)),) if isinstance(stream, Constant) else ()
    return struct("given_element", Atom("any"), START, list_term(streams))


def _times(place: Place, names: VariableNames) -> Term:
    """The goal that finds when the occurrence began and ended, as far as the pattern asks."""
    asked = (
        (place.time, _MILLISECONDS, XSD_INTEGER),
        (place.began, START, XSD_DATETIME),
        (place.ended, END, XSD_DATETIME),
    )
    found: list[Term] = [
        unify(names(variable), struct("^^", time, Atom(datatype)))
        for variable, time, datatype in asked
        if variable is not None
    ]
    if place.time is not None:
        found.insert(0, struct("is", _MILLISECONDS, struct("div", END, Number(1000))))
    return conjunction(*found)


def _is_named(place: Place | None, names: VariableNames) -> Term:
    """The element has a name, which a variable of GRAPH stands for."""
    if place is None or not isinstance(place.name, Variable):
        return TRUE
    return struct("\\==", names(place.name), Atom(""))


def _solution_trigger(scan: SolutionScan, names: VariableNames) -> Rule:
    """A solution of an earlier stage is one of the node that was cut off there."""
    found = struct("tuple", Var("_"), *names.columns(scan))
    head = struct("tuple_trigger", Atom(scan.stream), found, START, END, ANSWER)
    return rule(RuleKind.TRIGGER, scan, head, own_solution(scan, names))


# ---- one solution in, one out -------------------------------------------------------------------------


def filter_rules(node: FilterPlan, names: VariableNames) -> RuleSet:
    """Solutions for which the condition is true pass."""
    return _passed(node, names, filter_goal(node, names, (START, END)))


def extend_rules(node: ExtendPlan, names: VariableNames) -> RuleSet:
    """Solutions get one more column."""
    return _passed(node, names, extend_goal(node, names, (START, END)))


def slice_rules(node: SlicePlan, names: VariableNames) -> RuleSet:
    """The solutions of an instant are counted; those of the slice pass."""
    limit = Atom("none") if node.limit is None else Number(node.limit)
    return _passed(node, names, struct("in_slice", Atom(node.name), END, Number(node.offset), limit))


def padding_rules(node: ProjectPlan | UnionPlan, names: VariableNames) -> RuleSet:
    """Solutions of each input get the columns of ``node``."""

    def padded(below: PlanNode) -> Rule:
        return passing(node, below, names, solution(node, names.padded(below, node)))

    return RuleSet(tuple(map(padded, children(node))))


def distinct_rules(node: DistinctPlan, names: VariableNames) -> RuleSet:
    """Equal solutions end at one instant, so only those of this instant need be remembered."""
    columns = tuple(names(each) for each in node.schema.columns if not is_trace(each))
    store = Store(f"{node.name}_seen", len(columns) + 1, StoreKind.INSTANT, group=node.name)
    seen = struct(store.name, *columns, START)
    goals = (_use(node, names), fresh_instant(node), struct("\\+", seen), insert(seen))
    return RuleSet.joined((_passed(node, names, *goals), RuleSet(stores=(store,))))


def _passed(
    node: FilterPlan | ExtendPlan | SlicePlan | DistinctPlan, names: VariableNames, *goals: Term
) -> RuleSet:
    return RuleSet((passing(node, node.input, names, *goals, own_solution(node, names)),))


# ---- answers ------------------------------------------------------------------------------------------


def answer_rules(plan: QueryPlan, names: VariableNames) -> RuleSet:
    """What a solution of the whole query does."""
    if isinstance(plan, StatePlan):
        head, change = own_solution(plan.root, names), _state(plan, names)
        return RuleSet((Rule(RuleKind.STATE, head, change, plan.span),))
    body, outcome = conjunction(_answer(plan, names), _use(plan.root, names)), ANSWER
    trace = SingleTraces(names).answer(plan, body)
    if trace is not None:
        body, outcome = trace, TRACE
    return RuleSet((Rule(RuleKind.ANSWER, own_solution(plan.root, names, answer=outcome), body, plan.span),))


def _answer(plan: SelectPlan | AskPlan | DescribePlan | ConstructPlan, names: VariableNames) -> Term:
    number = Number(plan.number)
    match plan:
        case SelectPlan(root=root, ordered=False):
            return unify(ANSWER, struct("a", START, number, struct("row", *names.columns(root))))
        case SelectPlan(root=root):
            ranked = struct("o", number, _RANK, START, struct("row", *names.columns(root)))
            return conjunction(struct("next_rank", _RANK), unify(ANSWER, ranked))
        case AskPlan():
            return unify(ANSWER, struct("a", END, number, Atom("ask")))
        case DescribePlan(triple=triple):
            described = list_term((struct("t", *map(names, triple)),))
            return unify(ANSWER, struct("a", START, number, struct("triples", described)))
        case ConstructPlan():
            return _construct(plan, names)
        case _:
            assert_never(plan)


def _use(node: PlanNode, names: VariableNames) -> Term:
    """Under a policy: what an answer is made of is consumed when the instant closes."""
    if not node.schema.used:
        return TRUE
    return struct("use_occurrences", Atom(consumption_name(names.number)), USED)


def _state(plan: StatePlan, names: VariableNames) -> Term:
    """The change is noted, and there is no answer; a variable that the pattern has not is unbound."""
    columns = plan.root.schema.columns
    arguments = (names(each) if each in columns else UNBOUND for each in plan.arguments)
    note = "begin_state" if plan.change == "begins" else "end_state"
    return conjunction(struct(note, struct(plan.name, *arguments), END), FAIL)


def _construct(plan: ConstructPlan, names: VariableNames) -> Term:
    terms = [term for each in plan.template for term in each.terms]
    blanks = dict.fromkeys(each for each in terms if isinstance(each, Variable) and each.is_hidden)
    goals = [struct("fresh_blank_node", names(each, "B")) for each in blanks]
    triples = (
        struct("t", *(_template_term(term, plan.root, names) for term in each.terms))
        for each in plan.template
    )
    number, stream, made = Number(plan.number), Atom(plan.stream or ""), list_term(tuple(triples))
    return conjunction(*goals, struct("construct", number, stream, START, END, made, ANSWER))


def _template_term(term: Variable | Constant, root: PlanNode, names: VariableNames) -> Term:
    """A blank node of a template is a fresh one; those of the pattern have nothing to do with it."""
    if isinstance(term, Variable) and term.is_hidden:
        return names(term, "B")
    if isinstance(term, Variable) and term not in root.schema:
        return UNBOUND
    return names.term(term)


# ---- what is asked of one solution --------------------------------------------------------------------


def filter_goal(node: FilterPlan, names: VariableNames, interval: tuple[Term, Term] | None) -> Term:
    """The goal that is the filter's condition."""
    compiler = _compiler(node.input, names, interval, node.tests)
    found = (ExistsRules(each, names).witness(compiler) for each in node.tests)
    return conjunction(compiler.condition(node.condition), *found)


def extend_goal(node: ExtendPlan, names: VariableNames, interval: tuple[Term, Term] | None) -> Term:
    """The goal that binds the new variable, to the unbound mark where its expression is an error."""
    packing = packing_of(node, names)
    if packing is not None:
        return packing
    expressions = _compiler(node.input, names, interval, node.tests)
    return expressions.binding(names(node.variable), node.expression)


def _compiler(
    below: PlanNode,
    names: VariableNames,
    interval: tuple[Term, Term] | None,
    tests: tuple[ExistsPlan, ...],
) -> ExpressionCompiler:
    values = {each: names(each) for each in below.schema.columns}
    return expressions_with(Scope.of(values, below.schema.certain, interval, below.schema.ends), tests, names)
