"""Where aggregates can stand, and which variables a query with groups can show.

SPARQL 1.1, section 11.4 and the notes of section 19.8.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.syntax_walk import children, walk_expression
from etalis_py.compiler.spans import Span

__all__ = [
    "check_grouping",
    "is_grouped",
    "refuse_aggregates",
    "refuse_nested_aggregates",
    "refuse_of_iterations",
    "refuse_prev",
    "refuse_unknown_iterated",
]

_OF_ITERATIONS = frozenset({"FIRST", "LAST", "LIST"})


def refuse_aggregates(expression: syntax.Expression, clause: str) -> None:
    """Refuse any aggregate in an expression of ``clause``.

    Raises:
        Fault: EP115.
    """
    for aggregate in _aggregates(expression):
        hint = "aggregates stand in SELECT, HAVING and ORDER BY"
        raise Fault("EP115", f"{aggregate.name} cannot stand in {clause}", aggregate.span, hint)


def refuse_nested_aggregates(expression: syntax.Expression) -> None:
    """Refuse an aggregate inside another.

    Raises:
        Fault: EP115.
    """
    for outer in _aggregates(expression):
        for child in children(outer):
            for node in walk_expression(child):
                if isinstance(node, syntax.Aggregate):
                    message = f"{node.name} cannot stand inside {outer.name}"
                    raise Fault("EP115", message, node.span, "compute the inner one in a sub-SELECT")


def refuse_of_iterations(expression: syntax.Expression, clause: str, *, prev_only: bool = False) -> None:
    """Refuse PREV, and but for ``prev_only`` what aggregates the iterations of REPEAT, in ``clause``.

    Raises:
        Fault: EP118.
    """
    for node in walk_expression(expression):
        if isinstance(node, syntax.BuiltInCall) and node.name == "PREV":
            refuse_prev(node)
        if isinstance(node, syntax.Aggregate) and node.name in _OF_ITERATIONS and not prev_only:
            hint = "FIRST, LAST and LIST stand in MEASURES and in filters of a group that REPEAT repeats"
            raise Fault("EP118", f"{node.name} cannot stand in {clause}", node.span, hint)


def refuse_prev(call: syntax.BuiltInCall) -> None:
    """Refuse PREV.

    Raises:
        Fault: EP118.
    """
    hint = "PREV(?v) is the value in the iteration before: use it in a FILTER of the group behind REPEAT"
    raise Fault("EP118", "PREV cannot stand here", call.span, hint)


def refuse_unknown_iterated(expression: syntax.Expression, inside: set[str]) -> None:
    """Refuse PREV and aggregates of a variable that the repeated group, which has ``inside``, does not bind.

    Raises:
        Fault: EP118.
    """
    for node in walk_expression(expression):
        if isinstance(node, syntax.BuiltInCall) and node.name == "PREV":
            variable: syntax.Node | None = node.arguments[0]
        elif isinstance(node, syntax.Aggregate):
            variable = node.argument
        else:
            continue
        if isinstance(variable, syntax.Variable) and variable.name not in inside:
            message = f"{node.name}(?{variable.name}): the repeated group does not bind ?{variable.name}"
            raise Fault("EP118", message, node.span, "take a variable of the group")


def check_grouping(select: syntax.Select) -> None:
    """Refuse columns of a SELECT with groups that have no one value in a group.

    Raises:
        Fault: EP114 for a variable that is neither grouped nor aggregated, EP116 for ``SELECT *``.
    """
    if not is_grouped(select):
        return
    if select.projection is None:
        start = select.span.start
        hint = "name the grouped variables and the aggregates"
        raise Fault(
            "EP116", "SELECT * cannot be used with GROUP BY", Span(start, start + len("SELECT")), hint
        )
    single = set()
    for key in select.modifiers.group_by:
        variable = key.variable if isinstance(key, syntax.ExpressionAs) else key
        if isinstance(variable, syntax.Variable):
            single.add(variable.name)
    for column in select.projection:
        expression = column.expression if isinstance(column, syntax.ExpressionAs) else column
        for node in walk_expression(expression, into_aggregates=False):
            if isinstance(node, syntax.Variable) and node.name not in single:
                message = f"?{node.name} is neither grouped nor aggregated"
                hint = f"add it to GROUP BY, or take one value: (SAMPLE(?{node.name}) AS ?any_{node.name})"
                raise Fault("EP114", message, node.span, hint)
        if isinstance(column, syntax.ExpressionAs):
            single.add(column.variable.name)
    _check_after_grouping(select, single)


def _check_after_grouping(select: syntax.Select, known: Container[str]) -> None:
    """Refuse variables without one value in HAVING and ORDER BY, which see the names of SELECT.

    SPARQL 1.1, section 18.2.4.1 takes a sample of such a variable. To HAVING it gives no name of SELECT, but
    the engines that are in use do.
    """
    ordering = (key.expression for key in select.modifiers.order_by)
    for expression in (*select.modifiers.having, *ordering):
        for node in walk_expression(expression, into_aggregates=False):
            if isinstance(node, syntax.Variable) and node.name not in known:
                hint = "write an aggregate, as in HAVING (COUNT(*) > 1)"
                raise Fault("EP114", f"?{node.name} is neither grouped nor aggregated", node.span, hint)


def is_grouped(form: syntax.QueryForm) -> bool:
    """Whether the solutions of a query or sub-SELECT are groups: it has GROUP BY or an aggregate."""
    modifiers = form.modifiers
    projection = (form.projection if isinstance(form, syntax.Select) else None) or ()
    columns = [each.expression for each in projection if isinstance(each, syntax.ExpressionAs)]
    keys = [key.expression for key in modifiers.order_by]
    return bool(modifiers.group_by) or any(
        next(_aggregates(expression), None) is not None for expression in (*columns, *modifiers.having, *keys)
    )


def _aggregates(expression: syntax.Node) -> Iterator[syntax.Aggregate]:
    """The outermost aggregates of an expression."""
    for node in walk_expression(expression, into_aggregates=False):
        if isinstance(node, syntax.Aggregate):
            yield node
