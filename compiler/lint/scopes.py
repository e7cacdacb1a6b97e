"""Which expressions a query has, and what each sees: variables, and of what kind their values are.

Goes through the algebra without recursion: a query may be wide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.aggregates import AGGREGATES
from etalis_py.compiler.algebra.algebra import Expression, Pattern, Variable, children
from etalis_py.compiler.lint.kinds import NUMBER, TIME, Kinds, kinds_of, kinds_of_constant, kinds_of_subject
from etalis_py.core.value_class import value_class

__all__ = ["Scopes", "Tested", "each_part"]


@value_class
class Tested:
    """An expression, and the variables that it sees, each with the kinds of its values (None: any)."""

    expression: Expression
    seen: Mapping[Variable, Kinds]
    is_filter: bool


def each_part(expression: Expression) -> Iterator[Expression]:
    """An expression and all within it, but not the patterns of EXISTS."""
    todo = [expression]
    while todo:
        current = todo.pop()
        yield current
        if isinstance(current, algebra.Apply):
            todo += reversed(current.arguments)


@dataclass
class Scopes:
    """The scopes of one query."""

    root: Pattern
    _kinds: dict[int, dict[Variable, Kinds]] = field(default_factory=dict)

    def seen(self, *patterns: Pattern) -> dict[Variable, Kinds]:
        """The variables in scope after patterns that stand side by side."""
        first, *others = map(self._known, patterns)
        merged = dict(first)
        for each in others:
            merged = {**each, **merged}
        return merged

    @cached_property
    def patterns(self) -> list[tuple[Pattern, dict[Variable, Kinds]]]:
        """All patterns from the outermost, those of EXISTS too, each with what it sees from outside."""
        found = []
        todo: list[tuple[Pattern, dict[Variable, Kinds]]] = [(self.root, {})]
        while todo:
            pattern, outer = todo.pop()
            found.append((pattern, outer))
            todo += ((each, outer) for each in reversed(children(pattern)))
            for expression, beside in pattern.expressions:
                for test in algebra.existence_tests(expression):
                    todo.append((test.pattern, {**outer, **self.seen(*beside)}))
        return found

    @cached_property
    def tested(self) -> list[Tested]:
        """All expressions."""
        found = []
        for pattern, outer in self.patterns:
            is_filter = not isinstance(pattern, algebra.Extend)
            for expression, beside in pattern.expressions:
                found.append(Tested(expression, {**outer, **self.seen(*beside)}, is_filter))
        return found

    def _known(self, pattern: Pattern) -> dict[Variable, Kinds]:
        """As `seen` of one pattern; what is below it first, without recursion."""
        todo = [pattern]
        while todo:
            current = todo[-1]
            missing = [each for each in children(current) if id(each) not in self._kinds]
            if missing:
                todo += missing
                continue
            todo.pop()
            if id(current) not in self._kinds:
                self._kinds[id(current)] = self._given(current)
        return self._kinds[id(pattern)]

    def _given(self, pattern: Pattern) -> dict[Variable, Kinds]:
        """The variables that a pattern brings into scope."""
        inner = [self._kinds[id(each)] for each in children(pattern)]
        match pattern:
            case algebra.Table(variables=columns, rows=rows):
                return {each: _column(rows, place) for place, each in enumerate(columns)}
            case algebra.Lookup(graph=Variable() as graph):
                return {graph: kinds_of_subject()}
            case algebra.TriplePattern():
                return _of_triple(pattern)
            case algebra.Repeat(left=left, group=group, then=then):
                iteration = self._of(group)
                made = {each.variable: _of_aggregate(each, iteration) for each in pattern.measures}
                own = {**{each: iteration.get(each) for each in pattern.shared}, **made}
                return _joined(_joined(self._of(left), own, both=True), self._of(then), both=True)
            case algebra.Extend(variable=variable, expression=expression):
                return {**inner[0], variable: kinds_of(expression, inner[0])}
            case algebra.Project(variables=shown):
                return {each: inner[0].get(each) for each in shown}
            case algebra.Group(keys=keys, aggregates=aggregates):
                made = {each.variable: _of_aggregate(each, inner[0]) for each in aggregates}
                return {**{each: inner[0].get(each) for each in keys}, **made}
            case algebra.Pair(operator=operator):
                return _joined(inner[0], inner[1], both=operator.optional is None)
            case algebra.Union():
                return _joined(inner[0], inner[1], both=False)
            case _:
                known: dict[Variable, Kinds] = {}
                for each in pattern.required:
                    known = _joined(known, self._of(each), both=True)
                return {**dict.fromkeys(pattern.binds), **known}

    def _of(self, pattern: Pattern | None) -> dict[Variable, Kinds]:
        return {} if pattern is None else self._kinds[id(pattern)]


def _column(rows: tuple[tuple[object, ...], ...], place: int) -> Kinds:
    found: set[str] = set()
    for row in rows[:100]:
        kinds = kinds_of_constant(row[place])
        if kinds is None:
            return None
        found |= kinds
    return frozenset(found) if found and len(rows) <= 100 else None


def _of_triple(pattern: algebra.TriplePattern) -> dict[Variable, Kinds]:
    found: dict[Variable, Kinds] = {}
    for term in (pattern.object, pattern.subject, pattern.predicate, *pattern.all_terms[3:]):
        if isinstance(term, Variable):
            found[term] = None if term is pattern.object else kinds_of_subject()
    if pattern.place is not None:
        own = pattern.place.time
        found |= {each: frozenset({NUMBER if each is own else TIME}) for each in pattern.place.times}
    return found


def _of_aggregate(aggregate: algebra.Aggregate, inner: Mapping[Variable, Kinds]) -> Kinds:
    gives = AGGREGATES[aggregate.function].gives
    if gives is not None:
        return frozenset({gives})
    return None if aggregate.argument is None else inner.get(aggregate.argument)


def _joined(
    left: dict[Variable, Kinds], right: dict[Variable, Kinds], *, both: bool
) -> dict[Variable, Kinds]:
    """Of a variable on two sides: what either says, where it has a value on ``both``; else all it may be."""
    joined = {**right, **left}
    for variable in left.keys() & right.keys():
        one, other = left[variable], right[variable]
        if both:
            joined[variable] = one if other is None else other if one is None else (one & other or None)
        else:
            joined[variable] = None if one is None or other is None else one | other
    return joined
