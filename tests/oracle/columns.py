"""Which variables the answers of a query have, and in which order."""

from __future__ import annotations

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax_walk import walk

__all__ = ["columns", "deciding", "in_scope", "projection"]


def projection(form: syntax.QueryForm) -> tuple[syntax.Variable | syntax.ExpressionAs, ...]:
    """What a SELECT names."""
    return (form.projection or ()) if isinstance(form, syntax.Select) else ()


def columns(form: syntax.QueryForm) -> list[str]:
    """The variables of the answers, in order: those of the SELECT, or all in scope."""
    named = [each.variable if isinstance(each, syntax.ExpressionAs) else each for each in projection(form)]
    return [each.name for each in named] or _all_in_scope(form)


def deciding(form: syntax.QueryForm) -> list[str]:
    """The variables by which rows are put in order that ORDER BY leaves open."""
    shown = columns(form)
    asked = {name for each in form.modifiers.order_by for name in _written(each.expression)}
    return shown if asked <= set(shown) else list(dict.fromkeys([*_all_in_scope(form), *shown]))


def _all_in_scope(form: syntax.QueryForm) -> list[str]:
    attached = [each.variable.name for each in form.modifiers.aggregates]
    named = [*in_scope(form.where), *attached, *in_scope(form.values)]
    return list(dict.fromkeys(named))


def in_scope(element: syntax.GroupElement | None) -> list[str]:  # noqa: C901 - one branch for each element
    """The variables that an element of a group brings into scope (SPARQL 1.1, section 18.2.1), in order."""
    match element:
        case syntax.TriplesBlock():
            return _written(element)
        case syntax.Bind(variable=variable):
            return [variable.name]
        case syntax.GoalPattern():
            return _written(element)
        case syntax.InlineData(variables=variables):
            return [each.name for each in variables]
        case syntax.OptionalPattern(group=group):
            return in_scope(group)
        case (
            syntax.GraphPattern(name=name, group=group)
            | syntax.StreamPattern(name=name, group=group)
            | syntax.WindowPattern(name=name, group=group)
        ):
            return [*_written(name), *in_scope(group)]
        case syntax.EventPattern(stream=name, group=group):
            return [*([] if name is None else _written(name)), *in_scope(group)]
        case syntax.MatchPattern():
            events = (each for each in walk(element) if isinstance(each, syntax.EventPattern))
            found = [name for each in events for name in in_scope(each)]
            return [*found, *(each.variable.name for each in element.bindings)]
        case syntax.Group(elements=elements):
            return [name for each in elements for name in in_scope(each)]
        case syntax.Combination(left=left, right=right):
            return [*in_scope(left), *in_scope(right)]
        case syntax.Repeat(per=per, measures=measures):
            return [*(each.name for each in per), *(each.variable.name for each in measures)]
        case syntax.Select():
            return columns(element)
        case _:
            return []


def _written(part: syntax.Node) -> list[str]:
    return [node.name for node in walk(part) if isinstance(node, syntax.Variable)]
