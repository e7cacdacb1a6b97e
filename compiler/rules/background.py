"""The backward-chaining rules: solutions that background alone gives, found on demand.

``<node>_background(Columns...)`` enumerates them; a join calls it with its join variables bound, so that
the background's own indexing finds them. Such a solution has no interval: time functions are errors.
"""

from __future__ import annotations

from etalis_py.compiler.algebra.scope import is_drawn
from etalis_py.compiler.plan.plan import (
    ChangesPlan,
    ClosurePlan,
    DistinctPlan,
    ExtendPlan,
    FilterPlan,
    GapPlan,
    GroupPlan,
    LookupPlan,
    OrderPlan,
    Pair,
    PartPlan,
    PlanNode,
    ProjectPlan,
    Scan,
    SkipPlan,
    SlicePlan,
    TablePlan,
    UnionPlan,
    UnitPlan,
    WaitPlan,
    children,
)
from etalis_py.compiler.plan.trace_columns import is_trace
from etalis_py.compiler.rules.pair_sides import PairSides
from etalis_py.compiler.rules.path import PathRules
from etalis_py.compiler.rules.prolog_terms import (
    EMPTY_LIST,
    TRUE,
    UNBOUND,
    Atom,
    Number,
    Term,
    Var,
    conjunction,
    if_then_else,
    list_term,
    rdf_term,
    soft_if,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import RuleKind, RuleSet, VariableNames
from etalis_py.compiler.rules.settled import aggregate_terms, group_terms, order_term
from etalis_py.compiler.rules.single import extend_goal, filter_goal
from etalis_py.compiler.rules.trace_goals import SingleTraces
from etalis_py.compiler.rules.writing import own_timeless, rule, timeless

__all__ = ["background_rules"]

_ROWS, _ORDERED = Var("Rows"), Var("Ordered")


def background_rules(node: PlanNode, names: VariableNames) -> RuleSet:
    """The clauses of ``<node>_background``; none where background alone gives nothing."""
    if not node.timeless:
        return RuleSet()
    if isinstance(node, ClosurePlan):
        return PathRules(node, names).timeless_rules()
    clauses = _clauses(node, names)
    return RuleSet(tuple(rule(RuleKind.TIMELESS, node, timeless(node, own), body) for own, body in clauses))


def _clauses(  # noqa: C901 - one branch for each node
    node: PlanNode, names: VariableNames
) -> list[tuple[tuple[Term, ...], Term]]:
    """The columns and the body of each."""
    columns, traces = names.columns(node), SingleTraces(names)
    match node:
        case UnitPlan():
            return [(columns, traces.unit(node))]
        case TablePlan(rows=rows):
            numbered = enumerate(rows, 1)
            return [((*map(rdf_term, row), *traces.row(node, number)), TRUE) for number, row in numbered]
        case LookupPlan(predicate=str() as predicate, arguments=arguments):
            terms = tuple(map(names.term, arguments))
            goal = struct("user_solution", Atom(predicate), list_term(terms))
            return [(columns, conjunction(goal, traces.goal(node, terms)))]
        case LookupPlan(graph=graph):
            assert graph is not None, "it is no goal"
            name = names.term(graph)
            return [(columns, conjunction(struct("named_graph", name), traces.graph(node, name)))]
        case Scan(pattern=pattern):
            trace = traces.background(node, tuple(map(names.term, pattern.terms)))
            return [(columns, conjunction(_scan(node, names), trace))]
        case FilterPlan(input=below, condition=condition):
            goal = conjunction(own_timeless(below, names), filter_goal(node, names, None))
            return [_drawn(node, goal, names) if is_drawn(condition) else (columns, goal)]
        case ExtendPlan(input=below, expression=expression):
            goal = conjunction(own_timeless(below, names), extend_goal(node, names, None))
            return [_drawn(node, goal, names) if is_drawn(expression) else (columns, goal)]
        case ProjectPlan() | UnionPlan():
            sides = (each for each in children(node) if each.timeless)
            return [(names.padded(each, node), own_timeless(each, names)) for each in sides]
        case DistinctPlan(input=below):
            return [(columns, _distinct(node, below, names))]
        case WaitPlan(input=below):  # nothing need wait: all that background gives is known
            return [(columns, own_timeless(below, names))]
        case OrderPlan(input=below):
            return [(columns, _ordered(node, below, names))]
        case SlicePlan(input=below):
            return [(columns, _sliced(node, below, names))]
        case GroupPlan():
            return [(columns, _grouped(node, names))]
        case Pair():
            return [_pair(node, names)]
        case GapPlan() | PartPlan() | SkipPlan() | ChangesPlan():
            return []
        case _:
            raise AssertionError(f"background alone gives nothing to {type(node).__name__}")


def _distinct(node: DistinctPlan, below: PlanNode, names: VariableNames) -> Term:
    row = struct("row", *(names(each) for each in node.schema.columns if not is_trace(each)))
    hidden = [names(each) for each in node.schema.columns if is_trace(each)]
    if not hidden:
        return struct("distinct_solution", row, own_timeless(below, names))
    return struct("distinct_traced_solution", row, struct("why", *hidden), own_timeless(below, names))


def _drawn(node: FilterPlan | ExtendPlan, goal: Term, names: VariableNames) -> tuple[tuple[Term, ...], Term]:
    """What would be another solution each time is found once and kept."""
    columns = names.columns(node, "D")
    kept, row = struct("row", *columns), struct("row", *names.columns(node))
    return columns, struct("drawn_once", Atom(node.name), kept, row, goal)


def _scan(node: Scan, names: VariableNames) -> Term:
    pattern = node.pattern
    terms = tuple(map(names.term, pattern.terms))
    if pattern.graph is not None:
        return struct("named_triple", names.term(pattern.graph), *terms)
    if pattern.sources is None:
        found = struct("background", *terms)
    else:
        found = struct("merged_triple", list_term(tuple(map(Atom, pattern.sources))), *terms)
    if not node.once:
        return found
    stream = (
        () if pattern.place is None or pattern.place.stream is None else (names.term(pattern.place.stream),)
    )
    return conjunction(found, struct("\\+", struct("instant_triple", *terms, *stream)))


def _apart(node: PlanNode, names: VariableNames) -> tuple[Term, tuple[Term, ...]]:
    """All solutions of ``node``, whatever is known of its columns: a row depends on the others."""
    columns = names.columns(node, "D")
    return timeless(node, columns), columns


def _ordered(node: OrderPlan, below: PlanNode, names: VariableNames) -> Term:
    goal, columns = _apart(below, names)
    start = Atom("timeless")
    return conjunction(
        struct("findall", struct("row", start, *columns), goal, _ROWS),
        struct("rows_in_order", order_term(node.keys, node.schema), _ROWS, _ORDERED),
        struct("member", struct("row", start, *names.columns(below)), _ORDERED),
    )


def _sliced(node: SlicePlan, below: PlanNode, names: VariableNames) -> Term:
    goal, columns = _apart(below, names)
    if node.offset:
        goal = struct("offset", Number(node.offset), goal)
    if node.limit is not None:
        goal = struct("limit", Number(node.limit), goal)
    return conjunction(goal, *map(unify, names.columns(below), columns))


def _grouped(node: GroupPlan, names: VariableNames) -> Term:
    key, arguments = group_terms(node, names)
    row_key = struct("key", *(names(each, "M") for each in node.keys))
    values = struct("values", *(names(each.variable) for each in node.aggregates))
    count, aggregates = Number(len(node.keys)), aggregate_terms(node)
    always = not node.keys and not node.input.eventful  # nothing will ever come, and that is counted
    return conjunction(
        struct("findall", struct("-", key, arguments), own_timeless(node.input, names), _ROWS),
        TRUE if always else struct("\\==", _ROWS, EMPTY_LIST),
        struct("group_row_of_list", count, aggregates, _ROWS, row_key, values),
        *(unify(names(each), names(each, "M")) for each in node.keys),
    )


def _pair(pair: Pair, names: VariableNames) -> tuple[tuple[Term, ...], Term]:
    operator = pair.operator
    if operator.optional is not None:
        kept = pair.side(operator.optional.other)
        if operator.needs_times or not pair.side(operator.optional).timeless:
            return names.padded(kept, pair), own_timeless(kept, names)
        left, match_right = _sides(pair, names)
        found = conjunction(left, soft_if(match_right, TRUE, _alone(pair, names)))
        return names.columns(pair), found
    left, right = _sides(pair, names)
    found = conjunction(left, right)
    if pair.left_is_open and not pair.shared:
        columns = (list_term(names.columns(side)) for side in (pair.left, pair.right))
        found = if_then_else(struct("only_second_known", *columns), conjunction(right, left), found)
    return names.columns(pair), found


def _sides(pair: Pair, names: VariableNames) -> tuple[Term, Term]:
    """The goal of the left side, and that of the right side which agrees with it."""
    sides = PairSides(pair, names)
    found = conjunction(
        sides.handed_over(to_left=False),
        timeless(pair.right, tuple(sides.right.values())),
        sides.merged(),
        sides.condition(None, ends=None),
    )
    return timeless(pair.left, tuple(sides.left.values())), found


def _alone(pair: Pair, names: VariableNames) -> Term:
    """What the columns are where the optional side has nothing to give."""
    left = PairSides(pair, names).left
    return conjunction(
        *(
            unify(names(each), left.get(each, UNBOUND))
            for each in pair.schema.columns
            if each not in pair.join
        )
    )
