"""What did not happen, in words: the sides of operators that gave nothing, and what tests looked for.

The times are those up to which the engine looked: a pair that is given alone had no partner that ended by the
end of what is kept, or, under OPTIONALSEQ, before its start (docs/semantics.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from etalis_py.compiler.algebra.algebra import Apply, Exists, Expression
from etalis_py.compiler.explain.plan_printer import operator_text
from etalis_py.compiler.explain.readable import Readable
from etalis_py.compiler.plan.plan import (
    ExistsPlan,
    FilterPlan,
    GapPlan,
    Pair,
    PairOperator,
    PartPlan,
    PlanNode,
    UnionPlan,
    inputs,
)
from etalis_py.compiler.spans import shorten
from etalis_py.core.times import format_time
from etalis_py.why.reading import Told, witness
from etalis_py.why.tree import Proof

__all__ = ["absences", "phrase", "test_text"]

_LONGEST = 90
_NO_PARTS: Final[Mapping[str, PlanNode]] = {}


def absences(node: PlanNode, parts: Sequence[Proof], readable: Readable, told: Told) -> Iterator[str]:
    """What the proof of ``node`` with these parts says of what did not happen."""
    match node:
        case Pair(operator=operator) if operator.optional_side is not None and len(parts) == 1:
            [kept] = parts
            left = operator is PairOperator.OPTIONALSEQ
            optional = node.left if left else node.right
            yield f"nothing compatible matched {phrase(optional, readable)} {_until(operator, kept)}"
        case GapPlan(between=between):
            yield f"nothing compatible matched {phrase(between, readable)} between the two"
        case FilterPlan(tests=tests, condition=condition):
            [below] = parts
            until = "" if below.interval is None else f" up to {format_time(below.interval[1])}"
            for test in tests:
                if witness(test, told) is not None:
                    continue
                wanted = _is_wanted(test, condition)
                what = "something" if wanted else "nothing"
                nodes = {each.name: each.node for each in test.tests if each.is_part}
                yield f"{what} compatible matched {phrase(test.node, readable, nodes)}{until}"
        case _:
            pass


def test_text(node: PlanNode) -> str | None:
    """A filter that is one test and nothing else, as the query writes it."""
    match node:
        case FilterPlan(tests=(test,)) if test.is_minus:
            return "MINUS"
        case FilterPlan(condition=Exists()):
            return "FILTER EXISTS"
        case FilterPlan(condition=Apply(function="!", arguments=(Exists(),))):
            return "FILTER NOT EXISTS"
        case _:
            return None


def _until(operator: PairOperator, kept: Proof) -> str:
    if kept.interval is None:
        return "in the background"
    start, end = kept.interval
    match operator:
        case PairOperator.OPTIONALSEQ:
            return f"that ended before {format_time(start)}"
        case PairOperator.EQUALSOPTIONAL:
            return f"with the interval {format_time(start)} to {format_time(end)}"
        case _:
            return f"up to {format_time(end)}"


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
        case _:
            return wanted


def _tests(expression: Expression) -> Iterator[Exists]:
    match expression:
        case Exists():
            yield expression
        case Apply(arguments=arguments):
            for each in arguments:
                yield from _tests(each)
        case _:
            pass


def phrase(node: PlanNode, readable: Readable, parts: Mapping[str, PlanNode] = _NO_PARTS) -> str:
    """The patterns of a part of a query, in braces, cut where it is long.

    ``parts`` are those of a group that is evaluated for each match.
    """

    def text(node: PlanNode) -> str:
        match node:
            case Pair(operator=operator, left=left, right=right):
                between = " . " if operator is PairOperator.JOIN else f" {operator.value} "
                return between.join(map(text, (left, right)))
            case UnionPlan(left=left, right=right):
                return " UNION ".join(map(text, (left, right)))
            case FilterPlan(input=below, tests=(ExistsPlan(is_minus=True, substituted=tuple()) as test,)):
                return f"{text(below)} MINUS {text(test.node)}"
            case FilterPlan(input=below):
                return f"{text(below)} {operator_text(node, readable)}"
            case PartPlan(part=part):
                return text(parts[part])
            case _:
                found = inputs(node)
                return text(found[0]) if found else operator_text(node, readable)

    return "{ " + shorten(text(node), _LONGEST) + " }"
