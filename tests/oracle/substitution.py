"""Values in the place of variables (SPARQL 1.1, section 18.6), in the algebra.

What gives a variable a value of its own (VALUES, BIND) is kept where that is the value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Constant, Expression, Pattern, TermPattern, Variable
from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import XSD_BOOLEAN

__all__ = ["substituted"]


def substituted(pattern: Pattern, values: Mapping[str, Encoded]) -> Pattern:
    """``pattern`` with ``values`` in the place of variables."""

    def within(inner: Pattern) -> Pattern:
        return substituted(inner, values)

    match pattern:
        case algebra.Unit():
            return pattern
        case algebra.TriplePattern():
            terms = (_term(each, values) for each in pattern.terms)
            place = None if pattern.place is None else _place(pattern.place, values)
            return algebra.TriplePattern(*terms, pattern.graph, pattern.sources, place)
        case algebra.Table(variables=columns, rows=rows):
            fitting = [
                row
                for row in rows
                if all(
                    cell is None or values.get(each.name, cell) == cell
                    for each, cell in zip(columns, row, strict=True)
                )
            ]
            places = [place for place, each in enumerate(columns) if each.name not in values]
            kept = tuple(columns[place] for place in places)
            return algebra.Table(kept, tuple(tuple(row[place] for place in places) for row in fitting))
        case algebra.Filter(condition=condition):
            return algebra.Filter(_expression(condition, values), within(pattern.pattern))
        case algebra.Extend(variable=variable, expression=expression):
            below, value = within(pattern.pattern), _expression(expression, values)
            if variable.name not in values:
                return algebra.Extend(below, variable, value)
            own = Variable(f"_:own {variable.name}")
            unbound = algebra.Apply("!", (algebra.Apply("BOUND", (own,)),))
            same = algebra.Apply("SAMETERM", (own, Constant(values[variable.name])))
            return algebra.Filter(algebra.Apply("||", (unbound, same)), algebra.Extend(below, own, value))
        case algebra.Project(variables=shown):
            there = {each.name: values[each.name] for each in shown if each.name in values}
            kept = tuple(each for each in shown if each.name not in there)
            return algebra.Project(substituted(pattern.pattern, there), kept)
        case algebra.Distinct() | algebra.OrderBy():
            return replace(pattern, pattern=within(pattern.pattern))
        case algebra.Closure() | algebra.Lookup() | algebra.Group() | algebra.Slice():
            raise NotImplementedError(type(pattern).__name__)
        case _:
            return _pair(pattern, values)


def _pair(pattern: algebra.Pair | algebra.Union | algebra.Minus, values: Mapping[str, Encoded]) -> Pattern:
    changes: dict[str, Any] = {
        "left": substituted(pattern.left, values),
        "right": substituted(pattern.right, values),
    }
    if getattr(pattern, "condition", None) is not None:
        changes["condition"] = _expression(getattr(pattern, "condition"), values)  # noqa: B009
    return replace(pattern, **changes)


def _term(term: TermPattern, values: Mapping[str, Encoded]) -> TermPattern:
    return Constant(values[term.name]) if isinstance(term, Variable) and term.name in values else term


def _place(place: algebra.Place, values: Mapping[str, Encoded]) -> algebra.Place:
    stream, name = (None if each is None else _term(each, values) for each in (place.stream, place.name))
    return replace(place, stream=stream, name=name)


def _expression(expression: Expression, values: Mapping[str, Encoded]) -> Expression:
    match expression:
        case Variable():
            return _term(expression, values)
        case Constant():
            return expression
        case algebra.Exists(pattern=pattern):
            return algebra.Exists(substituted(pattern, values))
        case algebra.Apply(function="BOUND", arguments=(Variable(name=name),)) if name in values:
            return Constant((True, XSD_BOOLEAN))
        case algebra.Apply(arguments=arguments):
            return replace(expression, arguments=tuple(_expression(each, values) for each in arguments))
