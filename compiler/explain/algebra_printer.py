"""The one printer of the algebra: a tree of operators, named as in the EP-SPARQL paper and SPARQL 1.1."""

from __future__ import annotations

from collections.abc import Iterator

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.explain.readable import Node, Readable, draw_tree

__all__ = ["algebra_text"]


def algebra_text(query: algebra.Query, readable: Readable) -> str:
    """The algebra of one query, without an end of line after it."""
    pattern = _node(query.pattern, readable)
    match query:
        case algebra.SelectQuery():
            return draw_tree(pattern)
        case algebra.AskQuery():
            return draw_tree(Node("Ask", pattern))
        case algebra.DescribeQuery():
            return draw_tree(Node("Describe", pattern))
        case algebra.ConstructQuery(template=template, stream=stream):
            return draw_tree(Node(f"Construct {readable.template(template, stream)}", pattern))
        case _:
            assert_never(query)


def _node(pattern: algebra.Pattern, readable: Readable) -> Node:
    tests = (node for each, _ in pattern.expressions for node in _tests(each, readable))
    return Node(_title(pattern, readable), *_below(pattern, readable), *tests)


def _below(pattern: algebra.Pattern, readable: Readable) -> Iterator[Node]:
    for name, each in algebra.parts(pattern):
        below = _node(each, readable)
        yield Node(name, below) if isinstance(pattern, algebra.Steps) else below


def _title(pattern: algebra.Pattern, readable: Readable) -> str:  # noqa: C901 - one branch for each node
    match pattern:
        case algebra.Table(variables=variables, rows=rows):
            return f"Table {readable.variables(variables)} ({len(rows)} rows)"
        case algebra.Lookup(predicate=str() as name, arguments=arguments):
            return f"Goal {readable.goal(name, arguments)}"
        case algebra.Lookup():
            return f"Graphs {' '.join(map(readable.pattern_term, pattern.terms))}"
        case algebra.TriplePattern():
            return f"Triple {readable.triple(pattern)}"
        case algebra.Ticks(period=period):
            return f"Every {readable.length(period)}"
        case algebra.Pair():
            alone = " alone only" if pattern.anti else ""
            return f"{pattern.operator.name}{alone}{_condition(pattern.condition, readable)}"
        case algebra.Filter(condition=condition):
            return f"Filter {readable.expression(condition)}"
        case algebra.Extend(variable=variable, expression=expression):
            return f"Extend {readable.variable(variable)} := {readable.expression(expression)}"
        case algebra.Project(variables=variables, closed=closed):
            return f"Project {readable.variables(variables)}{', closed to filters above' if closed else ''}"
        case algebra.Gap():
            return _gap(pattern, readable)
        case algebra.Absence(none=none, length=length, from_start=from_start, condition=condition):
            name, start = "After" if none is None else "Absence", " from the start" if from_start else ""
            return f"{name} for {readable.length(length)}{start}{_condition(condition, readable)}"
        case algebra.Repeat(condition=condition):
            return f"{readable.repetition(pattern)}{_condition(condition, readable)}"
        case algebra.Skip(keys=keys, to_next=to_next):
            word = "to next" if to_next else "past last"
            return f"Skip {word}" + (f" per {readable.variables(keys)}" if keys else "")
        case algebra.Chosen(keys=keys, last=last):
            return f"{'Last' if last else 'First'}" + (f" per {readable.variables(keys)}" if keys else "")
        case algebra.Unused(consumes=consumes):
            return "Unused, and consumed" if consumes else "Unused"
        case algebra.Snapshot(schedule=schedule, always=True):
            return f"Evaluated {readable.schedule(schedule)}"
        case algebra.Snapshot(schedule=schedule, changes=True):
            return f"Began or ended {readable.schedule(schedule)}"
        case algebra.Snapshot(schedule=schedule):
            return f"Snapshot {readable.schedule(schedule)}"
        case algebra.Changes(to_stream=to_stream, schedule=schedule):
            word = {"RSTREAM": "There", "ISTREAM": "New", "DSTREAM": "Gone"}[to_stream]
            return f"{word} {readable.schedule(schedule)}"
        case algebra.Closure():
            return f"Path {readable.path(pattern)}"
        case algebra.Group(keys=keys, aggregates=aggregates, window=window):
            columns = ", ".join(map(readable.aggregate, aggregates)) or "no aggregate"
            return f"Group by {readable.variables(keys)}: {columns}{readable.extent(window)}"
        case algebra.OrderBy(keys=keys):
            return f"OrderBy {readable.order(keys)}"
        case algebra.Slice(offset=offset, limit=limit, keys=order):
            by = "" if order is None else f" by {readable.order(order)}"
            return f"Slice{by} from {offset}" + ("" if limit is None else f", at most {limit}")
        case _:
            return type(pattern).__name__


def _gap(gap: algebra.Gap, readable: Readable) -> str:
    title = "NotBefore" if gap.left is None else f"{gap.operator.name} with a gap ({gap.word})"
    length = "" if gap.length is None else f" for {readable.length(gap.length)}"
    none = "" if gap.condition is None else f" none{_condition(gap.condition, readable)}"
    return f"{title}{length}{_condition(gap.step, readable)}{none}"


def _condition(condition: algebra.Expression | None, readable: Readable) -> str:
    return "" if condition is None else f" if {readable.expression(condition)}"


def _tests(expression: algebra.Expression, readable: Readable) -> list[Node]:
    """The patterns of EXISTS, below the operator that tests them."""
    found = []
    for number, test in enumerate(algebra.existence_tests(expression), start=1):
        found.append(Node(f"Exists {number}", _node(test.pattern, readable)))
    return found
