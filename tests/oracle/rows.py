"""What follows WHERE (SPARQL 1.1, section 18.2.4): groups, HAVING, VALUES, ORDER BY, LIMIT and OFFSET."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax_walk import walk_expression
from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import XSD_INTEGER
from tests.oracle.aggregates import aggregated
from tests.oracle.columns import columns, deciding, in_scope, projection
from tests.oracle.evaluator import Solutions, pairs
from tests.oracle.expressions import Scope, holds, value_or_none
from tests.oracle.orders import Descending, sort_key, standard_key, time_key
from tests.oracle.relations import any_time
from tests.oracle.skipping import skipped
from tests.oracle.solutions import Interval, Solution
from tests.oracle.steps import StepEvaluator
from tests.oracle.triples import is_hidden
from tests.oracle.windows import evaluations

__all__ = ["QueryEvaluator"]

Keys: TypeAlias = "tuple[Encoded | None, ...]"


@dataclass(frozen=True, slots=True)
class Row:
    """A solution, and what it is made of where it stands for a group."""

    solution: Solution
    members: Solutions | None = None


@dataclass(frozen=True, slots=True)
class QueryEvaluator(StepEvaluator):
    """All of a query."""

    def select(self, select: syntax.Select) -> Solutions:
        """The rows of a sub-SELECT. Others than it shows are its own, and all where it counts or cuts."""
        shown = [] if _looks_at_all(select) else columns(select)
        kept = {name: value for name, value in self.substituted.items() if name in shown}
        return replace(self, substituted=kept).rows(select)

    def rows(self, form: syntax.QueryForm) -> Solutions:
        """What a query finds: of a SELECT its columns only."""
        there = self.later if _looks_at_all(form) else self
        found = list(there._named(form, there._joined(form, _skipped(form, there._found(form)))))
        found.sort(key=lambda row: there._order(form, row))
        solutions = [each.solution.restricted(columns(form)) for each in found]
        if isinstance(form, syntax.Select) and form.duplicates == "DISTINCT":
            solutions = list({each.key: each for each in solutions}.values())
        return list(_sliced(solutions, form.modifiers)) if _is_cut(form) else solutions

    def _found(self, form: syntax.QueryForm) -> Iterable[Row]:
        where = [Solution({}, self.data.always)] if form.where is None else self.group(form.where)
        if form.modifiers.aggregates:
            where = list(self._attached(form.modifiers.aggregates, list(where)))
        return self._grouped(form, where) if _is_grouped(form) else map(Row, where)

    def _attached(
        self, clauses: Sequence[syntax.AggregateClause], where: list[Solution]
    ) -> Iterator[Solution]:
        """AGGREGATE of C-SPARQL: each solution with a value of all that agree with it in the keys."""
        values = [self._attached_values(each, where) for each in clauses]
        for solution in where:
            found = solution
            for each, own in zip(clauses, values, strict=True):
                found = found.extended(each.variable.name, own[_attached_keys(each, solution)])
            tests = (test.expression for each in clauses for test in each.conditions)
            if all(holds(test, self.scope(found)) for test in tests):
                yield found

    def _attached_values(
        self, clause: syntax.AggregateClause, where: Solutions
    ) -> dict[Keys, Encoded | None]:
        members: dict[Keys, Solutions] = {}
        for each in where:
            members.setdefault(_attached_keys(clause, each), []).append(each)
        return {
            keys: value_or_none(
                clause.aggregate,
                replace(self.scope(some[0]), aggregate=partial(self._aggregate, members=some)),
            )
            for keys, some in members.items()
        }

    def _joined(self, form: syntax.QueryForm, found: Iterable[Row]) -> Iterator[Row]:
        """With the VALUES at the end."""
        for row in found:
            if form.values is None:
                yield row
            else:
                for both in pairs([row.solution], self._agreeing(self.table(form.values)), any_time):
                    yield Row(both, row.members)

    def _named(self, form: syntax.QueryForm, found: Iterable[Row]) -> Iterator[Row]:
        """With the columns that are expressions; a later one sees those before it."""
        for row in found:
            solution = row.solution
            for column in projection(form):
                if isinstance(column, syntax.ExpressionAs):
                    value = value_or_none(column.expression, self._row_scope(Row(solution, row.members)))
                    solution = solution.extended(column.variable.name, value)
            yield Row(solution, row.members)

    def _order(self, form: syntax.QueryForm, row: Row) -> tuple[Any, ...]:
        """By ORDER BY; then by start and columns, or all variables where ORDER BY looks at others."""
        scope, keys = self._row_scope(row), []
        for each in form.modifiers.order_by:
            key = sort_key(value_or_none(each.expression, scope))
            keys.append(Descending(key) if each.descending else key)
        values = [standard_key(row.solution.mapping.get(name)) for name in deciding(form)]
        return *keys, time_key(row.solution)[2], values

    # ---- Groups --------------------------------------------------------------------------------------

    def _grouped(self, form: syntax.QueryForm, found: Solutions) -> Iterator[Row]:
        def newer(each: Solution) -> tuple[Any, ...]:
            arguments = [self._argument(every, each) for every in _aggregates(form)]
            if any(every.argument is None and every.distinct for every in _aggregates(form)):
                arguments += [each.mapping.get(name) for name in in_scope(form.where)]
            keys = [*self._keys(form, each), *arguments]
            return time_key(each), list(map(standard_key, keys))

        for interval, members in evaluations(form.modifiers.window, form.where, found, self.data, newer):
            groups: dict[Keys, Solutions] = {} if form.modifiers.group_by else {(): []}
            for each in members:
                groups.setdefault(self._keys(form, each), []).append(each)
            for keys, some in groups.items():
                row = Row(self._group_solution(form, keys, interval), some)
                (named,) = self._named(form, [row])
                scope = self._row_scope(named)
                if all(holds(every, scope) for every in form.modifiers.having):
                    yield row

    def _keys(self, form: syntax.QueryForm, solution: Solution) -> Keys:
        scope = self.scope(solution)
        return tuple(
            value_or_none(each.expression if isinstance(each, syntax.ExpressionAs) else each, scope)
            for each in form.modifiers.group_by
        )

    def _group_solution(self, form: syntax.QueryForm, keys: Keys, interval: Interval | None) -> Solution:
        """What is known of a group: its keys, where they have names."""
        solution = Solution({}, interval)
        for each, value in zip(form.modifiers.group_by, keys, strict=True):
            variable = each.variable if isinstance(each, syntax.ExpressionAs) else each
            if isinstance(variable, syntax.Variable):
                solution = solution.extended(variable.name, value)
        return solution

    def _row_scope(self, row: Row) -> Scope:
        members = row.members
        if members is None:
            return self.scope(row.solution)
        return replace(self.scope(row.solution), aggregate=lambda each: self._aggregate(each, members))

    def _aggregate(self, aggregate: syntax.Aggregate, members: Solutions) -> Encoded:
        if aggregate.argument is None:
            shown = {frozenset(_shown(each).mapping.items()) for each in members}
            return len(shown if aggregate.distinct else members), XSD_INTEGER
        found = [(time_key(each), self._argument(aggregate, each)) for each in members]
        found.sort(key=lambda each: (each[0], standard_key(each[1])))
        return aggregated(aggregate, [value for _, value in found])

    def _argument(self, aggregate: syntax.Aggregate, member: Solution) -> Encoded | None:
        if aggregate.argument is None:
            return None
        return value_or_none(aggregate.argument, self.scope(member))


def _attached_keys(clause: syntax.AggregateClause, solution: Solution) -> Keys:
    return tuple(solution.mapping.get(each.name) for each in clause.keys)


def _shown(solution: Solution) -> Solution:
    """Without what blank nodes of the query stand for."""
    return solution.restricted(name for name in solution.mapping if not is_hidden(name))


def _expressions(form: syntax.QueryForm) -> Iterator[syntax.Expression]:
    """Where aggregates can stand."""
    yield from (each.expression for each in projection(form) if isinstance(each, syntax.ExpressionAs))
    yield from form.modifiers.having
    yield from (each.expression for each in form.modifiers.order_by)


def _aggregates(form: syntax.QueryForm) -> list[syntax.Aggregate]:
    walked = (node for each in _expressions(form) for node in walk_expression(each))
    return [node for node in walked if isinstance(node, syntax.Aggregate)]


def _is_grouped(form: syntax.QueryForm) -> bool:
    return bool(form.modifiers.group_by or form.modifiers.having or _aggregates(form))


def _is_cut(form: syntax.QueryForm) -> bool:
    return form.modifiers.limit is not None or form.modifiers.offset is not None


def _looks_at_all(form: syntax.QueryForm) -> bool:
    """Whether more solutions may mean fewer rows."""
    return _is_cut(form) or _is_grouped(form) or form.modifiers.skip is not None


def _skipped(form: syntax.QueryForm, found: Iterable[Row]) -> Iterable[Row]:
    if form.modifiers.skip is None:
        return found
    rows = {id(each.solution): each for each in found}
    return [rows[id(each)] for each in skipped(form.modifiers.skip, [row.solution for row in rows.values()])]


def _sliced(ordered: Solutions, modifiers: syntax.Modifiers) -> Iterator[Solution]:
    """OFFSET and LIMIT of the rows of each instant."""
    ends = [None if each.interval is None else each.interval[1] for each in ordered]
    first = modifiers.offset or 0
    for end in dict.fromkeys(ends):
        rows = [each for each, its in zip(ordered, ends, strict=True) if its == end]
        yield from rows[first : None if modifiers.limit is None else first + modifiers.limit]
