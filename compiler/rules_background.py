"""The backward-chaining rules: solutions that background alone gives, found on demand.

``<node>_background(Columns...)`` enumerates them; a join calls it with its join variables bound, so that
the background's own indexing finds them. Such a solution has no interval: time functions are errors.
"""

from __future__ import annotations

from typing_extensions import assert_never

from etalis_py.compiler.expression_goals import ExpressionCompiler, Scope
from etalis_py.compiler.plan import (
    DistinctPlan,
    ExtendPlan,
    FilterPlan,
    Pair,
    PairOperator,
    PlanNode,
    ProjectPlan,
    Scan,
    UnionPlan,
    UnitPlan,
)
from etalis_py.compiler.prolog_terms import TRUE, UNBOUND, Term, conjunction, soft_if, struct
from etalis_py.compiler.rules import Rule, RuleKind, VariableNames
from etalis_py.compiler.rules_pair import timeless_name
from etalis_py.compiler.rules_single import SingleRules, extend_goal, filter_goal

__all__ = ["BackgroundRules"]


class BackgroundRules:
    """Generates the background rules of one query's nodes."""

    def __init__(self, names: VariableNames) -> None:
        self._names = names
        self._single = SingleRules(names)

    def rules(self, node: PlanNode) -> list[Rule]:
        """The clauses of ``<node>_background``; none where background alone gives nothing."""
        if not node.timeless:
            return []
        return [
            Rule(RuleKind.TIMELESS, struct(timeless_name(node), *columns), body, node.span)
            for columns, body in self._clauses(node)
        ]

    def _goal(self, node: PlanNode, side: str = "", shared: tuple[object, ...] = ()) -> Term:
        columns = (self._names(each, side if each in shared else "") for each in node.schema.columns)
        return struct(timeless_name(node), *columns)

    def _clauses(self, node: PlanNode) -> list[tuple[tuple[Term, ...], Term]]:
        columns = self._single.columns(node)
        match node:
            case UnitPlan():
                return [((), TRUE)]
            case Scan(pattern=pattern):
                terms = (self._single.term(each) for each in pattern.terms)
                return [(columns, struct("background", *terms))]
            case FilterPlan(input=below):
                return [(columns, conjunction(self._goal(below), filter_goal(node, self._names, None)))]
            case ExtendPlan(input=below):
                return [(columns, conjunction(self._goal(below), extend_goal(node, self._names, None)))]
            case ProjectPlan(input=below):
                return [(self._single.padded(below, node), self._goal(below))]
            case DistinctPlan(input=below):
                row = struct("row", *columns)
                return [(columns, struct("distinct_solution", row, self._goal(below)))]
            case UnionPlan(left=left, right=right):
                sides = [side for side in (left, right) if side.timeless]
                return [(self._single.padded(side, node), self._goal(side)) for side in sides]
            case Pair():
                return [self._pair(node)]
            case _:
                assert_never(node)

    def _pair(self, pair: Pair) -> tuple[tuple[Term, ...], Term]:
        match pair.operator:
            case PairOperator.JOIN:
                return self._single.columns(pair), self._both(pair)
            case PairOperator.OPTIONAL if pair.right.timeless:
                alone = conjunction(
                    *(
                        struct("=", self._names(each), self._alone(pair, each))
                        for each in pair.schema.columns
                        if each not in pair.join and (each in pair.shared or each not in pair.left.schema)
                    )
                )
                left = self._goal(pair.left, "L", pair.shared)
                match_right = conjunction(self._goal(pair.right, "R", pair.shared), self._agree(pair))
                return self._single.columns(pair), conjunction(left, soft_if(match_right, TRUE, alone))
            case PairOperator.OPTIONALSEQ:
                return self._single.padded(pair.right, pair), self._goal(pair.right)
            case _:
                return self._single.padded(pair.left, pair), self._goal(pair.left)

    def _alone(self, pair: Pair, variable: object) -> Term:
        return self._names(variable, "L") if variable in pair.shared else UNBOUND

    def _both(self, pair: Pair) -> Term:
        left = self._goal(pair.left, "L", pair.shared)
        return conjunction(left, self._goal(pair.right, "R", pair.shared), self._agree(pair))

    def _agree(self, pair: Pair) -> Term:
        merged = (
            struct("compatible", self._names(each, "L"), self._names(each, "R"), self._names(each))
            for each in pair.shared
        )
        if pair.condition is None:
            return conjunction(*merged)
        values = {each: self._names(each) for each in (*pair.left.schema.columns, *pair.right.schema.columns)}
        certain = pair.left.schema.certain | pair.right.schema.certain
        test = ExpressionCompiler(Scope(values, certain, None)).condition(pair.condition)
        return conjunction(*merged, test)
