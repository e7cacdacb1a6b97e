"""The one printer of the algebra: a tree of operators, named as in the EP-SPARQL paper and SPARQL 1.1."""

from __future__ import annotations

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
    match pattern:
        case (
            algebra.Unit() | algebra.Table() | algebra.GraphNames() | algebra.TriplePattern()
            | algebra.Ticks()
        ):  # fmt: skip
            return Node(_leaf(pattern, readable))
        case algebra.Filter(condition=condition):
            return Node(
                f"Filter {readable.expression(condition)}",
                _node(pattern.pattern, readable),
                *_tests(condition, readable),
            )
        case algebra.Extend(expression=expression):
            return Node(
                f"Extend {readable.variable(pattern.variable)} := {readable.expression(expression)}",
                _node(pattern.pattern, readable),
                *_tests(expression, readable),
            )
        case algebra.Gap() | algebra.Absence() | algebra.Repeat():
            below = (Node(name, _node(each, readable)) for name, each in algebra.parts(pattern))
            return Node(_step(pattern, readable), *below)
        case (
            algebra.Closure() | algebra.Group() | algebra.OrderBy() | algebra.Slice() | algebra.Skip()
            | algebra.Snapshot() | algebra.Changes()
        ):  # fmt: skip
            return Node(_modifier(pattern, readable), _node(pattern.pattern, readable))
        case algebra.Project():
            closed = ", closed to filters above" if pattern.closed else ""
            title = f"Project {readable.variables(pattern.variables)}{closed}"
            return Node(title, _node(pattern.pattern, readable))
        case algebra.Distinct():
            return Node("Distinct", _node(pattern.pattern, readable))
        case algebra.Pair():
            return _sides(_pair(pattern, readable), pattern, readable)
        case algebra.Union():
            return _sides("Union", pattern, readable)
        case algebra.Minus():
            return _sides("Minus", pattern, readable)
        case _:
            assert_never(pattern)


def _step(pattern: algebra.Steps, readable: Readable) -> str:
    match pattern:
        case algebra.Gap(length=length):
            name = pattern.operator.name if pattern.left is not None else "NotBefore"
            parts = [f"{name} with a gap ({pattern.word})" if pattern.left is not None else name]
            parts += [] if length is None else [f"for {readable.length(length)}"]
            parts += [] if pattern.step is None else [f"if {readable.expression(pattern.step)}"]
        case algebra.Absence(length=length, from_start=from_start):
            name = "After" if pattern.none is None else "Absence"
            parts = [f"{name} for {readable.length(length)}{' from the start' if from_start else ''}"]
        case algebra.Repeat():
            parts = [readable.repetition(pattern)]
        case _:
            assert_never(pattern)
    if pattern.condition is not None:
        none = "none " if isinstance(pattern, algebra.Gap) else ""
        parts.append(f"{none}if {readable.expression(pattern.condition)}")
    return " ".join(parts)


def _leaf(
    pattern: algebra.Unit | algebra.Table | algebra.GraphNames | algebra.TriplePattern | algebra.Ticks,
    readable: Readable,
) -> str:
    match pattern:
        case algebra.Ticks(period=period):
            return f"Every {readable.length(period)}"
        case algebra.Unit():
            return "Unit"
        case algebra.Table(variables=variables, rows=rows):
            return f"Table {readable.variables(variables)} ({len(rows)} rows)"
        case algebra.GraphNames(predicate=str() as name, arguments=arguments):
            return f"Goal {readable.goal(name, arguments)}"
        case algebra.GraphNames():
            return f"Graphs {' '.join(map(readable.pattern_term, pattern.terms))}"
        case algebra.TriplePattern():
            return f"Triple {readable.triple(pattern)}"
        case _:
            assert_never(pattern)


def _modifier(
    pattern: (
        algebra.Closure | algebra.Group | algebra.OrderBy | algebra.Slice | algebra.Skip | algebra.Evaluated
    ),
    readable: Readable,
) -> str:
    match pattern:
        case algebra.Skip(keys=keys, to_next=to_next):
            word = "to next" if to_next else "past last"
            return f"Skip {word}" + (f" per {readable.variables(keys)}" if keys else "")
        case algebra.Snapshot(schedule=schedule, always=True):
            return f"Evaluated {readable.schedule(schedule)}"
        case algebra.Snapshot(schedule=schedule, changes=True):
            return f"Began or ended {readable.schedule(schedule)}"
        case algebra.Snapshot(schedule=schedule):
            return f"Snapshot {readable.schedule(schedule)}"
        case algebra.Changes(gone=gone, schedule=schedule):
            return f"{'Gone' if gone else 'New'} {readable.schedule(schedule)}"
        case algebra.Closure():
            return f"Path {readable.path(pattern)}"
        case algebra.Group(keys=keys, aggregates=aggregates, window=window):
            columns = ", ".join(map(readable.aggregate, aggregates))
            return (
                f"Group by {readable.variables(keys)}: {columns or 'no aggregate'}{readable.extent(window)}"
            )
        case algebra.OrderBy(keys=keys):
            return f"OrderBy {readable.order(keys)}"
        case algebra.Slice(offset=offset, limit=limit):
            return f"Slice from {offset}" + ("" if limit is None else f", at most {limit}")
        case _:
            assert_never(pattern)


def _tests(expression: algebra.Expression, readable: Readable) -> list[Node]:
    """The patterns of EXISTS, below the operator that tests them."""
    found = []
    for number, test in enumerate(algebra.existence_tests(expression), start=1):
        found.append(Node(f"Exists {number}", _node(test.pattern, readable)))
    return found


def _pair(pair: algebra.Pair, readable: Readable) -> str:
    alone = " alone only" if pair.anti else ""
    condition = "" if pair.condition is None else f" if {readable.expression(pair.condition)}"
    return f"{pair.operator.name}{alone}{condition}"


def _sides(title: str, pattern: algebra.TwoInputs, readable: Readable) -> Node:
    return Node(title, _node(pattern.left, readable), _node(pattern.right, readable))
