"""What SPARQL forbids and no grammar can say: scopes of variables, labels of blank nodes, aggregates.

SPARQL 1.1, sections 18.2.1 (variable scope), 19.6 (blank node labels) and the notes of section 19.8. Each
side of an EP-SPARQL combinator is a pattern of its own, and its variables are in scope after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from typing_extensions import assert_never

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.aggregate_rules import (
    check_grouping,
    refuse_aggregates,
    refuse_nested_aggregates,
    refuse_of_iterations,
    refuse_prev,
    refuse_unknown_iterated,
)
from etalis_py.compiler.parse.chains import check_chain
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.syntax_walk import walk, walk_expression

__all__ = ["check_restrictions", "restriction_faults"]


def check_restrictions(query: syntax.Query) -> None:
    """Refuse a query that the grammar lets through and SPARQL does not.

    Raises:
        Fault: EP110 to EP120, at the first place that is wrong.
    """
    for fault in restriction_faults(query):
        raise fault


def restriction_faults(query: syntax.Query) -> list[Fault]:
    """What SPARQL does not allow in a query, one fault for each element or clause that has one."""
    checker = _Checker()
    with checker.going_on():
        checker.form(query.form)
    return checker.faults


class _Checker:
    """One query's blank node labels, and the way through its patterns."""

    def __init__(self) -> None:
        self._labels: dict[str, int] = {}
        self._patterns = 0
        self._iterated: dict[str, syntax.Repeat] = {}
        """Variables that a REPEAT to the left has in each iteration another value of."""
        self.faults: list[Fault] = []

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Note a fault of what is checked within the context, and go on after it."""
        try:
            yield
        except Fault as fault:
            self.faults.append(fault)

    def form(self, form: syntax.QueryForm) -> None:
        match form:
            case syntax.Select():
                self._select(form)
            case syntax.Construct(template=template):
                with self.going_on():
                    _refuse_paths(template)
                self._modifiers(form, self._group(form.where))
                with self.going_on():
                    self._refuse_iterated(*template)
            case syntax.Ask(where=where) | syntax.Describe(where=where):
                self._modifiers(form, set() if where is None else self._group(where))
            case _:
                assert_never(form)

    def _select(self, select: syntax.Select) -> set[str]:
        """Check a query or sub-query; returns the variables that are in scope after it."""
        iterated, self._iterated = self._iterated, {}
        try:
            projected = self._projected(select)
        finally:
            self._iterated = iterated
        return projected

    def _projected(self, select: syntax.Select) -> set[str]:
        visible = self._group(select.where)
        self._modifiers(select, visible)
        if select.values is not None:
            visible |= _names(select.values.variables)
        with self.going_on():
            check_grouping(select)
        if select.projection is None:
            return visible
        projected: set[str] = set()
        named: set[str] = set()
        for column in select.projection:
            variable = column.variable if isinstance(column, syntax.ExpressionAs) else column
            with self.going_on():
                self._refuse_iterated(column)
                if isinstance(column, syntax.ExpressionAs):
                    self._expression(column.expression)
                    refuse_nested_aggregates(column.expression)
                    refuse_of_iterations(column.expression, "SELECT")
                    _refuse_second_value("EP111", "AS", variable, visible | projected)
                    named.add(variable.name)
                elif variable.name in named:
                    _refuse_second_value("EP111", "AS", variable, named)
            projected.add(variable.name)
        return projected

    def _modifiers(self, form: syntax.QueryForm, visible: set[str]) -> None:
        """Check what follows WHERE; the names that GROUP BY gives are added to ``visible``."""
        with self.going_on():
            self._refuse_iterated(form.modifiers)
        if form.values is not None:
            with self.going_on():
                _check_rows(form.values)
                self._refuse_iterated(form.values)
        for clause in form.modifiers.aggregates:
            with self.going_on():
                _refuse_second_value("EP111", "AGGREGATE", clause.variable, visible)
                visible.add(clause.variable.name)
            for each in clause.conditions:
                with self.going_on():
                    self._filter(each.expression, visible, repeated=False)
        for key in form.modifiers.group_by:
            expression = key.expression if isinstance(key, syntax.ExpressionAs) else key
            with self.going_on():
                self._expression(expression)
                refuse_aggregates(expression, "GROUP BY")
                if isinstance(key, syntax.ExpressionAs):
                    _refuse_second_value("EP111", "AS", key.variable, visible)
                    visible.add(key.variable.name)
        for expression in (*form.modifiers.having, *(key.expression for key in form.modifiers.order_by)):
            with self.going_on():
                self._expression(expression)
                refuse_nested_aggregates(expression)
                refuse_of_iterations(expression, "HAVING or ORDER BY")

    def _group(self, group: syntax.Group, *, repeated: bool = False) -> set[str]:
        """Check a group; returns the variables that are in scope after it."""
        visible: set[str] = set()
        self._next_pattern()
        for element in group.elements:
            with self.going_on():
                if isinstance(element, syntax.TriplesBlock):
                    self._refuse_iterated(element)
                    visible |= _variables(element)
                    self._claim_labels(element)
                elif not isinstance(element, syntax.Filter):
                    self._next_pattern()
                    visible |= self._element(element, visible)
                    self._next_pattern()
        for element in group.elements:
            with self.going_on():
                if isinstance(element, syntax.Filter):
                    self._filter(element.expression, visible, repeated=repeated)
        return visible

    def _filter(self, expression: syntax.Expression, visible: set[str], *, repeated: bool) -> None:
        self._refuse_iterated(expression)
        self._expression(expression, repeated=repeated)
        if repeated:
            refuse_nested_aggregates(expression)
            refuse_unknown_iterated(expression, visible)
        else:
            refuse_aggregates(expression, "FILTER")

    def _element(  # noqa: C901 - one branch for each element
        self, element: syntax.GroupElement, visible: set[str]
    ) -> set[str]:
        """Check an element that ends a basic graph pattern; returns the variables it brings into scope."""
        match element:
            case syntax.Bind(expression=expression, variable=variable):
                self._refuse_iterated(element)
                self._expression(expression)
                refuse_aggregates(expression, "BIND")
                _refuse_second_value("EP110", "BIND", variable, visible)
                return {variable.name}
            case syntax.GoalPattern():
                self._refuse_iterated(element)
                return _variables(element)
            case syntax.InlineData(variables=variables):
                self._refuse_iterated(element)
                _check_rows(element)
                return _names(variables)
            case syntax.OptionalPattern(group=group):
                return self._group(group)
            case syntax.MinusPattern(group=group):
                before = dict(self._iterated)
                self._group(group)
                self._iterated = before
                return set()
            case (
                syntax.GraphPattern(name=name, group=group)
                | syntax.StreamPattern(name=name, group=group)
                | syntax.WindowPattern(name=name, group=group)
                | syntax.ServicePattern(endpoint=name, group=group)
            ):
                self._refuse_iterated(name)
                return self._group(group) | _variables(name)
            case syntax.EventPattern(stream=stream, group=group):
                if stream is not None:
                    self._refuse_iterated(stream)
                return self._group(group) | (set() if stream is None else _variables(stream))
            case syntax.MatchPattern():
                events = (each for each in walk(element) if isinstance(each, syntax.EventPattern))
                found = set().union(*(self._element(each, visible) for each in events))
                for bind in element.bindings:
                    found |= self._element(bind, found)
                for condition in element.conditions:
                    self._filter(condition, found, repeated=False)
                return found
            case syntax.Combination():
                check_chain(element)
                return self._chain(element, visible)
            case syntax.Group() | syntax.Repeat() | syntax.Negated() | syntax.Timer():
                check_chain(element)
                return self._step(element, visible, shares=False)
            case syntax.Select():
                found = self._select(element)
                self._refuse_names(found, element)
                return found
            case syntax.TriplesBlock() | syntax.Filter() | syntax.Within():
                return set()
            case _:
                assert_never(element)

    # ---- chains -----------------------------------------------------------------------------------------

    def _chain(self, chain: syntax.Combination, visible: set[str]) -> set[str]:
        """Check the steps of a chain, from the left; ``visible`` are the variables before it."""
        steps: list[syntax.Combination] = []
        first: syntax.Combination | syntax.Step = chain
        while isinstance(first, syntax.Combination):
            steps.append(first)
            first = first.left
        before = dict(self._iterated)
        found = self._step(first, visible, shares=False)
        for each in reversed(steps):
            if each.selection is not None:
                self._scope(each.selection)
            if each.operator == "UNION":  # its sides know nothing of each other
                after, self._iterated = self._iterated, dict(before)
                found |= self._step(each.right, visible, shares=False)
                self._iterated |= after
            else:
                shares = each.operator == "SEQ"
                found |= self._step(each.right, found if shares else found | visible, shares=shares)
        return found

    def _step(self, step: syntax.Step, visible: set[str], *, shares: bool) -> set[str]:
        """Check one step; ``shares``: it follows what has ``visible``, which iterations share with it."""
        match step:
            case syntax.Group():
                return self._group(step)
            case syntax.Negated(group=group):
                before = dict(self._iterated)
                self._group(group)
                self._iterated = before
                return set()
            case syntax.Timer():
                return set()
            case syntax.Repeat():
                return self._repeat(step, visible, shares=shares)
            case _:
                assert_never(step)

    def _repeat(self, repeat: syntax.Repeat, visible: set[str], *, shares: bool) -> set[str]:
        inside = self._group(repeat.group, repeated=True)
        if repeat.among is not None:
            self._group(repeat.among)
        per = _names(repeat.per)
        for each in repeat.per:
            if each.name not in inside:
                message = f"PER names ?{each.name}, which the repeated group does not bind"
                hint = "PER names variables of the group that have one value in all iterations"
                raise Fault("EP119", message, each.span, hint)
        shared = per | (inside & visible if shares else set())
        named = {each.variable.name for each in repeat.measures}
        iterated = inside - shared
        for name in sorted((iterated - named) & visible):
            raise self._of_one_iteration(name, _place_of(repeat.group, name))
        for measure in repeat.measures:
            refuse_nested_aggregates(measure.expression)
            refuse_of_iterations(measure.expression, "MEASURES", prev_only=True)
            refuse_unknown_iterated(measure.expression, inside)
            for node in walk_expression(measure.expression, into_aggregates=False):
                if isinstance(node, syntax.Variable) and node.name in iterated:
                    raise self._of_one_iteration(node.name, node)
            if measure.variable.name in shared | visible:
                _refuse_second_value("EP111", "AS", measure.variable, shared | visible)
        if len(named) < len(repeat.measures):
            counted = [each.variable for each in repeat.measures]
            twice = next(each for each in counted if counted.count(each) > 1)
            _refuse_second_value("EP111", "AS", twice, named)
        self._iterated |= dict.fromkeys(iterated - named, repeat)
        return per | named

    def _scope(self, selection: syntax.Selection) -> None:
        if selection.among is not None:
            self._group(selection.among)
        for each in selection.per:
            self._refuse_iterated(each)

    def _refuse_iterated(self, *parts: syntax.Node) -> None:
        """Refuse variables that a REPEAT to the left has another value of in each iteration."""
        for part in parts:
            for node in walk(part):
                if isinstance(node, syntax.Variable) and node.name in self._iterated:
                    raise self._of_one_iteration(node.name, node)

    def _refuse_names(self, names: set[str], place: syntax.Node) -> None:
        for name in sorted(names & self._iterated.keys()):
            raise self._of_one_iteration(name, place)

    def _of_one_iteration(self, name: str, place: syntax.Node) -> Fault:
        hint = f"name it in PER to have one value in all, or measure it: MEASURES (LAST(?{name}) AS ?last)"
        return Fault("EP119", f"?{name} is of one iteration of REPEAT", place.span, hint)

    # ---- expressions ------------------------------------------------------------------------------------

    def _expression(self, expression: syntax.Expression, *, repeated: bool = False) -> None:
        """Check the groups of EXISTS in an expression."""
        for node in walk_expression(expression):
            if isinstance(node, syntax.Exists):
                before = dict(self._iterated)
                self._group(node.group)
                self._iterated = before
            elif isinstance(node, syntax.BuiltInCall) and node.name == "PREV" and not repeated:
                refuse_prev(node)

    def _next_pattern(self) -> None:
        """A basic graph pattern ends here."""
        self._patterns += 1

    def _claim_labels(self, block: syntax.TriplesBlock) -> None:
        for node in walk(block):
            if not isinstance(node, syntax.BlankNode) or node.label is None:
                continue
            if self._labels.setdefault(node.label, self._patterns) != self._patterns:
                message = f"the blank node '_:{node.label}' is already used in another graph pattern"
                hint = f"a blank node belongs to one graph pattern; use a variable: ?{node.label}"
                raise Fault("EP112", message, node.span, hint)


def _refuse_paths(template: Iterable[syntax.SubjectTriples]) -> None:
    for subject in template:
        for node in walk(subject):
            if not isinstance(node, syntax.PropertyObjects):
                continue
            if not isinstance(node.verb, (syntax.Variable, syntax.IriRef, syntax.PrefixedName)):
                raise Fault(
                    "EP117", "a template cannot have property paths", node.verb.span, "write out the triples"
                )


def _refuse_second_value(code: str, word: str, variable: syntax.Variable, visible: set[str]) -> None:
    if variable.name in visible:
        hint = f"give the result of {word} a new name"
        raise Fault(code, f"?{variable.name} already has a value", variable.span, hint)


def _check_rows(data: syntax.InlineData) -> None:
    seen: set[str] = set()
    for variable in data.variables:
        if variable.name in seen:
            raise Fault("EP113", f"VALUES names ?{variable.name} twice", variable.span)
        seen.add(variable.name)
    for row in data.rows:
        if len(row.values) != len(data.variables):
            values, variables = len(row.values), len(data.variables)
            message = f"this row has {_counted(values, 'value')} for {_counted(variables, 'variable')}"
            raise Fault("EP113", message, row.span, "write UNDEF for an unknown value")


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _names(variables: Iterable[syntax.Variable]) -> set[str]:
    return {variable.name for variable in variables}


def _place_of(node: syntax.Node, name: str) -> syntax.Node:
    return next(each for each in walk(node) if isinstance(each, syntax.Variable) and each.name == name)


def _variables(node: syntax.Node) -> set[str]:
    return {each.name for each in walk(node) if isinstance(each, syntax.Variable)}
