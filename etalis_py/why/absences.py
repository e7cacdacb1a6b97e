"""What did not happen, in words: the sides of operators that gave nothing, and what tests looked for.

The times are those up to which the engine looked: a pair that is given alone had no partner that ended by the
end of what is kept, or, under OPTIONALSEQ, before its start (docs/semantics.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from typing_extensions import assert_never

from etalis_py.compiler.algebra.algebra import Apply, Constant, Exists, Expression, TermPattern, Variable
from etalis_py.compiler.algebra.operators import JOIN, Operator
from etalis_py.compiler.explain.plan_printer import operator_text
from etalis_py.compiler.explain.readable import Readable
from etalis_py.compiler.plan.plan import (
    AbsencePlan,
    BetweenPlan,
    ExistsPlan,
    ExtendPlan,
    FilterPlan,
    GapPlan,
    Pair,
    PartPlan,
    PlanNode,
    RepeatPlan,
    Scan,
    UnionPlan,
    stands_for_elements,
)
from etalis_py.compiler.spans import shorten
from etalis_py.core.terms import Encoded
from etalis_py.core.times import format_time
from etalis_py.why.reading import TraceColumns, witness
from etalis_py.why.tree import Proof

__all__ = ["absences", "phrase", "scope_text", "test_text"]

_LONGEST = 90
_NO_PARTS: Final[Mapping[str, PlanNode]] = {}


def absences(
    node: PlanNode, parts: Sequence[Proof], readable: Readable, traced: TraceColumns
) -> Iterator[str]:
    """What the proof of ``node`` with these parts says of what did not happen."""
    if isinstance(node, Pair) and node.operator.optional is not None and len(parts) == 1:
        [kept] = parts
        optional = phrase(node.side(node.operator.optional), readable)
        yield f"nothing compatible matched {optional} {_until(node.operator, kept)}"
    elif isinstance(node, GapPlan):
        yield f"nothing compatible matched {phrase(node.between, readable)} between the two"
    elif isinstance(node, BetweenPlan | AbsencePlan):
        yield from _step_absences(node, parts, readable)
    elif isinstance(node, FilterPlan):
        [below] = parts
        until = "" if below.interval is None else f" up to {format_time(below.interval[1])}"
        for test in node.tests:
            if witness(test, traced) is not None:
                continue
            wanted = _is_wanted(test, node.condition)
            what = "something" if wanted else "nothing"
            nodes = {each.name: each.node for each in test.tests if each.is_part}
            yield f"{what} compatible matched {phrase(test.node, readable, nodes)}{until}"


def scope_text(scope: PlanNode, *, bindings: Mapping[str, Encoded], readable: Readable) -> str:
    """That nothing of a scope is there: elements of the query's streams, what is about a thing, a group."""
    if isinstance(scope, ExtendPlan):
        return scope_text(scope.input, bindings=bindings, readable=readable)
    if isinstance(scope, UnionPlan) and None in _subjects(scope):
        sides = (scope_text(each, bindings=bindings, readable=readable) for each in (scope.left, scope.right))
        return " and ".join(dict.fromkeys(sides))
    if stands_for_elements(scope):
        return "no event of the query's streams"
    subjects = list(_subjects(scope))
    if subjects and all(each is not None for each in subjects):
        about = " or ".join(_shown(each, bindings, readable) for each in subjects if each is not None)
        return f"nothing about {about}"
    known = [each for each in scope.schema.columns if not each.is_hidden and each.name in bindings]
    where = " and ".join(f"{readable.variable(each)} is {_shown(each, bindings, readable)}" for each in known)
    return f"nothing matched {phrase(scope, readable)}" + (f" where {where}" if where else "")


def _subjects(scope: PlanNode) -> Iterator[Variable | None]:
    """The variables of which it is any triple; None for a part that says more."""
    if isinstance(scope, UnionPlan):
        yield from (*_subjects(scope.left), *_subjects(scope.right))
        return
    is_any = isinstance(scope, Scan) and all(map(_is_anything, scope.pattern.terms[1:]))
    subject = scope.pattern.subject if isinstance(scope, Scan) and is_any else None
    yield subject if isinstance(subject, Variable) else None


def _is_anything(term: TermPattern) -> bool:
    return isinstance(term, Variable) and term.is_hidden


def _shown(variable: Variable, bindings: Mapping[str, Encoded], readable: Readable) -> str:
    value = bindings.get(variable.name)
    return readable.variable(variable) if value is None else readable.term(value)


def _step_absences(
    node: BetweenPlan | AbsencePlan, parts: Sequence[Proof], readable: Readable
) -> Iterator[str]:
    """What was not there between two steps, before one, or after one up to a deadline."""
    if node.none is None:
        return
    bindings = {name: value for part in parts for name, value in part.bindings.items()}
    what = scope_text(node.none, bindings=bindings, readable=readable)
    ends = [each.interval for each in parts if each.interval is not None]
    if isinstance(node, AbsencePlan):
        start, end = ends[0]
        due = (start if node.from_start else end) + node.length
        yield f"{what} after {format_time(end)} up to {format_time(due)}"
    elif node.left is not None:
        yield f"{what} between {format_time(ends[0][1])} and {format_time(ends[-1][0])}"
    else:
        before = ends[0][0]
        since = "" if node.length is None else f"from {format_time(before - node.length)} on "
        yield f"{what} {since}that ended before {format_time(before)}"


def test_text(node: PlanNode) -> str | None:
    """A filter that is one test and nothing else, as the query writes it."""
    if not isinstance(node, FilterPlan) or not node.tests:
        return None
    if node.tests[0].is_minus:
        return "MINUS"
    match node.condition:
        case Exists():
            return "FILTER EXISTS"
        case Apply(function="!", arguments=(Exists(),)):
            return "FILTER NOT EXISTS"
        case Variable() | Constant() | Apply():
            return None
        case _:
            assert_never(node.condition)


def _until(operator: Operator, kept: Proof) -> str:
    if kept.interval is None:
        return "in the background"
    start, end = kept.interval
    if operator.same_interval:
        return f"with the interval {format_time(start)} to {format_time(end)}"
    if operator.waits_for_instant:
        return f"up to {format_time(end)}"
    return f"that ended before {format_time(start)}"


def _is_wanted(test: ExistsPlan, condition: Expression, wanted: bool = True) -> bool:
    """Whether a condition wants the test to succeed, by the number of negations above it."""
    match condition:
        case Exists():
            return wanted
        case Apply(function="!", arguments=(operand,)):
            return _is_wanted(test, operand, not wanted)
        case Apply(arguments=arguments):
            within = (each for each in arguments if test.expression in _tests(each))
            return next((_is_wanted(test, each, wanted) for each in within), wanted)
        case Variable() | Constant():
            return wanted
        case _:
            assert_never(condition)


def _tests(expression: Expression) -> Iterator[Exists]:
    match expression:
        case Exists():
            yield expression
        case Apply(arguments=arguments):
            for each in arguments:
                yield from _tests(each)
        case Variable() | Constant():
            return
        case _:
            assert_never(expression)


def phrase(
    node: PlanNode,
    readable: Readable,
    parts: Mapping[str, PlanNode] = _NO_PARTS,
) -> str:
    """The patterns of a part of a query, in braces, cut where it is long.

    ``parts`` are those of a group that is evaluated for each match.
    """

    def text(
        node: PlanNode,
    ) -> str:
        match node:
            case Pair(operator=operator, left=left, right=right):
                between = " . " if operator is JOIN else f" {operator.word} "
                return between.join(map(text, (left, right)))
            case UnionPlan(left=left, right=right):
                return " UNION ".join(map(text, (left, right)))
            case FilterPlan(input=below, tests=(ExistsPlan(is_minus=True, substituted=tuple()) as test,)):
                return f"{text(below)} MINUS {text(test.node)}"
            case FilterPlan(input=below):
                return f"{text(below)} {operator_text(node, readable)}"
            case PartPlan(part=part):
                return text(parts[part])
            case BetweenPlan(left=None, none=none, right=right):
                return f"NOT {text(none)} SEQ {text(right)}"
            case BetweenPlan(left=left, right=right, operator=operator):
                assert left is not None
                return f"{text(left)} {operator.word} {text(right)}"
            case AbsencePlan(left=left):
                return f"{text(left)} SEQ {operator_text(node, readable)}"
            case RepeatPlan(left=left, group=group, then=then):
                repeated = f"{operator_text(node, readable)} {text(group)}"
                known = [each for each in (left, then) if each is not None]
                return " SEQ ".join(
                    [*map(text, known[: left is not None]), repeated, *map(text, known[left is not None :])]
                )
            case _:
                return " SEQ ".join(map(text, node.required)) or operator_text(node, readable)

    return "{ " + shorten(text(node), _LONGEST) + " }"
